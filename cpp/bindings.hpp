// What the binding files share.
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
