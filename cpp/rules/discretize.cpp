#include "rules/discretize.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>

#include "common/binning.hpp"
#include "common/parallel.hpp"
#include "common/presort.hpp"

namespace stakes::rules {

namespace {

// Sums that are equal on paper differ in the last places; of cuts this close, relative to n log n, the first
// one wins.
constexpr double kRounding = 1e-12;

double n_log_n(double n) {
  return n > 0.0 ? n * std::log2(n) : 0.0;
}

// Weights of the classes on one side, with the terms of their entropy. Summing the terms anew gives the same
// number whichever way they came about, and takes no logarithm for classes that did not change.
class Side {
 public:
  explicit Side(std::size_t n_classes) : weight_(n_classes), term_(n_classes), stale_(n_classes) {}

  void clear() {
    std::fill(weight_.begin(), weight_.end(), 0.0);
    std::fill(term_.begin(), term_.end(), 0.0);
    std::fill(stale_.begin(), stale_.end(), 0);
  }
  void add(std::size_t cls, double weight) {
    weight_[cls] += weight;
    stale_[cls] = 1;
  }
  double weight(std::size_t cls) const { return weight_[cls]; }
  double total() const {
    double sum = 0.0;
    for (const double w : weight_) sum += w;
    return sum;
  }
  // n times the entropy in bits.
  double bits() {
    double sum = 0.0, terms = 0.0;
    for (std::size_t c = 0; c < weight_.size(); ++c) {
      if (stale_[c]) {
        term_[c] = n_log_n(weight_[c]);
        stale_[c] = 0;
      }
      sum += weight_[c];
      terms += term_[c];
    }
    return std::max(0.0, n_log_n(sum) - terms);
  }
  double n_present() const {
    return static_cast<double>(
        std::count_if(weight_.begin(), weight_.end(), [](double w) { return w > 0.0; }));
  }

 private:
  std::vector<double> weight_, term_;
  std::vector<char> stale_;
};

// The description length of a cut that is paid for in classes: log2(3^k - 2), which is k log2 3 for large k.
double class_bits(double k) {
  return k > 30.0 ? k * std::log2(3.0) : std::log2(std::pow(3.0, k) - 2.0);
}

class ColumnCutter {
 public:
  ColumnCutter(const Training& training, const EntryLayout& layout)
      : training_(training), layout_(layout), all_(classes()), left_(classes()), right_(classes()) {}

  std::vector<double> cuts(const SortedColumn& column) {
    column_ = &column;
    cuts_.clear();
    std::vector<std::pair<std::size_t, std::size_t>> open{{0, column.entries.size()}};
    while (!open.empty()) {
      const auto [begin, end] = open.back();
      open.pop_back();
      const std::size_t middle = split(begin, end);
      if (middle == begin) continue;
      cuts_.push_back(cut_between(value(middle - 1), value(middle)));
      open.emplace_back(begin, middle);
      open.emplace_back(middle, end);
    }
    std::sort(cuts_.begin(), cuts_.end());
    return std::move(cuts_);
  }

 private:
  std::size_t classes() const { return static_cast<std::size_t>(training_.n_classes); }
  std::size_t cls(std::size_t i) const { return layout_.cls(column_->entries[i]); }
  std::uint32_t rank(std::size_t i) const { return layout_.rank(column_->entries[i]); }
  double value(std::size_t i) const { return column_->values[rank(i)]; }
  double weight(std::size_t i) const {
    return training_.weights ? training_.weights[layout_.instance(column_->entries[i])] : 1.0;
  }

  // First entry of the right side of the best cut; `begin` where none is accepted.
  std::size_t split(std::size_t begin, std::size_t end) {
    all_.clear();
    right_.clear();
    left_.clear();
    for (std::size_t i = begin; i < end; ++i) right_.add(cls(i), weight(i));
    for (std::size_t c = 0; c < classes(); ++c) all_.add(c, right_.weight(c));
    if (all_.n_present() < 2.0) return begin;
    const double slack = kRounding * (all_.total() + std::abs(n_log_n(all_.total())));
    double best = std::numeric_limits<double>::infinity();
    std::size_t cut = begin;
    std::size_t i = begin;
    std::size_t previous = kMixed;  // the class of the whole run of equal values before i
    while (i < end) {
      const std::size_t first = i;
      std::size_t run = cls(i);
      for (; i < end && rank(i) == rank(first); ++i) {
        if (cls(i) != run) run = kMixed;
      }
      // Between two values of one and the same class no cut is best.
      if (first > begin && (run == kMixed || run != previous)) {
        const double bits = left_.bits() + right_.bits();
        if (bits < best - slack) {
          best = bits;
          cut = first;
        }
      }
      for (std::size_t j = first; j < i; ++j) move_left(j);
      previous = run;
    }
    return cut != begin && accepted(begin, cut, end) ? cut : begin;
  }

  void move_left(std::size_t i) {
    const std::size_t c = cls(i);
    const double w = weight(i);
    left_.add(c, w);
    right_.add(c, -w);
  }

  bool accepted(std::size_t begin, std::size_t middle, std::size_t end) {
    left_.clear();
    right_.clear();
    for (std::size_t i = begin; i < middle; ++i) left_.add(cls(i), weight(i));
    for (std::size_t i = middle; i < end; ++i) right_.add(cls(i), weight(i));
    const double n = all_.total(), k = all_.n_present();
    const double whole = all_.bits() / n;
    const double left = left_.bits() / left_.total(), right = right_.bits() / right_.total();
    const double gain = (all_.bits() - left_.bits() - right_.bits()) / n;
    const double saved = k * whole - left_.n_present() * left - right_.n_present() * right;
    // Weights may add up to less than two rows: the logarithm must not become a reward.
    const double price = std::log2(std::max(n - 1.0, 1.0)) + class_bits(k) - saved;
    return gain > price / n + kRounding;
  }

  static constexpr std::size_t kMixed = std::numeric_limits<std::size_t>::max();
  const Training& training_;
  const EntryLayout& layout_;
  Side all_, left_, right_;
  const SortedColumn* column_ = nullptr;
  std::vector<double> cuts_;
};

}  // namespace

std::vector<std::vector<double>> mdl_cuts(const Training& training, int n_threads, const Poll& poll) {
  const EntryLayout layout(training.n_classes);
  if (training.table->n_rows >= layout.max_instances())
    throw std::length_error("too many rows for this number of classes");
  ThreadPool pool(n_threads);
  const std::vector<std::uint32_t> rows = training.present_rows();
  auto numbers = gather_numeric(*training.table, rows, pool);
  std::vector<std::vector<double>> cuts(numbers.size());
  std::atomic<bool> stopped{false};
  pool.run(numbers.size(), rows.size() * numbers.size() > 20'000, [&](std::size_t f, std::size_t worker) {
    if (stopped || training.table->columns[f].nominal()) return;
    try {
      if (worker == 0) poll(static_cast<double>(f) / static_cast<double>(numbers.size()));
      const SortedColumn sorted = sort_column(std::move(numbers[f]), rows, training.classes, layout);
      cuts[f] = ColumnCutter(training, layout).cuts(sorted);
    } catch (...) {
      stopped = true;
      throw;
    }
  });
  return cuts;
}

}  // namespace stakes::rules
