// Borrowed views of typed columns. Nothing here owns memory or knows Python.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace stakes {

// Deeper trees are not made nor accepted: pruning and routing recurse.
constexpr int kMaxDepth = 2000;

// One column of the table. Numeric: doubles, NaN is missing. Nominal: codes 0..n_values-1, negative is
// missing.
struct Column {
  const double* numbers = nullptr;
  const std::int32_t* codes = nullptr;
  std::ptrdiff_t stride = 1;  // in elements
  std::int32_t n_values = 0;  // nominal only

  bool nominal() const { return codes != nullptr; }
  double number(std::size_t row) const { return numbers[static_cast<std::ptrdiff_t>(row) * stride]; }
  // A code outside the declared range counts as missing: it was not there at fit time.
  std::int32_t code(std::size_t row) const {
    const std::int32_t value = codes[static_cast<std::ptrdiff_t>(row) * stride];
    return value >= 0 && value < n_values ? value : -1;
  }
};

struct Table {
  std::size_t n_rows = 0;
  std::vector<Column> columns;
};

struct Presorted;

// A table with what is to be learned from it. `weights` may be null: every row weighs 1.
struct Training {
  const Table* table = nullptr;
  const std::int32_t* classes = nullptr;
  const double* weights = nullptr;
  std::int32_t n_classes = 0;
  const Presorted* presorted = nullptr;  // the table's numeric columns in order, where that is known

  double weight(std::size_t row) const { return weights ? weights[row] : 1.0; }

  // Rows of weight zero are not there at all: they give no thresholds and no counts.
  std::vector<std::uint32_t> present_rows() const {
    std::vector<std::uint32_t> rows;
    rows.reserve(table->n_rows);
    for (std::size_t i = 0; i < table->n_rows; ++i) {
      if (weight(i) > 0.0) rows.push_back(static_cast<std::uint32_t>(i));
    }
    return rows;
  }
};

}  // namespace stakes
