#include "evolve/groups.hpp"

namespace stakes::evolve {

namespace {

// Mean cost of one answer less that of another, by value: an order in which likely tests cut nominal columns.
std::vector<double> rank_values(const EvolveTable& table, const EvolveColumn& column,
                                const std::vector<std::uint32_t>& rows, std::int32_t p, std::int32_t q) {
  std::vector<double> more(static_cast<std::size_t>(column.n_values), 0.0), size(more);
  for (const std::uint32_t row : rows) {
    const std::int32_t code = column.code(row);
    if (code == column.n_values) continue;
    more[static_cast<std::size_t>(code)] += table.weight(row) * (table.cost(row, p) - table.cost(row, q));
    size[static_cast<std::size_t>(code)] += table.weight(row);
  }
  for (std::size_t v = 0; v < more.size(); ++v) more[v] = size[v] > 0.0 ? more[v] / size[v] : 0.0;
  return more;
}

// The two answers that cost least for all rows.
std::pair<std::int32_t, std::int32_t> likely_answers(const EvolveTable& table, const NodeRows& reach) {
  const auto k = static_cast<std::size_t>(table.n_classes);
  if (table.cost_per_row) return {reach.answer, reach.answer == 0 && k > 1 ? 1 : 0};
  std::vector<std::pair<double, std::int32_t>> costs;
  for (std::size_t p = 0; p < k; ++p) {
    double cost = 0.0;
    for (std::size_t c = 0; c < k; ++c) cost += reach.class_weights[c] * table.costs[c * k + p];
    costs.emplace_back(cost, static_cast<std::int32_t>(p));
  }
  std::sort(costs.begin(), costs.end());
  return {costs[0].second, costs[std::min<std::size_t>(1, k - 1)].second};
}

// Whether another answer costs no more, whatever the rows: later ones of equals go.
bool outdone(const std::vector<double>& costs, std::size_t k, const std::vector<std::size_t>& channels,
             std::size_t p) {
  for (std::size_t q = 0; q < k; ++q) {
    const auto no_more = [&](std::size_t c) { return costs[c * k + q] <= costs[c * k + p]; };
    const auto same = [&](std::size_t c) { return costs[c * k + q] == costs[c * k + p]; };
    if (q == p || !std::all_of(channels.begin(), channels.end(), no_more)) continue;
    if (q < p || !std::all_of(channels.begin(), channels.end(), same)) return true;
  }
  return false;
}

}  // namespace

LeafModel Ledger::model(const std::vector<std::size_t>& channels) const {
  LeafModel model{channels.size(), table_.cost_per_row, {}, table_.abstain_cost, least_, scale_};
  for (std::size_t p = 0; p < n_classes_ && !model.are_costs; ++p) {
    if (counts() && outdone(table_.costs, n_classes_, channels, p)) continue;
    for (const std::size_t c : channels) model.costs.push_back(table_.costs[c * n_classes_ + p]);
  }
  return model;
}

Groups group_column(const EvolveTable& table, const EvolveColumn& column, const NodeRows& reach,
                    const std::vector<std::uint32_t>& rows, std::size_t max_groups) {
  std::vector<std::size_t> count(static_cast<std::size_t>(column.n_values) + 1, 0);
  for (const std::uint32_t row : rows) ++count[static_cast<std::size_t>(column.code(row))];
  std::vector<std::size_t> order;
  for (std::size_t v = 0; v + 1 < count.size(); ++v) {
    if (count[v] > 0) order.push_back(v);
  }
  if (column.nominal) {
    const auto [p, q] = likely_answers(table, reach);
    const std::vector<double> rank = rank_values(table, column, rows, p, q);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return rank[a] < rank[b]; });
  }
  Groups groups;
  groups.of_value.assign(static_cast<std::size_t>(column.n_values), -1);
  groups.distinct = order.size() <= max_groups;
  const std::size_t full = groups.distinct ? 0 : rows.size() / max_groups;
  std::size_t filled = 0, fullest = 0, most = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && filled >= full && groups.n < max_groups) {
      ++groups.n;
      filled = 0;
    }
    const std::size_t v = order[i];
    filled += count[v];
    groups.of_value[v] = static_cast<std::int32_t>(groups.n - 1);
    if (filled > most) {
      most = filled;
      fullest = groups.n - 1;
    }
  }
  for (const std::uint32_t row : rows) {
    const std::int32_t code = column.code(row);
    const std::size_t g = code < column.n_values ? static_cast<std::size_t>(groups.of_value[code]) : fullest;
    groups.group.push_back(static_cast<std::uint8_t>(g));
  }
  return groups;
}

EvolveTest test_at(const EvolveTable& table, std::size_t f, const Groups& groups, std::size_t last) {
  EvolveTest test;
  test.column = static_cast<std::int32_t>(f);
  const auto cut = static_cast<std::int32_t>(last);
  if (table.columns[f].nominal) {
    // Values that do not occur here go with the larger number of groups.
    for (const std::int32_t g : groups.of_value) {
      test.branch.push_back(g > cut || (g < 0 && 2 * (last + 1) < groups.n));
    }
    return test;
  }
  for (std::size_t v = 0; v < groups.of_value.size(); ++v) {
    if (groups.of_value[v] >= 0 && groups.of_value[v] <= cut) test.cut = static_cast<std::int32_t>(v);
  }
  return test;
}

}  // namespace stakes::evolve
