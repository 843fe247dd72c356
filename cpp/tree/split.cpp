#include "tree/split.hpp"

#include <algorithm>
#include <cmath>

namespace stakes::tree {

namespace {

constexpr double kJ48Slack = 1e-6;             // J48 compares almost everything up to this
constexpr std::size_t kParallelWork = 30'000;  // entries x columns below which waking threads costs more

struct Cut {
  std::uint32_t rank = 0, next_rank = 0;
  double score = -std::numeric_limits<double>::infinity();
  double left_weight = 0.0;
  std::size_t n_candidates = 0;
};

// What a cut must satisfy, and how much better than the best so far a later one must be.
struct CutRules {
  double min_weight, max_weight, improvement;
};

bool far_enough(const NumericColumn& column, Dialect dialect, std::uint32_t low, std::uint32_t high) {
  if (column.gap_everywhere) return true;
  // Two ways to write the same rule; they round differently, and data with five decimals notices.
  return dialect == Dialect::j48 ? column.values[low] + column.gap < column.values[high]
                                 : column.values[low] < column.values[high] - column.gap;
}

template <Impurity kind, bool unit>
Cut scan_counts(const Learning& learning, std::size_t f, std::span<const std::uint64_t> entries,
                std::vector<std::uint32_t> right, double total, const CutRules& rules, double start_score) {
  const EntryLayout layout = learning.layout;
  const CountTerms& terms = learning.count_terms;
  const NumericColumn& column = learning.numeric[f];
  const Dialect dialect = learning.options.dialect;
  const double* const unit_terms = terms.of_class(0);
  std::vector<std::uint32_t> left(right.size(), 0);
  double left_inner = 0.0, right_inner = 0.0, left_weight = 0.0;
  for (std::uint32_t c = 0; c < right.size(); ++c) right_inner += terms.term(c, right[c]);
  Cut best;
  best.score = start_score;
  std::uint32_t previous = layout.rank(entries[0]);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::uint64_t entry = entries[i];
    const std::uint32_t rank = layout.rank(entry);
    if (rank != previous) {
      if (left_weight > rules.max_weight) break;
      if (left_weight >= rules.min_weight && far_enough(column, dialect, previous, rank)) {
        ++best.n_candidates;
        double score;
        if constexpr (kind == Impurity::entropy && unit) {
          score = (left_inner + right_inner) - (unit_terms[i] + unit_terms[entries.size() - i]);
        } else {
          score = purity<kind>(left_inner, left_weight) + purity<kind>(right_inner, total - left_weight);
        }
        if (score > best.score + rules.improvement) {
          best.score = score;
          best.rank = previous;
          best.next_rank = rank;
          best.left_weight = left_weight;
        }
      }
      previous = rank;
    }
    const std::uint32_t c = layout.cls(entry);
    const double* const class_terms = unit ? unit_terms : terms.of_class(c);
    const std::uint32_t l = left[c]++, r = right[c]--;
    left_inner += class_terms[l + 1] - class_terms[l];
    right_inner += class_terms[r - 1] - class_terms[r];
    left_weight += unit ? 1.0 : terms.weight(c);
  }
  return best;
}

// Class weights on both sides of a moving cut; only the terms of classes that changed are computed again.
template <Impurity kind>
class MovingCut {
 public:
  explicit MovingCut(std::vector<double> total)
      : total_(std::move(total)),
        left_(total_.size(), 0.0),
        left_term_(total_.size(), 0.0),
        right_term_(total_.size()),
        stale_(total_.size(), 0) {
    for (std::size_t c = 0; c < total_.size(); ++c) {
      weight_ += total_[c];
      right_term_[c] = class_term<kind>(total_[c]);
    }
  }
  void move(std::size_t c, double weight) {
    left_[c] += weight;
    left_weight_ += weight;
    if (!stale_[c]) {
      stale_[c] = 1;
      changed_.push_back(c);
    }
  }
  double left_weight() const { return left_weight_; }
  double score() {
    for (const std::size_t c : changed_) {
      left_term_[c] = class_term<kind>(left_[c]);
      right_term_[c] = class_term<kind>(std::max(0.0, total_[c] - left_[c]));
      stale_[c] = 0;
    }
    changed_.clear();
    double left_inner = 0.0, right_inner = 0.0;
    for (std::size_t c = 0; c < total_.size(); ++c) {
      left_inner += left_term_[c];
      right_inner += right_term_[c];
    }
    return purity<kind>(left_inner, left_weight_) + purity<kind>(right_inner, weight_ - left_weight_);
  }

