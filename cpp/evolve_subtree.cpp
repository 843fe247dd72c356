#include "evolve_subtree.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "bits.hpp"
#include "evolve_groups.hpp"

namespace stakes {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// ---- search -----------------------------------------------------------------------------------------------

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// One side of a test: what it costs as a leaf, and with the best test of its own.
struct Side {
  double leaf = kInfinity, split = kInfinity;
  std::size_t test = kNone;

  double bill() const { return std::min(leaf, split); }
  void offer(double bill, std::size_t by) {
    if (bill < split) {
      split = bill;
      test = by;
    }
  }
};

struct Test {
  std::size_t column, last;
  Side sides[2];
};

struct Found {
  double bill = kInfinity;
  NodePtr sketch;  // null: a leaf
};

// Rows whose best subtree is known, and what it costs.
struct Solved {
  Mask rows;
  double bill;
};

class SubtreeSearch {
 public:
  SubtreeSearch(const Trees& trees, const Reach& reach, const Place& place, const SubtreeOptions& options,
                Random& random)
      : trees_(trees),
        options_(options),
        rows_(some_rows(trees, reach.rows, random)),
        ledger_(trees, reach, rows_) {
    const EvolveTable& table = trees.table();
    for (std::size_t f = 0; f < table.columns.size(); ++f) {
      Groups groups = group_column(table, table.columns[f], reach, rows_, options.max_groups);
      if (groups.n < 2) continue;
      if (trees.options().prices == PriceMode::path) groups.price = place.paid.marginal(table.prices, f);
      groups.first_test = tests_.size();
      for (std::size_t g = 0; g + 1 < groups.n; ++g) tests_.push_back({columns_.size(), g, {}});
      columns_.push_back(std::move(groups));
      numbers_.push_back(f);
    }
    if (ledger_.counts()) {
      classes_.assign(static_cast<std::size_t>(table.n_classes), Mask(n_words(), 0));
      for (std::size_t i = 0; i < rows_.size(); ++i) {
        classes_[ledger_.class_of(i)][i / 64] |= std::uint64_t{1} << (i % 64);
      }
    }
  }

  Found run() {
    Mask all(n_words(), ~std::uint64_t{0});
    if (rows_.size() % 64) all.back() = (std::uint64_t{1} << (rows_.size() % 64)) - 1;
    return solve(all, options_.levels, options_.width, kInfinity);
  }

 private:
  std::size_t n_words() const { return (rows_.size() + 63) / 64; }
  double price(const Groups& groups, double rows) const {
    return 2.0 * options_.node_price + groups.price * rows * ledger_.scale();
  }

  Found solve(const Mask& rows, int levels, std::size_t width, double bound);
  double single_tests(const Mask& rows, const std::vector<std::uint32_t>& members, std::vector<Test>& tests);
  void same_column(const Groups& groups, const std::vector<double>& sums, std::vector<Test>& tests);
  void pair_of_columns(const Groups& a, const Groups& b, const std::vector<Mask>& by_class,
                       const std::vector<std::uint32_t>& members, std::vector<Test>& tests);
  void fill_pairs(const Groups& a, const Groups& b, const std::vector<Mask>& by_class,
                  const std::vector<std::uint32_t>& members);
  NodePtr side_sketch(const Side& side) const;
  NodePtr sketch(const Test& test, NodePtr left, NodePtr right) const {
    return make_sketch(test_at(trees_.table(), numbers_[test.column], columns_[test.column], test.last),
                       {std::move(left), std::move(right)});
  }
  Found follow_up(const Mask& rows, int levels, std::size_t width, double bound,
                  const std::vector<Test>& tests, std::vector<double> bills, Found best);
  double try_root(const Test& test, const Mask& rows, int levels, std::size_t width, double bound,
                  Found& best, std::vector<Solved>& solved);
  double at_least(const Mask& rows, const std::vector<Solved>& solved) const;

