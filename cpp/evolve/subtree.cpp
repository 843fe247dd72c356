#include "evolve/subtree.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "evolve/pairs.hpp"

namespace stakes::evolve {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kNone = static_cast<std::size_t>(-1);
constexpr std::size_t kAll = static_cast<std::size_t>(-1);  // a width: every test is followed up

struct Solution {
  double cost = kInfinity;
  NodePtr sketch;      // null: a leaf
  double least = 0.0;  // no subtree costs less
};

// Rows, and what their best subtree costs at least.
struct Solved {
  Mask rows;
  double least;
};

struct HashMask {
  std::size_t operator()(const Mask& mask) const {
    std::uint64_t hash = 0;
    for (const std::uint64_t word : mask) hash = mix_bits(hash ^ word);
    return static_cast<std::size_t>(hash);
  }
};

// So many subtrees of two levels are remembered: some megabytes.
constexpr std::size_t kRemembered = 100'000;

class SubtreeSearch {
 public:
  SubtreeSearch(const Trees& trees, const NodeRows& reach, const Place& place, const SubtreeOptions& options,
                Random& random)
      : options_(options),
        pairs_(trees, reach, place, some_rows(trees, reach.rows, random), options.max_groups,
               options.node_price) {}

  Solution run() {
    return solve(pairs_.all_rows(), options_.levels, options_.exhaustive ? kAll : options_.width, kInfinity);
  }
  bool complete() const { return options_.exhaustive && pairs_.complete(); }

 private:
  Solution solve(const Mask& rows, int levels, std::size_t width, double bound);
  Solution solve_anew(const Mask& rows, int levels, std::size_t width, double bound);
  NodePtr side_sketch(const PairCosts& known, std::size_t side, std::size_t t) const;
  NodePtr sketch(std::size_t t, NodePtr left, NodePtr right) const {
    return make_sketch(pairs_.test(t), {std::move(left), std::move(right)});
  }
  Solution follow_up(const Mask& rows, int levels, std::size_t width, double bound,
                     const std::vector<double>& costs, Solution best);
  double try_root(std::size_t t, const Mask& rows, int levels, std::size_t width, double bound,
                  Solution& best, std::vector<Solved>& solved);
  double at_least(const Mask& rows, const std::vector<Solved>& solved) const;

