#include "evolve/pairs.hpp"

#include <algorithm>
#include <bit>

#include "common/bits.hpp"

namespace stakes::evolve {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class Visit>
void each_bit(const Mask& rows, Visit visit) {
  for (std::size_t w = 0; w < rows.size(); ++w) {
    for (std::uint64_t word = rows[w]; word; word &= word - 1) {
      visit(64 * w + static_cast<std::size_t>(std::countr_zero(word)));
    }
  }
}

}  // namespace

PairSearch::PairSearch(const Trees& trees, const NodeRows& reach, const Place& place,
                       std::vector<std::uint32_t> rows, std::size_t max_groups, double node_price)
    : trees_(trees), rows_(std::move(rows)), ledger_(trees, reach, rows_), node_price_(node_price) {
  const EvolveTable& table = trees.table();
  complete_ = ledger_.counts() && rows_.size() == reach.rows.count;
  for (std::size_t f = 0; f < table.columns.size(); ++f) {
    const EvolveColumn& column = table.columns[f];
    Groups groups = group_column(table, column, reach, rows_, max_groups);
    complete_ &= groups.distinct && column.missing.empty() && (!column.nominal || column.n_values <= 2);
    if (groups.n < 2) continue;
    if (trees.options().prices == PriceMode::path) groups.price = place.paid.marginal(table.prices, f);
    groups.first_test = tests_.size();
    for (std::size_t g = 0; g + 1 < groups.n; ++g) tests_.push_back({columns_.size(), g});
    columns_.push_back(std::move(groups));
    numbers_.push_back(f);
  }
  lay_out(table);
}

EvolveTest PairSearch::test(std::size_t t) const {
  const GroupTest& test = tests_[t];
  return test_at(trees_.table(), numbers_[test.column], columns_[test.column], test.last);
}

double PairSearch::price(std::size_t t, double rows) const {
  return 2.0 * node_price_ + columns_[tests_[t].column].price * rows * ledger_.scale();
}

// Which bit each row has, and the bits left of each test.
void PairSearch::lay_out(const EvolveTable& table) {
  const std::size_t n_classes = ledger_.counts() ? static_cast<std::size_t>(table.n_classes) : 1;
  std::vector<std::vector<std::uint32_t>> by_class(n_classes);
  for (std::uint32_t i = 0; i < rows_.size(); ++i) {
    by_class[ledger_.counts() ? ledger_.class_of(i) : 0].push_back(i);
  }
  for (const auto& members : by_class) {
    at_.insert(at_.end(), members.begin(), members.end());
    at_.resize((at_.size() + 63) / 64 * 64, static_cast<std::uint32_t>(rows_.size()));
    ends_.push_back(at_.size() / 64);
  }
  all_.assign(at_.size() / 64, 0);
  masks_.assign(all_.size() * tests_.size(), 0);
  for (std::size_t bit = 0; bit < at_.size(); ++bit) {
    if (at_[bit] == rows_.size()) continue;
    const std::size_t w = bit / 64;
    const std::uint64_t one = std::uint64_t{1} << (bit % 64);
    all_[w] |= one;
    for (const Groups& groups : columns_) {
      std::uint64_t* words = &masks_[w * tests_.size() + groups.first_test];
      for (std::size_t g = groups.group[at_[bit]]; g + 1 < groups.n; ++g) words[g] |= one;
    }
  }
}

Mask PairSearch::left_of(std::size_t t, const Mask& rows) const {
  Mask left(rows);
  for (std::size_t w = 0; w < left.size(); ++w) left[w] &= masks_[w * tests_.size() + t];
  return left;
}

double PairSearch::count(const Mask& rows, std::size_t c) const {
  const std::size_t begin = c == 0 ? 0 : ends_[c - 1];
  const std::uint64_t* words = rows.data() + begin;
  return static_cast<double>(bit_kernels().count_and(words, words, ends_[c] - begin));
}

// ---- one search -------------------------------------------------------------------------------------------

