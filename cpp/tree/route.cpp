#include "tree/route.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "common/parallel.hpp"

namespace stakes::tree {

namespace {

constexpr std::size_t kBlock = 256;
constexpr int kMaxLockstep = 32;  // deeper trees are walked row by row

void fail(const std::string& what) {
  throw std::invalid_argument("the tree is damaged: " + what);
}

int check_links(const TreeView& tree) {
  const auto n_nodes = static_cast<std::int64_t>(tree.feature.size());
  std::vector<int> depth(tree.feature.size(), -1);
  depth[0] = 0;
  std::int64_t next = 1;
  int deepest = 0;
  for (std::int64_t i = 0; i < n_nodes; ++i) {
    if (tree.feature[i] < 0) {
      if (tree.n_branches[i] != 0) fail("a leaf has branches");
      continue;
    }
    const std::int64_t first = tree.first_child[i], n = tree.n_branches[i];
    if (n < 1 || first != next || first <= i || first + n > n_nodes) fail("a branch leads nowhere");
    next += n;
    for (std::int64_t child = first; child < first + n; ++child) depth[child] = depth[i] + 1;
    deepest = std::max(deepest, depth[i] + 1);
  }
  if (next != n_nodes) fail("some nodes cannot be reached");
  if (deepest > kMaxDepth) fail("it is too deep");
  return deepest;
}

void check_values(const TreeView& tree, const Table& table) {
  for (std::size_t i = 0; i < tree.feature.size(); ++i) {
    const std::int64_t first = tree.value_start[i], last = tree.value_start[i + 1];
    if (first < 0 || first > last || last > static_cast<std::int64_t>(tree.value_branch.size())) {
      fail("category ranges are out of order");
    }
    if (tree.feature[i] < 0) continue;
    if (tree.feature[i] >= static_cast<std::int32_t>(table.columns.size()))
      fail("it tests an unknown column");
    const Column& column = table.columns[tree.feature[i]];
    if (!column.nominal()) {
      if (tree.n_branches[i] != 2 || std::isnan(tree.threshold[i])) fail("a numeric test has no threshold");
      continue;
    }
    if (last - first != column.n_values) fail("a nominal test does not fit its column");
    for (std::int64_t v = first; v < last; ++v) {
      if (tree.value_branch[v] >= tree.n_branches[i]) fail("a category leads nowhere");
    }
  }
}

// Branch of a row at an inner node, -1 where the value is missing.
std::int32_t branch_of(const TreeView& tree, const Table& table, std::int32_t node, std::size_t row) {
  const Column& column = table.columns[tree.feature[node]];
  if (column.nominal()) {
    const std::int32_t code = column.code(row);
    return code < 0 ? -1 : tree.value_branch[tree.value_start[node] + code];
  }
  const double value = column.number(row);
  return std::isnan(value) ? -1 : value > tree.threshold[node];
}

std::int32_t walk(const TreeView& tree, const Table& table, std::size_t row) {
  std::int32_t node = 0;
  while (tree.feature[node] >= 0) {
    const std::int32_t branch = branch_of(tree, table, node, row);
    if (branch < 0) return -1;
    node = tree.first_child[node] + branch;
  }
  return node;
}

// What a scan of the numeric values of a block finds.
struct Oddities {
  bool missing = false, infinite = false;
};

// Zero if all values are finite, NaN if any is not. Eight sums at once, so that the compiler can use vectors.
double finite_or_nan(const double* values, std::size_t n) {
  double sums[8] = {};
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    for (std::size_t j = 0; j < 8; ++j) sums[j] += values[i + j] * 0.0;
  }
  for (; i < n; ++i) sums[0] += values[i] * 0.0;
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

Oddities scan(const double* values, std::size_t n, std::ptrdiff_t stride) {
  // NaN and infinity are told apart only when one of them is there.
  if (stride == 1 && finite_or_nan(values, n) == 0.0) return {};
  Oddities odd;
  for (std::size_t i = 0; i < n; ++i) {
    const double value = values[static_cast<std::ptrdiff_t>(i) * stride];
    odd.missing |= std::isnan(value);
    odd.infinite |= std::isinf(value);
  }
  return odd;
}

class LeafRouter {
 public:
  LeafRouter(const TreeView& tree, const Table& table, int depth)
      : tree_(tree), table_(table), depth_(depth) {
    const auto& columns = table.columns;
    bool numeric_tests = true;
    for (const std::int32_t f : tree.feature) numeric_tests &= f < 0 || !columns[f].nominal();
    row_major_ = !columns.empty();
    for (std::size_t f = 0; f < columns.size(); ++f) {
      row_major_ &= !columns[f].nominal() && columns[f].numbers == columns[0].numbers + f &&
                    columns[f].stride == static_cast<std::ptrdiff_t>(columns.size());
    }
    while (first_numeric_ < static_cast<std::int32_t>(columns.size()) && columns[first_numeric_].nominal()) {
      ++first_numeric_;
    }
    lockstep_ =
        numeric_tests && depth <= kMaxLockstep && first_numeric_ < static_cast<std::int32_t>(columns.size());
    if (lockstep_) {
      steps_.resize(tree.feature.size());
      for (std::size_t i = 0; i < steps_.size(); ++i) {
        const bool leaf = tree.feature[i] < 0;
        // A leaf leads to itself, so rows that arrive early can go on stepping.
        steps_[i].threshold = leaf ? std::numeric_limits<double>::infinity() : tree.threshold[i];
        steps_[i].feature = leaf ? first_numeric_ : tree.feature[i];
        steps_[i].next = leaf ? static_cast<std::int32_t>(i) : tree.first_child[i];
      }
    }
  }

