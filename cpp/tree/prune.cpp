#include "tree/prune.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace stakes::tree {

namespace {

constexpr double kSlack = 0.1;  // C4.5 prefers the simpler tree when estimates differ by less

class Router {
 public:
  explicit Router(const Training& training) : training_(training) {}

  Parts all_rows() const { return present_parts(training_); }

  std::vector<double> class_weights(const Parts& parts) const {
    std::vector<double> weights(static_cast<std::size_t>(training_.n_classes), 0.0);
    for (const Part& part : parts) weights[training_.classes[part.row]] += part.weight;
    return weights;
  }

  // Rows of each branch; `largest` becomes the branch with the most known weight, the last of equals.
  std::vector<Parts> split(const Node& node, const Parts& parts, std::size_t& largest) const {
    const std::size_t n_branches = node.children.size();
    std::vector<Parts> branches(n_branches);
    std::vector<double> known(n_branches, 0.0);
    Parts missing;
    for (const Part& part : parts) {
      const std::int32_t b = branch(node, part.row);
      if (b < 0) {
        missing.push_back(part);
      } else {
        branches[b].push_back(part);
        known[b] += part.weight;
      }
    }
    largest = 0;
    for (std::size_t b = 1; b < n_branches; ++b) {
      if (known[b] >= known[largest]) largest = b;
    }
    const double total = std::accumulate(known.begin(), known.end(), 0.0);
    for (std::size_t b = 0; b < n_branches && !missing.empty(); ++b) {
      const double share = total > 0.0 ? known[b] / total : 1.0 / static_cast<double>(n_branches);
      if (share <= 0.0) continue;
      for (const Part& part : missing) branches[b].push_back({part.row, part.weight * share});
    }
    return branches;
  }

 private:
  std::int32_t branch(const Node& node, std::uint32_t row) const {
    const Column& column = training_.table->columns[node.feature];
    if (column.nominal()) {
      const std::int32_t code = column.code(row);
      return code < 0 ? -1 : node.value_branch[code];
    }
    const double value = column.number(row);
    return std::isnan(value) ? -1 : value > node.threshold;
  }

  const Training& training_;
};

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

class ErrorPruner {
 public:
  ErrorPruner(Tree& tree, const Training& training, const ErrorPruning& how, const Poll& poll)
      : tree_(tree), router_(training), how_(how), poll_(poll) {}

  void run() { prune(0, router_.all_rows(), tree_[0].label, 1.0); }

 private:
  double leaf_estimate(const std::vector<double>& class_weights) const {
    const double weight = sum(class_weights);
    if (weight <= 0.0) return 0.0;
    const double errors = weight - *std::max_element(class_weights.begin(), class_weights.end());
    return errors + extra_errors(how_, weight, errors);
  }

  // `share` of the work is what is expected here, in proportion to the rows.
  double prune(std::int32_t index, const Parts& parts, std::int32_t parent_label, double share) {
    for (;;) {
      poll_(done_);
      Node& node = tree_[index];
      node.class_weights = router_.class_weights(parts);
      node.weight = sum(node.class_weights);
      if (node.weight <= 0.0) {
        node.make_leaf();
        node.label = parent_label;
        return 0.0;
      }
      node.label = heaviest_class(node.class_weights, how_.dialect == Dialect::c45 ? node.label : 0);
      const double as_leaf = leaf_estimate(node.class_weights);
      if (node.leaf()) {
        done_ += share;
        return as_leaf;
      }

      std::size_t largest = 0;
      double as_tree = 0.0;
      {
        const std::vector<Parts> branches = router_.split(node, parts, largest);
        for (std::size_t b = 0; b < branches.size(); ++b) {
          const double rows = static_cast<double>(branches[b].size()) / static_cast<double>(parts.size());
          as_tree += prune(node.children[b], branches[b], node.label, share * rows);
        }
        share = 0.0;  // a raised subtree is pruned again
      }
      // All rows down the largest branch. What decides is only on which side of this limit the estimate
      // falls.
      const bool leaf_beats_tree = as_leaf <= as_tree + kSlack;
      const double limit = leaf_beats_tree ? as_leaf - kSlack : as_tree + kSlack;
      const std::int32_t branch = node.children[largest];
      const double as_branch =
          how_.raise_subtrees ? estimate(branch, parts, limit) : std::numeric_limits<double>::infinity();
      if (leaf_beats_tree && as_leaf <= as_branch + kSlack) {
        node.make_leaf();
        return as_leaf;
      }
      if (!(as_branch <= as_tree + kSlack)) return as_tree;
      const Node raised = tree_[branch];
      node.feature = raised.feature;
      node.threshold = raised.threshold;
      node.children = raised.children;
      node.value_branch = raised.value_branch;
      if (raised.leaf()) node.make_leaf();
    }
  }

