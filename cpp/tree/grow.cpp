#include "tree/grow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <queue>
#include <stdexcept>
#include <string>

#include "common/binning.hpp"

namespace stakes::tree {

namespace {

constexpr double kCollapseSlack = 1e-3;
constexpr double kLeastSplitInfo = 1e-3;  // a nearly one-sided split must not make its descendants priceless
constexpr double kGap = 1e-5;             // values closer than this are never cut apart
constexpr std::size_t kParallelWork = 30'000;
constexpr double kPreparing = 0.3;  // share of the work that sorting or binning the columns usually is

// ---- preparing -------------------------------------------------------------------------------------------

void set_gap(Dialect dialect, NumericColumn& column) {
  const auto& values = column.values;
  if (values.empty()) return;
  // C4.5's fixed tolerance would hide a column measured in small units, so it shrinks with the range there.
  const double range = values.back() - values.front();
  column.gap = dialect == Dialect::j48 ? kGap : kGap * std::min(1.0, range);
  column.gap_everywhere = true;
  for (std::size_t i = 1; i < values.size() && column.gap_everywhere; ++i) {
    // Twice the gap, so that the two dialects' ways of rounding the rule cannot matter.
    column.gap_everywhere = values[i] - values[i - 1] > 2.0 * column.gap;
  }
}

void set_class_weights(const Training& training, const std::vector<std::uint32_t>& rows, Learning& learning) {
  std::vector<std::uint32_t> counts(learning.n_classes(), 0);
  std::vector<double> class_weight(learning.n_classes(), 1.0);
  learning.counts_suffice = !learning.binned();
  bool unit = true;
  for (const std::uint32_t row : rows) {
    const std::int32_t c = training.classes[row];
    const double weight = training.weight(row);
    if (counts[c]++ == 0) class_weight[c] = weight;
    learning.counts_suffice &= weight == class_weight[c];
    unit &= weight == 1.0;
    learning.total_weight += weight;
  }
  if (learning.counts_suffice) {
    learning.count_terms = CountTerms(learning.options.impurity(), counts, class_weight, unit);
  }
}

// ---- the grower ------------------------------------------------------------------------------------------

struct Pending {
  std::int32_t node;
  int depth;
  Sample sample;
  double work;                  // share of all work that is expected here and below
  Split split;                  // best-first only: found when the node was made
  std::size_t n_instances = 0;  // depth-first only: instances that were there when the node was made
};

class Grower {
 public:
  Grower(const Training& training, const GrowOptions& options, const Prices& prices, const Poll& poll)
      : pool_(options.n_threads), poll_(poll) {
    learning_.training = training;
    learning_.options = options;
    learning_.prices = prices;
    bought_.paid = Paid(prices);
    learning_.layout = EntryLayout(training.n_classes);
    learning_.all_many_valued = true;
  }

  Tree run() {
    Sample root = prepare();
    add_node(root, 0);
    if (learning_.options.best_first || learning_.options.max_leaf_nodes > 0) {
      grow_best_first(std::move(root));
    } else {
      grow_depth_first(std::move(root));
    }
    if (learning_.options.collapse) collapse();
    return std::move(tree_);
  }

 private:
  Sample prepare();
  void prepare_exact(const std::vector<std::uint32_t>& rows, Sample& root);
  void prepare_binned(const std::vector<std::uint32_t>& rows);
  void tally(Sample& sample) const;

  std::int32_t add_node(const Sample& sample, std::int32_t parent_label);
  bool must_be_leaf(const Sample& sample, int depth) const;
  void grow_depth_first(Sample root);
  void grow_best_first(Sample root);
  std::vector<Pending> expand(Pending& item, const Split& split);
  void tell() const { poll_(kPreparing + (1.0 - kPreparing) * std::min(done_, 1.0)); }
  void prepared(std::size_t column, std::size_t worker) const;
  void allot(const Pending& item, std::vector<Pending>& children);
  void collapse();

  std::vector<Sample> partition(const Sample& parent, const Split& split);
  // Branch of each instance at the node; says whether the tested value of any is missing.
  bool assign_branches(const Sample& parent, const Split& split);
  void split_whole(const Sample& parent, const Split& split, std::vector<Sample>& children);
  void split_with_parts(const Sample& parent, const Split& split, std::vector<Sample>& children);
  void fill_histograms(Sample& parent, std::vector<Sample>& children);

