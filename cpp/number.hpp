#pragma once

#include <string_view>

namespace stakes {

// A finite decimal number that fills the whole text, whatever the locale. No hexadecimal, no inf, no nan.
bool parse_number(std::string_view text, double& value);

}  // namespace stakes
