#include "rules/rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace stakes::rules {

namespace {

constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();
constexpr double kRounding = 1e-12;  // shares and supports this close, relatively, are equal

bool at_least(double value, double least) {
  return value >= least * (1.0 - kRounding);
}

}  // namespace

Quality rule_quality(std::span<const double> shares) {
  double total = 0.0;
  Quality result;
  for (std::size_t c = 0; c < shares.size(); ++c) {
    total += shares[c];
    const double best = shares[static_cast<std::size_t>(result.label)];
    if (shares[c] > best * (1.0 + kRounding)) result.label = static_cast<std::int32_t>(c);
  }
  if (!(total > 0.0)) return result;  // no mistake here would cost anything: nothing is known
  if (shares.size() == 1) return {0.0, 0};
  double entropy = 0.0;
  for (const double share : shares) {
    if (share > 0.0 && share < total) entropy -= share / total * std::log(share / total);
  }
  result.value = entropy / std::log(static_cast<double>(shares.size()));
  return result;
}

RuleRows::RuleRows(const Training& training, const std::vector<double>& class_costs, const double* row_costs,
                   const RuleOptions& options)
    : training_(training),
      class_costs_(class_costs),
      min_support_(options.min_support),
      own_costs_(row_costs != nullptr),
      position_(training.table->n_rows, kNowhere),
      class_word_(class_costs.size() + 1) {
  const std::size_t n_rows = training.table->n_rows, k = n_classes();
  std::vector<std::size_t> next(k + 1);
  for (std::size_t i = 0; i < n_rows; ++i) {
    if (training.weight(i) > 0.0) ++next[static_cast<std::size_t>(training.classes[i])];
  }
  for (std::size_t c = 0; c < k; ++c) {
    class_word_[c + 1] = class_word_[c] + (next[c] + kWordBits - 1) / kWordBits;
  }
  n_words_ = class_word_[k];
  if (n_words_ * kWordBits >= kNowhere) throw std::length_error("too many rows");
  for (std::size_t c = 0; c < k; ++c) next[c] = class_word_[c] * kWordBits;
  everything_.assign(n_words_, 0);
  for (std::size_t i = 0; i < n_rows; ++i) {
    if (!(training.weight(i) > 0.0)) continue;
    position_[i] = static_cast<std::uint32_t>(next[static_cast<std::size_t>(training.classes[i])]++);
    everything_[position_[i] / kWordBits] |= Word{1} << (position_[i] % kWordBits);
  }
  if (training.weights || row_costs) {
    weight_.assign(n_words_ * kWordBits, 0.0);
    share_.assign(n_words_ * kWordBits, 0.0);
    for (std::size_t i = 0; i < n_rows; ++i) {
      if (position_[i] == kNowhere) continue;
      const double cost =
          row_costs ? row_costs[i] : class_costs_[static_cast<std::size_t>(training.classes[i])];
      weight_[position_[i]] = training.weight(i);
      share_[position_[i]] = training.weight(i) * cost;
    }
  }
  for (std::size_t f = 0; f < training.table->columns.size(); ++f) {
    const Column& column = training.table->columns[f];
    const auto n_values = static_cast<std::size_t>(column.n_values);
    std::vector<double> weights(n_values * k), shares(n_values * k);
    for (std::size_t i = 0; i < n_rows; ++i) {
      const std::int32_t code = column.code(i);
      if (code < 0 || position_[i] == kNowhere) continue;
      const std::size_t cell =
          static_cast<std::size_t>(code) * k + static_cast<std::size_t>(training.classes[i]);
      weights[cell] += training.weight(i);
      shares[cell] +=
          plain() ? class_costs_[static_cast<std::size_t>(training.classes[i])] : share_[position_[i]];
    }
    for (std::size_t v = 0; v < n_values; ++v) {
      const double* here = weights.data() + v * k;
      if (!supported(here)) continue;
      BasicRule basic{static_cast<std::int32_t>(f), static_cast<std::int32_t>(v), {}, 0.0};
      basic.quality = quality(here, shares.data() + v * k);
      basic.closing = closing(here, basic.quality);
      basics_.push_back(basic);
      basic_weights_.insert(basic_weights_.end(), here, here + k);
    }
  }
}

void RuleRows::keep(const std::vector<std::size_t>& kept) {
  const std::size_t k = n_classes(), n_rows = training_.table->n_rows;
  for (std::size_t b = 0; b < kept.size(); ++b) {
    basics_[b] = basics_[kept[b]];
    std::copy_n(basic_weights_.data() + kept[b] * k, k, basic_weights_.data() + b * k);
  }
  basics_.resize(kept.size());
  basic_weights_.resize(kept.size() * k);
  later_.resize(kept.size());
  later_column_.resize(kept.size());
  std::vector<std::size_t> used;  // where the basic rules of each used column begin
  for (std::size_t b = 0; b < basics_.size(); ++b) {
    if (b == 0 || basics_[b].feature != basics_[b - 1].feature) used.push_back(b);
    later_column_[b] = used.size();
  }
  n_used_ = used.size();
  used.push_back(basics_.size());
  for (std::size_t b = 0; b < basics_.size(); ++b) later_[b] = used[later_column_[b]];

  sets_.assign(basics_.size() * n_words_, 0);
  const auto nothing = static_cast<std::uint16_t>(basics_.size());
  codes_.assign(n_words_ * kWordBits * n_used_, nothing);
  for (std::size_t u = 0; u < n_used_; ++u) {
    const Column& column = training_.table->columns[static_cast<std::size_t>(basics_[used[u]].feature)];
    std::vector<std::uint16_t> basic_of(static_cast<std::size_t>(column.n_values), nothing);
    for (std::size_t b = used[u]; b < used[u + 1]; ++b) {
      basic_of[static_cast<std::size_t>(basics_[b].value)] = static_cast<std::uint16_t>(b);
    }
    for (std::size_t i = 0; i < n_rows; ++i) {
      const std::int32_t code = column.code(i);
      if (code < 0 || position_[i] == kNowhere) continue;
      const std::uint16_t b = basic_of[static_cast<std::size_t>(code)];
      if (b == nothing) continue;
      codes_[position_[i] * n_used_ + u] = b;
      sets_[b * n_words_ + position_[i] / kWordBits] |= Word{1} << (position_[i] % kWordBits);
    }
  }
}

