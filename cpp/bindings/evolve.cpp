// Evolving trees.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>

#include "bindings/options.hpp"
#include "evolve/evolution.hpp"

namespace stakes::bindings {

namespace {

using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Shorts = nb::ndarray<const std::uint16_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// feature, cut, first_child, n_branches, value_start, value_branch
using TreeArrays = std::vector<DenseCodes>;

void require(bool fine, const char* what) {
  if (!fine) throw std::invalid_argument(what);
}

std::vector<std::int32_t> vector_of(const DenseCodes& codes) {
  return {codes.data(), codes.data() + codes.shape(0)};
}

evolve::FlatEvolved flat_of(const TreeArrays& arrays) {
  require(arrays.size() == 6, "a tree is six arrays");
  evolve::FlatEvolved flat;
  flat.feature = vector_of(arrays[0]);
  flat.cut = vector_of(arrays[1]);
  flat.first_child = vector_of(arrays[2]);
  flat.n_branches = vector_of(arrays[3]);
  flat.value_start = vector_of(arrays[4]);
  flat.value_branch = vector_of(arrays[5]);
  return flat;
}

std::vector<evolve::FlatEvolved> flats_of(const std::vector<TreeArrays>& trees) {
  std::vector<evolve::FlatEvolved> flats;
  for (const TreeArrays& tree : trees) flats.push_back(flat_of(tree));
  return flats;
}

auto arrays_of(const evolve::NodePtr& root) {
  evolve::FlatEvolved flat = evolve::flatten(root);
  return std::tuple(owned_array(std::move(flat.feature)), owned_array(std::move(flat.cut)),
                    owned_array(std::move(flat.first_child)), owned_array(std::move(flat.n_branches)),
                    owned_array(std::move(flat.value_start)), owned_array(std::move(flat.value_branch)),
                    owned_array(std::move(flat.missing_branch)), owned_array(std::move(flat.answer)),
                    owned_array(std::move(flat.class_weights)));
}

evolve::EvolveColumn column_of(nb::handle values, std::int32_t n_values, bool nominal, std::size_t n_rows) {
  evolve::EvolveColumn column;
  column.n_values = n_values;
  column.nominal = nominal;
  Bytes small;
  Shorts large;
  std::int32_t highest = 0;
  const auto take = [&](const auto& array, auto& into) {
    require(array.shape(0) == n_rows, "columns and classes must have one entry per row");
    into.assign(array.data(), array.data() + n_rows);
    for (const auto code : into) highest = std::max<std::int32_t>(highest, code);
  };
  if (nb::try_cast<Bytes>(values, small, false)) {
    take(small, column.bytes);
  } else if (nb::try_cast<Shorts>(values, large, false)) {
    take(large, column.shorts);
  } else {
    throw std::invalid_argument("columns must be 1-D arrays of uint8 or uint16 codes");
  }
  require(n_values >= 0 && highest <= n_values, "codes must be 0 to n_values, which means missing");
  return column;
}

void check_options(const evolve::EvolveOptions& options) {
  require(options.population_size >= 1 && options.population_size <= 1'000'000,
          "population_size is out of range");
  require(options.alpha >= 0.0, "alpha must be at least 0");
  require(options.max_mutations > 0.0, "max_mutations must be positive");
  require(options.selection_pressure >= 1.0 && options.selection_pressure <= 2.0,
          "selection_pressure must be 1 to 2");
  require(options.elite_size <= options.population_size, "elite_size must not exceed population_size");
  require(options.min_rows >= 1, "min_rows must be at least 1");
  require(options.max_depth >= 0 && options.max_depth <= kMaxDepth, "max_depth is out of range");
  require(options.min_split >= 2 && options.sample_rows >= 1 && options.local_rows >= 1,
          "min_split, sample_rows and local_rows are out of range");
  require(
      options.crossover_odds.size() == 3 && options.inner_odds.size() == 5 && options.leaf_odds.size() == 2,
      "there are three, five and two odds");
  for (const auto* odds : {&options.crossover_odds, &options.inner_odds, &options.leaf_odds}) {
    for (const double o : *odds) require(o >= 0.0, "odds must be at least 0");
  }
}

evolve::PriceMode mode_of(const std::string& name) {
  if (name == "path") return evolve::PriceMode::path;
  require(name == "upfront", "pay must be 'path' or 'upfront'");
  return evolve::PriceMode::upfront;
}

void init_evolution(evolve::Evolution* self, const Arrays& columns, const std::vector<std::int32_t>& n_values,
                    const std::vector<bool>& nominal, const DenseCodes& classes, std::int32_t n_classes,
                    const DenseMatrix& costs, evolve::EvolveOptions options, bool costs_per_row,
                    const std::optional<DenseNumbers>& weights, const std::optional<double>& abstain_cost,
                    const std::optional<Prices>& prices, const std::string& pay) {
  const std::size_t n = classes.shape(0);
  require(n >= 1 && n < 0xFFFFFFC0u, "the number of rows is out of range");
  require(columns.size() >= 1 && n_values.size() == columns.size() && nominal.size() == columns.size(),
          "n_values and nominal must have one entry per column");
  require(n_classes >= 1 && n_classes <= 65'535, "n_classes must be 1 to 65535");
  evolve::EvolveTable table;
  table.n_rows = n;
  table.n_classes = n_classes;
  for (std::size_t f = 0; f < columns.size(); ++f) {
    table.columns.push_back(column_of(columns[f], n_values[f], nominal[f], n));
  }
  for (std::size_t i = 0; i < n; ++i) {
    require(classes.data()[i] >= 0 && classes.data()[i] < n_classes,
            "class codes must be 0 to n_classes - 1");
    table.classes.push_back(static_cast<std::uint16_t>(classes.data()[i]));
  }
  const auto k = static_cast<std::size_t>(n_classes);
  table.cost_per_row = costs_per_row;
  require(costs.shape(1) == k && costs.shape(0) == (costs_per_row ? n : k), "costs must be (k, k) or (n, k)");
  table.costs.assign(costs.data(), costs.data() + costs.shape(0) * k);
  for (const double cost : table.costs) require(cost >= 0.0 && cost <= 1e100, "costs must be 0 to 1e100");
  if (weights) {
    require(weights->shape(0) == n, "one weight per row is needed");
    table.weights.assign(weights->data(), weights->data() + n);
    for (const double w : table.weights) require(w > 0.0 && w <= 1e100, "weights must be positive");
  }
  if (abstain_cost) {
    require(*abstain_cost >= 0.0, "abstain_cost must be at least 0");
    table.abstain_cost = *abstain_cost;
  }
  if (prices) {
    require(prices->needed.size() == columns.size(), "prices must know every column of the table");
    table.prices = *prices;
    options.prices = mode_of(pay);
  }
  check_options(options);
  nb::gil_scoped_release release;
  evolve::index_rows(table);
  new (self) evolve::Evolution(std::move(table), std::move(options));
}

auto report_of(const evolve::Evolution& self) {
  const evolve::GenerationReport r = self.report();
  return std::tuple(r.fitness, r.cost, r.size, r.mean_fitness, r.mean_size, r.diversity);
}

}  // namespace

void bind_evolve(nb::module_& m) {
  using namespace nb::literals;
  using evolve::Evolution;
  using evolve::EvolveOptions;
  OptionsClass<EvolveOptions>(m, "EvolveOptions", "How trees are evolved.")
      .field("alpha", &EvolveOptions::alpha)
      .field("population_size", &EvolveOptions::population_size)
      .field("crossover_rate", &EvolveOptions::crossover_rate)
      .field("mutation_rate", &EvolveOptions::mutation_rate)
      .field("max_mutations", &EvolveOptions::max_mutations)
      .field("selection_pressure", &EvolveOptions::selection_pressure)
      .field("elite_size", &EvolveOptions::elite_size)
      .field("min_rows", &EvolveOptions::min_rows)
      .field("max_depth", &EvolveOptions::max_depth)
      .field("min_split", &EvolveOptions::min_split)
      .field("sample_rows", &EvolveOptions::sample_rows)
      .field("crossover_odds", &EvolveOptions::crossover_odds)
      .field("inner_odds", &EvolveOptions::inner_odds)
      .field("leaf_odds", &EvolveOptions::leaf_odds)
      .field("local_rate", &EvolveOptions::local_rate)
      .field("local_rows", &EvolveOptions::local_rows)
      .field("check", &EvolveOptions::check)
      .field("seed", &EvolveOptions::seed)
      .field("n_threads", &EvolveOptions::n_threads)
      .finish();

  nb::class_<Evolution>(m, "Evolution", "A population of trees on one table.")
      .def("__init__", &init_evolution, "columns"_a, "n_values"_a, "nominal"_a, "classes"_a, "n_classes"_a,
           "costs"_a, "options"_a, nb::kw_only(), "costs_per_row"_a = false, "weights"_a.none() = nb::none(),
           "abstain_cost"_a.none() = nb::none(), "prices"_a.none() = nb::none(), "pay"_a = "path")
      .def_prop_ro("size", [](const Evolution& self) { return self.trees().options().population_size; })
      .def("solve", &Evolution::solve, nb::call_guard<nb::gil_scoped_release>(),
           "Search the best tree at once where trees have few levels; whether none can be better.")
      .def(
          "start",
          [](Evolution& self, const std::vector<TreeArrays>& seeds) {
            const auto flats = flats_of(seeds);
            nb::gil_scoped_release release;
            self.start(flats);
          },
          "seeds"_a)
      .def(
          "restore",
          [](Evolution& self, const std::vector<TreeArrays>& trees, std::uint64_t generation) {
            const auto flats = flats_of(trees);
            nb::gil_scoped_release release;
            self.restore(flats, generation);
          },
          "trees"_a, "generation"_a)
      .def("step", &Evolution::step, nb::call_guard<nb::gil_scoped_release>(), "Make the next generation.")
      .def("report", &report_of, "Fitness, cost and size of the best, means of fitness and size, diversity.")
      .def("best", [](const Evolution& self) { return arrays_of(self.best().tree); })
      .def("trees",
           [](const Evolution& self) {
             std::vector<decltype(arrays_of(nullptr))> trees;
             for (const auto& individual : self.population()) trees.push_back(arrays_of(individual.tree));
             return trees;
           })
      .def(
          "evaluate",
          [](const Evolution& self, const TreeArrays& tree) {
            const auto flat = flat_of(tree);
            nb::gil_scoped_release release;
            const evolve::Individual individual = self.evaluate(flat);
            return std::pair(self.trees().mean_cost(self.trees().totals(individual.tree)),
                             individual.fitness);
          },
          "tree"_a, "Cost per unit of weight and fitness of a tree, on all rows.");
}

}  // namespace stakes::bindings