  Learning learning_;
  Bought bought_;
  ThreadPool pool_;
  const Poll& poll_;
  Tree tree_;
  double done_ = 0.0;  // share of the growing
  // Scratch space by instance. Branches are numbered from 0; kMissing marks an unknown tested value.
  static constexpr std::uint16_t kMissing = std::numeric_limits<std::uint16_t>::max();
  std::vector<std::uint16_t> branch_;
  std::vector<std::uint32_t> missing_position_;
  std::vector<std::vector<std::uint64_t>> scratch_;  // by thread
};

Sample Grower::prepare() {
  const Training& training = learning_.training;
  const Table& table = *training.table;
  const std::vector<std::uint32_t> rows = training.present_rows();
  if (table.n_rows >= learning_.layout.max_instances()) {
    throw std::length_error("too many rows: at most " + std::to_string(learning_.layout.max_instances() - 1) +
                            " with this number of classes");
  }
  set_class_weights(training, rows, learning_);
  learning_.weight.resize(table.n_rows);
  for (std::size_t i = 0; i < table.n_rows; ++i) learning_.weight[i] = training.weight(i);
  learning_.numeric.resize(table.columns.size());
  for (std::size_t f = 0; f < table.columns.size(); ++f) {
    learning_.all_many_valued &= learning_.many_valued(f);
    if (table.columns[f].n_values >= kMissing) {
      throw std::length_error("a nominal column may have at most " + std::to_string(kMissing - 1) +
                              " values");
    }
  }
  Sample root;
  root.tested.assign(table.columns.size(), 0);
  root.paid = Paid(learning_.prices);
  auto storage = std::make_shared<std::vector<std::uint32_t>>(rows);
  root.instances = *storage;
  root.storage = storage;
  if (learning_.binned()) {
    prepare_binned(rows);
  } else {
    prepare_exact(rows, root);
  }
  tally(root);
  if (learning_.binned()) root.histogram = build_histogram(learning_, root, pool_);
  branch_.resize(table.n_rows);
  return root;
}

void Grower::prepare_exact(const std::vector<std::uint32_t>& rows, Sample& root) {
  struct Storage {
    std::shared_ptr<void> instances;
    std::vector<std::vector<std::uint64_t>> entries;
  };
  const Table& table = *learning_.training.table;
  auto storage = std::make_shared<Storage>();
  storage->instances = root.storage;
  storage->entries.resize(table.columns.size());
  // Rows of weight zero have left gaps in the values of a table sorted beforehand.
  const Presorted* presorted = rows.size() == table.n_rows ? learning_.training.presorted : nullptr;
  std::vector<std::vector<double>> columns;
  if (!presorted) columns = gather_numeric(table, rows, pool_);
  pool_.run(table.columns.size(), rows.size() * table.columns.size() > kParallelWork,
            [&](std::size_t f, std::size_t worker) {
              prepared(f, worker);
              if (table.columns[f].nominal()) return;
              const std::int32_t* classes = learning_.training.classes;
              SortedColumn sorted = presorted
                                        ? with_classes(presorted->columns[f], classes, learning_.layout)
                                        : sort_column(std::move(columns[f]), rows, classes, learning_.layout);
              learning_.numeric[f].values = std::move(sorted.values);
              set_gap(learning_.options.dialect, learning_.numeric[f]);
              storage->entries[f] = std::move(sorted.entries);
            });
  root.sorted.assign(storage->entries.begin(), storage->entries.end());
  root.storage = storage;
}

// The ends of bins are found on at most this many rows.
constexpr std::size_t kBinSample = 200'000;

std::vector<double> sampled_bin_ends(const std::vector<double>& column, std::size_t max_bins) {
  std::vector<double> known;
  const std::size_t step = std::max<std::size_t>(1, column.size() / kBinSample);
  for (std::size_t i = 0; i < column.size(); i += step) {
    if (!std::isnan(column[i])) known.push_back(column[i]);
  }
  std::sort(known.begin(), known.end());
  return bin_ends(known, max_bins, BinEnd::first_of_next);
}

void Grower::prepare_binned(const std::vector<std::uint32_t>& rows) {
  const Table& table = *learning_.training.table;
  auto columns = gather_numeric(table, rows, pool_);
  learning_.coded.resize(table.columns.size());
  pool_.run(table.columns.size(), rows.size() * table.columns.size() > kParallelWork,
            [&](std::size_t f, std::size_t worker) {
              prepared(f, worker);
              if (table.columns[f].nominal()) {
                learning_.coded[f] = code_categories(table.columns[f], table.n_rows);
                return;
              }
              const std::vector<double> column = std::move(columns[f]);
              std::vector<double>& ends = learning_.numeric[f].values;
              ends = sampled_bin_ends(column, static_cast<std::size_t>(learning_.options.max_bins));
              learning_.coded[f] = code_numbers(column, rows, table.n_rows, ends);
            });
  learning_.histogram_start.assign(1, 0);
  for (const CodedColumn& column : learning_.coded) {
    const auto n = static_cast<std::size_t>(column.n_values);
    learning_.histogram_start.push_back(learning_.histogram_start.back() + n + 1);
  }
}

void Grower::tally(Sample& sample) const {
  sample.class_weights.assign(learning_.n_classes(), 0.0);
  sample.class_counts.assign(learning_.n_classes(), 0);
  for (const std::uint32_t instance : sample.instances) {
    const std::int32_t c = learning_.cls(instance);
    ++sample.class_counts[c];
    sample.class_weights[c] += learning_.weight[instance];
  }
  if (learning_.counts_suffice && !sample.fractional) {
    for (std::uint32_t c = 0; c < sample.class_counts.size(); ++c) {
      sample.class_weights[c] = sample.class_counts[c] * learning_.count_terms.weight(c);
    }
  }
  sample.weight = std::accumulate(sample.class_weights.begin(), sample.class_weights.end(), 0.0);
}

std::int32_t Grower::add_node(const Sample& sample, std::int32_t parent_label) {
  Node node;
  node.class_weights = sample.class_weights;
  node.weight = sample.weight;
  node.label = sample.weight > 0.0 ? heaviest_class(sample.class_weights, 0) : parent_label;
  tree_.push_back(std::move(node));
  return static_cast<std::int32_t>(tree_.size()) - 1;
}

bool Grower::must_be_leaf(const Sample& sample, int depth) const {
  const GrowOptions& options = learning_.options;
  if (depth >= kMaxDepth || (options.max_depth >= 0 && depth >= options.max_depth)) return true;
  if (sample.weight < 2.0 * options.min_samples_leaf - 1e-9) return true;
  const auto n_present = std::count_if(sample.class_weights.begin(), sample.class_weights.end(),
                                       [](double weight) { return weight > 0.0; });
  return n_present < 2;
}

void Grower::grow_depth_first(Sample root) {
  std::vector<Pending> stack;
  stack.push_back({0, 0, std::move(root), 1.0, {}, learning_.weight.size()});
  while (!stack.empty()) {
    tell();
    Pending item = std::move(stack.back());
    stack.pop_back();
    // Parts of rows made below an earlier sibling are of no more use.
    learning_.weight.resize(item.n_instances);
    learning_.part_of.resize(item.n_instances - learning_.training.table->n_rows);
    Split split;
    if (!must_be_leaf(item.sample, item.depth)) split = best_split(learning_, item.sample, bought_, pool_);
    if (split.feature < 0) {
      done_ += item.work;
      continue;
    }
    std::vector<Pending> children = expand(item, split);
    allot(item, children);
    // The first branch is grown first.
    for (auto child = children.rbegin(); child != children.rend(); ++child)
      stack.push_back(std::move(*child));
  }
}

void Grower::grow_best_first(Sample root) {
  std::vector<Pending> nodes;  // by order of making
  const auto value = [&](std::size_t i) { return nodes[i].split.gain * nodes[i].sample.weight; };
  const auto worse = [&](std::size_t a, std::size_t b) {
    return value(a) != value(b) ? value(a) < value(b) : a > b;
  };
  std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(worse)> queue(worse);
  const auto offer = [&](Pending item) {
    if (!must_be_leaf(item.sample, item.depth))
      item.split = best_split(learning_, item.sample, bought_, pool_);
    if (item.split.feature < 0) {
      done_ += item.work;
      return;
    }
    nodes.push_back(std::move(item));
    queue.push(nodes.size() - 1);
  };
  offer({0, 0, std::move(root), 1.0, {}, 0});
  const int limit = learning_.options.max_leaf_nodes;
  const int max_leaves = limit > 0 ? limit : std::numeric_limits<int>::max();
  int n_leaves = 1;
  while (!queue.empty()) {
    done_ = std::max(done_, static_cast<double>(n_leaves) / max_leaves);
    tell();
    Pending item = std::move(nodes[queue.top()]);
    queue.pop();
    if (!learning_.prices.empty()) {
      // What other nodes have bought since is cheaper now, and less may be left to spend.
      item.split = best_split(learning_, item.sample, bought_, pool_);
      if (item.split.feature < 0) continue;
    }
    if (n_leaves + item.split.n_branches - 1 > max_leaves) continue;
    n_leaves += item.split.n_branches - 1;
    const Split split = std::move(item.split);
    std::vector<Pending> children = expand(item, split);
    allot(item, children);
    for (Pending& child : children) {
      if (n_leaves < max_leaves) offer(std::move(child));
    }
  }
}

std::vector<Pending> Grower::expand(Pending& item, const Split& split) {
  const auto column = static_cast<std::size_t>(split.feature);
  bought_.most += bought_.paid.marginal_at_most(learning_.prices, column);
  bought_.paid.pay(learning_.prices, column);
  std::vector<Sample> samples = partition(item.sample, split);
  if (learning_.binned()) fill_histograms(item.sample, samples);
  std::vector<std::int32_t> children;
  std::vector<Pending> pending;
  for (Sample& sample : samples) {
    const std::int32_t child = add_node(sample, tree_[item.node].label);
    children.push_back(child);
    if (sample.weight > 0.0)
      pending.push_back({child, item.depth + 1, std::move(sample), 0.0, {}, learning_.weight.size()});
  }
  Node& node = tree_[item.node];
  node.feature = split.feature;
  node.threshold = split.threshold;
  node.value_branch = split.value_branch;
  node.children = std::move(children);
  return pending;
}

// As many levels are expected below a node as halving its rows would take. The node takes its part of the
// work at hand, and its branches get the rest by their rows: so the shares of all nodes add up to one.
void Grower::allot(const Pending& item, std::vector<Pending>& children) {
  const auto n_rows = [](const Pending& node) { return static_cast<double>(node.sample.instances.size()); };
  const double own = item.work / (1.0 + std::log2(std::max(2.0, n_rows(item))));
  double total = 0.0;
  for (const Pending& child : children) total += n_rows(child);
  for (Pending& child : children) child.work = (item.work - own) * n_rows(child) / total;
  done_ += children.empty() ? item.work : own;
}

void Grower::prepared(std::size_t column, std::size_t worker) const {
  const auto n_columns = static_cast<double>(learning_.training.table->columns.size());
  if (worker == 0) poll_(kPreparing * static_cast<double>(column) / n_columns);
}

// A split that saves no training error is undone, bottom-up.
void Grower::collapse() {
  // Children are made after their parents, so going backwards meets them first.
  std::vector<double> errors(tree_.size(), 0.0);
  for (std::size_t i = tree_.size(); i-- > 0;) {
    Node& node = tree_[i];
    const double as_leaf = node.weight > 0.0 ? node.weight - node.class_weights[node.label] : 0.0;
    for (const std::int32_t child : node.children) errors[i] += errors[child];
    if (!node.leaf() && errors[i] >= as_leaf - kCollapseSlack) node.make_leaf();
    if (node.leaf()) errors[i] = as_leaf;
  }
}

// ---- partitioning ----------------------------------------------------------------------------------------

bool Grower::assign_branches(const Sample& parent, const Split& split) {
  const auto f = static_cast<std::size_t>(split.feature);
  const Column& column = learning_.training.table->columns[f];
  branch_.resize(learning_.weight.size());
  bool any_missing = false;
  if (column.nominal()) {
    for (const std::uint32_t instance : parent.instances) {
      const std::int32_t code = column.code(learning_.row(instance));
      branch_[instance] = code < 0 ? kMissing : static_cast<std::uint16_t>(split.value_branch[code]);
      any_missing |= code < 0;
    }
  } else if (learning_.binned()) {
    const CodedColumn& coded = learning_.coded[f];
    for (const std::uint32_t instance : parent.instances) {
      const std::uint8_t bin = coded.bytes[learning_.row(instance)];
      branch_[instance] = bin == coded.n_values ? kMissing : bin > split.cut;
      any_missing |= bin == coded.n_values;
    }
  } else {
    const auto entries = parent.sorted[f];
    any_missing = entries.size() < parent.instances.size();
    if (any_missing) {
      for (const std::uint32_t instance : parent.instances) branch_[instance] = kMissing;
    }
    constexpr std::size_t kBlock = 1 << 16;
    pool_.run((entries.size() + kBlock - 1) / kBlock, true, [&](std::size_t block, std::size_t) {
      const std::size_t first = block * kBlock, n = std::min(kBlock, entries.size() - first);
      for (const std::uint64_t entry : entries.subspan(first, n)) {
        branch_[learning_.layout.instance(entry)] = learning_.layout.rank(entry) > split.cut;
      }
    });
  }
  return any_missing;
}

// Stable partition of one list by branch, in place. Returns where each branch starts.
template <class Item, class BranchOf>
std::vector<std::size_t> partition_list(std::span<Item> list, std::size_t n_branches,
                                        std::vector<Item>& scratch, BranchOf branch_of) {
  std::vector<std::size_t> start(n_branches + 1, 0);
  if (scratch.size() < list.size()) scratch.resize(list.size());
  if (n_branches == 2) {
    Item* left = list.data();
    Item* right = scratch.data();
    for (const Item item : list) {
      // Both are written, one pointer moves: a branch on random data would be mispredicted half the time.
      const std::size_t to_right = branch_of(item);
      *left = item;
      *right = item;
      left += 1 - to_right;
      right += to_right;
    }
    std::copy(scratch.data(), right, left);
    start[1] = static_cast<std::size_t>(left - list.data());
    start[2] = list.size();
    return start;
  }
  for (const Item& item : list) ++start[branch_of(item) + 1];
  for (std::size_t b = 0; b < n_branches; ++b) start[b + 1] += start[b];
  std::vector<std::size_t> next(start.begin(), start.end() - 1);
  for (const Item& item : list) scratch[next[branch_of(item)]++] = item;
  std::copy(scratch.begin(), scratch.begin() + static_cast<std::ptrdiff_t>(list.size()), list.begin());
  return start;
}

std::vector<Sample> Grower::partition(const Sample& parent, const Split& split) {
  const bool any_missing = assign_branches(parent, split);
  std::vector<Sample> children(static_cast<std::size_t>(split.n_branches));
  const auto column = static_cast<std::size_t>(split.feature);
  const bool mark = !split.value_branch.empty() && !learning_.options.group_values;
  for (Sample& child : children) {
    child.tested = parent.tested;
    if (mark) child.tested[column] = 1;
    child.fractional = parent.fractional;
    child.paid = parent.paid;
    child.path_most = parent.path_most + parent.paid.marginal_at_most(learning_.prices, column);
    child.paid.pay(learning_.prices, column);
    child.path_ratio = parent.path_ratio / std::max(split.split_info, kLeastSplitInfo);
    child.sorted.resize(parent.sorted.size());
  }
  if (any_missing) {
    split_with_parts(parent, split, children);
  } else {
    split_whole(parent, split, children);
  }
  pool_.run(children.size(), parent.instances.size() > kParallelWork,
            [&](std::size_t b, std::size_t) { tally(children[b]); });
  return children;
}

void Grower::split_whole(const Sample& parent, const Split& split, std::vector<Sample>& children) {
  const std::size_t n_branches = children.size();
  const auto hand_out = [&](auto list, const std::vector<std::size_t>& start, auto&& place) {
    for (std::size_t b = 0; b < n_branches; ++b)
      place(children[b], list.subspan(start[b], start[b + 1] - start[b]));
  };
  std::vector<std::uint32_t> scratch;
  const auto rows = parent.instances;
  hand_out(rows, partition_list(rows, n_branches, scratch, [&](std::uint32_t i) { return branch_[i]; }),
           [](Sample& child, std::span<std::uint32_t> part) { child.instances = part; });
  for (Sample& child : children) child.storage = parent.storage;
  const EntryLayout layout = learning_.layout;
  scratch_.resize(pool_.size());
  pool_.run(parent.sorted.size(), rows.size() * parent.sorted.size() > kParallelWork,
            [&](std::size_t f, std::size_t worker) {
              const auto entries = parent.sorted[f];
              if (entries.empty()) return;
              std::vector<std::size_t> start;
              if (static_cast<std::int32_t>(f) == split.feature) {
                const auto cut = std::partition_point(
                    entries.begin(), entries.end(),
                    [&](std::uint64_t entry) { return layout.rank(entry) <= split.cut; });
                start = {0, static_cast<std::size_t>(cut - entries.begin()), entries.size()};
              } else {
                start = partition_list(entries, n_branches, scratch_[worker],
                                       [&](std::uint64_t entry) { return branch_[layout.instance(entry)]; });
              }
              hand_out(entries, start,
                       [&](Sample& child, std::span<std::uint64_t> part) { child.sorted[f] = part; });
            });
}

// Rows whose tested value is missing enter every branch that has known rows, with a share of their weight.
void Grower::split_with_parts(const Sample& parent, const Split&, std::vector<Sample>& children) {
  struct Storage {
    std::vector<std::uint32_t> instances;
    std::vector<std::vector<std::uint64_t>> entries;
  };
  const std::size_t n_branches = children.size();
  std::vector<double> known(n_branches, 0.0);
  std::vector<std::uint32_t> missing;
  missing_position_.resize(learning_.weight.size());
  for (const std::uint32_t instance : parent.instances) {
    if (branch_[instance] == kMissing) {
      missing_position_[instance] = static_cast<std::uint32_t>(missing.size());
      missing.push_back(instance);
    } else {
      known[branch_[instance]] += learning_.weight[instance];
    }
  }
  const double total = std::accumulate(known.begin(), known.end(), 0.0);
  for (std::size_t b = 0; b < n_branches; ++b) {
    if (known[b] <= 0.0) continue;
    const std::size_t first = learning_.weight.size();
    if (first + missing.size() >= learning_.layout.max_instances()) {
      throw std::length_error(
          "too many parts of rows: so many values are missing that the table does not fit");
    }
    for (const std::uint32_t instance : missing) {
      learning_.weight.push_back(learning_.weight[instance] * known[b] / total);
      learning_.part_of.push_back(learning_.row(instance));
    }
    auto storage = std::make_shared<Storage>();
    const auto part = [&](std::uint32_t instance) {
      return static_cast<std::uint32_t>(first + missing_position_[instance]);
    };
    for (const std::uint32_t instance : parent.instances) {
      if (branch_[instance] == b) storage->instances.push_back(instance);
      if (branch_[instance] == kMissing) storage->instances.push_back(part(instance));
    }
    storage->entries.resize(parent.sorted.size());
    const EntryLayout layout = learning_.layout;
    pool_.run(parent.sorted.size(), parent.instances.size() * parent.sorted.size() > kParallelWork,
              [&](std::size_t f, std::size_t) {
                auto& entries = storage->entries[f];
                for (const std::uint64_t entry : parent.sorted[f]) {
                  const std::uint32_t instance = layout.instance(entry);
                  if (branch_[instance] == b) entries.push_back(entry);
                  if (branch_[instance] == kMissing) {
                    entries.push_back(layout.with_instance(entry, part(instance)));
                  }
                }
              });
    Sample& child = children[b];
    child.fractional = true;
    child.instances = storage->instances;
    for (std::size_t f = 0; f < parent.sorted.size(); ++f) child.sorted[f] = storage->entries[f];
    child.storage = storage;
  }
}

// All children but the largest are counted; the largest is what remains of the parent.
void Grower::fill_histograms(Sample& parent, std::vector<Sample>& children) {
  std::size_t largest = 0;
  for (std::size_t b = 1; b < children.size(); ++b) {
    if (children[b].instances.size() > children[largest].instances.size()) largest = b;
  }
  std::vector<double> rest = std::move(parent.histogram);
  for (std::size_t b = 0; b < children.size(); ++b) {
    if (b == largest) continue;
    if (children[b].weight <= 0.0) continue;
    children[b].histogram = build_histogram(learning_, children[b], pool_);
    for (std::size_t i = 0; i < rest.size(); ++i) {
      rest[i] -= children[b].histogram[i];
      // What rounding leaves of a cell that is empty must not look like a row.
      if (rest[i] < 1e-9) rest[i] = 0.0;
    }
  }
  children[largest].histogram = std::move(rest);
}

}  // namespace

Tree grow(const Training& training, const GrowOptions& options, const Prices& prices, const Poll& poll) {
  return Grower(training, options, prices, poll).run();
}

}  // namespace stakes::tree