PairCosts PairSearch::search(const Mask& rows, bool pairs) {
  PairCosts costs;
  std::size_t n_rows = 0;
  for (const std::uint64_t word : rows) n_rows += static_cast<std::size_t>(std::popcount(word));
  costs.rows = static_cast<double>(n_rows);
  for (std::size_t s = 0; s < 2; ++s) {
    costs.leaf[s].resize(tests_.size());
    costs.partners.cost[s].assign(tests_.size(), kInfinity);
    costs.partners.test[s].assign(tests_.size(), -1);
  }
  if (n_rows == 0) {
    costs.none = ledger_.model({}).least > 0.0 ? kInfinity : 0.0;
    for (std::size_t s = 0; s < 2; ++s) std::fill(costs.leaf[s].begin(), costs.leaf[s].end(), costs.none);
    return costs;
  }
  prices_.resize(tests_.size());
  for (std::size_t t = 0; t < tests_.size(); ++t) prices_[t] = price(t, 0.5 * costs.rows);
  if (packs(n_rows)) {
    pack(rows);
    counted(costs, pairs);
  } else {
    summed(costs, rows, pairs);
  }
  return costs;
}

// Counting bits goes through all pairs of tests, adding up rows through all pairs of columns.
bool PairSearch::packs(std::size_t n_rows) const {
  const std::size_t words = n_rows / 64 + static_cast<std::size_t>(trees_.table().n_classes);
  const std::size_t n_columns = columns_.size();
  return ledger_.counts() && tests_.size() * tests_.size() * words <= 4 * n_columns * n_columns * n_rows;
}

// The rows of a node next to each other, class by class; classes that do not occur are left out.
void PairSearch::pack(const Mask& rows) {
  const std::size_t n = tests_.size();
  packed_ends_.clear();
  channels_.clear();
  total_.clear();
  packed_.assign((all_.size() + 1) * n, 0);
  std::size_t begin = 0, end = 0;
  for (std::size_t c = 0; c < ends_.size(); begin = ends_[c++]) {
    std::size_t bits = 0;
    for (std::size_t w = begin; w < ends_[c]; ++w) {
      if (rows[w] == 0) continue;
      std::uint64_t* to = packed_.data() + (end + bits / 64) * n;
      pair_kernels().pack(masks_.data() + w * n, rows[w], n, bits % 64, to, to + n);
      bits += static_cast<std::size_t>(std::popcount(rows[w]));
    }
    if (bits == 0) continue;
    end += (bits + 63) / 64;
    packed_ends_.push_back(end);
    channels_.push_back(c);
    total_.push_back(static_cast<double>(bits));
  }
}

void PairSearch::counted(PairCosts& costs, bool pairs) {
  const std::size_t n = tests_.size(), words = packed_ends_.empty() ? 0 : packed_ends_.back();
  model_ = ledger_.model(channels_);
  lower_.resize(channels_.size() * n);
  corner_.resize(channels_.size() * n);
  first_.assign(words, ~std::uint64_t{0});
  pair_kernels().count(first_.data(), packed_.data(), packed_ends_, n, 0, n, lower_.data());
  single_tests(costs);
  if (!pairs || costs.none <= 2.0 * node_price_) return;
  for (const Groups& groups : columns_) same_column(costs, groups);
  for (std::size_t t = 0; t < n; ++t) {
    const Groups& groups = columns_[tests_[t].column];
    const std::size_t from = groups.first_test + groups.n - 1;
    for (std::size_t w = 0; w < words; ++w) first_[w] = packed_[w * n + t];
    pair_kernels().count(first_.data(), packed_.data(), packed_ends_, n, from, n, corner_.data());
    pair_kernels().offer(model_, row_of(t, from, n), costs.partners);
  }
}

// Sums that need not be counts: rows are added up one by one, in their order.
void PairSearch::summed(PairCosts& costs, const Mask& rows, bool pairs) {
  const std::size_t m = ledger_.channels(), n = tests_.size();
  std::vector<std::uint32_t> members;
  each_bit(rows, [&](std::size_t bit) { members.push_back(at_[bit]); });
  total_.assign(m, 0.0);
  for (const std::uint32_t i : members) ledger_.add(i, total_.data());
  channels_.resize(m);
  for (std::size_t c = 0; c < m; ++c) channels_[c] = c;
  model_ = ledger_.model(channels_);
  lower_.resize(m * n);
  corner_.resize(m * n);
  for (const Groups& groups : columns_) {
    pairs_.assign(groups.n * m, 0.0);
    for (const std::uint32_t i : members) ledger_.add(i, &pairs_[groups.group[i] * m]);
    for (std::size_t c = 0; c < m; ++c) {
      double low = 0.0;
      for (std::size_t g = 0; g + 1 < groups.n; ++g) {
        low += pairs_[g * m + c];
        lower_[c * n + groups.first_test + g] = low;
      }
    }
  }
  single_tests(costs);
  if (!pairs || costs.none <= 2.0 * node_price_) return;
  for (const Groups& groups : columns_) same_column(costs, groups);
  for (std::size_t a = 0; a < columns_.size(); ++a) {
    for (std::size_t b = a + 1; b < columns_.size(); ++b) {
      pair_of_columns(costs, columns_[a], columns_[b], members);
    }
  }
}

