#include "tree/total_cost.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <stdexcept>

#include "common/binning.hpp"
#include "common/coded.hpp"
#include "tree/total_tests.hpp"

namespace stakes::tree {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Subtree {
  double cost = 0.0;       // with the penalties of its leaves
  double leaf_cost = 0.0;  // if it were a leaf
  CostTest test;
  std::vector<double> class_weights;
  std::vector<std::unique_ptr<Subtree>> branches;
};
using SubtreePtr = std::unique_ptr<Subtree>;

// Bins of about equal size, at most `max_bins` (2 to 255); `cuts` gets the thresholds between them.
CodedColumn bin_numbers(const Column& column, std::size_t n_rows, std::size_t max_bins,
                        std::vector<double>& cuts) {
  std::vector<double> numbers(n_rows), sorted;
  std::vector<std::uint32_t> rows(n_rows);
  std::iota(rows.begin(), rows.end(), 0U);
  for (std::size_t i = 0; i < n_rows; ++i) {
    numbers[i] = column.number(i);
    if (std::isinf(numbers[i])) throw std::invalid_argument("numeric columns must not hold infinite values");
    if (!std::isnan(numbers[i])) sorted.push_back(numbers[i]);
  }
  std::sort(sorted.begin(), sorted.end());
  const std::vector<double> ends = bin_ends(sorted, max_bins, BinEnd::last_of_part);
  for (std::size_t b = 0; b + 1 < ends.size(); ++b) {
    cuts.push_back(cut_between(ends[b], *std::upper_bound(sorted.begin(), sorted.end(), ends[b])));
  }
  return code_numbers(numbers, rows, n_rows, ends);
}

// Which part of the work something is: from one share of it to another.
struct Stretch {
  double from = 0.0, to = 1.0;
  // The part between two shares of this one.
  Stretch part(double first, double last) const {
    return {from + first * (to - from), from + last * (to - from)};
  }
};

// A node on the way down: what was paid, and what the whole path costs.
struct Place {
  Paid paid;
  double path_cost = 0.0;
  int depth = 0;
  Stretch work;
};

class Searcher {
 public:
  Searcher(const Training& training, const std::vector<double>& costs, const Prices& prices,
           const TotalCostOptions& options, const Poll& poll)
      : training_(training),
        prices_(prices),
        options_(options),
        poll_(poll),
        mistakes_(costs, static_cast<std::size_t>(training.n_classes)),
        cuts_(training.table->columns.size()),
        allowed_(cuts_.size(), true) {
    const std::size_t n_rows = training.table->n_rows;
    for (const Column& column : training.table->columns) {
      columns_.push_back(column.nominal()
                             ? code_categories(column, n_rows)
                             : bin_numbers(column, n_rows, static_cast<std::size_t>(options.max_bins),
                                           cuts_[columns_.size()]));
    }
  }

  Tree run() {
    const Parts parts = present_parts(training_);
    tolerance_ = 1e-12 * leaf(parts)->cost;
    const bool limited = options_.max_upfront_cost < kInfinity;  // a search may then have to be repeated
    Stretch left;
    const auto next = [&] {
      const Stretch work = left.part(0.0, limited ? 0.5 : 1.0);
      left.from = work.to;
      return solve(parts, {Paid(prices_), 0.0, 0, work}, kInfinity);
    };
    SubtreePtr root = next();
    while (upfront(*root) > options_.max_upfront_cost) {
      allowed_[least_useful(*root)] = false;
      root = next();
    }
    Tree tree;
    write(*root, tree);
    return tree;
  }

 private:
  SubtreePtr leaf(const Parts& parts) const {
    auto made = std::make_unique<Subtree>();
    made->class_weights.assign(mistakes_.n_classes(), 0.0);
    for (const Part& part : parts) made->class_weights[training_.classes[part.row]] += part.weight;
    made->leaf_cost = mistakes_.cheapest(made->class_weights.data()) + options_.leaf_penalty;
    made->cost = made->leaf_cost;
    return made;
  }

  SubtreePtr solve(const Parts& parts, const Place& place, double bound);
  void try_test(const Parts& parts, const Place& place, const CostTest& test, double weight, double bound,
                Subtree& best);
  std::vector<CostTest> all_tests(const Parts& parts, const Place& place) const;
  std::vector<CostTest> candidates(const Parts& parts, const Place& place, double weight) const;
  std::vector<Parts> split(const Parts& parts, const CostTest& test) const;
  std::int32_t branch(const CostTest& test, std::int32_t code) const;
  std::int32_t write(const Subtree& subtree, Tree& tree) const;

  void collect(const Subtree& subtree, std::vector<std::uint8_t>& used) const;
  double price_of(const std::vector<std::uint8_t>& used) const;
  double upfront(const Subtree& root) const;
  std::size_t least_useful(const Subtree& root) const;
  double loss_without(const Subtree& subtree, std::size_t column) const;

