// The binding files are the only ones that know Python: typed arrays in, typed arrays out, no logic.
#include "bindings.hpp"

NB_MODULE(_core, m) {
  m.doc() = "The compiled core of stakes.";
  bind_text(m);
}
