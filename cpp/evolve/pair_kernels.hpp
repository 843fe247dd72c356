// Arithmetic of pairs of tests, all partners of one test at a time. Every function has one result on every
// machine; what differs is the width of the instructions it is made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace stakes::evolve {

// How the cost of a leaf follows from sums over its rows. Sums of channel c and test t are at c * stride + t.
struct LeafModel {
  std::size_t channels = 0;   // class weights, or costs of all answers and then the weight of the rows
  bool are_costs = false;     // whether sums are costs already
  std::vector<double> costs;  // of each answer, `channels` of them; unused where sums are costs
  double abstain = std::numeric_limits<double>::infinity();
  double least = 0.0;  // weight that a leaf must have
  double scale = 1.0;
};

// The best second test on each side of each test, and what that side costs with it.
struct Partners {
  std::vector<double> cost[2];
  std::vector<std::int64_t> test[2];
};

// One test with second tests `from` to `to` - 1. Sums of rows: left of both, left of the second, left of the
// first, all.
struct PairRow {
  std::size_t test, from, to, stride;
  const double *corner, *lower, *left, *total;
  double price;          // of the first test where it comes second
  const double* prices;  // of each test where it comes second
};

struct PairKernels {
  // Puts bits at the places that are set in `rows` next to each other, for n words: appended to `low` from
  // bit `shift`, and to `high` where they do not fit.
  void (*pack)(const std::uint64_t* words, std::uint64_t rows, std::size_t n, unsigned shift,
               std::uint64_t* low, std::uint64_t* high);
  // Bits set both in a word of `first` and in the same word of each test, by class. Word w of test t is
  // masks[w * stride + t]; class c ends before word ends[c].
  void (*count)(const std::uint64_t* first, const std::uint64_t* masks, const std::vector<std::size_t>& ends,
                std::size_t stride, std::size_t from, std::size_t to, double* counts);
  // Costs of n leaves.
  void (*leaves)(const LeafModel& model, const double* sums, std::size_t stride, std::size_t n, double* out);
  // Four leaves for each pair serve both orders of the two tests. The sums of one corner are enough: the
  // other three follow from what is left of each test.
  void (*offer)(const LeafModel& model, const PairRow& row, Partners& partners);
};

// The widest that this processor has.
const PairKernels& pair_kernels();

}  // namespace stakes::evolve
