// Trees that keep the whole cost small: mistakes and the tests met on the way to a leaf.
#pragma once

#include <limits>
#include <vector>

#include "common/poll.hpp"
#include "common/prices.hpp"
#include "common/table.hpp"
#include "tree/tree.hpp"

namespace stakes::tree {

struct TotalCostOptions {
  double leaf_penalty = 0.0;  // added to the cost for each leaf
  int max_depth = 6;
  int width = 4;            // tests tried per ranking at the root, half as many at each further level
  bool exhaustive = false;  // try every test everywhere: for small tables
  double min_samples_leaf = 1.0;
  int max_bins = 255;
  // Hard limits: prices on a path, and of all columns of the tree together.
  double max_path_cost = std::numeric_limits<double>::infinity();
  double max_upfront_cost = std::numeric_limits<double>::infinity();
};

// `costs` is (n_classes, n_classes), indexed [actual, predicted].
Tree grow_total_cost(const Training& training, const std::vector<double>& costs, const Prices& prices,
                     const TotalCostOptions& options, const Poll& poll);

}  // namespace stakes::tree
