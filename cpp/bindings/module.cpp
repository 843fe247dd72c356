#include "bindings/module.hpp"

#include <array>

#include "common/width.hpp"

NB_MODULE(_core, m) {
  m.doc() = "The compiled core of stakes.";
  stakes::bindings::bind_additive(m);
  stakes::bindings::bind_text(m);
  stakes::bindings::bind_tree(m);
  stakes::bindings::bind_evolve(m);
  stakes::bindings::bind_rules(m);
  m.def(
      "instructions",
      [] {
        return std::array{"plain", "popcnt", "avx2", "avx512"}[static_cast<std::size_t>(stakes::width())];
      },
      "The widest instructions in use.");
}
