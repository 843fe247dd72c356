#include "tree/total_tests.hpp"

#include <limits>
#include <numeric>

#include "tree/criterion.hpp"

namespace stakes::tree {

Mistakes::Mistakes(const std::vector<double>& costs, std::size_t n_classes)
    : costs_(costs), n_classes_(n_classes), importance_(n_classes, 0.0) {
  for (std::size_t j = 0; j < n_classes; ++j) {
    for (std::size_t k = 0; k < n_classes; ++k) importance_[j] += costs[j * n_classes + k];
    total_importance_ += importance_[j];
  }
}

double Mistakes::cheapest(const double* weights) const {
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < n_classes_; ++k) {
    double cost = 0.0;
    for (std::size_t j = 0; j < n_classes_; ++j) cost += weights[j] * costs_[j * n_classes_ + k];
    best = std::min(best, cost);
  }
  return best;
}

double Mistakes::purity(const double* weights) const {
  double total = 0.0, inner = 0.0;
  for (std::size_t j = 0; j < n_classes_; ++j) {
    const double weight = weights[j] * importance_[j];
    total += weight;
    inner += xlog2x(weight);
  }
  return inner - xlog2x(total);
}

namespace {

// Scores the tests of one column, and keeps all of them or the best two.
class Scorer {
 public:
  Scorer(const ValueCounts& counts, std::size_t n_values, const Mistakes& mistakes, const CostTest& base,
         bool all, std::vector<CostTest>& tests)
      : mistakes_(mistakes),
        k_(mistakes.n_classes()),
        missing_(counts.data() + n_values * k_),
        base_(base),
        all_(all),
        tests_(tests),
        known_(k_, 0.0),
        mixed_(k_) {
    for (std::size_t v = 0; v < n_values; ++v) {
      for (std::size_t c = 0; c < k_; ++c) known_[c] += counts[v * k_ + c];
    }
    known_weight_ = std::accumulate(known_.begin(), known_.end(), 0.0);
    missing_weight_ = std::accumulate(missing_, missing_ + k_, 0.0);
    purity_ = mistakes.purity(known_.data());
    by_cost_.cost = std::numeric_limits<double>::infinity();
    by_gain_.gain = -std::numeric_limits<double>::infinity();
  }

  const std::vector<double>& known() const { return known_; }
  double known_weight() const { return known_weight_; }

  CostTest start() const {
    CostTest test = base_;
    test.cost = base_.price * (known_weight_ + missing_weight_);
    test.gain = -purity_;
    return test;
  }

  // Counts a branch with these classes of known rows; rows with a missing value take part in each branch.
  void branch(const double* side, double weight, CostTest& test) {
    test.gain += mistakes_.purity(side);
    if (missing_weight_ <= 0.0) {
      test.cost += mistakes_.cheapest(side);
      return;
    }
    for (std::size_t c = 0; c < k_; ++c) mixed_[c] = side[c] + missing_[c] * (weight / known_weight_);
    test.cost += mistakes_.cheapest(mixed_.data());
  }

  void offer(const CostTest& test) {
    if (all_) tests_.push_back(test);
    if (test.cost < by_cost_.cost) by_cost_ = test;
    if (test.gain > by_gain_.gain) by_gain_ = test;
  }

  void finish() {
    if (all_ || by_cost_.column < 0) return;
    tests_.push_back(by_cost_);
    if (!by_gain_.same(by_cost_)) tests_.push_back(by_gain_);
  }

 private:
  const Mistakes& mistakes_;
  std::size_t k_;
  const double* missing_;
  const CostTest& base_;
  bool all_;
  std::vector<CostTest>& tests_;
  std::vector<double> known_, mixed_;
  double known_weight_ = 0.0, missing_weight_ = 0.0, purity_ = 0.0;
  CostTest by_cost_, by_gain_;
};

void numeric_tests(std::size_t n_values, const ValueCounts& counts, std::size_t k, double min_samples_leaf,
                   Scorer& scorer) {
  std::vector<double> left(k, 0.0), right = scorer.known();
  double left_weight = 0.0;
  for (std::size_t v = 0; v + 1 < n_values; ++v) {
    double moved = 0.0;
    for (std::size_t c = 0; c < k; ++c) {
      const double weight = counts[v * k + c];
      moved += weight;
      left[c] += weight;
      right[c] = std::max(0.0, right[c] - weight);
    }
    left_weight += moved;
    const double right_weight = scorer.known_weight() - left_weight;
    if (moved <= 0.0 || left_weight < min_samples_leaf || right_weight < min_samples_leaf) continue;
    CostTest test = scorer.start();
    test.cut = static_cast<std::int32_t>(v);
    scorer.branch(left.data(), left_weight, test);
    scorer.branch(right.data(), right_weight, test);
    scorer.offer(test);
  }
}

void nominal_tests(std::size_t n_values, const ValueCounts& counts, std::size_t k, double min_samples_leaf,
                   Scorer& scorer, Scorer& singles) {
  CostTest multiway = scorer.start();
  int n_present = 0, n_large = 0;
  std::vector<double> rest(k), weights(n_values);
  for (std::size_t v = 0; v < n_values; ++v) {
    const double* cells = counts.data() + v * k;
    weights[v] = std::accumulate(cells, cells + k, 0.0);
    if (weights[v] <= 0.0) continue;
    scorer.branch(cells, weights[v], multiway);
    ++n_present;
    n_large += weights[v] >= min_samples_leaf;
  }
  if (n_present < 2) return;
  if (n_large >= 2) scorer.offer(multiway);
  for (std::size_t v = 0; v < n_values && n_present > 2; ++v) {
    const double others = scorer.known_weight() - weights[v];
    if (weights[v] < min_samples_leaf || others < min_samples_leaf) continue;
    const double* cells = counts.data() + v * k;
    for (std::size_t c = 0; c < k; ++c) rest[c] = std::max(0.0, scorer.known()[c] - cells[c]);
    CostTest single = singles.start();
    single.value = static_cast<std::int32_t>(v);
    singles.branch(cells, weights[v], single);
    singles.branch(rest.data(), others, single);
    singles.offer(single);
  }
}

}  // namespace

void add_tests(const CodedColumn& column, const ValueCounts& counts, const Mistakes& mistakes, CostTest base,
               double min_samples_leaf, bool all, std::vector<CostTest>& tests) {
  const auto n_values = static_cast<std::size_t>(column.n_values);
  Scorer scorer(counts, n_values, mistakes, base, all, tests);
  if (!column.nominal) {
    numeric_tests(n_values, counts, mistakes.n_classes(), min_samples_leaf, scorer);
    scorer.finish();
    return;
  }
  // A branch per category nearly always has the larger gain: single categories compete among themselves.
  Scorer singles(counts, n_values, mistakes, base, all, tests);
  nominal_tests(n_values, counts, mistakes.n_classes(), min_samples_leaf, scorer, singles);
  scorer.finish();
  singles.finish();
}

}  // namespace stakes::tree
