#include "common/binning.hpp"

#include <algorithm>

namespace stakes {

std::vector<double> bin_ends(const std::vector<double>& sorted, std::size_t max_bins, BinEnd end) {
  std::vector<double> ends = sorted;
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  if (ends.size() <= max_bins) return ends;
  ends.clear();
  for (std::size_t b = 1; b <= max_bins; ++b) {
    const std::size_t next = b * sorted.size() / max_bins;
    const double value = sorted[end == BinEnd::last_of_part ? next - 1 : std::min(sorted.size() - 1, next)];
    if (ends.empty() || value > ends.back()) ends.push_back(value);
  }
  return ends;
}

double cut_between(double below, double above) {
  const double middle = below / 2.0 + above / 2.0;
  return middle >= below && middle < above ? middle : below;
}

// Without branches: half the time.
std::uint8_t bin_of(const std::vector<double>& ends, double value) {
  const double* first = ends.data();
  std::size_t n = ends.size() - 1;
  while (n > 0) {
    const std::size_t half = (n + 1) / 2;
    first += first[half - 1] < value ? half : 0;
    n -= half;
  }
  return static_cast<std::uint8_t>(first - ends.data());
}

}  // namespace stakes
