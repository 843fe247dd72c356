// How long work can be stopped, and its watchers told how far it is.
#pragma once

#include <functional>

namespace stakes {

// Called now and then on the calling thread with the share of the work that is done, 0 to 1, as far as that
// can be known. It may throw to stop the work.
using Poll = std::function<void(double)>;

}  // namespace stakes
