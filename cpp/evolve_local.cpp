#include "evolve_local.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace stakes {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// More groups of values find little more and cost their square in time.
constexpr std::size_t kMaxGroups = 32;

// The rows at a node with what each answer costs for each of them. One more answer is to give none.
struct Bills {
  std::vector<std::uint32_t> rows;
  std::size_t n_answers = 0;
  std::vector<double> each;   // rows x answers
  std::vector<double> total;  // answers
  double scale = 1.0;         // rows at the node for each row looked at

  const double* of(std::size_t i) const { return each.data() + i * n_answers; }
};

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

Bills bills_at(const Trees& trees, const Reach& reach, Random& random) {
  const EvolveTable& table = trees.table();
  Bills bills;
  bills.rows = some_rows(trees, reach.rows, random);
  const auto k = static_cast<std::size_t>(table.n_classes);
  bills.n_answers = k + (table.abstain_cost < kInfinity ? 1 : 0);
  bills.scale = static_cast<double>(reach.rows.count) / static_cast<double>(bills.rows.size());
  bills.each.reserve(bills.rows.size() * bills.n_answers);
  bills.total.assign(bills.n_answers, 0.0);
  for (const std::uint32_t row : bills.rows) {
    const double weight = table.weight(row) * bills.scale;
    for (std::size_t p = 0; p < bills.n_answers; ++p) {
      const double bill = weight * table.cost(row, p < k ? static_cast<std::int32_t>(p) : -1);
      bills.each.push_back(bill);
      bills.total[p] += bill;
    }
  }
  return bills;
}

// ---- columns in ordered groups
// -----------------------------------------------------------------------------

// The values of a column at a node, put in order and into at most kMaxGroups groups.
struct Groups {
  std::size_t n = 0;
  std::vector<std::uint8_t> group;     // of each row
  std::vector<std::int32_t> of_value;  // of each code; -1: does not occur
  double price = 0.0;                  // of testing the column, for all rows
};

// Values of a nominal column by how much the one likely answer costs more than the other.
std::vector<double> rank_values(const EvolveColumn& column, const Bills& bills) {
  std::vector<std::size_t> answers(bills.n_answers);
  std::iota(answers.begin(), answers.end(), 0);
  std::sort(answers.begin(), answers.end(),
            [&](std::size_t a, std::size_t b) { return bills.total[a] < bills.total[b]; });
  const std::size_t p = answers[0], q = answers[std::min<std::size_t>(1, answers.size() - 1)];
  std::vector<double> more(static_cast<std::size_t>(column.n_values), 0.0), size(more);
  for (std::size_t i = 0; i < bills.rows.size(); ++i) {
    const std::int32_t code = column.code(bills.rows[i]);
    if (code == column.n_values) continue;
    more[static_cast<std::size_t>(code)] += bills.of(i)[p] - bills.of(i)[q];
    size[static_cast<std::size_t>(code)] += 1.0;
  }
  for (std::size_t v = 0; v < more.size(); ++v) more[v] = size[v] > 0.0 ? more[v] / size[v] : 0.0;
  return more;
}

Groups group_column(const EvolveColumn& column, const Bills& bills) {
  std::vector<std::size_t> count(static_cast<std::size_t>(column.n_values), 0);
  for (const std::uint32_t row : bills.rows) {
    const std::int32_t code = column.code(row);
    if (code < column.n_values) ++count[static_cast<std::size_t>(code)];
  }
  std::vector<std::int32_t> order;
  for (std::int32_t v = 0; v < column.n_values; ++v) {
    if (count[static_cast<std::size_t>(v)] > 0) order.push_back(v);
  }
  if (column.nominal) {
    const std::vector<double> rank = rank_values(column, bills);
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
      return rank[static_cast<std::size_t>(a)] < rank[static_cast<std::size_t>(b)];
    });
  }
  Groups groups;
  groups.of_value.assign(static_cast<std::size_t>(column.n_values), -1);
  const double per_group = static_cast<double>(bills.rows.size()) / static_cast<double>(kMaxGroups);
  double filled = 0.0;
  std::size_t fullest = 0, most = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto v = static_cast<std::size_t>(order[i]);
    const bool fits = groups.n > 0 && order.size() > kMaxGroups && filled < per_group;
    if (!fits && groups.n < kMaxGroups) {
      ++groups.n;
      filled = 0.0;
    }
    filled += static_cast<double>(count[v]);
    groups.of_value[v] = static_cast<std::int32_t>(groups.n - 1);
    if (count[v] > most) {
      most = count[v];
      fullest = groups.n - 1;
    }
  }
  groups.group.reserve(bills.rows.size());
  for (const std::uint32_t row : bills.rows) {
    const std::int32_t code = column.code(row);
    const bool known = code < column.n_values;
    groups.group.push_back(static_cast<std::uint8_t>(known ? groups.of_value[static_cast<std::size_t>(code)]
                                                           : static_cast<std::int32_t>(fullest)));
  }
  return groups;
}