  std::size_t n_branches(const CostTest& test) const {
    const CodedColumn& column = columns_[test.column];
    return column.nominal && test.value < 0 ? static_cast<std::size_t>(column.n_values) : 2;
  }

  const Training& training_;
  const Prices& prices_;
  const TotalCostOptions& options_;
  const Poll& poll_;
  Mistakes mistakes_;
  std::vector<CodedColumn> columns_;
  std::vector<std::vector<double>> cuts_;  // of each numeric column
  std::vector<bool> allowed_;
  double tolerance_ = 0.0;
};

std::int32_t Searcher::branch(const CostTest& test, std::int32_t code) const {
  const CodedColumn& column = columns_[test.column];
  if (code >= column.n_values) return -1;
  if (!column.nominal) return code > test.cut;
  return test.value < 0 ? code : code != test.value;
}

// A row whose value is missing goes down every branch, with the branch's share of the known weight.
std::vector<Parts> Searcher::split(const Parts& parts, const CostTest& test) const {
  std::vector<Parts> branches(n_branches(test));
  std::vector<double> known(branches.size(), 0.0);
  Parts missing;
  const CodedColumn& column = columns_[test.column];
  for (const Part& part : parts) {
    const std::int32_t b = branch(test, column.code(part.row));
    if (b < 0) {
      missing.push_back(part);
      continue;
    }
    branches[b].push_back(part);
    known[b] += part.weight;
  }
  const double total = std::accumulate(known.begin(), known.end(), 0.0);
  for (std::size_t b = 0; b < branches.size() && !missing.empty(); ++b) {
    if (known[b] <= 0.0) continue;
    for (const Part& part : missing) branches[b].push_back({part.row, part.weight * (known[b] / total)});
  }
  return branches;
}

std::vector<CostTest> Searcher::all_tests(const Parts& parts, const Place& place) const {
  std::vector<CostTest> tests;
  ValueCounts counts;
  const std::size_t k = mistakes_.n_classes();
  for (std::size_t f = 0; f < columns_.size(); ++f) {
    const CodedColumn& column = columns_[f];
    if (column.n_values < 2 || !allowed_[f]) continue;
    CostTest base;
    base.column = static_cast<std::int32_t>(f);
    base.price = place.paid.marginal(prices_, f);
    if (place.path_cost + base.price > options_.max_path_cost) continue;
    counts.assign(static_cast<std::size_t>(column.n_values + 1) * k, 0.0);
    for (const Part& part : parts) {
      counts[static_cast<std::size_t>(column.code(part.row)) * k + training_.classes[part.row]] +=
          part.weight;
    }
    add_tests(column, counts, mistakes_, base, options_.min_samples_leaf, options_.exhaustive, tests);
  }
  return tests;
}

// The first by cost if the branches were leaves, by gain per price, and by gain.
std::vector<CostTest> Searcher::candidates(const Parts& parts, const Place& place, double weight) const {
  std::vector<CostTest> tests = all_tests(parts, place);
  if (options_.exhaustive) return tests;
  const int halved = place.depth < 31 ? options_.width >> place.depth : 0;
  const std::size_t n = std::min(tests.size(), static_cast<std::size_t>(std::max(1, halved)));
  std::vector<CostTest> chosen;
  std::vector<std::size_t> order(tests.size());
  const auto take = [&](auto&& score) {
    std::iota(order.begin(), order.end(), 0);
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(n), order.end(),
                      [&](std::size_t a, std::size_t b) {
                        const double x = score(tests[a]), y = score(tests[b]);
                        return x != y ? x > y : a < b;
                      });
    for (std::size_t i = 0; i < n; ++i) {
      const CostTest& test = tests[order[i]];
      const bool known =
          std::any_of(chosen.begin(), chosen.end(), [&](const CostTest& t) { return t.same(test); });
      if (!known && test.gain > 1e-12 * weight * mistakes_.importance()) chosen.push_back(test);
    }
  };
  // Free tests must not divide by zero, nor win whatever little they tell.
  const double least = 1e-3 + 1e-6 * mistakes_.importance();
  take([](const CostTest& t) { return -t.cost; });
  take([&](const CostTest& t) { return t.gain / (t.price + least); });
  take([](const CostTest& t) { return t.gain; });
  return chosen;
}

