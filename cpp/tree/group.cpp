// C4.5's option -s: values of a nominal column are merged into groups, one branch per group.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tree/split.hpp"

namespace stakes::tree {

namespace {

struct Group {
  std::vector<std::int32_t> values;
  std::vector<double> class_weights;
  double weight = 0.0;
};

Group merged(const Group& a, const Group& b) {
  Group group = a;
  group.values.insert(group.values.end(), b.values.begin(), b.values.end());
  for (std::size_t c = 0; c < group.class_weights.size(); ++c) group.class_weights[c] += b.class_weights[c];
  group.weight += b.weight;
  return group;
}

std::int32_t pure_class(const Group& group) {
  std::int32_t only = -1;
  for (std::size_t c = 0; c < group.class_weights.size(); ++c) {
    if (group.class_weights[c] <= 0.0) continue;
    if (only >= 0) return -1;
    only = static_cast<std::int32_t>(c);
  }
  return only;
}

struct Judged {
  double gain = 0.0, ratio = 0.0;
};

// The sums that gain and split info are made of, so that a merge is judged from the two groups it touches.
struct Sums {
  double known = 0.0, base = 0.0;         // weight and purity of the rows with a known value
  double purity = 0.0, size_terms = 0.0;  // of the groups
  double node_weight = 0.0;

  Judged judge() const {
    const double gain = (purity - base) / node_weight;
    const double unknown = std::max(0.0, node_weight - known);
    const double split_info = (xlog2x(node_weight) - xlog2x(unknown) - size_terms) / node_weight;
    return {gain, split_info > 0.0 ? gain / split_info : 0.0};
  }
};

void add(const GrowOptions& options, const Group& group, double sign, Sums& sums) {
  sums.purity += sign * purity_of(options.impurity(), group.class_weights);
  sums.size_terms += sign * xlog2x(group.weight);
}

Sums sums_of(const GrowOptions& options, const std::vector<Group>& groups, double node_weight) {
  Sums sums;
  sums.node_weight = node_weight;
  std::vector<double> whole(groups.front().class_weights.size(), 0.0);
  for (const Group& group : groups) {
    add(options, group, 1.0, sums);
    sums.known += group.weight;
    for (std::size_t c = 0; c < whole.size(); ++c) whole[c] += group.class_weights[c];
  }
  sums.base = purity_of(options.impurity(), whole);
  return sums;
}

void merge(std::vector<Group>& groups, std::size_t i, std::size_t j) {
  groups[i] = merged(groups[i], groups[j]);
  groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(j));
}

void merge_pure(std::vector<Group>& groups) {
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::int32_t cls = pure_class(groups[i]);
    if (cls < 0) continue;
    for (std::size_t j = groups.size() - 1; j > i; --j) {
      if (pure_class(groups[j]) == cls) merge(groups, i, j);
    }
  }
}

std::size_t n_heavy(const std::vector<Group>& groups, double least) {
  return static_cast<std::size_t>(std::count_if(
      groups.begin(), groups.end(), [=](const Group& g) { return g.weight >= least - kWeightSlack; }));
}

// While merging, a group counts as soon as it holds one row; the caller's minimum is applied to the result.
constexpr double kLeastWhileMerging = 1.0;

// One step of the hill climb: the best merge, or false when none should be made.
bool merge_best_pair(const GrowOptions& options, double node_weight, std::vector<Group>& groups,
                     Judged& now) {
  const auto largest = static_cast<std::size_t>(
      std::max_element(groups.begin(), groups.end(),
                       [](const Group& a, const Group& b) { return a.weight < b.weight; }) -
      groups.begin());
  const bool spare_largest = n_heavy(groups, kLeastWhileMerging) < 3;
  const Sums sums = sums_of(options, groups, node_weight);
  std::size_t best_i = 0, best_j = 0;
  Judged best{-std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  bool best_keeps_gain = false;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (std::size_t j = i + 1; j < groups.size(); ++j) {
      if (spare_largest && (i == largest || j == largest)) continue;
      Sums after = sums;
      add(options, groups[i], -1.0, after);
      add(options, groups[j], -1.0, after);
      add(options, merged(groups[i], groups[j]), 1.0, after);
      const Judged candidate = after.judge();
      const bool keeps_gain = candidate.gain >= 0.5 * now.gain;
      if (keeps_gain != best_keeps_gain ? keeps_gain : candidate.ratio > best.ratio) {
        best = candidate;
        best_keeps_gain = keeps_gain;
        best_i = i;
        best_j = j;
      }
    }
  }
  if (best_i == best_j) return false;
  if (options.ratio() && n_heavy(groups, kLeastWhileMerging) >= 2 && best.ratio <= now.ratio + 1e-5)
    return false;
  merge(groups, best_i, best_j);
  now = best;
  return true;
}

}  // namespace

void group_values(const Learning& learning, const std::vector<double>& table, double node_weight,
                  Split& split) {
  const std::size_t n_classes = learning.n_classes(), n_values = table.size() / n_classes;
  std::vector<Group> groups;
  std::vector<std::int32_t> leftover;
  for (std::size_t v = 0; v < n_values; ++v) {
    Group group;
    group.values = {static_cast<std::int32_t>(v)};
    const auto first = table.begin() + static_cast<std::ptrdiff_t>(v * n_classes);
    group.class_weights.assign(first, first + static_cast<std::ptrdiff_t>(n_classes));
    group.weight = std::accumulate(group.class_weights.begin(), group.class_weights.end(), 0.0);
    if (group.weight > 0.5 + kWeightSlack) {
      groups.push_back(std::move(group));
    } else {
      leftover.push_back(static_cast<std::int32_t>(v));
    }
  }
  if (groups.size() < 2) return;
  merge_pure(groups);
  Judged now = sums_of(learning.options, groups, node_weight).judge();
  while (groups.size() > 2 && merge_best_pair(learning.options, node_weight, groups, now)) {
  }
  if (groups.size() < 2 || n_heavy(groups, learning.options.min_samples_leaf) < 2) return;
  std::vector<double> branches;
  split.value_branch.assign(n_values, static_cast<std::int32_t>(groups.size()));
  for (std::size_t g = 0; g < groups.size(); ++g) {
    branches.insert(branches.end(), groups[g].class_weights.begin(), groups[g].class_weights.end());
    for (const std::int32_t v : groups[g].values) split.value_branch[v] = static_cast<std::int32_t>(g);
  }
  const Measure measure = measure_partition(learning.options, branches, n_classes, node_weight);
  split.gain = measure.gain;
  split.split_info = measure.split_info;
  split.n_branches = static_cast<std::int32_t>(groups.size() + (leftover.empty() ? 0 : 1));
  split.usable = true;
}

}  // namespace stakes::tree