// The test that sends groups up to `last` to branch 0.
EvolveTest test_at(const EvolveTable& table, std::size_t f, const Groups& groups, std::size_t last) {
  EvolveTest test;
  test.column = static_cast<std::int32_t>(f);
  const auto cut = static_cast<std::int32_t>(last);
  if (table.columns[f].nominal) {
    // Values that do not occur here go with the larger number of values.
    for (const std::int32_t g : groups.of_value)
      test.branch.push_back(g > cut || (g < 0 && 2 * last < groups.n));
    return test;
  }
  for (std::size_t v = 0; v < groups.of_value.size(); ++v) {
    if (groups.of_value[v] >= 0 && groups.of_value[v] <= cut) test.cut = static_cast<std::int32_t>(v);
  }
  return test;
}

// ---- one test with leaves below
// ----------------------------------------------------------------------------

struct Cut {
  double bill = kInfinity;
  std::size_t column = 0, last = 0;
};

double cheapest(const double* bills, std::size_t n) {
  return *std::min_element(bills, bills + n);
}

// The best place to cut groups with these bills (groups x answers).
Cut best_cut(const double* bills, std::size_t n_groups, const std::vector<double>& total,
             std::vector<double>& left) {
  const std::size_t m = total.size();
  left.assign(m, 0.0);
  Cut best;
  for (std::size_t g = 0; g + 1 < n_groups; ++g) {
    double low = kInfinity, high = kInfinity;
    for (std::size_t p = 0; p < m; ++p) {
      left[p] += bills[g * m + p];
      low = std::min(low, left[p]);
      high = std::min(high, total[p] - left[p]);
    }
    if (low + high < best.bill) {
      best.bill = low + high;
      best.last = g;
    }
  }
  return best;
}

std::vector<double> group_bills(const Groups& groups, const Bills& bills) {
  std::vector<double> sums(groups.n * bills.n_answers, 0.0);
  for (std::size_t i = 0; i < bills.rows.size(); ++i) {
    double* sum = sums.data() + groups.group[i] * bills.n_answers;
    const double* bill = bills.of(i);
    for (std::size_t p = 0; p < bills.n_answers; ++p) sum[p] += bill[p];
  }
  return sums;
}

// ---- two levels of tests
// -----------------------------------------------------------------------------------

// The best subtree of at most two levels under one root column, by moving its groups from right to left.
class TwoLevels {
 public:
  TwoLevels(const std::vector<Groups>& columns, const Bills& bills, double node_price)
      : columns_(columns), bills_(bills), node_price_(node_price) {
    for (const Groups& groups : columns) whole_.push_back(group_bills(groups, bills));
  }

  struct Plan {
    double bill = kInfinity;
    Cut root, left, right;  // a branch with an infinite bill is a leaf
  };

  void search(std::size_t root, Plan& best) {
    const Groups& groups = columns_[root];
    if (groups.n < 2) return;
    std::vector<std::vector<std::size_t>> members(groups.n);
    for (std::size_t i = 0; i < bills_.rows.size(); ++i) members[groups.group[i]].push_back(i);
    const std::size_t m = bills_.n_answers;
    std::vector<double> low(m, 0.0), high = bills_.total;
    std::vector<std::vector<double>> left, right = whole_;
    for (const auto& whole : whole_) left.emplace_back(whole.size(), 0.0);
    for (std::size_t g = 0; g + 1 < groups.n; ++g) {
      for (const std::size_t i : members[g]) move(i, low, high, left, right);
      Plan plan;
      plan.root.column = root;
      plan.root.last = g;
      plan.bill =
          2.0 * node_price_ + groups.price + side(left, low, plan.left) + side(right, high, plan.right);
      if (plan.bill < best.bill) best = plan;
    }
  }

