// Individuals: trees whose nodes never change, so that trees can share them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/random.hpp"
#include "evolve/rows.hpp"

namespace stakes::evolve {

// A node knows its rows and what they cost below it; an inner node with few rows leaves them to its leaves,
// since lists on each level would take most of the memory. Without `reach` it is a sketch: tests to be tried
// on rows.
struct EvolveNode {
  NodeRowsPtr reach;
  std::shared_ptr<const EvolveTest> test;  // null: a leaf
  std::vector<std::shared_ptr<const EvolveNode>> branches;
  std::int32_t missing_branch = 0;
  double price = 0.0;  // of the test, for each row that meets it
  double cost = 0.0;   // of all rows: mistakes, and tests where paths are priced
  std::int32_t size = 1, height = 0;

  bool leaf() const { return test == nullptr; }
};
using NodePtr = std::shared_ptr<const EvolveNode>;

enum class PriceMode { none, path, upfront };

struct EvolveOptions {
  double alpha = 0.001;
  std::size_t population_size = 64;
  double crossover_rate = 0.2, mutation_rate = 0.05;
  double max_mutations = 1e9;       // of an offspring, as expected
  double selection_pressure = 2.0;  // what the best individual is expected to be drawn
  std::size_t elite_size = 1;
  std::size_t min_rows = 1;  // of a leaf
  std::int32_t max_depth = 0;
  std::size_t min_split = 2;      // rows of a node that dipolar growing still splits
  std::size_t sample_rows = 500;  // rows that a dipolar tree is grown from
  std::vector<double> crossover_odds = {1, 1, 1}, inner_odds = {1, 1, 1, 1, 1}, leaf_odds = {1, 1};
  PriceMode prices = PriceMode::none;
  double local_rate = 0.0;        // how often an offspring is improved by local search
  std::size_t local_rows = 4096;  // rows that local search looks at
  bool check = false;             // recompute everything and compare
  std::uint64_t seed = 0;
  int n_threads = 1;
};

// Where a node stands: the nodes above it and the branches that lead to it.
struct Step {
  NodePtr node;
  std::size_t branch;
};
using Path = std::vector<Step>;

// What placing tests on rows depends on.
struct Place {
  Paid paid;
  std::int32_t depth = 0;
};

// Cost and size of a whole tree while parts of it are exchanged.
struct Totals {
  double cost = 0.0;
  std::int64_t size = 0;
  std::vector<std::int32_t> uses;  // of each column, where columns are paid for up front
};

class Trees {
 public:
  Trees(const EvolveTable& table, const EvolveOptions& options);

  const EvolveTable& table() const { return table_; }
  const EvolveOptions& options() const { return options_; }
  const NodeRowsPtr& all_rows() const { return everyone_; }

  NodePtr leaf(const NodeRowsPtr& reach) const;
  // The tests of `sketch` on these rows. Branches with too few rows go, their values join the fullest branch.
  NodePtr graft(const NodeRowsPtr& reach, const NodePtr& sketch, const Place& place) const;
  NodePtr graft(const NodePtr& sketch) const {
    return graft(everyone_, sketch, Place{Paid(table_.prices), 0});
  }

  // The node with its rows, collected from its leaves where it does not have them.
  NodePtr whole(const NodePtr& node) const;

  // Node `index` of the tree in preorder, and the way to it.
  NodePtr find(const NodePtr& root, std::size_t index, Path& path) const;
  Place place_of(const Path& path) const;
  // The tree with another node at the end of the path.
  NodePtr put(const Path& path, NodePtr node) const;

  Totals totals(const NodePtr& root) const;
  double fitness(const Totals& totals) const;
  double fitness(const NodePtr& root) const { return fitness(totals(root)); }
  // Cost of a tree per unit of weight, with what is paid up front.
  double mean_cost(const Totals& totals) const;
  // MaximizeFitness (section 2.4): bottom-up, nodes become leaves where the whole tree's fitness does not
  // fall.
  NodePtr maximize_fitness(const NodePtr& root) const;
  // The same for a part of a tree with these totals.
  NodePtr maximize_fitness(const NodePtr& node, Totals& totals) const;

 private:
  NodePtr join(const NodeRowsPtr& reach, std::shared_ptr<const EvolveTest> test,
               std::vector<NodePtr> branches, std::int32_t missing_branch, double price) const;
  double upfront(const std::vector<std::int32_t>& uses) const;

  const EvolveTable& table_;
  const EvolveOptions& options_;
  NodeRowsPtr everyone_;
  double max_cost_ = 0.0;  // MaxMC of the paper times the weight of all rows
};

NodePtr make_sketch(EvolveTest test, std::vector<NodePtr> branches);
const NodePtr& leaf_sketch();

// Breadth-first arrays of a tree, as stakes.tree.model.TreeModel has them but for thresholds, which are cuts.
struct FlatEvolved {
  std::vector<std::int32_t> feature, cut, first_child, n_branches, value_start, value_branch, missing_branch,
      answer;
  std::vector<double> class_weights;
};
FlatEvolved flatten(const NodePtr& root);
// Checks everything: what comes from outside must not crash.
NodePtr sketch_of(const FlatEvolved& flat, const EvolveTable& table);

}  // namespace stakes::evolve
