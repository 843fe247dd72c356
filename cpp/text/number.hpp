#pragma once

#include <cstddef>
#include <string_view>

namespace stakes::text {

// A finite decimal number that fills the whole text, whatever the locale. No hexadecimal, no inf, no nan.
bool parse_number(std::string_view text, double& value);

// The length of the number that the text begins with, where it has at most 15 digits and no exponent: then
// the digits and the power of ten are exact doubles, and one division rounds correctly. Otherwise 0.
std::size_t parse_short_prefix(std::string_view text, double& value);

}  // namespace stakes::text
