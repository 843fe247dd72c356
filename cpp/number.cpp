#include "number.hpp"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <locale>
#include <sstream>
#include <string>
#include <system_error>
#include <version>

namespace stakes {
namespace {

// All digits of most numbers in files fit a double exactly, and so does the power of ten: one exact division.
bool parse_short(std::string_view text, double& value) {
  static constexpr double kPower[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                      1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  if (text.empty() || text.size() > 16) return false;
  std::size_t i = text[0] == '-' ? 1 : 0, digits = 0, decimals = 0;
  std::int64_t mantissa = 0;
  bool point = false;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (c >= '0' && c <= '9') {
      mantissa = mantissa * 10 + (c - '0');
      ++digits;
      decimals += point ? 1 : 0;
    } else if (c == '.' && !point) {
      point = true;
    } else {
      return false;
    }
  }
  if (digits == 0 || digits > 15) return false;
  value = static_cast<double>(mantissa) / kPower[decimals];
  if (text[0] == '-') value = -value;
  return true;
}

// [sign] digits [. digits] [e [sign] digits]: keeps out "inf", "nan", "0x1p3" and what a locale would add.
bool is_decimal(std::string_view text) {
  std::size_t i = 0;
  const auto digits = [&] {
    const std::size_t start = i;
    while (i < text.size() && text[i] >= '0' && text[i] <= '9') ++i;
    return i - start;
  };
  const auto sign = [&] { i += i < text.size() && (text[i] == '+' || text[i] == '-') ? 1 : 0; };
  sign();
  std::size_t n_digits = digits();
  if (i < text.size() && text[i] == '.') {
    ++i;
    n_digits += digits();
  }
  if (n_digits == 0) return false;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    sign();
    if (digits() == 0) return false;
  }
  return i == text.size();
}

// Where the library has no from_chars for double, and to tell underflow (0 is right) from overflow.
bool parse_with_stream(std::string_view text, double& value) {
  std::istringstream stream{std::string(text)};
  stream.imbue(std::locale::classic());
  stream >> value;
  return std::isfinite(value) && (!stream.fail() || std::abs(value) < 1.0);
}

}  // namespace

bool parse_number(std::string_view text, double& value) {
  if (parse_short(text, value)) return true;
  if (!is_decimal(text)) return false;
  if (text[0] == '+') text.remove_prefix(1);
#if defined(__cpp_lib_to_chars) && __cpp_lib_to_chars >= 201611L
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc{})
    return std::isfinite(value);
#endif
  return parse_with_stream(text, value);
}

}  // namespace stakes
