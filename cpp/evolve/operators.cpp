#include "evolve/operators.hpp"

#include <algorithm>

namespace stakes::evolve {

namespace {

// ---- drawing rows -----------------------------------------------------------------------------------------

std::uint32_t random_row(const EvolveTable& table, const RowSet& rows, Random& random) {
  if (!rows.bits) return rows.list[random.below(rows.list.size())];
  // At least one row in 32 is in the set, else it would be a list.
  for (;;) {
    const std::size_t row = random.below(table.n_rows);
    if (rows.bits[row / 64] >> (row % 64) & 1) return static_cast<std::uint32_t>(row);
  }
}

// A row of another class than `row`; `row` itself where there is none to be found.
std::uint32_t random_other(const EvolveTable& table, const NodeRows& reach, std::uint32_t row,
                           Random& random) {
  for (int tries = 0; tries < 64; ++tries) {
    const std::uint32_t other = random_row(table, reach.rows, random);
    if (table.classes[other] != table.classes[row]) return other;
  }
  // One in many: take any of them from a pass over all.
  std::vector<std::uint32_t> others;
  reach.rows.each(table, [&](std::uint32_t r) {
    if (table.classes[r] != table.classes[row]) others.push_back(r);
  });
  return others.empty() ? row : others[random.below(others.size())];
}

std::vector<std::uint32_t> sample_rows(const Trees& trees, const RowSet& rows, std::size_t wanted,
                                       Random& random) {
  std::vector<std::uint32_t> sample;
  if (rows.count <= wanted) {
    rows.each(trees.table(), [&](std::uint32_t row) { sample.push_back(row); });
    return sample;
  }
  for (std::size_t i = 0; i < wanted; ++i) sample.push_back(random_row(trees.table(), rows, random));
  return sample;
}

// ---- tests ------------------------------------------------------------------------------------------------

// Two groups of values at random, with `a` in the one and `b` in the other.
EvolveTest random_groups(const EvolveColumn& column, std::int32_t f, std::int32_t a, std::int32_t b,
                         Random& random) {
  EvolveTest test;
  test.column = f;
  test.branch.resize(static_cast<std::size_t>(column.n_values));
  for (std::int32_t& branch : test.branch) branch = random.chance(0.5);
  test.branch[static_cast<std::size_t>(a)] = 0;
  test.branch[static_cast<std::size_t>(b)] = 1;
  return test;
}

// A random test of a random column in which the two rows differ.
EvolveTest separate(const EvolveTable& table, std::uint32_t row, std::uint32_t other, Random& random) {
  std::int32_t chosen = -1;
  std::size_t differing = 0;
  for (std::size_t f = 0; f < table.columns.size(); ++f) {
    const EvolveColumn& column = table.columns[f];
    const std::int32_t a = column.code(row), b = column.code(other);
    if (a == b || a == column.n_values || b == column.n_values) continue;
    if (random.below(++differing) == 0) chosen = static_cast<std::int32_t>(f);
  }
  EvolveTest test;
  if (chosen < 0) return test;
  const EvolveColumn& column = table.columns[static_cast<std::size_t>(chosen)];
  const auto [low, high] = std::minmax({column.code(row), column.code(other)});
  if (column.nominal) return random_groups(column, chosen, low, high, random);
  test.column = chosen;
  test.cut = low + static_cast<std::int32_t>(random.below(static_cast<std::size_t>(high - low)));
  return test;
}

constexpr int kTries = 8;

}  // namespace

EvolveTest dipolar_test(const Trees& trees, const NodeRows& reach, Random& random) {
  EvolveTest test;
  for (int i = 0; i < kTries && test.column < 0 && !reach.pure; ++i) {
    const std::uint32_t row = random_row(trees.table(), reach.rows, random);
    test = separate(trees.table(), row, random_other(trees.table(), reach, row, random), random);
  }
  return test;
}

EvolveTest random_test(const Trees& trees, const NodeRows& reach, Random& random) {
  EvolveTest test;
  for (int i = 0; i < kTries && test.column < 0; ++i) {
    const std::uint32_t row = random_row(trees.table(), reach.rows, random);
    test = separate(trees.table(), row, random_row(trees.table(), reach.rows, random), random);
  }
  return test;
}

// ---- growing from the top (section 2.2) -------------------------------------------------------------------

namespace {

std::int32_t branch_of(const EvolveTable& table, const EvolveTest& test, std::uint32_t row) {
  const EvolveColumn& column = table.columns[static_cast<std::size_t>(test.column)];
  const std::int32_t code = column.code(row);
  if (code == column.n_values) return 0;
  return column.nominal ? test.branch[static_cast<std::size_t>(code)] : code > test.cut;
}

EvolveTest separate_dipole(const EvolveTable& table, const std::vector<std::uint32_t>& rows, Random& random) {
  EvolveTest test;
  for (int i = 0; i < kTries && test.column < 0; ++i) {
    const std::uint32_t row = rows[random.below(rows.size())];
    std::uint32_t other = row;
    for (int j = 0; j < 64 && table.classes[other] == table.classes[row]; ++j)
      other = rows[random.below(rows.size())];
    if (table.classes[other] != table.classes[row]) test = separate(table, row, other, random);
  }
  return test;
}

NodePtr grow_dipolar(const Trees& trees, const std::vector<std::uint32_t>& rows, std::int32_t depth,
                     Random& random) {
  const EvolveTable& table = trees.table();
  const bool pure = std::all_of(rows.begin(), rows.end(),
                                [&](std::uint32_t r) { return table.classes[r] == table.classes[rows[0]]; });
  if (pure || rows.size() < trees.options().min_split || depth >= trees.options().max_depth) {
    return leaf_sketch();
  }
  EvolveTest test = separate_dipole(table, rows, random);
  if (test.column < 0) return leaf_sketch();
  std::vector<std::vector<std::uint32_t>> parts(static_cast<std::size_t>(test.n_branches));
  for (const std::uint32_t row : rows)
    parts[static_cast<std::size_t>(branch_of(table, test, row))].push_back(row);
  std::vector<NodePtr> branches;
  for (const auto& part : parts) branches.push_back(grow_dipolar(trees, part, depth + 1, random));
  return make_sketch(std::move(test), std::move(branches));
}

}  // namespace

NodePtr dipolar_sketch(const Trees& trees, const NodeRows& reach, std::size_t n_rows, Random& random) {
  return grow_dipolar(trees, sample_rows(trees, reach.rows, n_rows, random), 0, random);
}

NodePtr first_tree(const Trees& trees, Random& random) {
  return trees.maximize_fitness(
      trees.graft(dipolar_sketch(trees, *trees.all_rows(), trees.options().sample_rows, random)));
}

// ---- CrossTrees -------------------------------------------------------------------------------------------

namespace {

struct Chosen {
  NodePtr node;
  Path path;
};

Chosen random_node(const Trees& trees, const NodePtr& root, Random& random) {
  Chosen chosen;
  chosen.node = trees.find(root, random.below(static_cast<std::size_t>(root->size)), chosen.path);
  return chosen;
}

NodePtr put_sketch(const Trees& trees, const Chosen& at, const NodePtr& sketch) {
  return trees.put(at.path, trees.graft(trees.whole(at.node)->reach, sketch, trees.place_of(at.path)));
}

Couple swap_tests(const Trees& trees, const Chosen& a, const Chosen& b) {
  return {put_sketch(trees, a, make_sketch(*b.node->test, a.node->branches)),
          put_sketch(trees, b, make_sketch(*a.node->test, b.node->branches))};
}

// Pairs of branches change sides, drawn at random; where one node has more branches, some of them stay.
Couple swap_branches(const Trees& trees, const Chosen& a, const Chosen& b, Random& random) {
  std::vector<NodePtr> ours = a.node->branches, theirs = b.node->branches;
  random.shuffle(ours);
  random.shuffle(theirs);
  for (std::size_t i = 0; i < std::min(ours.size(), theirs.size()); ++i) std::swap(ours[i], theirs[i]);
  return {put_sketch(trees, a, make_sketch(*a.node->test, std::move(ours))),
          put_sketch(trees, b, make_sketch(*b.node->test, std::move(theirs)))};
}

}  // namespace

Couple cross_trees(const Trees& trees, const Couple& parents, Random& random) {
  const Chosen a = random_node(trees, parents.first, random), b = random_node(trees, parents.second, random);
  const std::size_t kind = random.choose(trees.options().crossover_odds);
  if (kind == 0) return {put_sketch(trees, a, b.node), put_sketch(trees, b, a.node)};
  if (a.node->leaf() || b.node->leaf()) return parents;
  if (kind == 2) return swap_branches(trees, a, b, random);
  if (a.node->test->n_branches != b.node->test->n_branches) return parents;
  return swap_tests(trees, a, b);
}

// ---- MutateNode -------------------------------------------------------------------------------------------

NodePtr new_test(const Trees& trees, const NodePtr& node, Random& random) {
  EvolveTest test = dipolar_test(trees, *node->reach, random);
  return test.column < 0 ? nullptr : make_sketch(std::move(test), node->branches);
}

namespace {

// Half of the shifts are small; the others go to where a row of the node is.
NodePtr shift_cut(const Trees& trees, const NodePtr& node, Random& random) {
  EvolveTest test = *node->test;
  const EvolveColumn& column = trees.table().columns[static_cast<std::size_t>(test.column)];
  const std::int32_t last = column.n_values - 2;
  if (random.chance(0.5)) {
    std::int32_t by = 1;
    while (by < last && random.chance(0.5)) by *= 2;
    test.cut += random.chance(0.5) ? by : -by;
  } else {
    const std::int32_t code = column.code(random_row(trees.table(), node->reach->rows, random));
    if (code < column.n_values) test.cut = code - random.chance(0.5);
  }
  test.cut = std::clamp(test.cut, 0, last);
  return test.cut == node->test->cut ? nullptr : make_sketch(std::move(test), node->branches);
}

// A part of a group becomes a branch of its own, with a copy of the tests below.
NodePtr split_group(const NodePtr& node, std::int32_t group, Random& random) {
  EvolveTest test = *node->test;
  std::vector<std::size_t> values;
  for (std::size_t v = 0; v < test.branch.size(); ++v) {
    if (test.branch[v] == group) values.push_back(v);
  }
  if (values.size() < 2) return nullptr;
  random.shuffle(values);
  const std::size_t moved = 1 + random.below(values.size() - 1);
  for (std::size_t i = 0; i < moved; ++i) test.branch[values[i]] = test.n_branches;
  ++test.n_branches;
  std::vector<NodePtr> branches = node->branches;
  branches.push_back(branches[static_cast<std::size_t>(group)]);
  return make_sketch(std::move(test), std::move(branches));
}

// Two groups become one, which goes on with the tests of the first.
NodePtr merge_groups(const NodePtr& node, std::int32_t stays, std::int32_t goes) {
  EvolveTest test = *node->test;
  for (std::int32_t& b : test.branch) {
    if (b == goes) b = stays;
    if (b > goes) --b;
  }
  --test.n_branches;
  std::vector<NodePtr> branches = node->branches;
  branches.erase(branches.begin() + goes);
  return make_sketch(std::move(test), std::move(branches));
}

}  // namespace

NodePtr shift_test(const Trees& trees, const NodePtr& node, Random& random) {
  if (node->test->branch.empty()) return shift_cut(trees, node, random);
  const auto n = static_cast<std::size_t>(node->test->n_branches);
  const auto first = static_cast<std::int32_t>(random.below(n));
  // Merging two branches of two would leave no test.
  if (n == 2 || random.chance(0.5)) return split_group(node, first, random);
  const auto second =
      static_cast<std::int32_t>((static_cast<std::size_t>(first) + 1 + random.below(n - 1)) % n);
  return merge_groups(node, first, second);
}

NodePtr swap_with_son(const Trees&, const NodePtr& node, Random& random) {
  std::vector<std::size_t> sons;
  for (std::size_t b = 0; b < node->branches.size(); ++b) {
    if (!node->branches[b]->leaf()) sons.push_back(b);
  }
  if (sons.empty()) return nullptr;
  const std::size_t b = sons[random.below(sons.size())];
  std::vector<NodePtr> branches = node->branches;
  branches[b] = make_sketch(*node->test, branches[b]->branches);
  return make_sketch(*node->branches[b]->test, std::move(branches));
}

NodePtr copy_branch(const Trees&, const NodePtr& node, Random& random) {
  const std::size_t n = node->branches.size(), from = random.below(n);
  std::vector<NodePtr> branches = node->branches;
  branches[(from + 1 + random.below(n - 1)) % n] = branches[from];
  return make_sketch(*node->test, std::move(branches));
}

NodePtr become_leaf(const Trees&, const NodePtr&, Random&) {
  return leaf_sketch();
}

NodePtr split_leaf(const Trees& trees, const NodePtr& node, Random& random) {
  EvolveTest test = random_test(trees, *node->reach, random);
  return test.column < 0 ? nullptr : make_sketch(std::move(test), {});
}

NodePtr grow_leaf(const Trees& trees, const NodePtr& node, Random& random) {
  // Most of it is pruned at once: a small sample finds as much and routes rows down fewer levels.
  return dipolar_sketch(trees, *node->reach, std::min<std::size_t>(trees.options().sample_rows, 50), random);
}

namespace {

using Variant = NodePtr (*)(const Trees&, const NodePtr&, Random&);
constexpr Variant kInner[] = {new_test, shift_test, swap_with_son, copy_branch, become_leaf};
constexpr Variant kLeaf[] = {split_leaf, grow_leaf};

NodePtr mutate_node(const Trees& trees, const NodePtr& root, std::size_t index, Random& random) {
  Path path;
  const NodePtr node = trees.whole(trees.find(root, index, path));
  if (node->leaf() && node->reach->pure) return root;
  const EvolveOptions& options = trees.options();
  const Variant variant =
      node->leaf() ? kLeaf[random.choose(options.leaf_odds)] : kInner[random.choose(options.inner_odds)];
  const NodePtr sketch = variant(trees, node, random);
  if (!sketch) return root;
  const NodePtr placed = trees.graft(node->reach, sketch, trees.place_of(path));
  const NodePtr changed = trees.put(path, placed);
  if (!node->leaf() || variant != grow_leaf) return changed;
  // Subtrees that replace leaves are pruned (section 2.4).
  Totals totals = trees.totals(changed);
  return trees.put(path, trees.maximize_fitness(placed, totals));
}

}  // namespace

NodePtr mutate_tree(const Trees& trees, NodePtr root, Random& random) {
  const EvolveOptions& options = trees.options();
  const double rate = std::min(options.mutation_rate, options.max_mutations / root->size);
  // From the last node to the first: a change moves only nodes that have had their turn.
  for (auto i = static_cast<std::size_t>(root->size); i-- > 0;) {
    if (random.chance(rate)) root = mutate_node(trees, root, i, random);
  }
  return root;
}

}  // namespace stakes::evolve
