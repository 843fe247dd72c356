// Sums of many small trees.
#include "boost/additive.hpp"

#include <algorithm>
#include <stdexcept>

#include "bindings/module.hpp"

namespace stakes::bindings {

namespace {

auto additive_sums(const DenseMatrix& matrix, const DenseCodes& feature, const DenseNumbers& threshold,
                   const DenseCodes& left, const DenseCodes& right, const DenseCodes& missing_left,
                   const DenseNumbers& value, const DenseCodes& root, const DenseCodes& target,
                   std::int32_t n_targets, int n_threads) {
  if (n_targets < 1) throw std::invalid_argument("n_targets must be at least 1");
  boost::AdditiveTrees trees;
  trees.feature = span_of(feature);
  trees.threshold = span_of(threshold);
  trees.left = span_of(left);
  trees.right = span_of(right);
  trees.missing_left = span_of(missing_left);
  trees.value = span_of(value);
  trees.root = span_of(root);
  trees.target = span_of(target);
  const std::size_t n_rows = matrix.shape(0), n_columns = matrix.shape(1);
  const auto n_sums = static_cast<std::size_t>(n_targets);
  boost::check_additive(trees, n_columns, n_sums);
  std::vector<double> sums(n_rows * n_sums);
  {
    nb::gil_scoped_release release;
    boost::add_trees(trees, matrix.data(), n_rows, n_columns, n_sums, std::max(1, n_threads), sums.data());
  }
  return owned_array(std::move(sums));
}

}  // namespace

void bind_additive(nb::module_& m) {
  using namespace nb::literals;
  m.def("additive_sums", &additive_sums, "matrix"_a, "feature"_a, "threshold"_a, "left"_a, "right"_a,
        "missing_left"_a, "value"_a, "root"_a, "target"_a, "n_targets"_a, "n_threads"_a = 1,
        "Sums (n_rows * n_targets, flat) of the trees' values for each row.");
}

}  // namespace stakes::bindings
