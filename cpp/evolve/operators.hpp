// The operators of Kretowski and Grzes (2007), section 2.4, and the trees that they start from, section 2.2.
#pragma once

#include <utility>

#include "evolve/tree.hpp"

namespace stakes::evolve {

// ---- tests ------------------------------------------------------------------------------------------------

// A test that separates two rows of different classes; column -1 where the rows do not allow one.
EvolveTest dipolar_test(const Trees& trees, const NodeRows& reach, Random& random);
// A test that separates two rows of any class.
EvolveTest random_test(const Trees& trees, const NodeRows& reach, Random& random);
// Tests from the top down, each separating a mixed dipole, until rows are few or of one class. They are found
// on a sample of so many rows.
NodePtr dipolar_sketch(const Trees& trees, const NodeRows& reach, std::size_t n_rows, Random& random);

// ---- first population -------------------------------------------------------------------------------------

NodePtr first_tree(const Trees& trees, Random& random);

// ---- CrossTrees -------------------------------------------------------------------------------------------

using Couple = std::pair<NodePtr, NodePtr>;
Couple cross_trees(const Trees& trees, const Couple& parents, Random& random);

// ---- MutateNode -------------------------------------------------------------------------------------------

// The five variants for inner nodes and the two for leaves. Each returns a sketch to be put in the node's
// place, or null where the variant does not apply.
NodePtr new_test(const Trees& trees, const NodePtr& node, Random& random);
NodePtr shift_test(const Trees& trees, const NodePtr& node, Random& random);
NodePtr swap_with_son(const Trees& trees, const NodePtr& node, Random& random);
NodePtr copy_branch(const Trees& trees, const NodePtr& node, Random& random);
NodePtr become_leaf(const Trees& trees, const NodePtr& node, Random& random);
NodePtr split_leaf(const Trees& trees, const NodePtr& node, Random& random);
NodePtr grow_leaf(const Trees& trees, const NodePtr& node, Random& random);

// Each node is changed with probability `mutation_rate`.
NodePtr mutate_tree(const Trees& trees, NodePtr root, Random& random);

}  // namespace stakes::evolve
