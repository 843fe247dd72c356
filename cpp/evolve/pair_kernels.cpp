#include "evolve/pair_kernels.hpp"

#include <algorithm>
#include <bit>

#include "common/width.hpp"

#if defined(__GNUC__)
#define STAKES_INLINE __attribute__((always_inline)) inline
#else
#define STAKES_INLINE inline
#endif

#ifdef STAKES_X86
#include <immintrin.h>
#endif

namespace stakes::evolve {

namespace {

constexpr std::size_t kBlock = 64;  // tests whose sums stay in the nearest cache
constexpr std::size_t kFew = 8;     // channels whose sums have a place of their own
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// ---- bodies, compiled once for each kind of machine -------------------------------------------------------

// The cheapest answer of at most kBlock leaves. Classes are added in their order, two in a pass.
STAKES_INLINE void cheapest(const LeafModel& model, const double* sums, std::size_t stride, std::size_t n,
                            double* out) {
  const std::size_t channels = model.channels;
  double costs[kBlock];
  std::fill_n(out, n, kInfinity);
  for (std::size_t at = 0; at < model.costs.size(); at += channels) {
    const double* cost = &model.costs[at];
    std::size_t c = 1 + (channels - 1) % 2;
    if (c == 1) {
      for (std::size_t t = 0; t < n; ++t) costs[t] = sums[t] * cost[0];
    } else {
      for (std::size_t t = 0; t < n; ++t) costs[t] = sums[t] * cost[0] + sums[stride + t] * cost[1];
    }
    for (; c < channels; c += 2) {
      const double *one = sums + c * stride, *two = one + stride;
      for (std::size_t t = 0; t < n; ++t) costs[t] = costs[t] + one[t] * cost[c] + two[t] * cost[c + 1];
    }
    for (std::size_t t = 0; t < n; ++t) out[t] = costs[t] < out[t] ? costs[t] : out[t];
  }
}

// The weight of the rows, and the cheapest of the costs.
STAKES_INLINE void weigh(const LeafModel& model, const double* sums, std::size_t stride, std::size_t n,
                         double* weight, double* out) {
  const std::size_t last = model.channels - 1;
  if (!model.are_costs) {
    cheapest(model, sums, stride, n, out);
    std::copy_n(sums, n, weight);
    for (std::size_t c = 1; c <= last; ++c) {
      for (std::size_t t = 0; t < n; ++t) weight[t] += sums[c * stride + t];
    }
    return;
  }
  std::copy_n(sums, n, out);
  for (std::size_t c = 1; c < last; ++c) {
    for (std::size_t t = 0; t < n; ++t) out[t] = std::min(out[t], sums[c * stride + t]);
  }
  std::copy_n(sums + last * stride, n, weight);
}

STAKES_INLINE void leaves_block(const LeafModel& model, const double* sums, std::size_t stride, std::size_t n,
                                double* out) {
  double weight[kBlock];
  weigh(model, sums, stride, n, weight, out);
  if (model.abstain < kInfinity) {
    for (std::size_t t = 0; t < n; ++t) out[t] = std::min(out[t], model.abstain * weight[t]);
  }
  const double least = model.least, scale = model.scale;
  for (std::size_t t = 0; t < n; ++t) out[t] = weight[t] < least ? kInfinity : out[t] * scale;
}

STAKES_INLINE void leaves_body(const LeafModel& model, const double* sums, std::size_t stride, std::size_t n,
                               double* out) {
  for (std::size_t t = 0; t < n; t += kBlock) {
    leaves_block(model, sums + t, stride, std::min(kBlock, n - t), out + t);
  }
}

// The first of the lowest costs, if it is below the best so far.
STAKES_INLINE void offer_lowest(const double* costs, std::size_t n, std::size_t from, double& best,
                                std::int64_t& by) {
  for (std::size_t t = 0; t < n; ++t) {
    if (costs[t] < best) {
      best = costs[t];
      by = static_cast<std::int64_t>(from + t);
    }
  }
}

STAKES_INLINE void offer_each(const double* costs, std::size_t n, std::int64_t by, double* best,
                              std::int64_t* best_by) {
  for (std::size_t t = 0; t < n; ++t) {
    const bool lower = costs[t] < best[t];
    best[t] = lower ? costs[t] : best[t];
    best_by[t] = lower ? by : best_by[t];
  }
}

STAKES_INLINE void offer_body(const LeafModel& model, const PairRow& row, Partners& partners) {
  const std::size_t channels = model.channels, stride = row.stride;
  double few[3 * kFew * kBlock];
  std::vector<double> many(channels > kFew ? 3 * channels * kBlock : 0);
  double* rest = many.empty() ? few : many.data();
  double *low_high = rest, *high_low = rest + channels * kBlock, *high_high = rest + 2 * channels * kBlock;
  double leaf[4][kBlock], costs[kBlock];
  const auto first = static_cast<std::int64_t>(row.test);
  for (std::size_t from = row.from; from < row.to; from += kBlock) {
    const std::size_t n = std::min(kBlock, row.to - from);
    for (std::size_t c = 0; c < channels; ++c) {
      const double *corner = row.corner + c * stride + from, *lower = row.lower + c * stride + from;
      const double left = row.left[c], right = row.total[c] - row.left[c];
      for (std::size_t t = 0; t < n; ++t) {
        low_high[c * kBlock + t] = left - corner[t];
        high_low[c * kBlock + t] = lower[t] - corner[t];
        high_high[c * kBlock + t] = right - lower[t] + corner[t];
      }
    }
    const double* sums[4] = {row.corner + from, low_high, high_low, high_high};
    for (std::size_t i = 0; i < 4; ++i) leaves_block(model, sums[i], i ? kBlock : stride, n, leaf[i]);
    for (std::size_t side = 0; side < 2; ++side) {
      const double *a = leaf[2 * side], *b = leaf[2 * side + 1], *c = leaf[side], *d = leaf[2 + side];
      for (std::size_t t = 0; t < n; ++t) costs[t] = a[t] + b[t] + row.prices[from + t];
      offer_lowest(costs, n, from, partners.cost[side][row.test], partners.test[side][row.test]);
      for (std::size_t t = 0; t < n; ++t) costs[t] = c[t] + d[t] + row.price;
      offer_each(costs, n, first, &partners.cost[side][from], &partners.test[side][from]);
    }
  }
}

STAKES_INLINE void count_body(const std::uint64_t* first, const std::uint64_t* masks,
                              const std::vector<std::size_t>& ends, std::size_t stride, std::size_t from,
                              std::size_t to, double* counts) {
  std::uint64_t sums[kBlock];
  std::size_t begin = 0;
  for (std::size_t c = 0; c < ends.size(); begin = ends[c++]) {
    for (std::size_t at = from; at < to; at += kBlock) {
      const std::size_t n = std::min(kBlock, to - at);
      std::fill_n(sums, n, 0);
      for (std::size_t w = begin; w < ends[c]; ++w) {
        const std::uint64_t word = first[w], *words = masks + w * stride + at;
        for (std::size_t t = 0; t < n; ++t) {
          sums[t] += static_cast<std::uint64_t>(std::popcount(word & words[t]));
        }
      }
      for (std::size_t t = 0; t < n; ++t) counts[c * stride + at + t] = static_cast<double>(sums[t]);
    }
  }
}

template <class Extract>
STAKES_INLINE void pack_body(const std::uint64_t* words, std::uint64_t rows, std::size_t n, unsigned shift,
                             std::uint64_t* low, std::uint64_t* high, Extract extract) {
  const bool over = shift + static_cast<unsigned>(std::popcount(rows)) > 64;
  for (std::size_t t = 0; t < n; ++t) {
    const std::uint64_t bits = extract(words[t], rows);
    low[t] |= bits << shift;
    if (over) high[t] |= bits >> (64 - shift);
  }
}

std::uint64_t extract_plain(std::uint64_t word, std::uint64_t rows) {
  std::uint64_t bits = 0;
  for (unsigned i = 0; rows; rows &= rows - 1, ++i) bits |= (word >> std::countr_zero(rows) & 1) << i;
  return bits;
}

// ---- one set of functions for each kind of machine --------------------------------------------------------

#define STAKES_PAIR_KERNELS(NAME, TARGET, EXTRACT)                                                         \
  TARGET void pack_##NAME(const std::uint64_t* words, std::uint64_t rows, std::size_t n, unsigned shift,   \
                          std::uint64_t* low, std::uint64_t* high) {                                       \
    pack_body(words, rows, n, shift, low, high, EXTRACT);                                                  \
  }                                                                                                        \
  TARGET void count_##NAME(const std::uint64_t* first, const std::uint64_t* masks,                         \
                           const std::vector<std::size_t>& ends, std::size_t stride, std::size_t from,     \
                           std::size_t to, double* counts) {                                               \
    count_body(first, masks, ends, stride, from, to, counts);                                              \
  }                                                                                                        \
  TARGET void leaves_##NAME(const LeafModel& model, const double* sums, std::size_t stride, std::size_t n, \
                            double* out) {                                                                 \
    leaves_body(model, sums, stride, n, out);                                                              \
  }                                                                                                        \
  TARGET void offer_##NAME(const LeafModel& model, const PairRow& row, Partners& partners) {               \
    offer_body(model, row, partners);                                                                      \
  }                                                                                                        \
  constexpr PairKernels k_##NAME{pack_##NAME, count_##NAME, leaves_##NAME, offer_##NAME};

STAKES_PAIR_KERNELS(plain, , extract_plain)

#ifdef STAKES_X86
#define STAKES_AVX2 __attribute__((target("avx2,popcnt,bmi2")))
#define STAKES_AVX512 \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq,avx2,popcnt,bmi2")))
STAKES_AVX2 std::uint64_t extract_bmi2(std::uint64_t word, std::uint64_t rows) {
  return _pext_u64(word, rows);
}
STAKES_PAIR_KERNELS(avx2, STAKES_AVX2, extract_bmi2)
STAKES_PAIR_KERNELS(avx512, STAKES_AVX512, extract_bmi2)
#endif

}  // namespace

const PairKernels& pair_kernels() {
#ifdef STAKES_X86
  if (width() == Width::kAvx512) return k_avx512;
  if (width() == Width::kAvx2) return k_avx2;
#endif
  return k_plain;
}

}  // namespace stakes::evolve
