// Rows of a node as local search sees them: sums that the cost of a leaf follows from, and columns whose
// values are put in order and into groups.
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>

#include "evolve/pair_kernels.hpp"
#include "evolve/tree.hpp"

namespace stakes::evolve {

// Sums over rows from which the cost of a leaf follows: class weights, or costs of all answers where each row
// has costs of its own.
class Ledger {
 public:
  Ledger(const Trees& trees, const NodeRows& reach, const std::vector<std::uint32_t>& rows)
      : table_(trees.table()), rows_(rows) {
    scale_ = static_cast<double>(reach.rows.count) / static_cast<double>(rows.size());
    n_classes_ = static_cast<std::size_t>(table_.n_classes);
    channels_ = table_.cost_per_row ? n_classes_ + 1 : n_classes_;
    least_ = static_cast<double>(trees.options().min_rows);
    if (!table_.weights.empty() || scale_ > 1.0) least_ = 0.0;
  }

  std::size_t channels() const { return channels_; }
  // Whether a row adds 1 to the channel of its class and nothing else.
  bool counts() const { return table_.weights.empty() && !table_.cost_per_row; }
  std::uint16_t class_of(std::size_t i) const { return table_.classes[rows_[i]]; }

  void add(std::size_t i, double* sums) const {
    const std::uint32_t row = rows_[i];
    if (!table_.cost_per_row) {
      sums[table_.classes[row]] += table_.weight(row);
      return;
    }
    for (std::size_t p = 0; p < n_classes_; ++p) {
      sums[p] += table_.weight(row) * table_.cost(row, static_cast<std::int32_t>(p));
    }
    sums[n_classes_] += table_.weight(row);
  }

  // How the cost of the cheapest answer follows from the sums of some channels, as if all rows at the node
  // had been looked at.
  LeafModel model(const std::vector<std::size_t>& channels) const;

  double scale() const { return scale_; }
  // The most that a row of a class can cost.
  double costliest(std::size_t c) const {
    const double* costs = &table_.costs[c * n_classes_];
    return scale_ * *std::max_element(costs, costs + n_classes_);
  }

 private:
  const EvolveTable& table_;
  const std::vector<std::uint32_t>& rows_;
  std::size_t n_classes_ = 0, channels_ = 0;
  double scale_ = 1.0, least_ = 0.0;
};

// Finer groups of values find little more and cost the square of their number in time.
constexpr std::size_t kMaxGroups = 32, kMinGroups = 8;

// The values of a column at a node, put in order and into groups.
struct Groups {
  std::size_t n = 1;
  std::vector<std::uint8_t> group;     // of each row
  std::vector<std::int32_t> of_value;  // of each code; -1: does not occur
  bool distinct = true;                // a group for each value that occurs
  double price = 0.0;                  // of testing the column, per row
  std::size_t first_test = 0;          // number of the test between its first two groups
};

Groups group_column(const EvolveTable& table, const EvolveColumn& column, const NodeRows& reach,
                    const std::vector<std::uint32_t>& rows, std::size_t max_groups);

// The test that sends groups up to `last` to branch 0.
EvolveTest test_at(const EvolveTable& table, std::size_t f, const Groups& groups, std::size_t last);

}  // namespace stakes::evolve