void PairSearch::single_tests(PairCosts& costs) {
  const std::size_t n = tests_.size();
  std::vector<double> above(lower_.size());
  for (std::size_t c = 0; c < total_.size(); ++c) {
    for (std::size_t t = 0; t < n; ++t) above[c * n + t] = total_[c] - lower_[c * n + t];
  }
  pair_kernels().leaves(model_, total_.data(), 1, 1, &costs.none);
  pair_kernels().leaves(model_, lower_.data(), n, n, costs.leaf[0].data());
  pair_kernels().leaves(model_, above.data(), n, n, costs.leaf[1].data());
}

// A second test of the column that the first one has tested.
void PairSearch::same_column(PairCosts& costs, const Groups& groups) {
  const std::size_t n = tests_.size(), last = groups.first_test + groups.n - 1;
  const double extra = 2.0 * node_price_;
  between_.resize(total_.size() * groups.n);
  leaves_.resize(groups.n);
  Partners& partners = costs.partners;
  for (std::size_t i = groups.first_test; i + 1 < last; ++i) {
    const std::size_t count = last - i - 1;
    for (std::size_t c = 0; c < total_.size(); ++c) {
      const double* lower = &lower_[c * n];
      for (std::size_t j = 0; j < count; ++j) between_[c * groups.n + j] = lower[i + 1 + j] - lower[i];
    }
    pair_kernels().leaves(model_, between_.data(), groups.n, count, leaves_.data());
    for (std::size_t j = i + 1; j < last; ++j) {
      const double middle = leaves_[j - i - 1] + extra;
      const auto offer = [&](std::size_t s, std::size_t t, std::size_t by, double cost) {
        if (cost >= partners.cost[s][t]) return;
        partners.cost[s][t] = cost;
        partners.test[s][t] = static_cast<std::int64_t>(by);
      };
      offer(1, i, j, middle + costs.leaf[1][j]);
      offer(0, j, i, middle + costs.leaf[0][i]);
    }
  }
}

void PairSearch::pair_of_columns(PairCosts& costs, const Groups& a, const Groups& b,
                                 const std::vector<std::uint32_t>& members) {
  const std::size_t m = total_.size(), n = tests_.size();
  pairs_.assign(a.n * b.n * m, 0.0);
  for (const std::uint32_t i : members) ledger_.add(i, &pairs_[(a.group[i] * b.n + b.group[i]) * m]);
  for (std::size_t g = 0; g + 1 < a.n; ++g) {
    // Row g becomes the sum of all rows up to g.
    double* row = &pairs_[g * b.n * m];
    for (std::size_t i = 0; g > 0 && i < b.n * m; ++i) row[i] += row[i - b.n * m];
    for (std::size_t c = 0; c < m; ++c) {
      double sum = 0.0;
      for (std::size_t h = 0; h + 1 < b.n; ++h) {
        sum += row[h * m + c];
        corner_[c * n + b.first_test + h] = sum;
      }
    }
    const PairRow pair_row = row_of(a.first_test + g, b.first_test, b.first_test + b.n - 1);
    pair_kernels().offer(model_, pair_row, costs.partners);
  }
}

PairRow PairSearch::row_of(std::size_t t, std::size_t from, std::size_t to) {
  const std::size_t n = tests_.size();
  left_.resize(total_.size());
  for (std::size_t c = 0; c < total_.size(); ++c) left_[c] = lower_[c * n + t];
  return {t,          from,          to, n, corner_.data(), lower_.data(), left_.data(), total_.data(),
          prices_[t], prices_.data()};
}

}  // namespace stakes::evolve
