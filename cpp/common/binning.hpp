// Bins of numbers: where they end, what lies between two of them, and which one a number belongs to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stakes {

// Sorted numbers are cut into parts of about equal size. A bin ends with the last number of a part, or with
// the first one of the next part.
enum class BinEnd { last_of_part, first_of_next };

// Numbers that end a bin, at most `max_bins` of them, ascending; all of them where there are not more. The
// largest number always ends the last bin.
std::vector<double> bin_ends(const std::vector<double>& sorted, std::size_t max_bins, BinEnd end);

// Halfway between two numbers, but never so near to `above` that it would pass a test of "at most" as well.
double cut_between(double below, double above);

// First bin whose end is not below the value; the last bin takes everything beyond. There is at least one.
std::uint8_t bin_of(const std::vector<double>& ends, double value);

}  // namespace stakes
