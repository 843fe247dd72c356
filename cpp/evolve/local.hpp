// Local search: the best test at a node given what is below it, and the best small subtree.
#pragma once

#include "evolve/tree.hpp"

namespace stakes::evolve {

// The tree with a better test or subtree at one random node; the same tree where none is found. The search
// may look at a sample of the rows, the whole tree's fitness on all rows decides.
NodePtr improve_node(const Trees& trees, const NodePtr& root, Random& random);

struct Searched {
  NodePtr tree;
  bool proved = false;  // no tree is fitter
};

// Whether size does not count and tests and levels are so few that all trees can be searched, in some
// seconds.
bool solvable(const Trees& trees);
// A tree of a few levels, searched for as a whole.
Searched searched_tree(const Trees& trees, Random& random);

}  // namespace stakes::evolve
