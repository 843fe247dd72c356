// The table as evolution reads it: small codes, rows as bits, and what mistakes cost.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "common/coded.hpp"
#include "common/prices.hpp"

namespace stakes::evolve {

using Mask = std::vector<std::uint64_t>;

// Codes of at most 16 bits, padded to whole words of rows. Numeric: rank among the thresholds that are kept.
struct EvolveColumn : CodedColumn {
  Mask missing;               // empty where no value is
  std::vector<Mask> members;  // nominal: rows of each value; empty where there are too many values
};

struct EvolveTable {
  std::size_t n_rows = 0, n_words = 0;
  std::int32_t n_classes = 0;
  std::vector<EvolveColumn> columns;
  std::vector<std::uint16_t> classes;
  std::vector<Mask> class_rows;
  std::vector<double> weights;  // empty: every row weighs 1
  std::vector<double> costs;    // n_classes x n_classes [actual, predicted], or n_rows x n_classes
  bool cost_per_row = false;
  double abstain_cost = std::numeric_limits<double>::infinity();
  Prices prices;

  double weight(std::uint32_t row) const { return weights.empty() ? 1.0 : weights[row]; }
  // What answering `label` costs for the row; label -1 abstains.
  double cost(std::uint32_t row, std::int32_t label) const {
    if (label < 0) return abstain_cost;
    const std::size_t line = cost_per_row ? row : classes[row];
    return costs[line * static_cast<std::size_t>(n_classes) + static_cast<std::size_t>(label)];
  }
};

// Fills `missing`, `members` and `class_rows`; codes, classes and costs are there already.
void index_rows(EvolveTable& table);

// Rows in ascending order: bits, or a list where that is smaller. Some sets only know their number.
struct RowSet {
  std::size_t count = 0;
  std::unique_ptr<std::uint64_t[]> bits;
  std::vector<std::uint32_t> list;

  bool known() const { return bits || list.size() == count; }

  template <class Visit>
  void each(const EvolveTable& table, Visit visit) const {
    if (!bits) {
      for (const std::uint32_t row : list) visit(row);
      return;
    }
    for (std::size_t w = 0; w < table.n_words; ++w) {
      for (std::uint64_t word = bits[w]; word; word &= word - 1) {
        visit(static_cast<std::uint32_t>(64 * w + static_cast<std::size_t>(std::countr_zero(word))));
      }
    }
  }
};

// A test of one column. Numeric: codes up to `cut` go to branch 0, others to branch 1.
struct EvolveTest {
  std::int32_t column = -1, cut = -1, n_branches = 2;
  std::vector<std::int32_t> branch;  // nominal: of each value
};

// The rows that arrive at a place in a tree, and what they would cost if the tree ended there.
struct NodeRows {
  RowSet rows;
  std::vector<double> class_weights;
  double weight = 0.0;
  double leaf_cost = 0.0;
  std::int32_t answer = 0;  // cheapest class
  std::int32_t label = 0;   // the same, or -1 where no answer is cheaper
  bool pure = true;         // all rows are of one class
};
using NodeRowsPtr = std::shared_ptr<const NodeRows>;

NodeRowsPtr all_rows(const EvolveTable& table);

// The same without the rows, or with those of these parts, which are lists.
NodeRowsPtr without_rows(const NodeRows& reach);
NodeRowsPtr with_rows(const EvolveTable& table, const NodeRows& reach,
                      const std::vector<const RowSet*>& parts);

// The rows of each branch. Rows whose value is missing go where most of the others go, the first of equals;
// `missing_branch` is told which.
std::vector<NodeRowsPtr> split(const EvolveTable& table, const NodeRows& from, const EvolveTest& test,
                               std::int32_t& missing_branch);

}  // namespace stakes::evolve