// Puts the test into `best` if the tree below it is cheaper; gives up once it cannot be.
void Searcher::try_test(const Parts& parts, const Place& place, const CostTest& test, double weight,
                        double bound, Subtree& best) {
  const double limit = std::min(best.cost, bound) - tolerance_;
  const std::vector<Parts> split_parts = split(parts, test);
  const auto n_full =
      std::count_if(split_parts.begin(), split_parts.end(), [](auto& p) { return !p.empty(); });
  // The leaves that are still to come cost at least their penalties.
  double to_come = options_.leaf_penalty * static_cast<double>(n_full);
  double cost = test.price * weight;
  if (cost + to_come >= limit) return;
  Place below{place.paid, place.path_cost + test.price, place.depth + 1, {}};
  below.paid.pay(prices_, static_cast<std::size_t>(test.column));
  std::vector<SubtreePtr> branches;
  for (const Parts& rows : split_parts) {
    if (rows.empty()) {
      branches.push_back(leaf(rows));
      continue;
    }
    const auto number = static_cast<double>(branches.size()), all = static_cast<double>(split_parts.size());
    below.work = place.work.part(number / all, (number + 1.0) / all);
    to_come -= options_.leaf_penalty;
    branches.push_back(solve(rows, below, limit - cost - to_come));
    cost += branches.back()->cost;
    if (cost + to_come >= limit) return;
  }
  best.cost = cost;
  best.test = test;
  best.branches = std::move(branches);
}

// The cheapest tree found; any tree where none is below `bound`.
SubtreePtr Searcher::solve(const Parts& parts, const Place& place, double bound) {
  poll_(place.work.from);
  SubtreePtr best = leaf(parts);
  const double weight = std::accumulate(best->class_weights.begin(), best->class_weights.end(), 0.0);
  if (place.depth >= options_.max_depth || weight < 2.0 * options_.min_samples_leaf) return best;
  if (2.0 * options_.leaf_penalty >= std::min(bound, best->cost)) return best;
  const std::vector<CostTest> tests = candidates(parts, place, weight);
  Place here = place;
  for (std::size_t i = 0; i < tests.size(); ++i) {
    const auto number = static_cast<double>(i), all = static_cast<double>(tests.size());
    here.work = place.work.part(number / all, (number + 1.0) / all);
    try_test(parts, here, tests[i], weight, bound, *best);
  }
  return best;
}

void Searcher::collect(const Subtree& subtree, std::vector<std::uint8_t>& used) const {
  if (subtree.branches.empty()) return;
  used[subtree.test.column] = 1;
  for (const SubtreePtr& child : subtree.branches) collect(*child, used);
}

double Searcher::price_of(const std::vector<std::uint8_t>& used) const {
  Paid paid(prices_);
  double price = 0.0;
  for (std::size_t f = 0; f < used.size(); ++f) {
    if (!used[f]) continue;
    price += paid.marginal(prices_, f);
    paid.pay(prices_, f);
  }
  return price;
}

double Searcher::upfront(const Subtree& root) const {
  std::vector<std::uint8_t> used(columns_.size(), 0);
  collect(root, used);
  return price_of(used);
}

// What the cost grows by if the nodes that test this column become leaves.
double Searcher::loss_without(const Subtree& subtree, std::size_t column) const {
  if (subtree.branches.empty()) return 0.0;
  if (static_cast<std::size_t>(subtree.test.column) == column) return subtree.leaf_cost - subtree.cost;
  double loss = 0.0;
  for (const SubtreePtr& child : subtree.branches) loss += loss_without(*child, column);
  return loss;
}

// The column of the tree that is worth least for what its absence saves up front.
std::size_t Searcher::least_useful(const Subtree& root) const {
  std::vector<std::uint8_t> used(columns_.size(), 0);
  collect(root, used);
  const double whole = price_of(used);
  std::size_t worst = 0;
  double least = kInfinity;
  bool any = false;
  for (std::size_t f = 0; f < used.size(); ++f) {
    if (!used[f]) continue;
    used[f] = 0;
    const double saved = whole - price_of(used);
    used[f] = 1;
    // A column whose resources others need too saves nothing by itself; it goes last.
    const double value = saved > 0.0 ? loss_without(root, f) / saved : kInfinity;
    if (!any || value < least) {
      worst = f;
      least = value;
      any = true;
    }
  }
  return worst;
}

std::int32_t Searcher::write(const Subtree& subtree, Tree& tree) const {
  const auto index = static_cast<std::int32_t>(tree.size());
  tree.emplace_back();
  Node node;
  node.class_weights = subtree.class_weights;
  node.weight = std::accumulate(node.class_weights.begin(), node.class_weights.end(), 0.0);
  node.label = heaviest_class(node.class_weights, 0);
  if (!subtree.branches.empty()) {
    const CostTest& test = subtree.test;
    const CodedColumn& column = columns_[test.column];
    node.feature = test.column;
    if (column.nominal) {
      for (std::int32_t v = 0; v < column.n_values; ++v) node.value_branch.push_back(branch(test, v));
    } else {
      node.threshold = cuts_[test.column][test.cut];
    }
    for (const SubtreePtr& child : subtree.branches) node.children.push_back(write(*child, tree));
  }
  tree[index] = std::move(node);
  return index;
}

}  // namespace

Tree grow_total_cost(const Training& training, const std::vector<double>& costs, const Prices& prices,
                     const TotalCostOptions& options, const Poll& poll) {
  return Searcher(training, costs, prices, options, poll).run();
}

}  // namespace stakes::tree