std::vector<double> RuleRows::class_weights(const std::uint16_t* prefix, std::size_t n_prefix,
                                            std::size_t basic) const {
  std::vector<double> weights(n_classes());
  for (std::size_t c = 0; c < n_classes(); ++c) {
    for (std::size_t w = class_begin(c); w < class_begin(c) + class_words(c); ++w) {
      Word word = set(basic)[w];
      for (std::size_t d = 0; d < n_prefix; ++d) word &= set(prefix[d])[w];
      if (plain()) {
        weights[c] += std::popcount(word);
        continue;
      }
      for (; word; word &= word - 1) {
        weights[c] += weight_[w * kWordBits + static_cast<std::size_t>(std::countr_zero(word))];
      }
    }
  }
  return weights;
}

void RuleRows::count(const Word* prefix, std::size_t first, std::vector<double>& weights,
                     std::vector<double>& shares) const {
  if (first >= basics_.size()) return;
  const std::size_t n_columns = n_used_ - (first == 0 ? 0 : later_column_[first - 1]);
  // Bits cost a word per 64 rows and basic rule, rows a cell per row and column; a cell takes about twice as
  // long as a word. Small sets are cheaper by rows.
  if (plain()) {
    const std::size_t n_rows = bit_kernels().count_and(prefix, prefix, n_words_);
    if (2 * n_rows * n_columns >= (basics_.size() - first) * n_words_) {
      count_bits(prefix, first, weights);
      return;
    }
  }
  count_rows(prefix, first, weights, shares);
}

void RuleRows::count_bits(const Word* prefix, std::size_t first, std::vector<double>& weights) const {
  const std::size_t k = n_classes();
  const auto count_and = bit_kernels().count_and;
  for (std::size_t b = first; b < basics_.size(); ++b) {
    const Word* here = set(b);
    for (std::size_t c = 0; c < k; ++c) {
      const std::size_t begin = class_begin(c);
      weights[b * k + c] = static_cast<double>(count_and(prefix + begin, here + begin, class_words(c)));
    }
  }
}

void RuleRows::count_rows(const Word* prefix, std::size_t first, std::vector<double>& weights,
                          std::vector<double>& shares) const {
  const std::size_t k = n_classes(), from = first == 0 ? 0 : later_column_[first - 1];
  std::fill(weights.begin() + static_cast<std::ptrdiff_t>(first * k), weights.end(), 0.0);
  if (own_costs_) std::fill(shares.begin() + static_cast<std::ptrdiff_t>(first * k), shares.end(), 0.0);
  for (std::size_t c = 0; c < k; ++c) {
    for (std::size_t w = class_begin(c); w < class_begin(c) + class_words(c); ++w) {
      for (Word word = prefix[w]; word; word &= word - 1) {
        const std::size_t position = w * kWordBits + static_cast<std::size_t>(std::countr_zero(word));
        const std::uint16_t* codes = codes_.data() + position * n_used_;
        const double weight = plain() ? 1.0 : weight_[position];
        for (std::size_t u = from; u < n_used_; ++u) weights[codes[u] * k + c] += weight;
        if (!own_costs_) continue;
        for (std::size_t u = from; u < n_used_; ++u) shares[codes[u] * k + c] += share_[position];
      }
    }
  }
}

Quality RuleRows::quality(const double* weights, const double* shares) const {
  const std::size_t k = n_classes();
  if (own_costs_) return rule_quality({shares, k});
  double few[16];
  std::vector<double> many(k > 16 ? k : 0);
  double* costs = k > 16 ? many.data() : few;
  for (std::size_t c = 0; c < k; ++c) costs[c] = weights[c] * class_costs_[c];
  return rule_quality({costs, k});
}

bool RuleRows::supported(const double* weights) const {
  for (std::size_t c = 0; c < n_classes(); ++c) {
    if (at_least(weights[c], min_support_[c])) return true;
  }
  return false;
}

bool RuleRows::supported(const double* weights, std::int32_t label) const {
  const auto c = static_cast<std::size_t>(label);
  return at_least(weights[c], min_support_[c]);
}

double RuleRows::closing(const double* weights, const Quality& quality) const {
  return supported(weights, quality.label) ? quality.value : std::numeric_limits<double>::infinity();
}

}  // namespace stakes::rules
