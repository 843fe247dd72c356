#include "total_cost.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>

#include "criterion.hpp"
#include "presort.hpp"

namespace stakes {

namespace {

// Columns as small codes: bins of numbers, or categories. The code n_values means missing.
struct CodedColumn {
  std::vector<std::uint8_t> small;
  std::vector<std::uint16_t> large;
  std::int32_t n_values = 0;
  bool nominal = false;
  std::vector<double> ends;  // numeric: largest value of each bin
  std::uint32_t code(std::uint32_t row) const { return small.empty() ? large[row] : small[row]; }
};

struct Part {
  std::uint32_t row;
  double weight;
};
using Parts = std::vector<Part>;

// One way to split a node.
struct Test {
  std::int32_t column = -1;
  std::int32_t cut = -1;    // numeric: codes up to here go left
  std::int32_t value = -1;  // nominal: this category against the rest; -1: a branch per category
  double price = 0.0;       // for all rows of the node
  double one_step = 0.0;    // the bill if the branches were leaves
  double gain = 0.0;
};

struct Subtree {
  double bill = 0.0;
  Test test;
  std::int32_t label = 0;
  std::vector<double> class_weights;
  std::vector<std::unique_ptr<Subtree>> branches;
};

class Searcher {
 public:
  Searcher(const Training& training, const std::vector<double>& costs, const Prices& prices,
           const TotalCostOptions& options, const std::function<void()>& poll)
      : training_(training), costs_(costs), prices_(prices), options_(options), poll_(poll),
        n_classes_(static_cast<std::size_t>(training.n_classes)) {
    // Breiman's cost vector: how much the classes matter when purity is measured.
    importance_.assign(n_classes_, 0.0);
    for (std::size_t j = 0; j < n_classes_; ++j) {
      for (std::size_t k = 0; k < n_classes_; ++k) importance_[j] += costs[j * n_classes_ + k];
    }
    code_columns();
  }

  Tree run() {
    Parts parts;
    for (std::size_t i = 0; i < training_.table->n_rows; ++i) {
      if (training_.weight(i) > 0.0) parts.push_back({static_cast<std::uint32_t>(i), training_.weight(i)});
    }
    const auto root = solve(parts, Paid(prices_), 0, 0.0, std::numeric_limits<double>::infinity());
    Tree tree;
    write(*root, tree);
    return tree;
  }

 private:
  void code_columns();
  std::unique_ptr<Subtree> solve(const Parts& parts, const Paid& paid, int depth, double path_cost, double bound);
  std::vector<Test> candidates(const Parts& parts, const Paid& paid, double weight, int depth, double path_cost) const;
  void numeric_tests(std::size_t f, const std::vector<double>& table, Test base, std::vector<Test>& tests) const;
  void nominal_tests(std::size_t f, const std::vector<double>& table, Test base, std::vector<Test>& tests) const;
  std::vector<Parts> split(const Parts& parts, const Test& test) const;
  std::int32_t branch(const Test& test, std::uint32_t code) const;
  std::int32_t write(const Subtree& subtree, Tree& tree) const;

  std::size_t n_branches(const Test& test) const {
    const CodedColumn& column = columns_[test.column];
    return column.nominal && test.value < 0 ? static_cast<std::size_t>(column.n_values) : 2;
  }

  // Cheapest class for these class weights.
  double leaf_cost(const double* weights, std::int32_t* label = nullptr) const {
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < n_classes_; ++k) {
      double cost = 0.0;
      for (std::size_t j = 0; j < n_classes_; ++j) cost += weights[j] * costs_[j * n_classes_ + k];
      if (k == 0 || cost < best - 1e-12 * std::abs(best)) {
        best = cost;
        if (label) *label = static_cast<std::int32_t>(k);
      }
    }
    return best;
  }

  double purity(const double* weights) const {
    double total = 0.0, inner = 0.0;
    for (std::size_t j = 0; j < n_classes_; ++j) {
      const double w = weights[j] * importance_[j];
      total += w;
      inner += xlog2x(w);
    }
    return inner - xlog2x(total);
  }

