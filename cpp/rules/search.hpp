// Rules of the form (column = value and ...) -> class, searched level by level over sets of rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/poll.hpp"
#include "common/table.hpp"

namespace stakes::rules {

struct RuleOptions {
  // Quality from which a rule is accepted, ascending. Each cut-off gets the rules that a search of its own
  // would have found: the strictest one explores a superset of what the others do.
  std::vector<double> t_good;
  double t_bad = 1.0;               // a combination of higher quality is not followed
  std::vector<double> min_support;  // weight of the predicted class that a rule must cover, per class
  int max_length = 1;
  bool mark_all = false;  // an accepted rule covers its rows of every class, not only of its own
  std::uint64_t max_candidates = 0;
  std::uint64_t max_bytes = 0;
  int n_threads = 1;
};

// Rules in the order in which they were accepted; rule i has conditions start[i] to start[i + 1] - 1.
struct FoundRules {
  std::vector<std::int32_t> start{0}, feature, value, label;
  std::vector<double> quality, class_weights;
};

// What a bound has cut: of `of` rules of this length only the `kept` of best quality were followed.
struct SearchCut {
  enum class Bound { candidates, memory } bound;
  int length;
  std::uint64_t kept, of;
};

struct RuleSearch {
  std::vector<FoundRules> rules_at;  // one for each cut-off
  std::vector<SearchCut> cuts;
  std::uint64_t n_candidates = 0;
  int length = 0;  // of the longest candidates looked at
};

// All columns must be nominal. `class_costs` weigh the classes in a rule's quality; where `row_costs` are
// given, each row brings its own cost instead.
RuleSearch search_rules(const Training& training, const std::vector<double>& class_costs,
                        const double* row_costs, const RuleOptions& options, const Poll& poll);

// Cost-weighted entropy of the classes, in units of its maximum; `shares` are weight times cost. The label is
// the class of the largest share.
struct Quality {
  double value = 1.0;
  std::int32_t label = 0;
};
Quality rule_quality(std::span<const double> shares);

// Conditions of rules as three arrays, checked against a table.
struct RuleView {
  std::span<const std::int32_t> start, feature, value;
  std::size_t size() const { return start.size() - 1; }
};
void check_rules(const RuleView& rules, const Table& table);

// First rule that applies to each row, -1 where none does. `looked`, where not null, has a byte for each row
// and column: 1 where a condition of that column was checked on the way.
void match_rules(const RuleView& rules, const Table& table, int n_threads, std::int32_t* first,
                 std::uint8_t* looked);

}  // namespace stakes::rules