 private:
  std::vector<double> total_, left_, left_term_, right_term_;
  std::vector<std::uint8_t> stale_;
  std::vector<std::size_t> changed_;
  double weight_ = 0.0, left_weight_ = 0.0;
};

template <Impurity kind>
void consider(MovingCut<kind>& cut, std::uint32_t low, std::uint32_t high, const CutRules& rules, Cut& best) {
  ++best.n_candidates;
  const double score = cut.score();
  if (score > best.score + rules.improvement) {
    best.score = score;
    best.rank = low;
    best.next_rank = high;
    best.left_weight = cut.left_weight();
  }
}

template <Impurity kind>
Cut scan_weights(const Learning& learning, std::size_t f, std::span<const std::uint64_t> entries,
                 const std::vector<double>& known, const CutRules& rules, double start_score) {
  const EntryLayout layout = learning.layout;
  MovingCut<kind> cut(known);
  Cut best;
  best.score = start_score;
  std::uint32_t previous = layout.rank(entries[0]);
  for (const std::uint64_t entry : entries) {
    const std::uint32_t rank = layout.rank(entry);
    if (rank != previous) {
      if (cut.left_weight() > rules.max_weight) break;
      if (cut.left_weight() >= rules.min_weight &&
          far_enough(learning.numeric[f], learning.options.dialect, previous, rank)) {
        consider(cut, previous, rank, rules, best);
      }
      previous = rank;
    }
    cut.move(layout.cls(entry), learning.weight[layout.instance(entry)]);
  }
  return best;
}

template <Impurity kind>
Cut scan_bins(std::span<const double> table, const std::vector<double>& known, const CutRules& rules,
              double start_score) {
  const std::size_t n_classes = known.size(), n_bins = table.size() / n_classes;
  MovingCut<kind> cut(known);
  Cut best;
  best.score = start_score;
  std::int64_t previous = -1;  // last bin with any weight
  for (std::size_t b = 0; b < n_bins; ++b) {
    const double* weights = table.data() + b * n_classes;
    if (std::all_of(weights, weights + n_classes, [](double w) { return w <= 0.0; })) continue;
    if (previous >= 0 && cut.left_weight() >= rules.min_weight && cut.left_weight() <= rules.max_weight) {
      consider(cut, static_cast<std::uint32_t>(previous), static_cast<std::uint32_t>(b), rules, best);
    }
    for (std::size_t c = 0; c < n_classes; ++c) {
      if (weights[c] > 0.0) cut.move(c, weights[c]);
    }
    previous = static_cast<std::int64_t>(b);
  }
  return best;
}

struct Known {
  std::vector<double> weights;        // by class
  std::vector<std::uint32_t> counts;  // by class, where counting suffices
  double weight = 0.0;
  std::size_t n = 0;
};

Known known_values(const Learning& learning, const Sample& sample, std::size_t f, bool counting) {
  Known known;
  const auto entries = sample.sorted[f];
  known.n = entries.size();
  if (known.n == sample.instances.size()) {
    known.weights = sample.class_weights;
    known.weight = sample.weight;
    if (counting) known.counts = sample.class_counts;
    return known;
  }
  known.weights.assign(learning.n_classes(), 0.0);
  if (counting) {
    known.counts.assign(learning.n_classes(), 0);
    for (const std::uint64_t entry : entries) ++known.counts[learning.layout.cls(entry)];
    for (std::uint32_t c = 0; c < known.counts.size(); ++c) {
      known.weights[c] = known.counts[c] * learning.count_terms.weight(c);
    }
  } else {
    for (const std::uint64_t entry : entries) {
      known.weights[learning.layout.cls(entry)] += learning.weight[learning.layout.instance(entry)];
    }
  }
  for (const double weight : known.weights) known.weight += weight;
  return known;
}

Known known_values_binned(const Learning& learning, std::span<const double> table) {
  Known known;
  const std::size_t n_classes = learning.n_classes();
  known.weights.assign(n_classes, 0.0);
  for (std::size_t cell = 0; cell < table.size(); ++cell) known.weights[cell % n_classes] += table[cell];
  for (const double weight : known.weights) known.weight += weight;
  // Rows are not kept apart in bins: J48's rule about their number is applied to their weight.
  known.n = static_cast<std::size_t>(known.weight + 0.5);
  return known;
}

std::span<const double> histogram_of(const Learning& learning, const Sample& sample, std::size_t f) {
  const std::size_t n_classes = learning.n_classes();
  const std::size_t first = learning.histogram_start[f], last = learning.histogram_start[f + 1] - 1;
  return {sample.histogram.data() + first * n_classes, (last - first) * n_classes};
}

template <Impurity kind>
Cut find_cut(const Learning& learning, const Sample& sample, std::size_t f, const Known& known, bool counting,
             const CutRules& rules, double start_score) {
  if (learning.binned()) {
    return scan_bins<kind>(histogram_of(learning, sample, f), known.weights, rules, start_score);
  }
  const auto entries = sample.sorted[f];
  if (!counting) return scan_weights<kind>(learning, f, entries, known.weights, rules, start_score);
  return learning.count_terms.unit()
             ? scan_counts<kind, true>(learning, f, entries, known.counts, known.weight, rules, start_score)
             : scan_counts<kind, false>(learning, f, entries, known.counts, known.weight, rules, start_score);
}

// The largest value of the whole training set that is not above the middle of the gap.
double data_threshold(const std::vector<double>& values, std::uint32_t rank, std::uint32_t next_rank) {
  const double low = values[rank], high = values[next_rank];
  double middle = (low + high) / 2.0;
  if (std::isinf(middle)) middle = low / 2.0 + high / 2.0;
  const auto first = values.begin() + rank, last = values.begin() + next_rank;
  return *(std::upper_bound(first, last, middle) - 1);
}

Split numeric_split(const Learning& learning, const Sample& sample, std::size_t f) {
  const GrowOptions& options = learning.options;
  const bool j48 = options.dialect == Dialect::j48;
  Split split;
  split.feature = static_cast<std::int32_t>(f);
  const bool counting = learning.counts_suffice && !sample.fractional && !learning.binned();
  const Known known = learning.binned() ? known_values_binned(learning, histogram_of(learning, sample, f))
                                        : known_values(learning, sample, f, counting);
  const double m = options.min_samples_leaf;
  if (known.n == 0 || known.weight < 2.0 * m - kWeightSlack) return split;
  double min_weight = 0.1 * known.weight / static_cast<double>(learning.n_classes());
  min_weight = min_weight <= m ? m : std::min(min_weight, 25.0);
  if (j48 && 2.0 * min_weight - static_cast<double>(known.n) > kJ48Slack) return split;

  const double slack = j48 ? kJ48Slack : kWeightSlack;
  const double known_share = known.weight / sample.weight;
  const double base = purity_of(options.impurity(), known.weights);
  const CutRules rules{min_weight - slack, known.weight - min_weight + slack,
                       j48 ? kJ48Slack * known.weight / known_share : 0.0};
  const double start = j48 ? base : -std::numeric_limits<double>::infinity();
  const Cut cut = options.impurity() == Impurity::entropy
                      ? find_cut<Impurity::entropy>(learning, sample, f, known, counting, rules, start)
                      : find_cut<Impurity::gini>(learning, sample, f, known, counting, rules, start);
  if (cut.n_candidates == 0 || cut.left_weight <= 0.0) return split;

  split.gain = known_share * (cut.score - base) / known.weight;
  // The price of choosing among many thresholds is in bits; it has no counterpart for gini.
  if (options.impurity() == Impurity::entropy) {
    split.gain -= std::log2(static_cast<double>(cut.n_candidates)) / sample.weight;
  }
  if (split.gain <= (j48 ? kJ48Slack : 0.0)) return split;
  const double parts[] = {sample.weight - known.weight, cut.left_weight, known.weight - cut.left_weight};
  split.split_info = info(parts) / sample.weight;
  split.cut = cut.rank;
  const auto& values = learning.numeric[f].values;
  split.threshold = learning.binned() ? values[cut.rank] : data_threshold(values, cut.rank, cut.next_rank);
  split.n_branches = 2;
  split.usable = true;
  return split;
}

Split nominal_split(const Learning& learning, const Sample& sample, std::size_t f) {
  const GrowOptions& options = learning.options;
  const std::size_t n_classes = learning.n_classes();
  Split split;
  split.feature = static_cast<std::int32_t>(f);
  const std::vector<double> table = value_table(learning, sample, f);
  const std::size_t n_values = table.size() / n_classes;
  if (options.group_values && n_values > 2) {
    group_values(learning, table, sample.weight, split);
    return split;
  }
  if (sample.tested[f]) return split;
  std::size_t heavy = 0;
  for (std::size_t v = 0; v < n_values; ++v) {
    double weight = 0.0;
    for (std::size_t c = 0; c < n_classes; ++c) weight += table[v * n_classes + c];
    heavy += weight >= options.min_samples_leaf - kWeightSlack;
  }
  if (heavy < 2) return split;
  const Measure measure = measure_partition(options, table, n_classes, sample.weight);
  split.gain = measure.gain;
  split.split_info = measure.split_info;
  split.n_branches = static_cast<std::int32_t>(n_values);
  for (std::int32_t v = 0; v < split.n_branches; ++v) split.value_branch.push_back(v);
  split.usable = true;
  return split;
}

}  // namespace

