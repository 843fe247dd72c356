#include "evolve/tree.hpp"

#include <algorithm>
#include <stdexcept>

#include "common/table.hpp"

namespace stakes::evolve {

namespace {

// The same test where small branches are gone: their values join the fullest one.
EvolveTest without_small(const EvolveTest& test, const std::vector<NodeRowsPtr>& reached,
                         std::size_t min_rows, std::vector<std::size_t>& kept) {
  kept.clear();
  std::size_t fullest = 0;
  for (std::size_t b = 0; b < reached.size(); ++b) {
    if (reached[b]->rows.count > reached[fullest]->rows.count) fullest = b;
  }
  std::vector<std::int32_t> renumbered(reached.size(), -1);
  for (std::size_t b = 0; b < reached.size(); ++b) {
    if (reached[b]->rows.count < min_rows && b != fullest) continue;
    renumbered[b] = static_cast<std::int32_t>(kept.size());
    kept.push_back(b);
  }
  EvolveTest smaller = test;
  smaller.n_branches = static_cast<std::int32_t>(kept.size());
  for (std::int32_t& b : smaller.branch) {
    const std::int32_t now = renumbered[static_cast<std::size_t>(b)];
    b = now < 0 ? renumbered[fullest] : now;
  }
  return smaller;
}

}  // namespace

NodePtr make_sketch(EvolveTest test, std::vector<NodePtr> branches) {
  auto node = std::make_shared<EvolveNode>();
  // An operator may hand over too many or too few branches: leaves fill up.
  branches.resize(static_cast<std::size_t>(test.n_branches), leaf_sketch());
  node->test = std::make_shared<EvolveTest>(std::move(test));
  node->branches = std::move(branches);
  return node;
}

const NodePtr& leaf_sketch() {
  static const NodePtr leaf = std::make_shared<EvolveNode>();
  return leaf;
}

Trees::Trees(const EvolveTable& table, const EvolveOptions& options)
    : table_(table), options_(options), everyone_(evolve::all_rows(table)) {
  const auto k = static_cast<std::size_t>(table.n_classes);
  everyone_->rows.each(table, [&](std::uint32_t row) {
    double worst = 0.0;
    for (std::size_t p = 0; p < k; ++p)
      worst = std::max(worst, table.cost(row, static_cast<std::int32_t>(p)));
    max_cost_ += table.weight(row) * worst;
  });
  if (options.prices != PriceMode::none) {
    std::vector<std::int32_t> all(table.columns.size(), 1);
    max_cost_ += upfront(all) * everyone_->weight;
  }
}

NodePtr Trees::leaf(const NodeRowsPtr& reach) const {
  auto node = std::make_shared<EvolveNode>();
  node->reach = reach;
  node->cost = reach->leaf_cost;
  return node;
}

NodePtr Trees::join(const NodeRowsPtr& reach, std::shared_ptr<const EvolveTest> test,
                    std::vector<NodePtr> branches, std::int32_t missing_branch, double price) const {
  auto node = std::make_shared<EvolveNode>();
  node->reach = reach->rows.list.empty() ? reach : without_rows(*reach);
  node->test = std::move(test);
  node->missing_branch = missing_branch;
  node->price = price;
  node->cost = price * reach->weight;
  for (const NodePtr& branch : branches) {
    node->cost += branch->cost;
    node->size += branch->size;
    node->height = std::max(node->height, branch->height + 1);
  }
  node->branches = std::move(branches);
  return node;
}

NodePtr Trees::graft(const NodeRowsPtr& reach, const NodePtr& sketch, const Place& place) const {
  if (sketch->leaf() || place.depth >= options_.max_depth || reach->rows.count < 2 * options_.min_rows) {
    return leaf(reach);
  }
  std::shared_ptr<const EvolveTest> test = sketch->test;
  std::vector<NodePtr> sketches = sketch->branches;
  std::int32_t missing_branch = 0;
  std::vector<NodeRowsPtr> reached = split(table_, *reach, *test, missing_branch);
  std::vector<std::size_t> kept;
  EvolveTest smaller = without_small(*test, reached, options_.min_rows, kept);
  if (kept.size() < 2) return graft(reach, sketches[kept[0]], place);
  if (kept.size() < reached.size()) {
    for (std::size_t i = 0; i < kept.size(); ++i) sketches[i] = sketches[kept[i]];
    sketches.resize(kept.size());
    test = std::make_shared<EvolveTest>(std::move(smaller));
    reached = split(table_, *reach, *test, missing_branch);
  }
  Place below{place.paid, place.depth + 1};
  double price = 0.0;
  if (options_.prices == PriceMode::path) {
    price = place.paid.marginal(table_.prices, static_cast<std::size_t>(test->column));
    below.paid.pay(table_.prices, static_cast<std::size_t>(test->column));
  }
  std::vector<NodePtr> branches;
  for (std::size_t b = 0; b < reached.size(); ++b) branches.push_back(graft(reached[b], sketches[b], below));
  return join(reach, std::move(test), std::move(branches), missing_branch, price);
}

namespace {

void leaf_rows(const EvolveNode& node, std::vector<const RowSet*>& parts) {
  if (node.leaf()) parts.push_back(&node.reach->rows);
  for (const NodePtr& branch : node.branches) leaf_rows(*branch, parts);
}

}  // namespace

NodePtr Trees::whole(const NodePtr& node) const {
  if (node->reach->rows.known()) return node;
  std::vector<const RowSet*> parts;
  leaf_rows(*node, parts);
  auto copy = std::make_shared<EvolveNode>(*node);
  copy->reach = with_rows(table_, *node->reach, parts);
  return copy;
}

NodePtr Trees::find(const NodePtr& root, std::size_t index, Path& path) const {
  path.clear();
  NodePtr node = root;
  while (index > 0) {
    --index;
    for (std::size_t b = 0; b < node->branches.size(); ++b) {
      const auto size = static_cast<std::size_t>(node->branches[b]->size);
      if (index < size) {
        path.push_back({node, b});
        node = node->branches[b];
        break;
      }
      index -= size;
    }
  }
  return node;
}

Place Trees::place_of(const Path& path) const {
  Place place{Paid(table_.prices), static_cast<std::int32_t>(path.size())};
  if (options_.prices == PriceMode::path) {
    for (const Step& step : path) {
      place.paid.pay(table_.prices, static_cast<std::size_t>(step.node->test->column));
    }
  }
  return place;
}

NodePtr Trees::put(const Path& path, NodePtr node) const {
  for (std::size_t i = path.size(); i-- > 0;) {
    const EvolveNode& above = *path[i].node;
    std::vector<NodePtr> branches = above.branches;
    branches[path[i].branch] = std::move(node);
    node = join(above.reach, above.test, std::move(branches), above.missing_branch, above.price);
  }
  return node;
}

// ---- fitness ----------------------------------------------------------------------------------------------

namespace {

void count_uses(const NodePtr& node, std::int32_t by, std::vector<std::int32_t>& uses) {
  if (node->leaf()) return;
  uses[static_cast<std::size_t>(node->test->column)] += by;
  for (const NodePtr& branch : node->branches) count_uses(branch, by, uses);
}

}  // namespace

double Trees::upfront(const std::vector<std::int32_t>& uses) const {
  Paid paid(table_.prices);
  double price = 0.0;
  for (std::size_t f = 0; f < uses.size(); ++f) {
    if (uses[f] == 0) continue;
    price += paid.marginal(table_.prices, f);
    paid.pay(table_.prices, f);
  }
  return price;
}

Totals Trees::totals(const NodePtr& root) const {
  Totals totals{root->cost, root->size, {}};
  if (options_.prices == PriceMode::upfront) {
    totals.uses.assign(table_.columns.size(), 0);
    count_uses(root, 1, totals.uses);
  }
  return totals;
}

double Trees::mean_cost(const Totals& totals) const {
  return totals.cost / everyone_->weight + (totals.uses.empty() ? 0.0 : upfront(totals.uses));
}

double Trees::fitness(const Totals& totals) const {
  double cost = totals.cost;
  if (!totals.uses.empty()) cost += upfront(totals.uses) * everyone_->weight;
  const double good = max_cost_ > 0.0 ? 1.0 - cost / max_cost_ : 1.0;
  return good / (1.0 + options_.alpha * static_cast<double>(totals.size));
}

NodePtr Trees::maximize_fitness(const NodePtr& root) const {
  Totals now = totals(root);
  return maximize_fitness(root, now);
}

NodePtr Trees::maximize_fitness(const NodePtr& node, Totals& totals) const {
  if (node->leaf()) return node;
  std::vector<NodePtr> branches;
  bool changed = false;
  for (const NodePtr& branch : node->branches) {
    branches.push_back(maximize_fitness(branch, totals));
    changed |= branches.back() != branch;
  }
  NodePtr kept = node;
  if (changed) kept = join(node->reach, node->test, std::move(branches), node->missing_branch, node->price);
  Totals pruned = totals;
  pruned.cost += node->reach->leaf_cost - kept->cost;
  pruned.size += 1 - kept->size;
  if (!pruned.uses.empty()) count_uses(kept, -1, pruned.uses);
  if (fitness(pruned) < fitness(totals)) return kept;
  totals = std::move(pruned);
  return leaf(whole(kept)->reach);
}

// ---- arrays -----------------------------------------------------------------------------------------------

FlatEvolved flatten(const NodePtr& root) {
  FlatEvolved flat;
  std::vector<NodePtr> order{root};
  for (std::size_t i = 0; i < order.size(); ++i) {
    const NodePtr node = order[i];
    flat.feature.push_back(node->leaf() ? -1 : node->test->column);
    flat.cut.push_back(node->leaf() ? -1 : node->test->cut);
    flat.first_child.push_back(node->leaf() ? -1 : static_cast<std::int32_t>(order.size()));
    flat.n_branches.push_back(static_cast<std::int32_t>(node->branches.size()));
    flat.missing_branch.push_back(node->leaf() ? -1 : node->missing_branch);
    flat.answer.push_back(node->reach->answer);
    flat.value_start.push_back(static_cast<std::int32_t>(flat.value_branch.size()));
    if (!node->leaf()) {
      const std::vector<std::int32_t>& branch = node->test->branch;
      flat.value_branch.insert(flat.value_branch.end(), branch.begin(), branch.end());
    }
    const std::vector<double>& weights = node->reach->class_weights;
    flat.class_weights.insert(flat.class_weights.end(), weights.begin(), weights.end());
    order.insert(order.end(), node->branches.begin(), node->branches.end());
  }
  flat.value_start.push_back(static_cast<std::int32_t>(flat.value_branch.size()));
  return flat;
}

namespace {

EvolveTest test_of(const FlatEvolved& flat, std::size_t i, const EvolveTable& table) {
  EvolveTest test;
  test.column = flat.feature[i];
  test.cut = flat.cut[i];
  test.n_branches = flat.n_branches[i];
  if (static_cast<std::size_t>(test.column) >= table.columns.size()) {
    throw std::invalid_argument("a tree tests an unknown column");
  }
  const EvolveColumn& column = table.columns[static_cast<std::size_t>(test.column)];
  if (!column.nominal) {
    if (test.n_branches != 2 || test.cut < 0 || test.cut + 1 >= column.n_values) {
      throw std::invalid_argument("a numeric test of a tree needs two branches and a cut of its column");
    }
    return test;
  }
  const std::int64_t first = flat.value_start[i], last = flat.value_start[i + 1];
  if (first < 0 || last - first != column.n_values ||
      last > static_cast<std::int64_t>(flat.value_branch.size())) {
    throw std::invalid_argument("a nominal test of a tree does not fit its column");
  }
  test.branch.assign(flat.value_branch.begin() + first, flat.value_branch.begin() + last);
  for (const std::int32_t b : test.branch) {
    if (b < 0 || b >= test.n_branches) throw std::invalid_argument("a value of a tree's test leads nowhere");
  }
  return test;
}

}  // namespace

NodePtr sketch_of(const FlatEvolved& flat, const EvolveTable& table) {
  const std::size_t n = flat.feature.size();
  if (n == 0 || flat.cut.size() != n || flat.first_child.size() != n || flat.n_branches.size() != n ||
      flat.value_start.size() != n + 1) {
    throw std::invalid_argument("the arrays of a tree must be of one length, at least 1");
  }
  // The children of inner nodes tile the nodes after the root, in order: no node has two parents.
  std::int64_t next = 1;
  for (std::size_t i = 0; i < n; ++i) {
    if (flat.feature[i] < 0) continue;
    const bool fits =
        flat.first_child[i] == next && flat.n_branches[i] >= 2 && next > static_cast<std::int64_t>(i);
    next += flat.n_branches[i];
    if (!fits || next > static_cast<std::int64_t>(n))
      throw std::invalid_argument("a branch of a tree leads nowhere");
  }
  if (next != static_cast<std::int64_t>(n)) throw std::invalid_argument("nodes of a tree are out of reach");
  std::vector<NodePtr> nodes(n, leaf_sketch());
  std::vector<std::int32_t> height(n, 0);
  for (std::size_t i = n; i-- > 0;) {
    if (flat.feature[i] < 0) continue;
    const std::int64_t first = flat.first_child[i], last = first + flat.n_branches[i];
    height[i] = 1 + *std::max_element(height.begin() + first, height.begin() + last);
    if (height[i] > kMaxDepth) throw std::invalid_argument("a tree is too deep");
    nodes[i] = make_sketch(test_of(flat, i, table), {nodes.begin() + first, nodes.begin() + last});
  }
  return nodes[0];
}

}  // namespace stakes::evolve
