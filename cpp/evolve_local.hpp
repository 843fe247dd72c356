// Local search: the best test at a node given what is below it, and the best small subtree.
#pragma once

#include "evolve_tree.hpp"

namespace stakes {

// The tree with a better test or subtree at one random node; the same tree where none is found. The search
// may look at a sample of the rows, the whole tree's fitness on all rows decides.
NodePtr improve_node(const Trees& trees, const NodePtr& root, Random& random);

// A tree of a few levels, searched for as a whole.
NodePtr searched_tree(const Trees& trees, Random& random);

}  // namespace stakes
