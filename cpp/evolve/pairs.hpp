// All pairs of tests at a node of a few levels: the best leaf, and for each test the best second one below
// it.
#pragma once

#include <vector>

#include "evolve/groups.hpp"
#include "evolve/pair_kernels.hpp"

namespace stakes::evolve {

// A test that sends groups up to `last` of a column to branch 0.
struct GroupTest {
  std::size_t column, last;
};

// What is known about the tests on some rows: costs of both sides as leaves, and with the best second test.
struct PairCosts {
  double none = 0.0;  // no test at all
  double rows = 0.0;  // how many
  std::vector<double> leaf[2];
  Partners partners;

  double side(std::size_t s, std::size_t t) const { return std::min(leaf[s][t], partners.cost[s][t]); }
};

class PairSearch {
 public:
  PairSearch(const Trees& trees, const NodeRows& reach, const Place& place, std::vector<std::uint32_t> rows,
             std::size_t max_groups, double node_price);

  const std::vector<GroupTest>& tests() const { return tests_; }
  EvolveTest test(std::size_t t) const;
  double price(std::size_t t, double rows) const;
  const Ledger& ledger() const { return ledger_; }

  // Rows as bits. Where they are counted, those of a class have words of their own.
  const Mask& all_rows() const { return all_; }
  Mask left_of(std::size_t t, const Mask& rows) const;
  std::size_t n_classes() const { return ends_.size(); }
  // Rows of a class, where rows are counted.
  double count(const Mask& rows, std::size_t c) const;
  // Whether these are all tests that can matter: each two values are told apart, and all rows were looked at.
  bool complete() const { return complete_; }

  // `pairs` false: one level of tests only.
  PairCosts search(const Mask& rows, bool pairs);

 private:
  void lay_out(const EvolveTable& table);
  bool packs(std::size_t n_rows) const;
  void pack(const Mask& rows);
  void counted(PairCosts& costs, bool pairs);
  void summed(PairCosts& costs, const Mask& rows, bool pairs);
  void single_tests(PairCosts& costs);
  void same_column(PairCosts& costs, const Groups& groups);
  void pair_of_columns(PairCosts& costs, const Groups& a, const Groups& b,
                       const std::vector<std::uint32_t>& members);
  PairRow row_of(std::size_t t, std::size_t from, std::size_t to);

  const Trees& trees_;
  std::vector<std::uint32_t> rows_;  // of the table
  Ledger ledger_;
  double node_price_;
  bool complete_ = true;
  std::vector<Groups> columns_;
  std::vector<std::size_t> numbers_;  // of the columns in the table
  std::vector<GroupTest> tests_;
  std::vector<std::uint32_t> at_;  // number in `rows_` of each bit
  std::vector<std::size_t> ends_;  // word after those of each class, where rows are counted
  Mask all_, masks_;               // rows left of each test: word w of test t is at w * tests + t
  // Scratch of one search.
  LeafModel model_;
  std::vector<std::size_t> channels_;  // that occur, of all
  std::vector<std::size_t> packed_ends_;
  Mask packed_, first_;
  std::vector<double> total_, left_, lower_, corner_, between_, leaves_, prices_, pairs_;
};

}  // namespace stakes::evolve
