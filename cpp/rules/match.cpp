#include <algorithm>
#include <stdexcept>

#include "common/parallel.hpp"
#include "rules/search.hpp"

namespace stakes::rules {

void check_rules(const RuleView& rules, const Table& table) {
  if (rules.start.empty() || rules.start.front() != 0) throw std::invalid_argument("start must begin with 0");
  if (rules.feature.size() != rules.value.size() ||
      static_cast<std::size_t>(rules.start.back()) != rules.feature.size()) {
    throw std::invalid_argument("start must end with the number of conditions");
  }
  for (std::size_t r = 0; r < rules.size(); ++r) {
    if (rules.start[r] > rules.start[r + 1]) throw std::invalid_argument("start must not fall");
  }
  for (const std::int32_t f : rules.feature) {
    if (f < 0 || static_cast<std::size_t>(f) >= table.columns.size() ||
        !table.columns[static_cast<std::size_t>(f)].nominal()) {
      throw std::invalid_argument("a condition must be on a nominal column of the table");
    }
  }
}

void match_rules(const RuleView& rules, const Table& table, int n_threads, std::int32_t* first,
                 std::uint8_t* looked) {
  constexpr std::size_t kBlock = 1024;
  const std::size_t n_rows = table.n_rows, n_columns = table.columns.size();
  ThreadPool pool(n_threads);
  pool.run((n_rows + kBlock - 1) / kBlock, n_rows * rules.size() > 100'000,
           [&](std::size_t block, std::size_t) {
             for (std::size_t i = block * kBlock; i < std::min(n_rows, (block + 1) * kBlock); ++i) {
               first[i] = -1;
               for (std::size_t r = 0; r < rules.size() && first[i] < 0; ++r) {
                 bool applies = true;
                 for (auto c = static_cast<std::size_t>(rules.start[r]);
                      applies && c < static_cast<std::size_t>(rules.start[r + 1]); ++c) {
                   const auto f = static_cast<std::size_t>(rules.feature[c]);
                   const std::int32_t code = table.columns[f].code(i);
                   applies = code >= 0 && code == rules.value[c];
                   if (looked) looked[i * n_columns + f] = 1;
                 }
                 if (applies) first[i] = static_cast<std::int32_t>(r);
               }
             }
           });
}

}  // namespace stakes::rules
