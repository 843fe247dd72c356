// Table in, tree out.
#pragma once

#include <functional>

#include "tree/split.hpp"
#include "tree/tree.hpp"

namespace stakes::tree {

// Grows a tree. `poll` is called now and then on the calling thread and may throw to stop the work.
// Without prices every column is free.
Tree grow(const Training& training, const GrowOptions& options, const Prices& prices,
          const std::function<void()>& poll);

}  // namespace stakes::tree