 private:
  void move(std::size_t i, std::vector<double>& low, std::vector<double>& high,
            std::vector<std::vector<double>>& left, std::vector<std::vector<double>>& right) const {
    const std::size_t m = bills_.n_answers;
    const double* bill = bills_.of(i);
    for (std::size_t p = 0; p < m; ++p) {
      low[p] += bill[p];
      high[p] -= bill[p];
    }
    for (std::size_t f = 0; f < columns_.size(); ++f) {
      const std::size_t at = columns_[f].group[i] * m;
      for (std::size_t p = 0; p < m; ++p) {
        left[f][at + p] += bill[p];
        right[f][at + p] -= bill[p];
      }
    }
  }

  // Bill of one side: a leaf, or the best test with two leaves.
  double side(const std::vector<std::vector<double>>& bills, const std::vector<double>& total, Cut& cut) {
    double least = cheapest(total.data(), total.size());
    for (std::size_t f = 0; f < columns_.size(); ++f) {
      Cut found = best_cut(bills[f].data(), columns_[f].n, total, scratch_);
      const double bill = found.bill + 2.0 * node_price_ + 0.5 * columns_[f].price;
      if (bill < least) {
        least = bill;
        cut = found;
        cut.column = f;
      }
    }
    return least;
  }

  const std::vector<Groups>& columns_;
  const Bills& bills_;
  double node_price_;
  std::vector<std::vector<double>> whole_;
  std::vector<double> scratch_;
};

std::vector<Groups> group_columns(const Trees& trees, const Bills& bills, const Place& place) {
  const EvolveTable& table = trees.table();
  std::vector<Groups> columns;
  for (std::size_t f = 0; f < table.columns.size(); ++f) {
    columns.push_back(group_column(table.columns[f], bills));
    if (trees.options().prices == PriceMode::path) {
      double weight = 0.0;
      for (const std::uint32_t row : bills.rows) weight += table.weight(row) * bills.scale;
      columns.back().price = weight * place.paid.marginal(table.prices, f);
    }
  }
  return columns;
}

// What a node may cost before it lowers the fitness of a tree with these totals.
double price_of_node(const Trees& trees, const NodePtr& root) {
  Totals totals = trees.totals(root);
  const double now = trees.fitness(totals);
  ++totals.size;
  const double larger = trees.fitness(totals);
  --totals.size;
  const double unit = std::max(trees.everyone()->leaf_cost, 1e-300) * 1e-3;
  totals.cost += unit;
  const double dearer = trees.fitness(totals);
  return now > dearer ? unit * (now - larger) / (now - dearer) : 0.0;
}

NodePtr branch_sketch(const EvolveTable& table, const std::vector<Groups>& columns, const Cut& cut) {
  if (cut.bill == kInfinity) return leaf_sketch();
  return make_sketch(test_at(table, cut.column, columns[cut.column], cut.last), {});
}

// The best subtree of one or two levels; null where a leaf is as good.
NodePtr best_subtree(const Trees& trees, const Reach& reach, const Place& place, double node_price,
                     int levels, Random& random) {
  const Bills bills = bills_at(trees, reach, random);
  const std::vector<Groups> columns = group_columns(trees, bills, place);
  const EvolveTable& table = trees.table();
  TwoLevels::Plan plan;
  plan.bill = cheapest(bills.total.data(), bills.n_answers);
  const double leaf = plan.bill;
  if (levels >= 2) {
    TwoLevels search(columns, bills, node_price);
    for (std::size_t f = 0; f < columns.size(); ++f) search.search(f, plan);
  } else {
    std::vector<double> scratch;
    for (std::size_t f = 0; f < columns.size(); ++f) {
      Cut found = best_cut(group_bills(columns[f], bills).data(), columns[f].n, bills.total, scratch);
      const double bill = found.bill + 2.0 * node_price + columns[f].price;
      if (bill >= plan.bill) continue;
      plan.bill = bill;
      plan.root = found;
      plan.root.column = f;
    }
  }
  if (!(plan.bill < leaf)) return nullptr;
  const std::size_t f = plan.root.column;
  return make_sketch(test_at(table, f, columns[f], plan.root.last),
                     {branch_sketch(table, columns, plan.left), branch_sketch(table, columns, plan.right)});
}

// ---- one test with the subtrees as they are
// ----------------------------------------------------------------

