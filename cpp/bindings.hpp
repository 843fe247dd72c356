// What the binding files share: the only ones that know Python. Typed arrays in, typed arrays out, no logic.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <utility>
#include <vector>

namespace nb = nanobind;

// Hands a vector over to NumPy without a copy; it is freed with the array.
template <typename T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> owned_array(std::vector<T>&& values) {
  auto holder = std::make_unique<std::vector<T>>(std::move(values));
  T* data = holder->data();
  const std::size_t size = holder->size();
  nb::capsule owner(holder.get(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  holder.release();
  return nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {size}, owner);
}

void bind_text(nb::module_& m);
void bind_evolve(nb::module_& m);
void bind_tree(nb::module_& m);
