// Sums of many small binary trees over a matrix of numbers, as boosting makes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace stakes::boost {

// Borrowed flat arrays of all trees, one entry per node. A leaf has feature -1 and a value. At an inner node
// numbers up to the threshold go left, larger ones right, NaN left where missing_left is not 0.
struct AdditiveTrees {
  std::span<const std::int32_t> feature, left, right, missing_left;
  std::span<const double> threshold, value;
  // Of each tree: its first node, and the column of the sums that it adds to.
  std::span<const std::int32_t> root, target;
};

// Throws std::invalid_argument unless any row of n_columns numbers can be sent through the trees.
void check_additive(const AdditiveTrees& trees, std::size_t n_columns, std::size_t n_targets);

// Adds the trees' values to `sums` (n_rows, n_targets) for the rows of `matrix` (n_rows, n_columns). Trees
// are added in their order, so that the sums do not depend on threads.
void add_trees(const AdditiveTrees& trees, const double* matrix, std::size_t n_rows, std::size_t n_columns,
               std::size_t n_targets, int n_threads, double* sums);

}  // namespace stakes::boost