CountTerms::CountTerms(Impurity impurity, const std::vector<std::uint32_t>& class_counts,
                       const std::vector<double>& class_weight, bool unit)
    : weight_(class_weight), start_(class_counts.size(), 0), unit_(unit) {
  std::size_t total_count = 0;
  double total_weight = 0.0;
  for (std::size_t c = 0; c < class_counts.size(); ++c) {
    if (!unit) start_[c] = total_count + c;
    total_count += class_counts[c];
    total_weight += class_counts[c] * class_weight[c];
  }
  terms_.resize(unit ? total_count + 1 : total_count + class_counts.size());
  const auto term = [&](double w) { return impurity == Impurity::entropy ? xlog2x(w) : w * w; };
  const double quantum = std::ldexp(1.0, std::ilogb(std::max(2.0, std::abs(term(total_weight)))) - 50);
  const auto fill = [&](std::size_t first, std::size_t n, double weight) {
    for (std::size_t i = 0; i <= n; ++i) {
      terms_[first + i] = std::nearbyint(term(static_cast<double>(i) * weight) / quantum) * quantum;
    }
  };
  if (unit) {
    fill(0, total_count, 1.0);
  } else {
    for (std::size_t c = 0; c < class_counts.size(); ++c) fill(start_[c], class_counts[c], class_weight[c]);
  }
}

