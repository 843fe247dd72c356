// Table in, tree out.
#pragma once

#include <functional>

#include "split.hpp"
#include "tree.hpp"

namespace stakes {

// Grows a tree. `poll` is called now and then on the calling thread and may throw to stop the work.
// Without prices every column is free.
Tree grow(const Training& training, const GrowOptions& options, const Prices& prices,
          const std::function<void()>& poll);

}  // namespace stakes
