#include "boost/additive.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "common/parallel.hpp"

namespace stakes::boost {

namespace {

// Rows that share one pass over the trees: these stay in the cache, the trees may not.
constexpr std::size_t kBlock = 64;

void fail(const std::string& what) {
  throw std::invalid_argument("the trees are damaged: " + what);
}

double leaf_value(const AdditiveTrees& trees, const double* row, std::int32_t node) {
  while (trees.feature[node] >= 0) {
    const double x = row[trees.feature[node]];
    const bool left = std::isnan(x) ? trees.missing_left[node] != 0 : x <= trees.threshold[node];
    node = left ? trees.left[node] : trees.right[node];
  }
  return trees.value[node];
}

}  // namespace

void check_additive(const AdditiveTrees& trees, std::size_t n_columns, std::size_t n_targets) {
  const std::size_t n = trees.feature.size();
  if (trees.left.size() != n || trees.right.size() != n || trees.missing_left.size() != n ||
      trees.threshold.size() != n || trees.value.size() != n) {
    fail("arrays of nodes differ in length");
  }
  if (trees.root.size() != trees.target.size()) fail("arrays of trees differ in length");
  const auto inside = [n](std::int64_t node) { return node >= 0 && node < static_cast<std::int64_t>(n); };
  for (std::size_t i = 0; i < n; ++i) {
    if (trees.feature[i] < 0) continue;
    if (static_cast<std::size_t>(trees.feature[i]) >= n_columns) fail("they test an unknown column");
    // Children come after their parent, so every walk ends.
    const std::int64_t first = std::min(trees.left[i], trees.right[i]);
    if (first <= static_cast<std::int64_t>(i) || !inside(trees.left[i]) || !inside(trees.right[i])) {
      fail("a branch leads nowhere");
    }
  }
  for (std::size_t t = 0; t < trees.root.size(); ++t) {
    if (!inside(trees.root[t])) fail("a tree has no first node");
    if (trees.target[t] < 0 || static_cast<std::size_t>(trees.target[t]) >= n_targets) {
      fail("a tree adds to an unknown column");
    }
  }
}

void add_trees(const AdditiveTrees& trees, const double* matrix, std::size_t n_rows, std::size_t n_columns,
               std::size_t n_targets, int n_threads, double* sums) {
  const std::size_t n_blocks = (n_rows + kBlock - 1) / kBlock;
  const bool worthwhile = n_rows * trees.root.size() > 100'000;  // about 1 ms
  ThreadPool pool(worthwhile ? n_threads : 1);
  pool.run(n_blocks, worthwhile, [&](std::size_t block, std::size_t) {
    const std::size_t first = block * kBlock, last = std::min(n_rows, first + kBlock);
    for (std::size_t t = 0; t < trees.root.size(); ++t) {
      for (std::size_t row = first; row < last; ++row) {
        sums[row * n_targets + trees.target[t]] += leaf_value(trees, matrix + row * n_columns, trees.root[t]);
      }
    }
  });
}

}  // namespace stakes::boost
