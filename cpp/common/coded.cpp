#include "common/coded.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "common/binning.hpp"

namespace stakes {

namespace {

CodedColumn code_categories(const Column& column, std::size_t n_rows) {
  CodedColumn coded;
  coded.nominal = true;
  coded.n_values = column.n_values;
  coded.large.resize(n_rows);
  for (std::size_t i = 0; i < n_rows; ++i) {
    const std::int32_t code = column.code(i);
    coded.large[i] = static_cast<std::uint32_t>(code < 0 ? coded.n_values : code);
  }
  return coded;
}

CodedColumn code_numbers(const Column& column, std::size_t n_rows, std::size_t max_bins) {
  std::vector<double> sorted;
  for (std::size_t i = 0; i < n_rows; ++i) {
    const double value = column.number(i);
    if (std::isinf(value)) throw std::invalid_argument("numeric columns must not hold infinite values");
    if (!std::isnan(value)) sorted.push_back(value);
  }
  std::sort(sorted.begin(), sorted.end());
  CodedColumn coded;
  const std::vector<double> ends = bin_ends(sorted, max_bins, BinEnd::last_of_part);
  coded.n_values = static_cast<std::int32_t>(ends.size());
  for (std::size_t b = 0; b + 1 < ends.size(); ++b) {
    coded.cuts.push_back(cut_between(ends[b], *std::upper_bound(sorted.begin(), sorted.end(), ends[b])));
  }
  coded.small.resize(n_rows);
  for (std::size_t i = 0; i < n_rows; ++i) {
    const double value = column.number(i);
    const auto bin = std::lower_bound(coded.cuts.begin(), coded.cuts.end(), value) - coded.cuts.begin();
    coded.small[i] = static_cast<std::uint8_t>(std::isnan(value) ? coded.n_values : bin);
  }
  return coded;
}

}  // namespace

std::vector<CodedColumn> code_columns(const Table& table, int max_bins) {
  std::vector<CodedColumn> columns;
  for (const Column& column : table.columns) {
    columns.push_back(column.nominal()
                          ? code_categories(column, table.n_rows)
                          : code_numbers(column, table.n_rows, static_cast<std::size_t>(max_bins)));
  }
  return columns;
}

}  // namespace stakes
