// A population of trees and how it goes from one generation to the next.
#pragma once

#include <memory>
#include <vector>

#include "common/parallel.hpp"
#include "evolve/local.hpp"
#include "evolve/tree.hpp"

namespace stakes::evolve {

struct Individual {
  NodePtr tree;
  double fitness = 0.0;
};

// Higher fitness, then fewer nodes.
bool better(const Individual& a, const Individual& b);

struct GenerationReport {
  double fitness = 0.0, cost = 0.0;  // of the best tree; cost per unit of weight
  std::int32_t size = 0;
  double mean_fitness = 0.0, mean_size = 0.0;
  double diversity = 0.0;  // share of trees that differ in cost or size
};

class Evolution {
 public:
  Evolution(EvolveTable table, EvolveOptions options);

  // Searches for the best tree at once, where trees have few levels; true where no tree is fitter than the
  // one found, so that evolving more is of no use. To be called before `start`.
  bool solve();
  // The first population: these trees, and dipolar trees for the rest.
  void start(const std::vector<FlatEvolved>& seeds);
  // A population as it was.
  void restore(const std::vector<FlatEvolved>& trees, std::uint64_t generation);
  void step();

  const std::vector<Individual>& population() const { return population_; }
  const Individual& best() const;
  std::uint64_t generation() const { return generation_; }
  GenerationReport report() const;
  // Cost per unit of weight and fitness of any tree, computed afresh.
  Individual evaluate(const FlatEvolved& tree) const;
  const Trees& trees() const { return trees_; }

 private:
  Individual individual(NodePtr tree) const;
  NodePtr searched(Random& random) const;
  std::vector<std::size_t> select() const;
  void breed(std::size_t pair, const std::vector<std::size_t>& parents,
             std::vector<Individual>& children) const;
  void keep_elite(std::vector<Individual>& children) const;
  void check() const;

  EvolveTable table_;
  EvolveOptions options_;
  Trees trees_;
  ThreadPool pool_;
  std::vector<Individual> population_;
  std::uint64_t generation_ = 0;
  Searched solved_;
};

}  // namespace stakes::evolve