// What a row costs in a subtree: its answer, and the tests on the way.
double cost_below(const EvolveTable& table, const EvolveNode* node, std::uint32_t row) {
  double price = 0.0;
  while (!node->leaf()) {
    const EvolveColumn& column = table.columns[static_cast<std::size_t>(node->test->column)];
    const std::int32_t code = column.code(row);
    std::int32_t b = node->missing_branch;
    if (code < column.n_values) {
      b = column.nominal ? node->test->branch[static_cast<std::size_t>(code)] : code > node->test->cut;
    }
    price += node->price;
    node = node->branches[static_cast<std::size_t>(b)].get();
  }
  return price + table.cost(row, node->reach->label);
}

// The best test of any column over the same branches.
NodePtr best_test(const Trees& trees, const NodePtr& node, const Place& place, Random& random) {
  const EvolveTable& table = trees.table();
  const std::vector<std::uint32_t> rows = some_rows(trees, node->reach->rows, random);
  const std::size_t m = node->branches.size();
  std::vector<double> bills(rows.size() * m);
  double weight = 0.0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double w = table.weight(rows[i]);
    weight += w;
    for (std::size_t b = 0; b < m; ++b) {
      bills[i * m + b] = w * cost_below(table, node->branches[b].get(), rows[i]);
    }
  }
  double best = kInfinity;
  EvolveTest chosen;
  bool swapped = false;
  std::vector<double> sums;
  for (std::size_t f = 0; f < table.columns.size(); ++f) {
    const EvolveColumn& column = table.columns[f];
    const auto n = static_cast<std::size_t>(column.n_values);
    if (n < 2 || (!column.nominal && m != 2)) continue;
    sums.assign((n + 1) * m, 0.0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      double* sum = sums.data() + static_cast<std::size_t>(column.code(rows[i])) * m;
      for (std::size_t b = 0; b < m; ++b) sum[b] += bills[i * m + b];
    }
    double price = 0.0;
    if (trees.options().prices == PriceMode::path) price = weight * place.paid.marginal(table.prices, f);
    EvolveTest test;
    test.column = static_cast<std::int32_t>(f);
    if (column.nominal) {
      test.n_branches = static_cast<std::int32_t>(m);
      double bill = price;
      for (std::size_t v = 0; v < n; ++v) {
        const auto b =
            static_cast<std::size_t>(std::min_element(&sums[v * m], &sums[v * m] + m) - &sums[v * m]);
        test.branch.push_back(static_cast<std::int32_t>(b));
        bill += sums[v * m + b];
      }
      if (bill < best) {
        best = bill;
        chosen = test;
        swapped = false;
      }
      continue;
    }
    double first = 0.0, second = 0.0;  // all rows in branch 1, or all in branch 0
    for (std::size_t v = 0; v < n; ++v) {
      first += sums[2 * v + 1];
      second += sums[2 * v];
    }
    for (std::size_t v = 0; v + 1 < n; ++v) {
      first += sums[2 * v] - sums[2 * v + 1];
      second += sums[2 * v + 1] - sums[2 * v];
      if (price + std::min(first, second) >= best) continue;
      best = price + std::min(first, second);
      chosen = test;
      chosen.cut = static_cast<std::int32_t>(v);
      swapped = second < first;
    }
  }
  if (chosen.column < 0) return nullptr;
  std::vector<NodePtr> branches = node->branches;
  if (swapped) std::swap(branches[0], branches[1]);
  return make_sketch(std::move(chosen), std::move(branches));
}

}  // namespace

NodePtr improve_node(const Trees& trees, const NodePtr& root, Random& random) {
  Path path;
  const NodePtr node = trees.find(root, random.below(static_cast<std::size_t>(root->size)), path);
  const Place place = trees.place_of(path);
  if (node->reach->pure || place.depth >= trees.options().max_depth) return root;
  NodePtr sketch;
  if (node->height > 2 || (node->height > 0 && random.chance(0.5))) {
    sketch = best_test(trees, node, place, random);
  } else {
    const bool two = place.depth + 2 <= trees.options().max_depth && random.chance(0.5);
    sketch = best_subtree(trees, *node->reach, place, price_of_node(trees, root), two ? 2 : 1, random);
  }
  if (!sketch) return root;
  const NodePtr changed = trees.put(path, trees.graft(node->reach, sketch, place));
  return trees.fitness(changed) > trees.fitness(root) ? changed : root;
}

}  // namespace stakes
