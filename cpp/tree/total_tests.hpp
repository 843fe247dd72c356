// What a test at a node would do for the cost, found from counts of values by class.
#pragma once

#include <cstdint>
#include <vector>

#include "common/coded.hpp"

namespace stakes::tree {

// One way to split a node.
struct CostTest {
  std::int32_t column = -1;
  std::int32_t cut = -1;    // numeric: codes up to here go left
  std::int32_t value = -1;  // nominal: this category against the rest; -1: a branch per category
  double price = 0.0;       // for one row
  double cost = 0.0;        // prices and mistakes of all rows if the branches were leaves
  double gain = 0.0;        // bits, classes weighed by what mistaking them costs

  bool same(const CostTest& other) const {
    return column == other.column && cut == other.cut && value == other.value;
  }
};

// Misclassification costs, indexed [actual, predicted].
class Mistakes {
 public:
  Mistakes(const std::vector<double>& costs, std::size_t n_classes);

  std::size_t n_classes() const { return n_classes_; }
  // What the cheapest answer costs for these class weights.
  double cheapest(const double* weights) const;
  // -n * entropy with each class weighed by the sum of its costs.
  double purity(const double* weights) const;
  double importance() const { return total_importance_; }

 private:
  const std::vector<double>& costs_;
  std::size_t n_classes_;
  std::vector<double> importance_;  // Breiman's cost vector
  double total_importance_ = 0.0;
};

// Weights of a column's values by class, [value, class]; the last row has the missing values.
using ValueCounts = std::vector<double>;

// Adds tests of a column. `base` has column and price. With `all`, every cut and category is a test of its
// own; else the best by cost and the best by gain. Each side needs at least `min_samples_leaf` of known
// weight.
void add_tests(const CodedColumn& column, const ValueCounts& counts, const Mistakes& mistakes, CostTest base,
               double min_samples_leaf, bool all, std::vector<CostTest>& tests);

}  // namespace stakes::tree
