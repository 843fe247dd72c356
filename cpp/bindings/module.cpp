#include "bindings/module.hpp"

#include <array>

#include "common/width.hpp"

NB_MODULE(_core, m) {
  namespace nb = nanobind;
  using namespace nb::literals;
  m.doc() = "The compiled core of stakes.";
  stakes::bindings::bind_additive(m);
  stakes::bindings::bind_text(m);
  stakes::bindings::bind_tree(m);
  stakes::bindings::bind_evolve(m);
  stakes::bindings::bind_rules(m);
  m.def(
      "tell_progress", [](nb::handle to) { stakes::bindings::watcher = to.is_none() ? nb::handle() : to; },
      "to"_a.none(),
      "Tell a callable the share of the work that is done, from this thread's calls; it must be kept alive.");
  m.def(
      "instructions",
      [] {
        return std::array{"plain", "popcnt", "avx2", "avx512"}[static_cast<std::size_t>(stakes::width())];
      },
      "The widest instructions in use.");
}
