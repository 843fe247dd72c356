// Discretising columns, searching rules and applying them.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>

#include "bindings/options.hpp"
#include "rules/discretize.hpp"
#include "rules/search.hpp"

namespace stakes::bindings {

namespace {

auto mdl_cuts(const PyTable& table, const DenseCodes& classes, std::int32_t n_classes,
              const std::optional<DenseNumbers>& weights, int n_threads) {
  const Training training = training_of(table, classes, n_classes, weights);
  std::vector<std::vector<double>> cuts;
  {
    SignalPoll poll;
    nb::gil_scoped_release release;
    cuts = rules::mdl_cuts(training, std::max(1, n_threads), [&](double done) { poll(done); });
  }
  std::vector<decltype(owned_array(std::move(cuts[0])))> result;
  for (auto& column : cuts) result.push_back(owned_array(std::move(column)));
  return result;
}

void check_not_negative(std::span<const double> values, std::size_t n, const char* name) {
  if (values.size() != n) throw std::invalid_argument(std::string(name) + " must have one entry for each");
  for (const double value : values) {
    if (!(value >= 0.0) || std::isinf(value)) {
      throw std::invalid_argument(std::string(name) + " must be finite and not negative");
    }
  }
}

auto search_rules(const PyTable& table, const DenseCodes& classes, std::int32_t n_classes,
                  const std::optional<DenseNumbers>& weights, rules::RuleOptions options,
                  const DenseNumbers& class_costs, const std::optional<DenseNumbers>& row_costs) {
  const Training training = training_of(table, classes, n_classes, weights);
  if (options.t_good.empty() || !std::is_sorted(options.t_good.begin(), options.t_good.end())) {
    throw std::invalid_argument("t_good must be at least one cut-off, ascending");
  }
  if (options.max_length < 1) throw std::invalid_argument("max_length must be at least 1");
  check_not_negative(options.min_support, static_cast<std::size_t>(n_classes), "min_support");
  options.n_threads = std::max(1, options.n_threads);
  check_not_negative(span_of(class_costs), static_cast<std::size_t>(n_classes), "class_costs");
  if (row_costs) check_not_negative(span_of(*row_costs), table.table.n_rows, "row_costs");
  const std::vector<double> costs(class_costs.data(), class_costs.data() + n_classes);
  rules::RuleSearch search;
  {
    SignalPoll poll;
    nb::gil_scoped_release release;
    search = rules::search_rules(training, costs, row_costs ? row_costs->data() : nullptr, options,
                                 [&](double done) { poll(done); });
  }
  const auto arrays_of = [](rules::FoundRules&& rules) {
    return std::tuple(owned_array(std::move(rules.start)), owned_array(std::move(rules.feature)),
                      owned_array(std::move(rules.value)), owned_array(std::move(rules.label)),
                      owned_array(std::move(rules.quality)), owned_array(std::move(rules.class_weights)));
  };
  std::vector<decltype(arrays_of(std::move(search.rules_at[0])))> arrays;
  for (rules::FoundRules& rules : search.rules_at) arrays.push_back(arrays_of(std::move(rules)));
  std::vector<std::tuple<std::string, int, std::uint64_t, std::uint64_t>> cuts;
  for (const rules::SearchCut& cut : search.cuts) {
    const char* bound = cut.bound == rules::SearchCut::Bound::memory ? "max_memory" : "max_candidates";
    cuts.emplace_back(bound, cut.length, cut.kept, cut.of);
  }
  return std::tuple(std::move(arrays), std::move(cuts), search.n_candidates, search.length);
}

auto match_rules(const PyTable& table, const DenseCodes& start, const DenseCodes& feature,
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
  return std::tuple(owned_array(std::move(first)), owned_array(std::move(seen)));
}

}  // namespace

void bind_rules(nb::module_& m) {
  using namespace nb::literals;
  m.def("mdl_cuts", &mdl_cuts, "table"_a, "classes"_a, "n_classes"_a, "weights"_a.none(), "n_threads"_a = 1);
  using rules::RuleOptions;
  OptionsClass<RuleOptions>(m, "RuleOptions", "How rules are searched.")
      .field("t_good", &RuleOptions::t_good)
      .field("t_bad", &RuleOptions::t_bad)
      .field("min_support", &RuleOptions::min_support)
      .field("max_length", &RuleOptions::max_length)
      .field("mark_all", &RuleOptions::mark_all)
      .field("max_candidates", &RuleOptions::max_candidates)
      .field("max_bytes", &RuleOptions::max_bytes)
      .field("n_threads", &RuleOptions::n_threads)
      .finish();
  m.def("search_rules", &search_rules, "table"_a, "classes"_a, "n_classes"_a, "weights"_a.none(), "options"_a,
        nb::kw_only(), "class_costs"_a, "row_costs"_a.none() = nb::none());
  m.def(
      "rule_quality",
      [](const DenseNumbers& shares) {
        if (shares.shape(0) == 0) throw std::invalid_argument("shares must have one entry per class");
        const rules::Quality quality = rules::rule_quality({shares.data(), shares.shape(0)});
        return std::tuple(quality.value, quality.label);
      },
      "shares"_a);
  m.def("match_rules", &match_rules, "table"_a, "start"_a, "feature"_a, "value"_a, "looked"_a = false,
        "n_threads"_a = 1);
}

}  // namespace stakes::bindings
