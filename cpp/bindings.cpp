#include "bindings.hpp"

NB_MODULE(_core, m) {
  m.doc() = "The compiled core of stakes.";
  bind_text(m);
  bind_tree(m);
  bind_evolve(m);
}
