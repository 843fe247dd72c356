#include "common/coded.hpp"

#include <cmath>
#include <limits>

#include "common/binning.hpp"

namespace stakes {

namespace {

template <class Code>
std::vector<Code> categories(const Column& column, std::size_t n_rows) {
  std::vector<Code> codes(n_rows);
  for (std::size_t i = 0; i < n_rows; ++i) {
    const std::int32_t code = column.code(i);
    codes[i] = static_cast<Code>(code < 0 ? column.n_values : code);
  }
  return codes;
}

template <class Code>
constexpr std::int32_t kHighest = std::numeric_limits<Code>::max();

}  // namespace

CodedColumn code_categories(const Column& column, std::size_t n_rows) {
  CodedColumn coded;
  coded.nominal = true;
  coded.n_values = column.n_values;
  if (column.n_values <= kHighest<std::uint8_t>) {
    coded.bytes = categories<std::uint8_t>(column, n_rows);
  } else if (column.n_values <= kHighest<std::uint16_t>) {
    coded.shorts = categories<std::uint16_t>(column, n_rows);
  } else {
    coded.words = categories<std::uint32_t>(column, n_rows);
  }
  return coded;
}

CodedColumn code_numbers(const std::vector<double>& numbers, const std::vector<std::uint32_t>& rows,
                         std::size_t n_rows, const std::vector<double>& ends) {
  CodedColumn coded;
  coded.n_values = static_cast<std::int32_t>(ends.size());
  coded.bytes.assign(n_rows, static_cast<std::uint8_t>(coded.n_values));
  for (std::size_t i = 0; i < rows.size() && !ends.empty(); ++i) {
    if (!std::isnan(numbers[i])) coded.bytes[rows[i]] = bin_of(ends, numbers[i]);
  }
  return coded;
}

}  // namespace stakes
