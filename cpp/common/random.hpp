// Random numbers from a counter: a stream is named by numbers and does not depend on who else draws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace stakes {

// Steele, Lea and Flood's finalizer: every bit of the input moves every bit of the output.
constexpr std::uint64_t mix_bits(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

class Random {
 public:
  explicit Random(std::initializer_list<std::uint64_t> names) {
    for (const std::uint64_t name : names) key_ = mix_bits(key_ ^ mix_bits(name));
  }

  std::uint64_t next() { return mix_bits(key_ + 0x9E3779B97F4A7C15u * ++counter_); }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  bool chance(double p) { return uniform() < p; }
  // 0 to n - 1; the bias is below n / 2^32 for any n that occurs.
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(uniform() * static_cast<double>(n)); }

  // Index drawn by odds that need not add up to 1; 0 where all are 0.
  std::size_t choose(const std::vector<double>& odds) {
    double total = 0.0;
    for (const double o : odds) total += o;
    double left = uniform() * total;
    std::size_t last = 0;
    for (std::size_t i = 0; i < odds.size(); ++i) {
      if (odds[i] <= 0.0) continue;
      last = i;
      if (left < odds[i]) return i;
      left -= odds[i];
    }
    return last;
  }

  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::uint64_t key_ = 0, counter_ = 0;
};

}  // namespace stakes
