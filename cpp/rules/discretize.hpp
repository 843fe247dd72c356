// Fayyad and Irani's cuts of numeric columns: least entropy, accepted by the minimum description length.
#pragma once

#include <vector>

#include "common/poll.hpp"
#include "common/table.hpp"

namespace stakes::rules {

// Cuts of each column, ascending; a value belongs to the left of a cut where value <= cut. Nominal columns
// have none. Rows of weight 0 and rows with a missing value do not count.
std::vector<std::vector<double>> mdl_cuts(const Training& training, int n_threads, const Poll& poll);

}  // namespace stakes::rules
