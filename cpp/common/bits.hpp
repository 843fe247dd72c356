// Sets of rows as bits, 64 rows to a word. Every function has one result on every machine; what differs is
// the width of the instructions it is made of.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stakes {

using Word = std::uint64_t;
constexpr std::size_t kWordBits = 64;

struct BitKernels {
  // out[w] = rows[w] & (bits where codes[64 w + b] <= cut); `codes` must be padded to whole words.
  void (*at_most_8)(const std::uint8_t* codes, std::uint8_t cut, const std::uint64_t* rows,
                    std::size_t n_words, std::uint64_t* out);
  void (*at_most_16)(const std::uint16_t* codes, std::uint16_t cut, const std::uint64_t* rows,
                     std::size_t n_words, std::uint64_t* out);
  // Number of bits set in both.
  std::uint64_t (*count_and)(const std::uint64_t* a, const std::uint64_t* b, std::size_t n_words);
};

// The widest that this processor has.
const BitKernels& bit_kernels();

// Whether some bit is set in all of them.
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
