#include "evolve/local.hpp"

#include <algorithm>
#include <limits>

#include "evolve/groups.hpp"
#include "evolve/subtree.hpp"

namespace stakes::evolve {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// What a node may cost before it lowers the fitness of a tree with these totals.
double price_of_node(const Trees& trees, const NodePtr& root) {
  Totals totals = trees.totals(root);
  const double now = trees.fitness(totals);
  ++totals.size;
  const double larger = trees.fitness(totals);
  --totals.size;
  const double unit = std::max(trees.all_rows()->leaf_cost, 1e-300) * 1e-3;
  totals.cost += unit;
  const double costlier = trees.fitness(totals);
  return now > costlier ? unit * (now - larger) / (now - costlier) : 0.0;
}

// ---- one test with the subtrees as they are ---------------------------------------------------------------

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
  std::vector<double> costs(rows.size() * m);
  double weight = 0.0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double w = table.weight(rows[i]);
    weight += w;
    for (std::size_t b = 0; b < m; ++b) {
      costs[i * m + b] = w * cost_below(table, node->branches[b].get(), rows[i]);
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
      for (std::size_t b = 0; b < m; ++b) sum[b] += costs[i * m + b];
    }
    double price = 0.0;
    if (trees.options().prices == PriceMode::path) price = weight * place.paid.marginal(table.prices, f);
    EvolveTest test;
    test.column = static_cast<std::int32_t>(f);
    if (column.nominal) {
      test.n_branches = static_cast<std::int32_t>(m);
      double cost = price;
      for (std::size_t v = 0; v < n; ++v) {
        const auto b =
            static_cast<std::size_t>(std::min_element(&sums[v * m], &sums[v * m] + m) - &sums[v * m]);
        test.branch.push_back(static_cast<std::int32_t>(b));
        cost += sums[v * m + b];
      }
      if (cost < best) {
        best = cost;
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

// About a millisecond for an offspring. The first population has one searched tree: it is one of many where
// trees may grow, and close to the best there is where four levels are all. Where no size is too large and
// tests are few, it is the best there is, after a few seconds.
constexpr double kOperations = 2e6, kFirstOperations = 1e8, kShallowOperations = 1e10,
                 kExhaustiveOperations = 1e11;
constexpr int kShallow = 4;
constexpr std::size_t kWidth = 24;

int draw_levels(Random& random) {
  const double u = random.uniform();
  return u < 0.3 ? 1 : u < 0.8 ? 2 : 3;
}

}  // namespace

NodePtr improve_node(const Trees& trees, const NodePtr& root, Random& random) {
  Path path;
  const NodePtr node =
      trees.whole(trees.find(root, random.below(static_cast<std::size_t>(root->size)), path));
  const Place place = trees.place_of(path);
  if (node->reach->pure || place.depth >= trees.options().max_depth) return root;
  NodePtr sketch;
  if (!node->leaf() && random.chance(0.5)) {
    sketch = best_test(trees, node, place, random);
  } else {
    const int levels = std::min(draw_levels(random), trees.options().max_depth - place.depth);
    SubtreeOptions options = affordable(trees, *node->reach, levels, 8, kOperations);
    options.node_price = price_of_node(trees, root);
    sketch = best_subtree(trees, *node->reach, place, options, random).sketch;
  }
  if (!sketch) return root;
  const NodePtr changed = trees.put(path, trees.graft(node->reach, sketch, place));
  return trees.fitness(changed) > trees.fitness(root) ? changed : root;
}

bool solvable(const Trees& trees) {
  const EvolveOptions& limits = trees.options();
  if (limits.max_depth > kShallow || limits.alpha > 0.0 || limits.prices != PriceMode::none) return false;
  const SubtreeOptions all{limits.max_depth, kWidth, kMaxGroups, true};
  return search_operations(trees, *trees.all_rows(), all) <= kExhaustiveOperations;
}

Searched searched_tree(const Trees& trees, Random& random) {
  const NodePtr leaf = trees.leaf(trees.all_rows());
  const bool shallow = trees.options().max_depth <= kShallow;
  const int levels = shallow ? trees.options().max_depth : kShallow;
  const double operations = shallow ? kShallowOperations : kFirstOperations;
  SubtreeOptions options = affordable(trees, *leaf->reach, levels, kWidth, operations);
  if (solvable(trees)) options = {levels, kWidth, kMaxGroups, true};
  options.node_price = price_of_node(trees, leaf);
  const Place place = trees.place_of({});
  const Subtree subtree = best_subtree(trees, *leaf->reach, place, options, random);
  return {subtree.sketch ? trees.graft(leaf->reach, subtree.sketch, place) : leaf, subtree.proved};
}

}  // namespace stakes::evolve
