#include "evolve/evolution.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <stdexcept>
#include <utility>

#include "evolve/operators.hpp"

namespace stakes::evolve {

namespace {

// What a random stream is for; streams of different purposes are independent.
enum Purpose : std::uint64_t { kStart = 1, kSelect = 2, kBreed = 3, kSolve = 4 };

}  // namespace

bool better(const Individual& a, const Individual& b) {
  return a.fitness != b.fitness ? a.fitness > b.fitness : a.tree->size < b.tree->size;
}

Evolution::Evolution(EvolveTable table, EvolveOptions options)
    : table_(std::move(table)),
      options_(std::move(options)),
      trees_(table_, options_),
      pool_(options_.n_threads) {}

Individual Evolution::individual(NodePtr tree) const {
  const double fitness = trees_.fitness(tree);
  return {std::move(tree), fitness};
}

bool Evolution::solve() {
  if (options_.local_rate <= 0.0 || !solvable(trees_)) return false;
  Random random({options_.seed, 0, 0, kSolve});
  solved_ = searched_tree(trees_, random);
  solved_.tree = trees_.maximize_fitness(solved_.tree);
  return solved_.proved;
}

NodePtr Evolution::searched(Random& random) const {
  return solved_.tree ? solved_.tree : trees_.maximize_fitness(searched_tree(trees_, random).tree);
}

void Evolution::start(const std::vector<FlatEvolved>& seeds) {
  std::vector<NodePtr> sketches;
  for (const FlatEvolved& seed : seeds) sketches.push_back(sketch_of(seed, table_));
  population_.assign(options_.population_size, {});
  pool_.run(population_.size(), true, [&](std::size_t i, std::size_t) {
    Random random({options_.seed, 0, i, kStart});
    NodePtr tree;
    if (solved_.proved) {
      tree = solved_.tree;
    } else if (i < sketches.size()) {
      tree = trees_.maximize_fitness(trees_.graft(sketches[i]));
    } else if (i == sketches.size() && options_.local_rate > 0.0) {
      tree = searched(random);
    } else {
      tree = first_tree(trees_, random);
    }
    population_[i] = individual(std::move(tree));
  });
  generation_ = 0;
  if (options_.check) check();
}

void Evolution::restore(const std::vector<FlatEvolved>& trees, std::uint64_t generation) {
  if (trees.size() != options_.population_size)
    throw std::invalid_argument("a tree per individual is needed");
  std::vector<Individual> restored(trees.size());
  for (std::size_t i = 0; i < trees.size(); ++i) {
    restored[i] = individual(trees_.graft(sketch_of(trees[i], table_)));
  }
  population_ = std::move(restored);
  generation_ = generation;
}

const Individual& Evolution::best() const {
  if (population_.empty()) throw std::invalid_argument("the population has not been started");
  return *std::min_element(population_.begin(), population_.end(), better);
}

// Linear ranking: the best is expected `selection_pressure` times, the median once, the worst 2 minus that.
std::vector<std::size_t> Evolution::select() const {
  const std::size_t n = population_.size();
  std::vector<std::size_t> ranked(n);
  std::iota(ranked.begin(), ranked.end(), 0);
  std::stable_sort(ranked.begin(), ranked.end(),
                   [&](std::size_t a, std::size_t b) { return better(population_[a], population_[b]); });
  std::vector<double> odds(n, 1.0);
  for (std::size_t rank = 0; rank < n && n > 1; ++rank) {
    const double from_best = static_cast<double>(rank) / static_cast<double>(n - 1);
    odds[rank] = options_.selection_pressure - 2.0 * (options_.selection_pressure - 1.0) * from_best;
  }
  Random random({options_.seed, generation_, 0, kSelect});
  std::vector<std::size_t> parents;
  for (std::size_t i = 0; i < n; ++i) parents.push_back(ranked[random.choose(odds)]);
  return parents;
}

void Evolution::breed(std::size_t pair, const std::vector<std::size_t>& parents,
                      std::vector<Individual>& children) const {
  Random random({options_.seed, generation_, pair, kBreed});
  const std::size_t first = 2 * pair, second = first + 1;
  const bool couple = second < parents.size();
  Couple trees{population_[parents[first]].tree, population_[parents[couple ? second : first]].tree};
  if (couple && random.chance(options_.crossover_rate)) trees = cross_trees(trees_, trees, random);
  const auto finish = [&](NodePtr tree, std::size_t at) {
    tree = mutate_tree(trees_, std::move(tree), random);
    if (options_.local_rate > 0.0 && random.chance(options_.local_rate)) {
      tree = improve_node(trees_, tree, random);
    }
    children[at] = individual(std::move(tree));
  };
  finish(std::move(trees.first), first);
  if (couple) finish(std::move(trees.second), second);
}

void Evolution::keep_elite(std::vector<Individual>& children) const {
  const std::size_t n = std::min(options_.elite_size, population_.size());
  std::vector<Individual> old = population_;
  const auto cut = static_cast<std::ptrdiff_t>(n);
  std::partial_sort(old.begin(), old.begin() + cut, old.end(), better);
  // The elite takes the places of the worst.
  std::stable_sort(children.begin(), children.end(), better);
  std::copy(old.begin(), old.begin() + cut, children.end() - cut);
}

void Evolution::step() {
  if (population_.empty()) throw std::invalid_argument("the population has not been started");
  ++generation_;
  const std::vector<std::size_t> parents = select();
  std::vector<Individual> children(population_.size());
  // Below some thousand rows a generation takes less time than waking threads.
  const bool worthwhile = table_.n_rows >= 4096;
  pool_.run((children.size() + 1) / 2, worthwhile,
            [&](std::size_t pair, std::size_t) { breed(pair, parents, children); });
  keep_elite(children);
  population_.swap(children);
  // Giving back the parents' nodes takes a tenth of a generation.
  pool_.run(children.size(), worthwhile, [&](std::size_t i, std::size_t) { children[i].tree.reset(); });
  if (options_.check) check();
}

GenerationReport Evolution::report() const {
  const Individual& top = best();
  GenerationReport report;
  report.fitness = top.fitness;
  report.cost = trees_.mean_cost(trees_.totals(top.tree));
  report.size = top.tree->size;
  std::set<std::pair<double, std::int32_t>> distinct;
  for (const Individual& individual : population_) {
    report.mean_fitness += individual.fitness;
    report.mean_size += individual.tree->size;
    distinct.emplace(individual.tree->cost, individual.tree->size);
  }
  const auto n = static_cast<double>(population_.size());
  report.mean_fitness /= n;
  report.mean_size /= n;
  report.diversity = static_cast<double>(distinct.size()) / n;
  return report;
}

Individual Evolution::evaluate(const FlatEvolved& tree) const {
  return individual(trees_.graft(sketch_of(tree, table_)));
}

// What was updated step by step must be what a fresh computation gives.
void Evolution::check() const {
  for (const Individual& individual : population_) {
    const NodePtr fresh = trees_.graft(individual.tree);
    const double allowed = 1e-9 * (1.0 + std::abs(fresh->cost));
    if (fresh->size != individual.tree->size || std::abs(fresh->cost - individual.tree->cost) > allowed ||
        std::abs(trees_.fitness(fresh) - individual.fitness) > 1e-9) {
      throw std::logic_error("a tree's cost, size or fitness differs from a fresh computation");
    }
  }
}

}  // namespace stakes::evolve
