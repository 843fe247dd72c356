// Sets of rows as words of 64 bits: AND, count, and what is left uncovered.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace stakes {

using Word = std::uint64_t;
constexpr std::size_t kWordBits = 64;

inline std::uint64_t count_and_plain(const Word* a, const Word* b, std::size_t n) {
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < n; ++i) total += static_cast<std::uint64_t>(std::popcount(a[i] & b[i]));
  return total;
}

#if defined(__x86_64__) && defined(__GNUC__)
// The counting instruction is younger than the oldest 64-bit processors, so it is asked for at run time;
// without it the search takes about four times as long.
__attribute__((target("popcnt"))) inline std::uint64_t count_and_popcnt(const Word* a, const Word* b,
                                                                        std::size_t n) {
  std::uint64_t first = 0, second = 0;
  std::size_t i = 0;
  for (; i + 1 < n; i += 2) {
    first += static_cast<std::uint64_t>(__builtin_popcountll(a[i] & b[i]));
    second += static_cast<std::uint64_t>(__builtin_popcountll(a[i + 1] & b[i + 1]));
  }
  if (i < n) first += static_cast<std::uint64_t>(__builtin_popcountll(a[i] & b[i]));
  return first + second;
}

inline bool has_popcnt() {
  static const bool known = __builtin_cpu_supports("popcnt");
  return known;
}

inline std::uint64_t count_and(const Word* a, const Word* b, std::size_t n) {
  return has_popcnt() ? count_and_popcnt(a, b, n) : count_and_plain(a, b, n);
}
#else
inline std::uint64_t count_and(const Word* a, const Word* b, std::size_t n) {
  return count_and_plain(a, b, n);
}
#endif

inline bool meets_and(const Word* a, const Word* b, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    if (a[i] & b[i]) return true;
  }
  return false;
}

inline bool meets_and(const Word* a, const Word* b, const Word* c, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    if (a[i] & b[i] & c[i]) return true;
  }
  return false;
}

}  // namespace stakes