  const Training& training_;
  const std::vector<double>& costs_;
  const Prices& prices_;
  const TotalCostOptions& options_;
  const std::function<void()>& poll_;
  std::size_t n_classes_;
  std::vector<double> importance_;
  std::vector<CodedColumn> columns_;
};

void Searcher::code_columns() {
  const Table& table = *training_.table;
  std::vector<std::uint32_t> rows(table.n_rows);
  std::iota(rows.begin(), rows.end(), 0);
  ThreadPool pool(1);
  auto numbers = gather_numeric(table, rows, pool);
  columns_.resize(table.columns.size());
  for (std::size_t f = 0; f < table.columns.size(); ++f) {
    CodedColumn& coded = columns_[f];
    const Column& column = table.columns[f];
    coded.nominal = column.nominal();
    if (coded.nominal) {
      coded.n_values = column.n_values;
      coded.large.resize(table.n_rows);
      for (std::size_t i = 0; i < table.n_rows; ++i) {
        const std::int32_t code = column.code(i);
        coded.large[i] = static_cast<std::uint16_t>(code < 0 ? coded.n_values : code);
      }
      continue;
    }
    std::vector<double> known;
    for (const double value : numbers[f]) {
      if (!std::isnan(value)) known.push_back(value);
    }
    std::sort(known.begin(), known.end());
    std::vector<double> ends = known;
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    const auto max_bins = static_cast<std::size_t>(options_.max_bins);
    if (ends.size() > max_bins) {
      ends.clear();
      for (std::size_t b = 1; b <= max_bins; ++b) {
        const double end = known[std::min(known.size() - 1, b * known.size() / max_bins)];
        if (ends.empty() || end > ends.back()) ends.push_back(end);
      }
    }
    coded.n_values = static_cast<std::int32_t>(ends.size());
    coded.small.resize(table.n_rows);
    for (std::size_t i = 0; i < table.n_rows; ++i) {
      const double value = numbers[f][i];
      const auto at = std::isnan(value) ? ends.end() : std::lower_bound(ends.begin(), ends.end() - 1, value);
      coded.small[i] = static_cast<std::uint8_t>(at - ends.begin());
    }
    coded.ends = std::move(ends);
  }
}

std::int32_t Searcher::branch(const Test& test, std::uint32_t code) const {
  const CodedColumn& column = columns_[test.column];
  if (static_cast<std::int32_t>(code) >= column.n_values) return -1;
  if (!column.nominal) return static_cast<std::int32_t>(code) > test.cut;
  return test.value < 0 ? static_cast<std::int32_t>(code) : static_cast<std::int32_t>(code) != test.value;
}

std::vector<Parts> Searcher::split(const Parts& parts, const Test& test) const {
  std::vector<Parts> branches(n_branches(test));
  std::vector<double> known(branches.size(), 0.0);
  Parts missing;
  const CodedColumn& column = columns_[test.column];
  for (const Part& part : parts) {
    const std::int32_t b = branch(test, column.code(part.row));
    if (b < 0) {
      missing.push_back(part);
    } else {
      branches[b].push_back(part);
      known[b] += part.weight;
    }
  }
  const double total = std::accumulate(known.begin(), known.end(), 0.0);
  for (std::size_t b = 0; b < branches.size() && !missing.empty(); ++b) {
    if (known[b] <= 0.0) continue;
    for (const Part& part : missing) branches[b].push_back({part.row, part.weight * known[b] / total});
  }
  return branches;
}

void Searcher::numeric_tests(std::size_t f, const std::vector<double>& table, Test base,
                             std::vector<Test>& tests) const {
  const std::int32_t n_values = columns_[f].n_values;
  std::vector<double> left(n_classes_, 0.0), right(n_classes_, 0.0);
  const double* missing = table.data() + static_cast<std::size_t>(n_values) * n_classes_;
  double known = 0.0, unknown = 0.0;
  for (std::int32_t v = 0; v < n_values; ++v) {
    for (std::size_t c = 0; c < n_classes_; ++c) right[c] += table[v * n_classes_ + c];
  }
  for (std::size_t c = 0; c < n_classes_; ++c) {
    known += right[c];
    unknown += missing[c];
  }
  const double whole = purity(right.data());
  std::vector<double> mixed(n_classes_);
  // Missing rows take part in both branches; a leaf there counts its share of them.
  const auto branch_cost = [&](const std::vector<double>& side, double share) {
    if (unknown <= 0.0) return leaf_cost(side.data());
    for (std::size_t c = 0; c < n_classes_; ++c) mixed[c] = side[c] + share * missing[c];
    return leaf_cost(mixed.data());
  };
  Test by_cost = base, by_gain = base;
  by_cost.one_step = std::numeric_limits<double>::infinity();
  by_gain.gain = -std::numeric_limits<double>::infinity();
  double left_weight = 0.0;
  for (std::int32_t v = 0; v + 1 < n_values; ++v) {
    double moved = 0.0;
    for (std::size_t c = 0; c < n_classes_; ++c) {
      const double w = table[v * n_classes_ + c];
      moved += w;
      left[c] += w;
      right[c] -= w;
    }
    left_weight += moved;
    if (moved <= 0.0) continue;
    if (left_weight < options_.min_objects || known - left_weight < options_.min_objects) continue;
    Test test = base;
    test.cut = v;
    const double share = left_weight / known;
    test.one_step = base.price + branch_cost(left, share) + branch_cost(right, 1.0 - share);
    test.gain = purity(left.data()) + purity(right.data()) - whole;
    if (test.one_step < by_cost.one_step) by_cost = test;
    if (test.gain > by_gain.gain) by_gain = test;
  }
  if (by_cost.cut >= 0) tests.push_back(by_cost);
  if (by_gain.cut >= 0 && by_gain.cut != by_cost.cut) tests.push_back(by_gain);
}

void Searcher::nominal_tests(std::size_t f, const std::vector<double>& table, Test base,
                             std::vector<Test>& tests) const {
  const std::int32_t n_values = columns_[f].n_values;
  std::vector<double> whole(n_classes_, 0.0), rest(n_classes_);
  int n_present = 0;
  for (std::int32_t v = 0; v < n_values; ++v) {
    double weight = 0.0;
    for (std::size_t c = 0; c < n_classes_; ++c) {
      whole[c] += table[v * n_classes_ + c];
      weight += table[v * n_classes_ + c];
    }
    n_present += weight > 0.0;
  }
  if (n_present < 2) return;
  const double before = purity(whole.data());
  Test multiway = base;
  multiway.one_step = base.price;
  multiway.gain = -before;
  Test best_single = base;
  best_single.gain = -std::numeric_limits<double>::infinity();
  for (std::int32_t v = 0; v < n_values; ++v) {
    const double* cells = table.data() + static_cast<std::size_t>(v) * n_classes_;
    multiway.one_step += leaf_cost(cells);
    multiway.gain += purity(cells);
    if (n_values <= 2) continue;
    double weight = 0.0;
    for (std::size_t c = 0; c < n_classes_; ++c) {
      rest[c] = whole[c] - cells[c];
      weight += cells[c];
    }
    if (weight < options_.min_objects) continue;
    Test single = base;
    single.value = v;
    single.one_step = base.price + leaf_cost(cells) + leaf_cost(rest.data());
    single.gain = purity(cells) + purity(rest.data()) - before;
    if (single.gain > best_single.gain) best_single = single;
  }
  tests.push_back(multiway);
  if (best_single.value >= 0) tests.push_back(best_single);
}

std::vector<Test> Searcher::candidates(const Parts& parts, const Paid& paid, double weight, int depth,
                                       double path_cost) const {
  std::vector<Test> tests;
  std::vector<double> table;
  for (std::size_t f = 0; f < columns_.size(); ++f) {
    const CodedColumn& column = columns_[f];
    if (column.n_values < 2) continue;
    Test base;
    base.column = static_cast<std::int32_t>(f);
    const double price = paid.marginal(prices_, f);
    if (options_.max_path_cost > 0.0 && path_cost + price > options_.max_path_cost) continue;
    base.price = price * weight;
    table.assign(static_cast<std::size_t>(column.n_values + 1) * n_classes_, 0.0);
    for (const Part& part : parts) {
      table[column.code(part.row) * n_classes_ + training_.classes[part.row]] += part.weight;
    }
    if (column.nominal) {
      nominal_tests(f, table, base, tests);
    } else {
      numeric_tests(f, table, base, tests);
    }
  }
  const std::size_t width = static_cast<std::size_t>(std::max(1, options_.width >> depth));
  std::vector<Test> chosen;
  const auto take = [&](auto&& better) {
    std::vector<std::size_t> order(tests.size());
    std::iota(order.begin(), order.end(), 0);
    const std::size_t n = std::min(width, order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(n), order.end(),
                      [&](std::size_t a, std::size_t b) {
                        const double x = better(tests[a]), y = better(tests[b]);
                        return x != y ? x > y : a < b;
                      });
    for (std::size_t i = 0; i < n; ++i) {
      const Test& test = tests[order[i]];
      const bool known = std::any_of(chosen.begin(), chosen.end(), [&](const Test& t) {
        return t.column == test.column && t.cut == test.cut && t.value == test.value;
      });
      if (!known && test.gain > 1e-9) chosen.push_back(test);
    }
  };
  const double small = 1e-3 * weight * (1.0 + std::accumulate(importance_.begin(), importance_.end(), 0.0) / 1e3);
  take([](const Test& t) { return -t.one_step; });
  take([&](const Test& t) { return t.gain / (t.price + small); });
  take([](const Test& t) { return t.gain; });
  return chosen;
}

std::unique_ptr<Subtree> Searcher::solve(const Parts& parts, const Paid& paid, int depth, double path_cost,
                                         double bound) {
  poll_();
  auto best = std::make_unique<Subtree>();
  best->class_weights.assign(n_classes_, 0.0);
  for (const Part& part : parts) best->class_weights[training_.classes[part.row]] += part.weight;
  const double weight = std::accumulate(best->class_weights.begin(), best->class_weights.end(), 0.0);
  best->bill = leaf_cost(best->class_weights.data(), &best->label) + options_.leaf_penalty;
  if (depth >= options_.max_depth || weight < 2.0 * options_.min_objects) return best;
  (void)bound;
  for (const Test& test : candidates(parts, paid, weight, depth, path_cost)) {
    double bill = test.price;
    if (bill + 2.0 * options_.leaf_penalty >= best->bill) continue;
    Paid further = paid;
    further.pay(prices_, static_cast<std::size_t>(test.column));
    std::vector<std::unique_ptr<Subtree>> branches;
    for (const Parts& rows : split(parts, test)) {
      branches.push_back(solve(rows, further, depth + 1, path_cost + test.price / weight, best->bill - bill));
      if (!rows.empty()) bill += branches.back()->bill;
      if (bill >= best->bill - 1e-9) break;
    }
    if (bill < best->bill - 1e-9) {
      best->bill = bill;
      best->test = test;
      best->branches = std::move(branches);
    }
  }
  return best;
}

std::int32_t Searcher::write(const Subtree& subtree, Tree& tree) const {
  const auto index = static_cast<std::int32_t>(tree.size());
  tree.emplace_back();
  Node node;
  node.class_weights = subtree.class_weights;
  node.weight = std::accumulate(node.class_weights.begin(), node.class_weights.end(), 0.0);
  node.label = heaviest_class(node.class_weights, 0);
  if (!subtree.branches.empty()) {
    const Test& test = subtree.test;
    const CodedColumn& column = columns_[test.column];
    node.feature = test.column;
    if (column.nominal) {
      for (std::int32_t v = 0; v < column.n_values; ++v) node.value_branch.push_back(branch(test, v));
    } else {
      node.threshold = column.ends[test.cut];
    }
    for (const auto& child : subtree.branches) node.children.push_back(write(*child, tree));
  }
  tree[index] = std::move(node);
  return index;
}

}  // namespace

Tree grow_total_cost(const Training& training, const std::vector<double>& costs, const Prices& prices,
                     const TotalCostOptions& options, const std::function<void()>& poll) {
  return Searcher(training, costs, prices, options, poll).run();
}

}  // namespace stakes
