// Columns as small codes: bins of numbers, or categories.
#pragma once

#include <cstdint>
#include <vector>

#include "common/table.hpp"

namespace stakes {

// The code n_values means missing.
struct CodedColumn {
  std::vector<std::uint8_t> small;   // numeric
  std::vector<std::uint32_t> large;  // nominal
  std::int32_t n_values = 0;
  bool nominal = false;
  std::vector<double> cuts;  // numeric: threshold between each bin and the next

  std::int32_t code(std::uint32_t row) const {
    return static_cast<std::int32_t>(nominal ? large[row] : small[row]);
  }
};

// At most `max_bins` (2 to 255) bins of about equal size; a bin per value where there are fewer values.
std::vector<CodedColumn> code_columns(const Table& table, int max_bins);

}  // namespace stakes
