// Growing, pruning and routing trees.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <string>
#include <tuple>

#include "bindings/options.hpp"
#include "tree/grow.hpp"
#include "tree/prune.hpp"
#include "tree/route.hpp"
#include "tree/total_cost.hpp"

namespace stakes::bindings {

Training training_of(const PyTable& table, const DenseCodes& classes, std::int32_t n_classes,
                     const std::optional<DenseNumbers>& weights) {
  if (n_classes < 1 || n_classes > 65'535) throw std::invalid_argument("n_classes must be 1 to 65535");
  if (classes.shape(0) != table.table.n_rows) throw std::invalid_argument("one class per row is needed");
  if (weights && weights->shape(0) != table.table.n_rows) {
    throw std::invalid_argument("one weight per row is needed");
  }
  constexpr double kLargest = 1e100;  // sums and products of weights must stay finite
  double total = 0.0;
  for (std::size_t i = 0; i < classes.shape(0); ++i) {
    if (classes.data()[i] < 0 || classes.data()[i] >= n_classes) {
      throw std::invalid_argument("class codes must be 0 to n_classes - 1");
    }
    const double weight = weights ? weights->data()[i] : 1.0;
    if (!(weight >= 0.0) || std::isinf(weight)) {
      throw std::invalid_argument("weights must be finite and not negative");
    }
    total += weight;
  }
  if (!(total > 0.0)) throw std::invalid_argument("no row has a positive weight");
  if (total > kLargest) throw std::invalid_argument("weights must add up to at most 1e100");
  return {&table.table, classes.data(), weights ? weights->data() : nullptr, n_classes,
          table.presorted ? &*table.presorted : nullptr};
}

namespace {

void init_table(PyTable* self, const Arrays& columns, const std::vector<std::int32_t>& n_values) {
  PyTable made;  // placed only when complete: an unfinished object would never be destroyed
  if (columns.size() == 0) throw std::invalid_argument("a table needs at least one column");
  if (columns.size() != n_values.size()) throw std::invalid_argument("one n_values per column is needed");
  for (std::size_t f = 0; f < columns.size(); ++f) {
    Column column;
    std::size_t n_rows = 0;
    Numbers numbers;
    Codes codes;
    nb::object owner = nb::borrow(columns[f]);
    // Without conversion: a converted copy would be gone before its values are read.
    if (n_values[f] < 0 && nb::try_cast<Numbers>(owner, numbers, false)) {
      column.numbers = numbers.data();
      column.stride = numbers.stride(0);
      n_rows = numbers.shape(0);
    } else if (n_values[f] >= 0 && nb::try_cast<Codes>(owner, codes, false)) {
      column.codes = codes.data();
      column.stride = codes.stride(0);
      column.n_values = n_values[f];
      n_rows = codes.shape(0);
    } else {
      throw std::invalid_argument("column " + std::to_string(f) +
                                  " must be a 1-D array, float64 if numeric (n_values -1), int32 if nominal");
    }
    if (f > 0 && n_rows != made.table.n_rows) throw std::invalid_argument("columns differ in length");
    made.table.n_rows = n_rows;
    made.table.columns.push_back(column);
    made.owners.push_back(std::move(owner));
  }
  new (self) PyTable(std::move(made));
}

struct PyTree {
  tree::Tree tree;
  std::int32_t n_classes = 0;
  std::vector<std::int32_t> n_values;  // of the columns it was grown on, -1 where numeric
};

std::vector<std::int32_t> column_sizes(const PyTable& table) {
  std::vector<std::int32_t> sizes;
  for (const Column& column : table.table.columns) {
    sizes.push_back(column.nominal() ? column.n_values : -1);
  }
  return sizes;
}

// Pruning and counting read columns and categories by the tree's numbers: the table must have them.
Training training_like(const PyTree& tree, const PyTable& table, const DenseCodes& classes,
                       const std::optional<DenseNumbers>& weights) {
  if (column_sizes(table) != tree.n_values) {
    throw std::invalid_argument("the table must have the columns that the tree was grown on");
  }
  return training_of(table, classes, tree.n_classes, weights);
}

constexpr std::pair<const char*, tree::Dialect> kDialects[] = {{"c45", tree::Dialect::c45},
                                                               {"j48", tree::Dialect::j48}};

tree::Dialect dialect_of(const std::string& name) {
  return meaning_of(kDialects, name, "dialect must be 'c45' or 'j48', got ");
}

constexpr std::pair<const char*, tree::Criterion> kCriteria[] = {
    {"gain_ratio", tree::Criterion::gain_ratio},
    {"gain", tree::Criterion::gain},
    {"gini", tree::Criterion::gini},
    {"cs_gain", tree::Criterion::cs_gain},
    {"nunez", tree::Criterion::nunez},
    {"cs_gain_ratio", tree::Criterion::cs_gain_ratio},
    {"mitchell", tree::Criterion::mitchell},
    {"norton", tree::Criterion::norton},
    {"tan", tree::Criterion::tan},
};

// Column j needs the resources needed[start[j]] to needed[start[j + 1] - 1].
void init_prices(Prices* self, const DenseNumbers& price, const DenseNumbers& later_price,
                 const DenseCodes& group, const DenseCodes& start, const DenseCodes& needed) {
  new (self) Prices();
  const std::size_t n = price.shape(0);
  if (later_price.shape(0) != n || group.shape(0) != n)
    throw std::invalid_argument("one entry per resource is needed");
  for (std::size_t r = 0; r < n; ++r) {
    const double first = price.data()[r], later = later_price.data()[r];
    if (!(first >= 0.0) || std::isinf(first) || !(later >= 0.0) || std::isinf(later)) {
      throw std::invalid_argument("prices must be finite and not negative");
    }
    self->resources.push_back({first, later, std::max(-1, group.data()[r])});
    self->n_groups = std::max(self->n_groups, self->resources.back().group + 1);
  }
  if (self->n_groups > static_cast<std::int32_t>(n))
    throw std::invalid_argument("groups must be numbered from 0");
  if (start.shape(0) < 1) throw std::invalid_argument("start needs one entry per column and one more");
  for (std::size_t j = 0; j + 1 < start.shape(0); ++j) {
    const std::int32_t first = start.data()[j], last = start.data()[j + 1];
    if (first < 0 || first > last || last > static_cast<std::int32_t>(needed.shape(0))) {
      throw std::invalid_argument("start must not fall nor leave the list of resources");
    }
    self->needed.emplace_back(needed.data() + first, needed.data() + last);
    for (const std::int32_t r : self->needed.back()) {
      if (r < 0 || r >= static_cast<std::int32_t>(n))
        throw std::invalid_argument("a column needs an unknown resource");
    }
  }
}

Prices prices_for(const PyTable& table, const std::optional<Prices>& prices) {
  if (!prices) return {};
  if (prices->needed.size() != table.table.columns.size()) {
    throw std::invalid_argument("prices must know every column of the table");
  }
  return *prices;
}

PyTree grow_tree(const PyTable& table, const DenseCodes& classes, std::int32_t n_classes,
                 const std::optional<DenseNumbers>& weights, tree::GrowOptions options,
                 const std::optional<Prices>& prices, nb::object judge) {
  if (options.max_bins < 0 || options.max_bins > 255 || options.max_bins == 1) {
    throw std::invalid_argument("max_bins must be 0 (exact) or 2 to 255");
  }
  if (!(options.min_samples_leaf > 0.0)) throw std::invalid_argument("min_samples_leaf must be positive");
  if (!(options.gamma >= 0.0)) throw std::invalid_argument("gamma must not be negative");
  options.n_threads = std::max(1, options.n_threads);
  const Training training = training_of(table, classes, n_classes, weights);
  const Prices given = prices_for(table, prices);
  if (!judge.is_none()) {
    options.judge = [&judge](const tree::Candidate& split) {
      nb::gil_scoped_acquire acquire;
      double worth = 0.0;
      if (!nb::try_cast(judge(split), worth)) throw nb::type_error("a criterion must return a number");
      return worth;
    };
  }
  SignalPoll poll;
  nb::gil_scoped_release release;
  return {tree::grow(training, options, given, [&](double done) { poll(done); }), n_classes,
          column_sizes(table)};
}

std::vector<double> costs_of(const DenseMatrix& costs, std::int32_t n_classes) {
  const auto k = static_cast<std::size_t>(n_classes);
  if (costs.shape(0) != k || costs.shape(1) != k) throw std::invalid_argument("costs must be (k, k)");
  return {costs.data(), costs.data() + k * k};
}

PyTree grow_total_cost(const PyTable& table, const DenseCodes& classes, std::int32_t n_classes,
                       const std::optional<DenseNumbers>& weights, const DenseMatrix& costs,
                       tree::TotalCostOptions options, const std::optional<Prices>& prices) {
  if (!(options.leaf_penalty >= 0.0)) throw std::invalid_argument("leaf_penalty must be at least 0");
  if (options.max_depth < 0 || options.max_depth > kMaxDepth) {
    throw std::invalid_argument("max_depth is out of range");
  }
  if (options.max_bins < 2 || options.max_bins > 255) {
    throw std::invalid_argument("max_bins must be 2 to 255");
  }
  if (!(options.min_samples_leaf > 0.0)) throw std::invalid_argument("min_samples_leaf must be positive");
  if (!(options.max_path_cost >= 0.0) || !(options.max_upfront_cost >= 0.0)) {
    throw std::invalid_argument("max_path_cost and max_upfront_cost must be at least 0");
  }
  const Training training = training_of(table, classes, n_classes, weights);
  const std::vector<double> values = costs_of(costs, n_classes);
  const Prices given = prices_for(table, prices);
  SignalPoll poll;
  nb::gil_scoped_release release;
  return {tree::grow_total_cost(training, values, given, options, [&](double done) { poll(done); }),
          n_classes, column_sizes(table)};
}

auto arrays_of(const PyTree& tree) {
  tree::FlatTree flat = tree::flatten(tree.tree, tree.n_classes);
  return std::tuple(owned_array(std::move(flat.feature)), owned_array(std::move(flat.threshold)),
                    owned_array(std::move(flat.first_child)), owned_array(std::move(flat.n_branches)),
                    owned_array(std::move(flat.value_start)), owned_array(std::move(flat.value_branch)),
                    owned_array(std::move(flat.class_weights)), owned_array(std::move(flat.label)));
}

tree::TreeView view_of(const PyTable& table, const DenseCodes& feature, const DenseNumbers& threshold,
                       const DenseCodes& first_child, const DenseCodes& n_branches,
                       const DenseCodes& value_start, const DenseCodes& value_branch,
                       const DenseNumbers& node_weight) {
  tree::TreeView view;
  view.feature = span_of(feature);
  view.threshold = span_of(threshold);
  view.first_child = span_of(first_child);
  view.n_branches = span_of(n_branches);
  view.value_start = span_of(value_start);
  view.value_branch = span_of(value_branch);
  view.node_weight = span_of(node_weight);
  tree::check_tree(view, table.table);
  return view;
}

}  // namespace

void bind_tree(nb::module_& m) {
  using namespace nb::literals;
  m.attr("MAX_DEPTH") = kMaxDepth;

  nb::class_<PyTable>(m, "Table", "Borrowed columns: float64 where n_values is -1, int32 codes elsewhere.")
      .def("__init__", &init_table, "columns"_a, "n_values"_a)
      .def_prop_ro("n_rows", [](const PyTable& self) { return self.table.n_rows; })
      .def(
          "presort",
          [](PyTable& self, int n_threads) {
            if (self.presorted) return;
            ThreadPool pool(std::max(1, n_threads));
            Presorted sorted;
            {
              nb::gil_scoped_release release;
              sorted = presort(self.table, pool);
            }
            self.presorted = std::move(sorted);
          },
          "n_threads"_a = 1, "Sort the numeric columns now, once for all trees grown on the table later.");

  nb::class_<Prices>(m, "Prices", "What reading columns costs, by the resources that they need.")
      .def("__init__", &init_prices, "price"_a, "later_price"_a, "group"_a, "start"_a, "needed"_a);

  nb::class_<PyTree>(m, "Tree", "A tree that can still be pruned.")
      .def("arrays", &arrays_of, "The fields of TreeModel, class weights flat.")
      .def(
          "prune_by_errors",
          [](PyTree& self, const PyTable& table, const DenseCodes& classes,
             const std::optional<DenseNumbers>& weights, const std::string& dialect, double confidence,
             double z, bool raise_subtrees) {
            const Training training = training_like(self, table, classes, weights);
            const tree::ErrorPruning how{dialect_of(dialect), confidence, z, raise_subtrees};
            SignalPoll poll;
            nb::gil_scoped_release release;
            tree::prune_by_errors(self.tree, training, how, [&](double done) { poll(done); });
          },
          "table"_a, "classes"_a, "weights"_a.none(), "dialect"_a, "confidence"_a, "z"_a, "raise_subtrees"_a)
      .def(
          "prune_by_cost",
          [](PyTree& self, const DenseMatrix& costs) {
            tree::prune_by_cost(self.tree, costs_of(costs, self.n_classes), self.n_classes);
          },
          "costs"_a)
      .def(
          "recount",
          [](PyTree& self, const PyTable& table, const DenseCodes& classes,
             const std::optional<DenseNumbers>& weights) {
            const Training training = training_like(self, table, classes, weights);
            nb::gil_scoped_release release;
            tree::recount(self.tree, training);
          },
          "table"_a, "classes"_a, "weights"_a.none());

  using tree::Candidate;
  nb::class_<Candidate>(m, "Candidate", "The best split of a column, as a criterion from outside judges it.")
      .def_ro("gain", &Candidate::gain)
      .def_ro("split_info", &Candidate::split_info)
      .def_ro("price", &Candidate::price)
      .def_ro("share", &Candidate::share)
      .def_ro("gamma", &Candidate::gamma);

  using tree::GrowOptions;
  OptionsClass<GrowOptions>(m, "GrowOptions", "How a tree is grown.")
      .words(
          "criterion", [](const GrowOptions& self) { return word_of(kCriteria, self.criterion); },
          [](GrowOptions& self, const std::string& name) {
            self.criterion = meaning_of(kCriteria, name, "criterion is not one the core knows: ");
          })
      .words(
          "dialect", [](const GrowOptions& self) { return word_of(kDialects, self.dialect); },
          [](GrowOptions& self, const std::string& name) { self.dialect = dialect_of(name); })
      .field("min_samples_leaf", &GrowOptions::min_samples_leaf)
      .field("group_values", &GrowOptions::group_values)
      .field("max_depth", &GrowOptions::max_depth)
      .field("max_leaf_nodes", &GrowOptions::max_leaf_nodes)
      .field("best_first", &GrowOptions::best_first)
      .field("min_gain", &GrowOptions::min_gain)
      .field("max_bins", &GrowOptions::max_bins)
      .field("collapse", &GrowOptions::collapse)
      .field("n_threads", &GrowOptions::n_threads)
      .field("gamma", &GrowOptions::gamma)
      .field("ratio_of_candidate", &GrowOptions::ratio_of_candidate)
      .field("split_at_loss", &GrowOptions::split_at_loss)
      .field("reuse_free", &GrowOptions::reuse_free)
      .field("max_upfront_cost", &GrowOptions::max_upfront_cost)
      .field("max_path_cost", &GrowOptions::max_path_cost)
      .finish();

  using tree::TotalCostOptions;
  OptionsClass<TotalCostOptions>(m, "TotalCostOptions", "How a tree with a small cost is searched.")
      .field("leaf_penalty", &TotalCostOptions::leaf_penalty)
      .field("max_depth", &TotalCostOptions::max_depth)
      .field("width", &TotalCostOptions::width)
      .field("exhaustive", &TotalCostOptions::exhaustive)
      .field("min_samples_leaf", &TotalCostOptions::min_samples_leaf)
      .field("max_bins", &TotalCostOptions::max_bins)
      .field("max_path_cost", &TotalCostOptions::max_path_cost)
      .field("max_upfront_cost", &TotalCostOptions::max_upfront_cost)
      .finish();

  m.def("grow_tree", &grow_tree, "table"_a, "classes"_a, "n_classes"_a, "weights"_a.none(), "options"_a,
        "prices"_a.none() = nb::none(), "judge"_a.none() = nb::none());

  m.def("grow_total_cost", &grow_total_cost, "table"_a, "classes"_a, "n_classes"_a, "weights"_a.none(),
        "costs"_a, "options"_a, "prices"_a.none() = nb::none());

  m.def(
      "extra_errors",
      [](double weight, double errors, const std::string& dialect, double confidence, double z) {
        return tree::extra_errors({dialect_of(dialect), confidence, z, true}, weight, errors);
      },
      "weight"_a, "errors"_a, "dialect"_a, "confidence"_a, "z"_a);

  m.def(
      "route_leaves",
      [](const PyTable& table, const DenseCodes& feature, const DenseNumbers& threshold,
         const DenseCodes& first_child, const DenseCodes& n_branches, const DenseCodes& value_start,
         const DenseCodes& value_branch, const DenseNumbers& node_weight, int n_threads) {
        const tree::TreeView view = view_of(table, feature, threshold, first_child, n_branches, value_start,
                                            value_branch, node_weight);
        std::vector<std::int32_t> leaf(table.table.n_rows);
        {
          nb::gil_scoped_release release;
          tree::route_leaves(view, table.table, n_threads, leaf.data());
        }
        return owned_array(std::move(leaf));
      },
      "table"_a, "feature"_a, "threshold"_a, "first_child"_a, "n_branches"_a, "value_start"_a,
      "value_branch"_a, "node_weight"_a, "n_threads"_a = 1);

  m.def(
      "route_mixture",
      [](const PyTable& table, const DenseCodes& feature, const DenseNumbers& threshold,
         const DenseCodes& first_child, const DenseCodes& n_branches, const DenseCodes& value_start,
         const DenseCodes& value_branch, const DenseNumbers& node_weight, const DenseRows& rows,
         const DenseMatrix& values) {
        const tree::TreeView view = view_of(table, feature, threshold, first_child, n_branches, value_start,
                                            value_branch, node_weight);
        if (values.shape(0) != feature.shape(0))
          throw std::invalid_argument("one row of values per node is needed");
        std::vector<double> out(rows.shape(0) * values.shape(1));
        {
          nb::gil_scoped_release release;
          tree::route_mixture(view, table.table, span_of(rows), values.data(), values.shape(1), out.data());
        }
        return owned_array(std::move(out));
      },
      "table"_a, "feature"_a, "threshold"_a, "first_child"_a, "n_branches"_a, "value_start"_a,
      "value_branch"_a, "node_weight"_a, "rows"_a, "values"_a);
}

}  // namespace stakes::bindings
