// Columns as small codes: bins of numbers, or categories.
#pragma once

#include <cstdint>
#include <vector>

#include "common/table.hpp"

namespace stakes {

// Codes 0 to n_values - 1; n_values means missing. One of the three lists holds them, as narrow as may be.
struct CodedColumn {
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint16_t> shorts;
  std::vector<std::uint32_t> words;
  std::int32_t n_values = 0;
  bool nominal = false;

  std::int32_t code(std::uint32_t row) const {
    if (!bytes.empty()) return bytes[row];
    return shorts.empty() ? static_cast<std::int32_t>(words[row]) : shorts[row];
  }

  // Hands the list to a loop that is written once for all widths.
  template <class Visit>
  void visit(Visit visit) const {
    if (!bytes.empty()) {
      visit(bytes.data());
    } else if (!shorts.empty()) {
      visit(shorts.data());
    } else {
      visit(words.data());
    }
  }
};

CodedColumn code_categories(const Column& column, std::size_t n_rows);

// The bin of each number, by the ends of the bins, of which there are at most 255. `numbers` are those of
// these rows; rows that are not among them have no value.
CodedColumn code_numbers(const std::vector<double>& numbers, const std::vector<std::uint32_t>& rows,
                         std::size_t n_rows, const std::vector<double>& ends);

}  // namespace stakes
