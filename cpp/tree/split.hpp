// The best split of one node.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "common/coded.hpp"
#include "common/parallel.hpp"
#include "common/presort.hpp"
#include "common/prices.hpp"
#include "common/table.hpp"
#include "tree/criterion.hpp"

namespace stakes::tree {

enum class Dialect { c45, j48 };

constexpr double kWeightSlack = 1e-9;  // sums of fractional weights miss whole numbers by rounding

// What the split of a node is judged by. The last six take the price of the column into account.
enum class Criterion { gain_ratio, gain, gini, cs_gain, cs_gain_ratio, nunez, mitchell, norton, tan };

// What a criterion from outside is told of the best split of a column.
struct Candidate {
  double gain, split_info;
  double price;  // what the column adds to the price of the tree
  double share;  // of the training weight that is at the node
  double gamma;  // how much prices matter
};

struct GrowOptions {
  Dialect dialect = Dialect::c45;
  Criterion criterion = Criterion::gain_ratio;
  double gamma = 0.0;              // how much prices matter
  bool ratio_of_candidate = true;  // cs_gain_ratio: the candidate's own split info is part of the product
  bool split_at_loss = false;      // whether a split may cost more than the information that it adds
  bool reuse_free = true;          // whether a criterion counts what the tree has paid for as free
  double max_upfront_cost = std::numeric_limits<double>::infinity();  // of all columns of the tree
  double max_path_cost = std::numeric_limits<double>::infinity();     // of the columns on any path
  bool best_first = false;
  double min_samples_leaf = 2.0;
  bool group_values = false;
  int max_depth = -1;      // negative: no limit
  int max_leaf_nodes = 0;  // 0: no limit; otherwise best-first
  double min_gain = 0.0;
  int max_bins = 0;      // 0: exact cuts
  bool collapse = true;  // undo splits that save no training error
  int n_threads = 1;
  // Judges in place of `criterion`, which then says the impurity; called on the calling thread, may throw.
  std::function<double(const Candidate&)> judge;

  Impurity impurity() const { return criterion == Criterion::gini ? Impurity::gini : Impurity::entropy; }
  // Whether columns compete by gain ratio among those of at least average gain.
  bool ratio() const { return criterion == Criterion::gain_ratio || criterion == Criterion::cs_gain_ratio; }
};

// Weight x log2(weight) for every count a class can reach, rounded to a common binary fraction. Sums of such
// numbers are exact in double precision, so running sums do not drift and equal splits tie exactly.
class CountTerms {
 public:
  CountTerms() = default;
  CountTerms(Impurity impurity, const std::vector<std::uint32_t>& class_counts,
             const std::vector<double>& class_weight, bool unit);
  bool unit() const { return unit_; }
  double term(std::uint32_t cls, std::uint32_t count) const { return terms_[start_[cls] + count]; }
  double weight(std::uint32_t cls) const { return weight_[cls]; }
  const double* of_class(std::uint32_t cls) const { return terms_.data() + start_[cls]; }

 private:
  std::vector<double> terms_, weight_;
  std::vector<std::size_t> start_;
  bool unit_ = false;
};

// A numeric column as the grower sees it: exact (sorted entries live in the samples) or binned.
struct NumericColumn {
  std::vector<double> values;   // distinct values, or the largest value of each bin
  double gap = 0.0;             // two values must differ by more than this to be cut apart
  bool gap_everywhere = false;  // all neighbours differ by more
};

// Everything about the training data that does not change from node to node.
// An instance is a row, or a part of a row whose tested value was missing further up.
struct Learning {
  Training training;
  GrowOptions options;
  Prices prices;
  EntryLayout layout;
  std::vector<NumericColumn> numeric;  // by column; empty for nominal ones
  std::vector<CodedColumn> coded;      // by column; binned only
  std::vector<std::size_t>
      histogram_start;          // binned only: first cell of each column, in (value, class) cells
  bool counts_suffice = false;  // every whole row of a class weighs the same
  CountTerms count_terms;
  double total_weight = 0.0;
  bool all_many_valued = false;        // every column has at least 0.3 N values
  std::vector<double> weight;          // of each instance
  std::vector<std::uint32_t> part_of;  // row of instance n_rows + i

  std::uint32_t row(std::uint32_t instance) const {
    const auto n_rows = static_cast<std::uint32_t>(training.table->n_rows);
    return instance < n_rows ? instance : part_of[instance - n_rows];
  }
  std::int32_t cls(std::uint32_t instance) const { return training.classes[row(instance)]; }
  std::size_t n_columns() const { return training.table->columns.size(); }
  std::size_t n_classes() const { return static_cast<std::size_t>(training.n_classes); }
  bool binned() const { return options.max_bins > 0; }
  bool many_valued(std::size_t column) const {
    const Column& c = training.table->columns[column];
    return c.nominal() && c.n_values >= 0.3 * total_weight;
  }
};

// The training rows at one node.
struct Sample {
  std::span<std::uint32_t> instances;
  std::vector<std::span<std::uint64_t>> sorted;  // exact: by column, empty for nominal ones
  std::vector<double> histogram;                 // binned
  std::shared_ptr<void> storage;                 // owns what the spans point to
  std::vector<double> class_weights;
  std::vector<std::uint32_t> class_counts;
  double weight = 0.0;
  bool fractional = false;           // some instance is a part of a row
  std::vector<std::uint8_t> tested;  // nominal columns tested on the path
  Paid paid;                         // what the path has paid for
  double path_most = 0.0;            // what that costs at most
  double path_ratio = 1.0;           // product of 1 / split info along the path
};

// What the tree has bought so far, whatever path it was for.
struct Bought {
  Paid paid;
  double most = 0.0;  // what it costs at most
};

struct Split {
  std::int32_t feature = -1;
  double gain = 0.0;
  double split_info = 0.0;
  bool usable = false;
  // numeric: entries whose rank (or bin) is at most `cut` go left
  std::uint32_t cut = 0;
  double threshold = std::numeric_limits<double>::quiet_NaN();
  // nominal
  std::vector<std::int32_t> value_branch;
  std::int32_t n_branches = 0;
};

// Feature -1 when no split is worth making.
Split best_split(const Learning& learning, const Sample& sample, const Bought& bought, ThreadPool& pool);

// The best of the splits found, one per column; see choose.cpp.
Split choose(const Learning& learning, const Sample& sample, const Bought& bought,
             std::vector<Split>& splits);

// Class weights of each category at the node, (n_values, n_classes).
std::vector<double> value_table(const Learning& learning, const Sample& sample, std::size_t column);

// (value, class) weights of every column at the node, missing values last. Binned mode only.
std::vector<double> build_histogram(const Learning& learning, const Sample& sample, ThreadPool& pool);

// Quinlan's grouping of nominal values; see group.cpp. Needs at least one known value.
void group_values(const Learning& learning, const std::vector<double>& table, double node_weight,
                  Split& split);

// Gain and split info of a partition given as class weights per branch.
struct Measure {
  double gain = 0.0, split_info = 0.0;
};
Measure measure_partition(const GrowOptions& options, std::span<const double> branches, std::size_t n_classes,
                          double node_weight);

}  // namespace stakes::tree