  void route_block(std::size_t first, std::size_t last, std::int32_t* leaf) const {
    const Oddities odd = look(first, last);
    if (odd.infinite) {
      throw std::invalid_argument("Input X contains infinity or a value too large for dtype('float64').");
    }
    if (!lockstep_ || odd.missing) {
      for (std::size_t row = first; row < last; ++row) leaf[row] = walk(tree_, table_, row);
      return;
    }
    if (row_major_) {
      const double* const base = table_.columns[0].numbers;
      const auto n_columns = static_cast<std::ptrdiff_t>(table_.columns.size());
      step_down(first, last, leaf,
                [=](std::ptrdiff_t row, std::int32_t f) { return base[row * n_columns + f]; });
    } else {
      const Column* const columns = table_.columns.data();
      step_down(first, last, leaf, [=](std::ptrdiff_t row, std::int32_t f) {
        return columns[f].numbers[row * columns[f].stride];
      });
    }
  }

 private:
  struct Step {
    double threshold;
    std::int32_t feature;
    std::int32_t next;
  };

  template <class ValueAt>
  void step_down(std::size_t first, std::size_t last, std::int32_t* leaf, ValueAt value_at) const {
    const Step* const steps = steps_.data();
    std::fill(leaf + first, leaf + last, 0);
    for (int level = 0; level < depth_; ++level) {
      // Rows are independent here, so their loads overlap; walking one row at a time waits for each.
      for (std::size_t row = first; row < last; ++row) {
        const Step& step = steps[leaf[row]];
        leaf[row] = step.next + (value_at(static_cast<std::ptrdiff_t>(row), step.feature) > step.threshold);
      }
    }
  }

  Oddities look(std::size_t first, std::size_t last) const {
    if (row_major_) {
      const auto n_columns = table_.columns.size();
      return scan(table_.columns[0].numbers + first * n_columns, (last - first) * n_columns, 1);
    }
    Oddities odd;
    for (const Column& column : table_.columns) {
      if (column.nominal()) continue;
      const double* values = column.numbers + static_cast<std::ptrdiff_t>(first) * column.stride;
      const Oddities here = scan(values, last - first, column.stride);
      odd.missing |= here.missing;
      odd.infinite |= here.infinite;
    }
    return odd;
  }

  const TreeView& tree_;
  const Table& table_;
  int depth_;
  bool row_major_ = false, lockstep_ = false;
  std::int32_t first_numeric_ = 0;
  std::vector<Step> steps_;
};

class Mixer {
 public:
  Mixer(const TreeView& tree, const Table& table, const double* values, std::size_t n_values)
      : tree_(tree), table_(table), values_(values), n_values_(n_values) {}

  void mix(std::size_t row, std::int32_t node, double share, double* out) const {
    while (tree_.feature[node] >= 0) {
      const std::int32_t branch = branch_of(tree_, table_, node, row);
      if (branch < 0) {
        if (spread(row, node, share, out)) return;
        break;  // no branch saw a training row: the node answers itself
      }
      node = tree_.first_child[node] + branch;
    }
    const double* value = values_ + static_cast<std::size_t>(node) * n_values_;
    for (std::size_t k = 0; k < n_values_; ++k) out[k] += share * value[k];
  }

 private:
  bool spread(std::size_t row, std::int32_t node, double share, double* out) const {
    const std::int32_t first = tree_.first_child[node], last = first + tree_.n_branches[node];
    double total = 0.0;
    for (std::int32_t child = first; child < last; ++child) total += tree_.node_weight[child];
    if (!(total > 0.0)) return false;
    for (std::int32_t child = first; child < last; ++child) {
      if (tree_.node_weight[child] > 0.0) mix(row, child, share * (tree_.node_weight[child] / total), out);
    }
    return true;
  }

  const TreeView& tree_;
  const Table& table_;
  const double* values_;
  std::size_t n_values_;
};

}  // namespace

void check_tree(const TreeView& tree, const Table& table) {
  const std::size_t n = tree.feature.size();
  if (n == 0) fail("it has no nodes");
  if (tree.first_child.size() != n || tree.n_branches.size() != n || tree.threshold.size() != n ||
      tree.node_weight.size() != n || tree.value_start.size() != n + 1) {
    fail("its arrays differ in length");
  }
  check_links(tree);
  check_values(tree, table);
}

void route_leaves(const TreeView& tree, const Table& table, int n_threads, std::int32_t* leaf) {
  const LeafRouter router(tree, table, check_links(tree));
  const std::size_t n_blocks = (table.n_rows + kBlock - 1) / kBlock;
  ThreadPool pool(n_blocks > 40 ? n_threads : 1);
  pool.run(n_blocks, true, [&](std::size_t block, std::size_t) {
    router.route_block(block * kBlock, std::min(table.n_rows, (block + 1) * kBlock), leaf);
  });
}

void route_mixture(const TreeView& tree, const Table& table, std::span<const std::int64_t> rows,
                   const double* values, std::size_t n_values, double* out) {
  const Mixer mixer(tree, table, values, n_values);
  std::fill(out, out + rows.size() * n_values, 0.0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] < 0 || rows[i] >= static_cast<std::int64_t>(table.n_rows)) {
      throw std::out_of_range("row " + std::to_string(rows[i]) + " is not in the table");
    }
    mixer.mix(static_cast<std::size_t>(rows[i]), 0, 1.0, out + i * n_values);
  }
}

}  // namespace stakes::tree