  const SubtreeOptions& options_;
  PairSearch pairs_;
  std::unordered_map<Mask, Solution, HashMask> remembered_;
};

NodePtr SubtreeSearch::side_sketch(const PairCosts& known, std::size_t side, std::size_t t) const {
  if (known.partners.cost[side][t] >= known.leaf[side][t]) return leaf_sketch();
  const auto second = static_cast<std::size_t>(known.partners.test[side][t]);
  return sketch(second, leaf_sketch(), leaf_sketch());
}

// The same rows are left by two tests in either order.
Solution SubtreeSearch::solve(const Mask& rows, int levels, std::size_t width, double bound) {
  if (levels != 2 || !options_.exhaustive) return solve_anew(rows, levels, width, bound);
  const auto known = remembered_.find(rows);
  if (known != remembered_.end()) return known->second;
  Solution solution = solve_anew(rows, levels, width, bound);
  if (remembered_.size() < kRemembered) remembered_.emplace(rows, solution);
  return solution;
}

// The cheapest subtree, if any costs less than `bound`.
Solution SubtreeSearch::solve_anew(const Mask& rows, int levels, std::size_t width, double bound) {
  const PairCosts known = pairs_.search(rows, levels >= 2);
  Solution best{known.none, nullptr, known.none};
  const std::size_t n_tests = pairs_.tests().size();
  // Splitting costs at least the price of its nodes.
  if (best.cost <= 2.0 * options_.node_price || n_tests == 0 || levels < 1) return best;
  std::vector<double> costs;
  std::size_t chosen = kNone;
  for (std::size_t t = 0; t < n_tests; ++t) {
    costs.push_back(pairs_.price(t, known.rows) + known.side(0, t) + known.side(1, t));
    if (costs[t] < best.cost) {
      best.cost = costs[t];
      chosen = t;
    }
  }
  if (chosen != kNone) {
    best.sketch = sketch(chosen, side_sketch(known, 0, chosen), side_sketch(known, 1, chosen));
  }
  best.least = levels < 3 ? best.cost : 0.0;
  return levels < 3 ? best : follow_up(rows, levels, width, bound, costs, std::move(best));
}

// The tests in the order of their costs, at most `n`.
std::vector<std::size_t> first_tests(const std::vector<double>& costs, std::size_t n) {
  std::vector<std::size_t> order(costs.size());
  std::iota(order.begin(), order.end(), 0);
  n = std::min(n, order.size());
  std::partial_sort(
      order.begin(), order.begin() + static_cast<std::ptrdiff_t>(n), order.end(),
      [&](std::size_t a, std::size_t b) { return costs[a] != costs[b] ? costs[a] < costs[b] : a < b; });
  order.resize(n);
  return order;
}

// The tests that are best with two levels get more. Above three levels there are two rounds: a narrow search
// below many tests, then a wide one below the few that it has found best, or below all.
Solution SubtreeSearch::follow_up(const Mask& rows, int levels, std::size_t width, double bound,
                                  const std::vector<double>& costs, Solution best) {
  const bool rounds = levels > 3, all = width == kAll;
  const std::size_t usual = rounds && all ? options_.width : width;
  const std::size_t narrow = rounds ? std::max<std::size_t>(1, usual / 3) : width;
  std::vector<double> below(costs.size(), kInfinity);
  std::vector<Solved> solved;
  for (const std::size_t t : first_tests(costs, rounds ? 4 * usual : width)) {
    const double limit = rounds ? kInfinity : std::min(best.cost, bound);
    // A side with too few rows for a leaf has too few for anything.
    if (!all || costs[t] < kInfinity) below[t] = try_root(t, rows, levels, narrow, limit, best, solved);
  }
  if (rounds) {
    for (const std::size_t t : first_tests(below, all ? kAll : std::max<std::size_t>(1, width / 2))) {
      if (all ? costs[t] == kInfinity : below[t] == kInfinity) continue;
      try_root(t, rows, levels, all ? kAll : 8 * width, std::min(best.cost, bound), best, solved);
    }
  }
  if (all) best.least = std::min(best.cost, bound);
  return best;
}

// What the best subtree of these rows costs at least: no less than that of other rows, less the most that the
// rows which are not among these can cost.
double SubtreeSearch::at_least(const Mask& rows, const std::vector<Solved>& solved) const {
  double least = 0.0;
  Mask gone(rows.size());
  for (const Solved& other : solved) {
    if (other.least <= least) continue;
    for (std::size_t w = 0; w < rows.size(); ++w) gone[w] = other.rows[w] & ~rows[w];
    double cost = other.least;
    for (std::size_t c = 0; c < pairs_.n_classes() && cost > least; ++c) {
      cost -= pairs_.count(gone, c) * pairs_.ledger().costliest(c);
    }
    least = std::max(least, cost);
  }
  return least;
}

// Cost of the best subtree below a test, infinite where it is not below `bound`; kept if it is the best so
// far.
double SubtreeSearch::try_root(std::size_t t, const Mask& rows, int levels, std::size_t width, double bound,
                               Solution& best, std::vector<Solved>& solved) {
  const Mask left = pairs_.left_of(t, rows);
  Mask right(rows);
  double count = 0.0;
  for (std::size_t w = 0; w < rows.size(); ++w) {
    right[w] &= ~left[w];
    count += std::popcount(rows[w]);
  }
  // Searches that leave nothing out bound what others can find.
  const bool exact = (levels == 3 || width == kAll) && pairs_.ledger().counts();
  const double own = pairs_.price(t, count), least = exact ? at_least(right, solved) : 0.0;
  if (own + least + (exact ? at_least(left, solved) : 0.0) >= bound) return kInfinity;
  Solution in_left = solve(left, levels - 1, width, bound - own - least);
  if (exact) solved.push_back({left, in_left.least});
  if (own + in_left.cost + least >= bound) return kInfinity;
  Solution in_right = solve(right, levels - 1, width, bound - own - in_left.cost);
  if (exact) solved.push_back({right, in_right.least});
  const double cost = own + in_left.cost + in_right.cost;
  if (cost < best.cost) {
    best.cost = cost;
    best.sketch = sketch(t, in_left.sketch ? in_left.sketch : leaf_sketch(),
                         in_right.sketch ? in_right.sketch : leaf_sketch());
  }
  return cost;
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

double search_operations(const Trees& trees, const NodeRows& reach, const SubtreeOptions& options) {
  const EvolveTable& table = trees.table();
  const double columns = static_cast<double>(table.columns.size()), k = table.n_classes;
  const auto rows = static_cast<double>(std::min(reach.rows.count, trees.options().local_rows));
  double tests = 0.0;
  for (const EvolveColumn& column : table.columns) {
    tests += std::min(static_cast<double>(column.n_values), static_cast<double>(options.max_groups)) - 1.0;
  }
  // Two levels are one search of pairs; each further level makes two of it for each test that is followed up.
  const double width = options.exhaustive ? tests : static_cast<double>(options.width);
  double searches = 1.0;
  for (int level = 2; level < options.levels; ++level) searches = 1.0 + 2.0 * width * searches;
  const double pairs = 0.5 * tests * tests * 4.0 * k * k,
               sums = std::min(rows, tests * tests / columns) * columns;
  return searches * (pairs + sums * columns);
}

SubtreeOptions affordable(const Trees& trees, const NodeRows& reach, int levels, std::size_t width,
                          double operations) {
  for (; levels > 1; --levels) {
    for (std::size_t groups = kMaxGroups; groups >= kMinGroups; groups /= 2) {
      const SubtreeOptions options{levels, width, groups};
      if (search_operations(trees, reach, options) <= operations) return options;
    }
  }
  return {levels, width, kMaxGroups};
}

Subtree best_subtree(const Trees& trees, const NodeRows& reach, const Place& place,
                     const SubtreeOptions& options, Random& random) {
  SubtreeSearch search(trees, reach, place, options, random);
  return {search.run().sketch, search.complete()};
}

}  // namespace stakes::evolve
