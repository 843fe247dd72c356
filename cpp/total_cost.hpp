// Trees that keep the whole bill small: mistakes and the tests met on the way to a leaf.
#pragma once

#include <functional>

#include "parallel.hpp"
#include "prices.hpp"
#include "table.hpp"
#include "tree.hpp"

namespace stakes {

struct TotalCostOptions {
  double leaf_penalty = 0.0;  // added to the bill for each leaf
  int max_depth = 6;
  int width = 4;  // look-ahead candidates per ranking at the root; halved at each level
  double min_objects = 1.0;
  int max_bins = 255;
  double max_path_cost = 0.0;  // 0: no limit
};

// `costs` is (n_classes, n_classes), indexed [actual, predicted].
Tree grow_total_cost(const Training& training, const std::vector<double>& costs, const Prices& prices,
                     const TotalCostOptions& options, const std::function<void()>& poll);

}  // namespace stakes
