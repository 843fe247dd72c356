#include "text/number.hpp"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <locale>
#include <sstream>
#include <string>
#include <system_error>
#include <version>

namespace stakes::text {
namespace {

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

std::size_t parse_short_prefix(std::string_view text, double& value) {
  static constexpr double kPower[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                      1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  const std::size_t start = !text.empty() && text[0] == '-' ? 1 : 0;
  std::size_t i = start, n_digits = 0, point = 0;
  std::int64_t mantissa = 0;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (c >= '0' && c <= '9') {
      if (++n_digits > 15) return 0;
      mantissa = mantissa * 10 + (c - '0');
    } else if (c == '.' && point == 0) {
      point = i + 1;
    } else {
      break;
    }
  }
  if (n_digits == 0) return 0;
  value = static_cast<double>(mantissa) / kPower[point == 0 ? 0 : i - point];
  if (start == 1) value = -value;
  return i;
}

bool parse_number(std::string_view text, double& value) {
  if (!text.empty() && parse_short_prefix(text, value) == text.size()) return true;
  if (!is_decimal(text)) return false;
  if (text[0] == '+') text.remove_prefix(1);
#if defined(__cpp_lib_to_chars) && __cpp_lib_to_chars >= 201611L
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc{})
    return std::isfinite(value);
#endif
  return parse_with_stream(text, value);
}

}  // namespace stakes::text
