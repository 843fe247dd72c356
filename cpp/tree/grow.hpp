// Table in, tree out.
#pragma once

#include "common/poll.hpp"
#include "tree/split.hpp"
#include "tree/tree.hpp"

namespace stakes::tree {

// Grows a tree. Without prices every column is free.
Tree grow(const Training& training, const GrowOptions& options, const Prices& prices, const Poll& poll);

}  // namespace stakes::tree
