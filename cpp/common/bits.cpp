#include "common/bits.hpp"

#include <bit>

#include "common/width.hpp"

#ifdef STAKES_X86
#include <immintrin.h>
#endif

namespace stakes {

namespace {

// ---- any machine ------------------------------------------------------------------------------------------

template <typename Code>
void at_most_plain(const Code* codes, Code cut, const std::uint64_t* rows, std::size_t n_words,
                   std::uint64_t* out) {
  for (std::size_t w = 0; w < n_words; ++w, codes += 64) {
    std::uint64_t word = 0;
    for (std::size_t b = 0; b < 64; ++b) word |= static_cast<std::uint64_t>(codes[b] <= cut) << b;
    out[w] = word & rows[w];
  }
}

std::uint64_t count_and_plain(const std::uint64_t* a, const std::uint64_t* b, std::size_t n_words) {
  std::uint64_t count = 0;
  for (std::size_t w = 0; w < n_words; ++w) count += static_cast<std::uint64_t>(std::popcount(a[w] & b[w]));
  return count;
}

constexpr BitKernels kPlain{at_most_plain<std::uint8_t>, at_most_plain<std::uint16_t>, count_and_plain};

#ifdef STAKES_X86

// ---- counting bits ----------------------------------------------------------------------------------------

// The counting instruction is older than wide ones, but younger than the oldest 64-bit processors. Without it
// counting takes about four times as long.
__attribute__((target("popcnt"))) std::uint64_t count_and_popcnt(const std::uint64_t* a,
                                                                 const std::uint64_t* b,
                                                                 std::size_t n_words) {
  std::uint64_t first = 0, second = 0;
  std::size_t w = 0;
  for (; w + 1 < n_words; w += 2) {
    first += static_cast<std::uint64_t>(__builtin_popcountll(a[w] & b[w]));
    second += static_cast<std::uint64_t>(__builtin_popcountll(a[w + 1] & b[w + 1]));
  }
  if (w < n_words) first += static_cast<std::uint64_t>(__builtin_popcountll(a[w] & b[w]));
  return first + second;
}

constexpr BitKernels kPopcnt{at_most_plain<std::uint8_t>, at_most_plain<std::uint16_t>, count_and_popcnt};

// ---- AVX2 -------------------------------------------------------------------------------------------------

#define STAKES_AVX2 __attribute__((target("avx2,popcnt")))

STAKES_AVX2 std::uint64_t low_bytes_avx2(const std::uint8_t* codes, __m256i cut) {
  const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(codes));
  // There is no unsigned comparison of bytes; min(x, cut) == x says the same.
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_min_epu8(x, cut), x)));
}

STAKES_AVX2 void at_most_8_avx2(const std::uint8_t* codes, std::uint8_t cut, const std::uint64_t* rows,
                                std::size_t n_words, std::uint64_t* out) {
  const __m256i c = _mm256_set1_epi8(static_cast<char>(cut));
  for (std::size_t w = 0; w < n_words; ++w, codes += 64) {
    out[w] = rows[w] & (low_bytes_avx2(codes, c) | low_bytes_avx2(codes + 32, c) << 32);
  }
}

STAKES_AVX2 std::uint64_t low_shorts_avx2(const std::uint16_t* codes, __m256i cut) {
  const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(codes));
  const __m256i y = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(codes + 16));
  const __m256i low = _mm256_packs_epi16(_mm256_cmpeq_epi16(_mm256_min_epu16(x, cut), x),
                                         _mm256_cmpeq_epi16(_mm256_min_epu16(y, cut), y));
  // Packing works on halves: put its four quarters back in order.
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_permute4x64_epi64(low, 0xD8)));
}

STAKES_AVX2 void at_most_16_avx2(const std::uint16_t* codes, std::uint16_t cut, const std::uint64_t* rows,
                                 std::size_t n_words, std::uint64_t* out) {
  const __m256i c = _mm256_set1_epi16(static_cast<short>(cut));
  for (std::size_t w = 0; w < n_words; ++w, codes += 64) {
    out[w] = rows[w] & (low_shorts_avx2(codes, c) | low_shorts_avx2(codes + 32, c) << 32);
  }
}

constexpr BitKernels kAvx2{at_most_8_avx2, at_most_16_avx2, count_and_popcnt};

// ---- AVX-512 ----------------------------------------------------------------------------------------------

#define STAKES_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512vpopcntdq,popcnt")))

STAKES_AVX512 void at_most_8_avx512(const std::uint8_t* codes, std::uint8_t cut, const std::uint64_t* rows,
                                    std::size_t n_words, std::uint64_t* out) {
  const __m512i c = _mm512_set1_epi8(static_cast<char>(cut));
  for (std::size_t w = 0; w < n_words; ++w, codes += 64) {
    out[w] = rows[w] & _mm512_cmple_epu8_mask(_mm512_loadu_si512(codes), c);
  }
}

STAKES_AVX512 void at_most_16_avx512(const std::uint16_t* codes, std::uint16_t cut, const std::uint64_t* rows,
                                     std::size_t n_words, std::uint64_t* out) {
  const __m512i c = _mm512_set1_epi16(static_cast<short>(cut));
  for (std::size_t w = 0; w < n_words; ++w, codes += 64) {
    const std::uint64_t low = _mm512_cmple_epu16_mask(_mm512_loadu_si512(codes), c);
    const std::uint64_t high = _mm512_cmple_epu16_mask(_mm512_loadu_si512(codes + 32), c);
    out[w] = rows[w] & (low | high << 32);
  }
}

STAKES_AVX512 std::uint64_t count_and_avx512(const std::uint64_t* a, const std::uint64_t* b,
                                             std::size_t n_words) {
  __m512i counts = _mm512_setzero_si512();
  std::size_t w = 0;
  for (; w + 8 <= n_words; w += 8) {
    const __m512i both = _mm512_and_si512(_mm512_loadu_si512(a + w), _mm512_loadu_si512(b + w));
    counts = _mm512_add_epi64(counts, _mm512_popcnt_epi64(both));
  }
  auto count = static_cast<std::uint64_t>(_mm512_reduce_add_epi64(counts));
  for (; w < n_words; ++w) count += static_cast<std::uint64_t>(__builtin_popcountll(a[w] & b[w]));
  return count;
}

constexpr BitKernels kAvx512{at_most_8_avx512, at_most_16_avx512, count_and_avx512};

#endif

}  // namespace

const BitKernels& bit_kernels() {
#ifdef STAKES_X86
  if (width() == Width::kAvx512) return kAvx512;
  if (width() == Width::kAvx2) return kAvx2;
  if (width() == Width::kPopcnt) return kPopcnt;
#endif
  return kPlain;
}

}  // namespace stakes
