// A tree while it is grown and pruned, and the flat arrays it ends as.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "common/table.hpp"

namespace stakes::tree {

struct Node {
  std::int32_t feature = -1;
  double threshold = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::int32_t> children;
  std::vector<std::int32_t> value_branch;  // nominal test: branch of each category code
  std::vector<double> class_weights;
  double weight = 0.0;
  std::int32_t label = 0;

  bool leaf() const { return feature < 0; }
  void make_leaf() {
    feature = -1;
    threshold = std::numeric_limits<double>::quiet_NaN();
    children.clear();
    value_branch.clear();
  }
};

// Node 0 is the root. After pruning some nodes may be out of reach; flatten() leaves them out.
using Tree = std::vector<Node>;

// A row, or the part of it that went this way because a tested value was missing.
struct Part {
  std::uint32_t row;
  double weight;
};
using Parts = std::vector<Part>;

Parts present_parts(const Training& training);

// Breadth-first arrays, children of a node next to each other. See stakes.tree.model.TreeModel.
struct FlatTree {
  std::int32_t n_classes = 0;
  std::vector<std::int32_t> feature, first_child, n_branches, value_start, value_branch, label;
  std::vector<double> threshold, class_weights;
};

FlatTree flatten(const Tree& tree, std::int32_t n_classes);

// First maximum, starting from `preferred`: another class must be strictly heavier to win.
std::int32_t heaviest_class(const std::vector<double>& class_weights, std::int32_t preferred);

}  // namespace stakes::tree