Measure measure_partition(const GrowOptions& options, std::span<const double> branches, std::size_t n_classes,
                          double node_weight) {
  const std::size_t n_branches = branches.size() / n_classes;
  std::vector<double> whole(n_classes, 0.0), parts(n_branches + 1, 0.0);
  double inside = 0.0, known = 0.0;
  for (std::size_t b = 0; b < n_branches; ++b) {
    const auto branch = branches.subspan(b * n_classes, n_classes);
    for (std::size_t c = 0; c < n_classes; ++c) {
      whole[c] += branch[c];
      parts[b + 1] += branch[c];
    }
    inside += purity_of(options.impurity(), branch);
    known += parts[b + 1];
  }
  Measure measure;
  if (known <= 0.0) return measure;
  parts[0] = std::max(0.0, node_weight - known);
  double numerator = known / node_weight * (inside - purity_of(options.impurity(), whole));
  if (options.dialect == Dialect::j48 && std::abs(numerator) < kJ48Slack) numerator = 0.0;
  measure.gain = numerator / known;
  measure.split_info = info(parts) / node_weight;
  return measure;
}

std::vector<double> value_table(const Learning& learning, const Sample& sample, std::size_t f) {
  const std::size_t n_classes = learning.n_classes();
  if (learning.binned()) {
    const auto table = histogram_of(learning, sample, f);
    return {table.begin(), table.end()};
  }
  const Column& column = learning.training.table->columns[f];
  std::vector<double> table(static_cast<std::size_t>(column.n_values) * n_classes, 0.0);
  for (const std::uint32_t instance : sample.instances) {
    const std::uint32_t row = learning.row(instance);
    const std::int32_t code = column.code(row);
    if (code >= 0) {
      table[static_cast<std::size_t>(code) * n_classes + learning.training.classes[row]] +=
          learning.weight[instance];
    }
  }
  return table;
}

std::vector<double> build_histogram(const Learning& learning, const Sample& sample, ThreadPool& pool) {
  const std::size_t n_classes = learning.n_classes(), n_columns = learning.n_columns();
  std::vector<double> histogram(learning.histogram_start[n_columns] * n_classes, 0.0);
  const std::size_t n = sample.instances.size();
  std::vector<std::uint32_t> rows(n), classes(n);
  for (std::size_t i = 0; i < n; ++i) {
    rows[i] = learning.row(sample.instances[i]);
    classes[i] = static_cast<std::uint32_t>(learning.training.classes[rows[i]]);
  }
  pool.run(n_columns, n * n_columns > kParallelWork, [&](std::size_t f, std::size_t) {
    double* cells = histogram.data() + learning.histogram_start[f] * n_classes;
    learning.coded[f].visit([&](const auto* codes) {
      for (std::size_t i = 0; i < n; ++i) {
        cells[codes[rows[i]] * n_classes + classes[i]] += learning.weight[sample.instances[i]];
      }
    });
  });
  return histogram;
}

Split best_split(const Learning& learning, const Sample& sample, const Bought& bought, ThreadPool& pool) {
  const std::size_t n_columns = learning.n_columns();
  std::vector<Split> splits(n_columns);
  const bool worthwhile = !learning.binned() && sample.instances.size() * n_columns > kParallelWork;
  pool.run(n_columns, worthwhile, [&](std::size_t f, std::size_t) {
    splits[f] = learning.training.table->columns[f].nominal() ? nominal_split(learning, sample, f)
                                                              : numeric_split(learning, sample, f);
  });
  return choose(learning, sample, bought, splits);
}

}  // namespace stakes::tree
