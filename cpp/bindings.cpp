#include "bindings.hpp"

#include <array>

#include "width.hpp"

NB_MODULE(_core, m) {
  m.doc() = "The compiled core of stakes.";
  bind_additive(m);
  bind_text(m);
  bind_tree(m);
  bind_evolve(m);
  bind_rules(m);
  m.def(
      "instructions",
      [] { return std::array{"plain", "avx2", "avx512"}[static_cast<std::size_t>(stakes::width())]; },
      "The widest instructions in use.");
}