  // Estimate of a subtree for these rows, as it is; gives up as soon as the sum passes `limit`.
  double estimate(std::int32_t index, const Parts& parts, double limit) const {
    const Node& node = tree_[index];
    if (parts.empty()) return 0.0;
    if (node.leaf()) return leaf_estimate(router_.class_weights(parts));
    std::size_t largest = 0;
    const std::vector<Parts> branches = router_.split(node, parts, largest);
    double total = 0.0;
    for (std::size_t b = 0; b < branches.size() && total <= limit; ++b) {
      total += estimate(node.children[b], branches[b], limit - total);
    }
    return total;
  }

  Tree& tree_;
  Router router_;
  const ErrorPruning& how_;
  const Poll& poll_;
  double done_ = 0.0;
};

void recount_below(Tree& tree, const Router& router, std::int32_t index, const Parts& parts,
                   std::int32_t parent_label) {
  Node& node = tree[index];
  node.class_weights = router.class_weights(parts);
  node.weight = sum(node.class_weights);
  node.label = node.weight > 0.0 ? heaviest_class(node.class_weights, 0) : parent_label;
  if (node.leaf()) return;
  std::size_t largest = 0;
  const std::vector<Parts> branches = router.split(node, parts, largest);
  for (std::size_t b = 0; b < branches.size(); ++b) {
    recount_below(tree, router, node.children[b], branches[b], node.label);
  }
}

}  // namespace

double extra_errors(const ErrorPruning& how, double weight, double errors) {
  const bool j48 = how.dialect == Dialect::j48;
  const auto none_seen = [&] { return weight * (1.0 - std::pow(how.confidence, 1.0 / weight)); };
  if (errors < (j48 ? std::numeric_limits<double>::min() : 1e-6)) return none_seen();
  if (errors < (j48 ? 1.0 : 0.9999)) {
    const double none = none_seen();
    return none + errors * (extra_errors(how, weight, 1.0) - none);
  }
  if (errors + 0.5 >= weight) return j48 ? std::max(weight - errors, 0.0) : 0.67 * (weight - errors);
  const double q = how.z * how.z, seen = errors + 0.5;
  const double upper =
      (seen + q / 2.0 + std::sqrt(q * (seen * (1.0 - seen / weight) + q / 4.0))) / (weight + q);
  return weight * upper - errors;
}

void prune_by_errors(Tree& tree, const Training& training, const ErrorPruning& how, const Poll& poll) {
  ErrorPruner(tree, training, how, poll).run();
}

void prune_by_cost(Tree& tree, const std::vector<double>& costs, std::int32_t n_classes) {
  const auto k = static_cast<std::size_t>(n_classes);
  const auto leaf_loss = [&](const Node& node) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t predicted = 0; predicted < k; ++predicted) {
      double loss = 0.0;
      for (std::size_t actual = 0; actual < k; ++actual) {
        const double share = (node.class_weights[actual] + 1.0) / (node.weight + static_cast<double>(k));
        loss += share * costs[actual * k + predicted];
      }
      least = std::min(least, loss);
    }
    return node.weight * least;
  };
  // Children come after their parents in the tree, so going backwards is bottom-up.
  std::vector<double> loss(tree.size(), 0.0);
  for (std::size_t i = tree.size(); i-- > 0;) {
    Node& node = tree[i];
    const double as_leaf = leaf_loss(node);
    double as_tree = 0.0;
    for (const std::int32_t child : node.children) as_tree += loss[child];
    if (!node.leaf() && as_leaf <= as_tree) node.make_leaf();
    loss[i] = node.leaf() ? as_leaf : as_tree;
  }
}

void recount(Tree& tree, const Training& training) {
  const Router router(training);
  recount_below(tree, router, 0, router.all_rows(), tree[0].label);
}

}  // namespace stakes::tree
