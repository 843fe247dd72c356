// The best subtree of a few levels for some rows, from counts of pairs of tests.
#pragma once

#include "evolve/tree.hpp"

namespace stakes::evolve {

struct SubtreeOptions {
  int levels = 2;
  std::size_t width = 8;       // tests that are followed up where there are more than two levels to come
  std::size_t max_groups = 0;  // of the values of a column, at most 32
  bool exhaustive = false;     // follow up all tests, but for those that provably lead to nothing better
  double node_price = 0.0;     // what a node must save
};

// About how many operations a search takes.
double search_operations(const Trees& trees, const NodeRows& reach, const SubtreeOptions& options);
// The deepest and finest search of at most `levels` that takes no more than about so many operations.
SubtreeOptions affordable(const Trees& trees, const NodeRows& reach, int levels, std::size_t width,
                          double operations);

struct Subtree {
  NodePtr sketch;       // null: a leaf costs no more
  bool proved = false;  // no subtree of so many levels costs less, but for prices of columns
};

// Two levels of tests on the rows looked at are exact, but for values beyond a few dozen, which share groups;
// more levels follow up the tests that are best with two.
Subtree best_subtree(const Trees& trees, const NodeRows& reach, const Place& place,
                     const SubtreeOptions& options, Random& random);

// Some of the rows in a set, at most `local_rows`, in no order.
std::vector<std::uint32_t> some_rows(const Trees& trees, const RowSet& set, Random& random);

}  // namespace stakes::evolve
