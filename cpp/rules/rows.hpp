// The rows of a table as sets: one for each basic rule (column = value), rows of a class side by side.
#pragma once

#include <cstdint>
#include <vector>

#include "common/bits.hpp"
#include "rules/search.hpp"

namespace stakes::rules {

struct BasicRule {
  std::int32_t feature = 0, value = 0;
  Quality quality;
  double closing = 0.0;  // quality where the support allows to accept it, else infinite
};

// Rows are put in the order of their classes and every class starts a new word, so that one AND with one
// count per class gives the class distribution of a candidate.
class RuleRows {
 public:
  RuleRows(const Training& training, const std::vector<double>& class_costs, const double* row_costs,
           const RuleOptions& options);

  std::size_t n_classes() const { return class_costs_.size(); }
  std::size_t n_words() const { return n_words_; }
  std::size_t class_begin(std::size_t c) const { return class_word_[c]; }
  std::size_t class_words(std::size_t c) const { return class_word_[c + 1] - class_word_[c]; }
  bool plain() const { return weight_.empty(); }  // every row counts 1: sets can be counted by bits

  const std::vector<BasicRule>& basics() const { return basics_; }
  const Word* set(std::size_t basic) const { return sets_.data() + basic * n_words_; }
  const std::vector<Word>& everything() const { return everything_; }
  const double* class_weights(std::size_t basic) const { return basic_weights_.data() + basic * n_classes(); }

  // Class weights of a rule of several conditions.
  std::vector<double> class_weights(const std::uint16_t* prefix, std::size_t n_prefix,
                                    std::size_t basic) const;

  // Keeps these basic rules (ascending) and makes their sets.
  void keep(const std::vector<std::size_t>& kept);
  // First basic rule of a column behind that of this one.
  std::size_t later(std::size_t basic) const { return later_[basic]; }

  // Class weights, and weights times costs, of the rows of `prefix` in each of the basic rules from `first`
  // on: (n_basics, n_classes), rows before `first` are left as they are.
  void count(const Word* prefix, std::size_t first, std::vector<double>& weights,
             std::vector<double>& shares) const;
  Quality quality(const double* weights, const double* shares) const;
  // Whether some class reaches its least support, and whether the predicted one does.
  bool supported(const double* weights) const;
  bool supported(const double* weights, std::int32_t label) const;
  double closing(const double* weights, const Quality& quality) const;

 private:
  void count_bits(const Word* prefix, std::size_t first, std::vector<double>& weights) const;
  void count_rows(const Word* prefix, std::size_t first, std::vector<double>& weights,
                  std::vector<double>& shares) const;

  const Training& training_;
  std::vector<double> class_costs_, min_support_;
  bool own_costs_ = false;                // rows bring their costs
  std::vector<std::uint32_t> position_;   // of each row in the order of classes, kNowhere without weight
  std::vector<double> weight_, share_;    // by position: weight, weight times cost
  std::vector<std::size_t> class_word_;   // first word of each class, and the end
  std::size_t n_words_ = 0, n_used_ = 0;  // n_used_: columns that have basic rules
  std::vector<BasicRule> basics_;
  std::vector<double> basic_weights_;
  std::vector<std::size_t> later_;
  std::vector<std::size_t> later_column_;  // by basic: first of the used columns behind its own
  std::vector<Word> sets_, everything_;
  std::vector<std::uint16_t> codes_;  // basic rule of each position and used column
};

}  // namespace stakes::rules
