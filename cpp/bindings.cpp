// The only file that knows Python: typed arrays in, typed arrays out, no logic.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

NB_MODULE(_core, m) {
  m.doc() = "The compiled core of stakes.";
}