  const Trees& trees_;
  const SubtreeOptions& options_;
  std::vector<std::uint32_t> rows_;
  Ledger ledger_;
  std::vector<Groups> columns_;
  std::vector<std::size_t> numbers_;  // of the columns in the table
  std::vector<Test> tests_;
  std::vector<Mask> classes_;
  // Scratch of one search of pairs: sums of all rows, of rows left of each test, of rows of two groups.
  std::vector<double> total_, lower_, pairs_, corner_, rest_;
  Mask both_;
};

// Sums of each group, cut by cut: fills the leaves of all tests. Returns the cost of no test.
double SubtreeSearch::single_tests(const Mask& rows, const std::vector<std::uint32_t>& members,
                                   std::vector<Test>& tests) {
  const std::size_t m = ledger_.channels();
  std::vector<double> total(m, 0.0), sums, low(m), high(m);
  for (const std::uint32_t i : members) ledger_.add(i, total.data());
  lower_.resize(tests.size() * m);
  total_ = total;
  for (const Groups& groups : columns_) {
    sums.assign(groups.n * m, 0.0);
    if (ledger_.counts()) {
      for (std::size_t g = 0; g < groups.n; ++g) {
        Mask here = groups.rows[g];
        for (std::size_t w = 0; w < here.size(); ++w) here[w] &= rows[w];
        for (std::size_t c = 0; c < m; ++c) {
          sums[g * m + c] =
              static_cast<double>(bit_kernels().count_and(here.data(), classes_[c].data(), n_words()));
        }
      }
    } else {
      for (const std::uint32_t i : members) ledger_.add(i, &sums[groups.group[i] * m]);
    }
    std::fill(low.begin(), low.end(), 0.0);
    for (std::size_t g = 0; g + 1 < groups.n; ++g) {
      for (std::size_t c = 0; c < m; ++c) {
        low[c] += sums[g * m + c];
        high[c] = total[c] - low[c];
      }
      std::copy(low.begin(), low.end(), &lower_[(groups.first_test + g) * m]);
      Test& test = tests[groups.first_test + g];
      test.sides[0].leaf = ledger_.leaf(low.data());
      test.sides[1].leaf = ledger_.leaf(high.data());
    }
    if (options_.levels >= 2) same_column(groups, sums, tests);
  }
  return ledger_.leaf(total.data());
}

// A second test of the column that the first one has tested.
void SubtreeSearch::same_column(const Groups& groups, const std::vector<double>& sums,
                                std::vector<Test>& tests) {
  const std::size_t m = ledger_.channels();
  std::vector<double> between(m);
  const double extra = 2.0 * options_.node_price;
  for (std::size_t i = 0; i + 1 < groups.n; ++i) {
    std::fill(between.begin(), between.end(), 0.0);
    for (std::size_t j = i + 1; j + 1 < groups.n; ++j) {
      for (std::size_t c = 0; c < m; ++c) between[c] += sums[j * m + c];
      Test &first = tests[groups.first_test + i], &second = tests[groups.first_test + j];
      const double middle = ledger_.leaf(between.data()) + extra;
      first.sides[1].offer(middle + second.sides[1].leaf, groups.first_test + j);
      second.sides[0].offer(middle + first.sides[0].leaf, groups.first_test + i);
    }
  }
}

// Sums of all pairs of groups but the last ones, by whichever way is shorter.
void SubtreeSearch::fill_pairs(const Groups& a, const Groups& b, const std::vector<Mask>& by_class,
                               const std::vector<std::uint32_t>& members) {
  const std::size_t m = ledger_.channels();
  pairs_.assign(a.n * b.n * m, 0.0);
  if (!ledger_.counts() || (a.n - 1) * (b.n - 1) * n_words() * m > 2 * members.size()) {
    for (const std::uint32_t i : members) ledger_.add(i, &pairs_[(a.group[i] * b.n + b.group[i]) * m]);
    return;
  }
  both_.resize(n_words());
  for (std::size_t g = 0; g + 1 < a.n; ++g) {
    for (std::size_t h = 0; h + 1 < b.n; ++h) {
      for (std::size_t w = 0; w < both_.size(); ++w) both_[w] = a.rows[g][w] & b.rows[h][w];
      for (std::size_t c = 0; c < m; ++c) {
        pairs_[(g * b.n + h) * m + c] =
            static_cast<double>(bit_kernels().count_and(both_.data(), by_class[c].data(), n_words()));
      }
    }
  }
}

// Four leaves for each pair of cuts serve both orders of the two tests. The sums of one corner are enough:
// the other three follow from what is left of each test.
void SubtreeSearch::pair_of_columns(const Groups& a, const Groups& b, const std::vector<Mask>& by_class,
                                    const std::vector<std::uint32_t>& members, std::vector<Test>& tests) {
  const std::size_t m = ledger_.channels();
  fill_pairs(a, b, by_class, members);
  corner_.resize(m);
  rest_.resize(m);
  const double half = 0.5 * static_cast<double>(members.size());
  const double price_a = price(a, half), price_b = price(b, half);
  for (std::size_t g = 0; g + 1 < a.n; ++g) {
    // Row g becomes the sum of all rows up to g.
    double* row = &pairs_[g * b.n * m];
    for (std::size_t i = 0; g > 0 && i < b.n * m; ++i) row[i] += row[i - b.n * m];
    std::fill(corner_.begin(), corner_.end(), 0.0);
    const double* left_of_a = &lower_[(a.first_test + g) * m];
    Test& first = tests[a.first_test + g];
    for (std::size_t h = 0; h + 1 < b.n; ++h) {
      const double* left_of_b = &lower_[(b.first_test + h) * m];
      for (std::size_t c = 0; c < m; ++c) corner_[c] += row[h * m + c];
      const double low_low = ledger_.leaf(corner_.data());
      for (std::size_t c = 0; c < m; ++c) rest_[c] = left_of_a[c] - corner_[c];
      const double low_high = ledger_.leaf(rest_.data());
      for (std::size_t c = 0; c < m; ++c) rest_[c] = left_of_b[c] - corner_[c];
      const double high_low = ledger_.leaf(rest_.data());
      for (std::size_t c = 0; c < m; ++c) rest_[c] = total_[c] - left_of_a[c] - left_of_b[c] + corner_[c];
      const double high_high = ledger_.leaf(rest_.data());
      Test& second = tests[b.first_test + h];
      first.sides[0].offer(low_low + low_high + price_b, b.first_test + h);
      first.sides[1].offer(high_low + high_high + price_b, b.first_test + h);
      second.sides[0].offer(low_low + high_low + price_a, a.first_test + g);
      second.sides[1].offer(low_high + high_high + price_a, a.first_test + g);
    }
  }
}

NodePtr SubtreeSearch::side_sketch(const Side& side) const {
  if (side.split >= side.leaf) return leaf_sketch();
  return sketch(tests_[side.test], leaf_sketch(), leaf_sketch());
}

// The cheapest subtree, if any costs less than `bound`.
Found SubtreeSearch::solve(const Mask& rows, int levels, std::size_t width, double bound) {
  std::vector<std::uint32_t> members;
  for (std::size_t w = 0; w < rows.size(); ++w) {
    for (std::uint64_t word = rows[w]; word; word &= word - 1) {
      members.push_back(
          static_cast<std::uint32_t>(64 * w + static_cast<std::size_t>(std::countr_zero(word))));
    }
  }
  std::vector<Test> tests = tests_;
  Found best;
  best.bill = single_tests(rows, members, tests);
  // Splitting costs at least the price of its nodes.
  if (best.bill <= 2.0 * options_.node_price || tests.empty() || levels < 1) return best;
  if (levels >= 2) {
    std::vector<Mask> by_class = classes_;
    for (Mask& mask : by_class) {
      for (std::size_t w = 0; w < mask.size(); ++w) mask[w] &= rows[w];
    }
    for (std::size_t a = 0; a < columns_.size(); ++a) {
      for (std::size_t b = a + 1; b < columns_.size(); ++b) {
        pair_of_columns(columns_[a], columns_[b], by_class, members, tests);
      }
    }
  }
  std::vector<double> bills;
  std::size_t chosen = kNone;
  for (std::size_t t = 0; t < tests.size(); ++t) {
    Side* sides = tests[t].sides;
    if (levels < 2) sides[0].split = sides[1].split = kInfinity;
    const double test_price = price(columns_[tests[t].column], static_cast<double>(members.size()));
    bills.push_back(test_price + sides[0].bill() + sides[1].bill());
    if (bills[t] < best.bill) {
      best.bill = bills[t];
      chosen = t;
    }
  }
  if (chosen != kNone) {
    best.sketch =
        sketch(tests[chosen], side_sketch(tests[chosen].sides[0]), side_sketch(tests[chosen].sides[1]));
  }
  if (levels < 3) return best;
  return follow_up(rows, levels, width, bound, tests, std::move(bills), std::move(best));
}

// The tests in the order of their bills, at most `n`.
std::vector<std::size_t> first_tests(const std::vector<double>& bills, std::size_t n) {
  std::vector<std::size_t> order(bills.size());
  std::iota(order.begin(), order.end(), 0);
  n = std::min(n, order.size());
  std::partial_sort(
      order.begin(), order.begin() + static_cast<std::ptrdiff_t>(n), order.end(),
      [&](std::size_t a, std::size_t b) { return bills[a] != bills[b] ? bills[a] < bills[b] : a < b; });
  order.resize(n);
  return order;
}

// The tests that are best with two levels get more. Above three levels there are two rounds: a narrow search
// below many tests, then a wide one below the few that it has found best.
Found SubtreeSearch::follow_up(const Mask& rows, int levels, std::size_t width, double bound,
                               const std::vector<Test>& tests, std::vector<double> bills, Found best) {
  const bool rounds = levels > 3;
  const std::size_t narrow = rounds ? std::max<std::size_t>(1, width / 3) : width;
  std::vector<double> found(bills.size(), kInfinity);
  std::vector<Solved> solved;
  for (const std::size_t t : first_tests(bills, rounds ? 4 * width : width)) {
    const double limit = rounds ? kInfinity : std::min(best.bill, bound);
    found[t] = try_root(tests[t], rows, levels, narrow, limit, best, solved);
  }
  if (!rounds) return best;
  for (const std::size_t t : first_tests(found, std::max<std::size_t>(1, width / 2))) {
    if (found[t] < kInfinity)
      try_root(tests[t], rows, levels, 8 * width, std::min(best.bill, bound), best, solved);
  }
  return best;
}

// What the best subtree of these rows costs at least: no less than that of other rows, less the most that the
// rows which are not among these can cost.
double SubtreeSearch::at_least(const Mask& rows, const std::vector<Solved>& solved) const {
  double least = 0.0;
  Mask gone(rows.size());
  for (const Solved& other : solved) {
    if (other.bill <= least) continue;
    for (std::size_t w = 0; w < rows.size(); ++w) gone[w] = other.rows[w] & ~rows[w];
    double bill = other.bill;
    for (std::size_t c = 0; c < classes_.size() && bill > least; ++c) {
      const auto n = bit_kernels().count_and(gone.data(), classes_[c].data(), gone.size());
      bill -= static_cast<double>(n) * ledger_.dearest(c);
    }
    least = std::max(least, bill);
  }
  return least;
}

// Bill of the best subtree below a test, infinite where it is not below `bound`; kept if it is the best so
// far.
double SubtreeSearch::try_root(const Test& test, const Mask& rows, int levels, std::size_t width,
                               double bound, Found& best, std::vector<Solved>& solved) {
  const Groups& groups = columns_[test.column];
  Mask left(rows.size(), 0), right(rows);
  for (std::size_t g = 0; g <= test.last; ++g) {
    for (std::size_t w = 0; w < rows.size(); ++w) left[w] |= groups.rows[g][w] & rows[w];
  }
  double count = 0.0;
  for (std::size_t w = 0; w < rows.size(); ++w) {
    right[w] &= ~left[w];
    count += std::popcount(rows[w]);
  }
  // Searches of two levels are exact, so what they found bounds what others can find.
  const bool exact = levels == 3 && ledger_.counts();
  const double own = price(groups, count), least = exact ? at_least(right, solved) : 0.0;
  if (own + least + (exact ? at_least(left, solved) : 0.0) >= bound) return kInfinity;
  Found one = solve(left, levels - 1, width, bound - own - least);
  if (exact) solved.push_back({left, one.bill});
  if (own + one.bill + least >= bound) return kInfinity;
  Found two = solve(right, levels - 1, width, bound - own - one.bill);
  if (exact) solved.push_back({right, two.bill});
  const double bill = own + one.bill + two.bill;
  if (bill < best.bill) {
    best.bill = bill;
    best.sketch =
        sketch(test, one.sketch ? one.sketch : leaf_sketch(), two.sketch ? two.sketch : leaf_sketch());
  }
  return bill;
}

}  // namespace

