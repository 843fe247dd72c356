#include "tree/tree.hpp"

#include <cstddef>

namespace stakes::tree {

Parts present_parts(const Training& training) {
  Parts parts;
  for (const std::uint32_t row : training.present_rows()) parts.push_back({row, training.weight(row)});
  return parts;
}

FlatTree flatten(const Tree& tree, std::int32_t n_classes) {
  FlatTree flat;
  flat.n_classes = n_classes;
  std::vector<std::int32_t> order{0};
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Node& node = tree[order[i]];
    flat.feature.push_back(node.feature);
    flat.threshold.push_back(node.threshold);
    flat.first_child.push_back(node.leaf() ? -1 : static_cast<std::int32_t>(order.size()));
    flat.n_branches.push_back(static_cast<std::int32_t>(node.children.size()));
    flat.value_start.push_back(static_cast<std::int32_t>(flat.value_branch.size()));
    flat.value_branch.insert(flat.value_branch.end(), node.value_branch.begin(), node.value_branch.end());
    flat.class_weights.insert(flat.class_weights.end(), node.class_weights.begin(), node.class_weights.end());
    flat.label.push_back(node.label);
    order.insert(order.end(), node.children.begin(), node.children.end());
  }
  flat.value_start.push_back(static_cast<std::int32_t>(flat.value_branch.size()));
  return flat;
}

std::int32_t heaviest_class(const std::vector<double>& class_weights, std::int32_t preferred) {
  std::int32_t best = preferred;
  for (std::size_t c = 0; c < class_weights.size(); ++c) {
    if (class_weights[c] > class_weights[best]) best = static_cast<std::int32_t>(c);
  }
  return best;
}

}  // namespace stakes::tree
