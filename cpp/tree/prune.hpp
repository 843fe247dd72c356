// Pruning by estimated errors (C4.5) or by estimated cost, and counting a tree anew.
#pragma once

#include "common/poll.hpp"
#include "tree/split.hpp"
#include "tree/tree.hpp"

namespace stakes::tree {

struct ErrorPruning {
  Dialect dialect = Dialect::c45;
  double confidence = 0.25;
  double z = 0.0;  // normal deviate that belongs to the confidence
  bool raise_subtrees = true;
};

// Errors to expect beyond the `errors` seen among `weight` rows.
double extra_errors(const ErrorPruning& how, double weight, double errors);

// One bottom-up pass. The rows are routed down again, and node weights are overwritten on the way.
// `poll` is called at every node and may throw to stop the work.
void prune_by_errors(Tree& tree, const Training& training, const ErrorPruning& how, const Poll& poll);

// Bradford et al.: a node becomes a leaf where its Laplace-corrected loss is not above its branches'.
// `costs` is (n_classes, n_classes), indexed [actual, predicted].
void prune_by_cost(Tree& tree, const std::vector<double>& costs, std::int32_t n_classes);

// Routes the rows down again with other weights and overwrites the nodes' weights and labels.
void recount(Tree& tree, const Training& training);

}  // namespace stakes::tree
