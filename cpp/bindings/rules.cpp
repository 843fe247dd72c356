// Discretising columns, searching rules and applying them.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <stdexcept>

#include "bindings/module.hpp"
#include "rules/discretize.hpp"
#include "rules/search.hpp"

namespace stakes::bindings {

namespace {

nb::list mdl_cuts(const PyTable& table, const DenseCodes& classes, std::int32_t n_classes,
                  const std::optional<DenseNumbers>& weights, int n_threads) {
  const Training training = training_of(table, classes, n_classes, weights);
  std::vector<std::vector<double>> cuts;
  {
    SignalPoll poll;
    nb::gil_scoped_release release;
    cuts = rules::mdl_cuts(training, std::max(1, n_threads), [&] { poll(); });
  }
  nb::list result;
  for (auto& column : cuts) result.append(owned_array(std::move(column)));
  return result;
}

std::vector<double> not_negative(const DenseNumbers& values, std::size_t n, const char* name) {
  if (values.shape(0) != n) throw std::invalid_argument(std::string(name) + " must have one entry for each");
  for (std::size_t i = 0; i < n; ++i) {
    if (!(values.data()[i] >= 0.0) || std::isinf(values.data()[i])) {
      throw std::invalid_argument(std::string(name) + " must be finite and not negative");
    }
  }
  return {values.data(), values.data() + n};
}

nb::tuple search_rules(const PyTable& table, const DenseCodes& classes, std::int32_t n_classes,
                       const std::optional<DenseNumbers>& weights, const DenseNumbers& class_costs,
                       const std::optional<DenseNumbers>& row_costs, const std::vector<double>& t_good,
                       double t_bad, const DenseNumbers& min_support, int max_length, bool mark_all,
                       std::uint64_t max_candidates, std::uint64_t max_bytes, int n_threads) {
  const Training training = training_of(table, classes, n_classes, weights);
  if (t_good.empty() || !std::is_sorted(t_good.begin(), t_good.end())) {
    throw std::invalid_argument("t_good must be at least one cut-off, ascending");
  }
  if (max_length < 1) throw std::invalid_argument("max_length must be at least 1");
  rules::RuleOptions options;
  options.t_good = t_good;
  options.t_bad = t_bad;
  options.min_support = not_negative(min_support, static_cast<std::size_t>(n_classes), "min_support");
  options.max_length = max_length;
  options.mark_all = mark_all;
  options.max_candidates = max_candidates;
  options.max_bytes = max_bytes;
  options.n_threads = std::max(1, n_threads);
  const auto costs = not_negative(class_costs, static_cast<std::size_t>(n_classes), "class_costs");
  if (row_costs) not_negative(*row_costs, table.table.n_rows, "row_costs");
  rules::RuleSearch search;
  {
    SignalPoll poll;
    nb::gil_scoped_release release;
    search = rules::search_rules(training, costs, row_costs ? row_costs->data() : nullptr, options,
                                 [&] { poll(); });
  }
  nb::list found, cuts;
  for (rules::FoundRules& rules : search.found) {
    found.append(nb::make_tuple(owned_array(std::move(rules.start)), owned_array(std::move(rules.feature)),
                                owned_array(std::move(rules.value)), owned_array(std::move(rules.label)),
                                owned_array(std::move(rules.quality)),
                                owned_array(std::move(rules.class_weights))));
  }
  for (const rules::SearchCut& cut : search.cuts) {
    const char* bound = cut.bound == rules::SearchCut::Bound::memory ? "max_memory" : "max_candidates";
    cuts.append(nb::make_tuple(bound, cut.length, cut.kept, cut.of));
  }
  return nb::make_tuple(found, cuts, search.n_candidates, search.length);
}

nb::tuple match_rules(const PyTable& table, const DenseCodes& start, const DenseCodes& feature,
                      const DenseCodes& value, bool looked, int n_threads) {
  const rules::RuleView rules{
      {start.data(), start.shape(0)}, {feature.data(), feature.shape(0)}, {value.data(), value.shape(0)}};
  rules::check_rules(rules, table.table);
  std::vector<std::int32_t> first(table.table.n_rows);
  std::vector<std::uint8_t> seen(looked ? table.table.n_rows * table.table.columns.size() : 0);
  {
    nb::gil_scoped_release release;
    rules::match_rules(rules, table.table, std::max(1, n_threads), first.data(),
                       looked ? seen.data() : nullptr);
  }
  return nb::make_tuple(owned_array(std::move(first)), owned_array(std::move(seen)));
}

}  // namespace

void bind_rules(nb::module_& m) {
  using namespace nb::literals;
  m.def("mdl_cuts", &mdl_cuts, "table"_a, "classes"_a, "n_classes"_a, "weights"_a.none(), "n_threads"_a = 1);
  m.def("search_rules", &search_rules, "table"_a, "classes"_a, "n_classes"_a, "weights"_a.none(),
        nb::kw_only(), "class_costs"_a, "row_costs"_a.none(), "t_good"_a, "t_bad"_a, "min_support"_a,
        "max_length"_a, "mark_all"_a, "max_candidates"_a, "max_bytes"_a, "n_threads"_a = 1);
  m.def(
      "rule_quality",
      [](const DenseNumbers& shares) {
        if (shares.shape(0) == 0) throw std::invalid_argument("shares must have one entry per class");
        const rules::Quality quality = rules::rule_quality({shares.data(), shares.shape(0)});
        return nb::make_tuple(quality.value, quality.label);
      },
      "shares"_a);
  m.def("match_rules", &match_rules, "table"_a, "start"_a, "feature"_a, "value"_a, "looked"_a = false,
        "n_threads"_a = 1);
}

}  // namespace stakes::bindings
