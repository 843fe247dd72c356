// What the binding files share: the only ones that know Python. Typed arrays in, typed arrays out, no logic.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "common/presort.hpp"
#include "common/table.hpp"

namespace stakes::bindings {

namespace nb = nanobind;

using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::device::cpu>;
using Codes = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::device::cpu>;
using DenseNumbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using DenseCodes = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using DenseRows = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using DenseMatrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

using Arrays = nb::typed<nb::list, nb::ndarray<nb::numpy>>;

// Column views together with the arrays they borrow from.
struct PyTable {
  Table table;
  std::vector<nb::object> owners;
  std::optional<Presorted> presorted;
};

// A table with what is to be learned from it, checked; it borrows from all three.
Training training_of(const PyTable& table, const DenseCodes& classes, std::int32_t n_classes,
                     const std::optional<DenseNumbers>& weights);

template <class Array>
auto span_of(const Array& array) {
  return std::span(array.data(), array.shape(0));
}

// Who is told by this thread how far its work is: a callable that is kept alive elsewhere, or none.
inline thread_local nb::handle watcher;

// Lets Ctrl-C through and tells how far the work is, about ten times a second.
class SignalPoll {
 public:
  void operator()(double done) {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (watcher_.is_valid()) watcher_(done);
  }

 private:
  nb::handle watcher_ = watcher;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

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

void bind_rules(nb::module_& m);
void bind_additive(nb::module_& m);
void bind_text(nb::module_& m);
void bind_evolve(nb::module_& m);
void bind_tree(nb::module_& m);

}  // namespace stakes::bindings