std::vector<std::uint32_t> some_rows(const Trees& trees, const RowSet& set, Random& random) {
  std::vector<std::uint32_t> rows;
  rows.reserve(set.count);
  set.each(trees.table(), [&](std::uint32_t row) { rows.push_back(row); });
  const std::size_t wanted = trees.options().local_rows;
  if (rows.size() <= wanted) return rows;
  for (std::size_t i = 0; i < wanted; ++i) std::swap(rows[i], rows[i + random.below(rows.size() - i)]);
  rows.resize(wanted);
  return rows;
}

SubtreeOptions affordable(const Trees& trees, const Reach& reach, int levels, std::size_t width,
                          double operations) {
  const EvolveTable& table = trees.table();
  const double columns = static_cast<double>(table.columns.size()), k = table.n_classes;
  const auto rows = static_cast<double>(std::min(reach.rows.count, trees.options().local_rows));
  for (; levels > 1; --levels) {
    // Two levels are one search of pairs; each further level makes two of it for each test that is followed
    // up.
    double searches = 1.0;
    for (int level = 2; level < levels; ++level) searches = 1.0 + 2.0 * static_cast<double>(width) * searches;
    for (std::size_t groups = kMaxGroups; groups >= kMinGroups; groups /= 2) {
      double tests = 0.0;
      for (const EvolveColumn& column : table.columns) {
        tests += std::min(static_cast<double>(column.n_values), static_cast<double>(groups)) - 1.0;
      }
      const double pairs = 0.5 * tests * tests * 4.0 * k * k,
                   sums = std::min(rows, tests * tests / columns) * columns;
      if (searches * (pairs + sums * columns) <= operations) return {levels, width, groups, 0.0};
    }
  }
  return {levels, width, kMaxGroups, 0.0};
}

NodePtr best_subtree(const Trees& trees, const Reach& reach, const Place& place,
                     const SubtreeOptions& options, Random& random) {
  return SubtreeSearch(trees, reach, place, options, random).run().sketch;
}

}  // namespace stakes
