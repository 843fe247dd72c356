// Rows in, leaves or class weights out.
#pragma once

#include <span>

#include "common/table.hpp"
#include "tree/tree.hpp"

namespace stakes::tree {

// Borrowed flat arrays of a tree, checked against the table before anything is read through them.
struct TreeView {
  std::span<const std::int32_t> feature, first_child, n_branches, value_start, value_branch;
  std::span<const double> threshold;
  std::span<const double> node_weight;
};

// Throws std::invalid_argument unless routing any row of `table` through `tree` is safe.
void check_tree(const TreeView& tree, const Table& table);

// Leaf of each row, or -1 where a missing value spreads the row over several. Throws on infinite values.
void route_leaves(const TreeView& tree, const Table& table, int n_threads, std::int32_t* leaf);

// Adds up `values` (n_nodes, n_values) over the leaves of each of `rows`, weighted by the share that reaches
// them. Leaves are met in depth-first order and shares are multiplied from the root down, so every exported
// form of the tree can repeat the sums to the last bit.
void route_mixture(const TreeView& tree, const Table& table, std::span<const std::int64_t> rows,
                   const double* values, std::size_t n_values, double* out);

}  // namespace stakes::tree
