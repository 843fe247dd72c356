#include "common/presort.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <stdexcept>
#include <string>

namespace stakes {

namespace {

constexpr int kDigitBits = 11;
constexpr std::size_t kBuckets = std::size_t{1} << kDigitBits;
constexpr int kDigits = (64 + kDigitBits - 1) / kDigitBits;
constexpr std::size_t kSmall = 512;  // below this a comparison sort is faster than clearing the histograms

struct Keyed {
  std::uint64_t key;
  std::uint32_t position;
};

// Unsigned integers in the order of the doubles; -0.0 and 0.0 are the same value.
std::uint64_t order_key(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
  return bits & (std::uint64_t{1} << 63) ? ~bits : bits | (std::uint64_t{1} << 63);
}

double value_of(std::uint64_t key) {
  const auto bits = key & (std::uint64_t{1} << 63) ? key & ~(std::uint64_t{1} << 63) : ~key;
  return std::bit_cast<double>(bits);
}

// Least significant digit first; digits that are the same everywhere are skipped.
void radix_sort(std::vector<Keyed>& items) {
  std::vector<std::array<std::uint32_t, kBuckets>> histograms(kDigits);
  for (auto& histogram : histograms) histogram.fill(0);
  for (const Keyed& item : items) {
    for (int d = 0; d < kDigits; ++d) ++histograms[d][(item.key >> (d * kDigitBits)) & (kBuckets - 1)];
  }
  std::vector<Keyed> other(items.size());
  for (int d = 0; d < kDigits; ++d) {
    const int shift = d * kDigitBits;
    auto& histogram = histograms[d];
    if (histogram[(items[0].key >> shift) & (kBuckets - 1)] == items.size()) continue;
    std::uint32_t start = 0;
    for (auto& count : histogram) {
      const std::uint32_t next = start + count;
      count = start;
      start = next;
    }
    for (const Keyed& item : items) other[histogram[(item.key >> shift) & (kBuckets - 1)]++] = item;
    items.swap(other);
  }
}

}  // namespace

EntryLayout::EntryLayout(std::int32_t n_classes) {
  const int class_bits = std::max<int>(8, std::bit_width(static_cast<std::uint32_t>(n_classes)));
  const int instance_bits = (64 - class_bits) / 2;
  class_shift_ = instance_bits;
  rank_shift_ = instance_bits + class_bits;
  class_mask_ = (std::uint64_t{1} << class_bits) - 1;
  instance_mask_ = (std::uint64_t{1} << instance_bits) - 1;
}

std::vector<std::vector<double>> gather_numeric(const Table& table, const std::vector<std::uint32_t>& rows,
                                                ThreadPool& pool) {
  constexpr std::size_t kBlock = 1024;
  const std::size_t n_columns = table.columns.size();
  std::vector<std::vector<double>> gathered(n_columns);
  for (std::size_t f = 0; f < n_columns; ++f) {
    if (!table.columns[f].nominal()) gathered[f].resize(rows.size());
  }
  const std::size_t n_blocks = (rows.size() + kBlock - 1) / kBlock;
  pool.run(n_blocks, rows.size() * n_columns > 50'000, [&](std::size_t block, std::size_t) {
    const std::size_t first = block * kBlock, last = std::min(rows.size(), first + kBlock);
    for (std::size_t f = 0; f < n_columns; ++f) {
      const Column& column = table.columns[f];
      if (column.nominal()) continue;
      double* target = gathered[f].data();
      bool infinite = false;
      for (std::size_t i = first; i < last; ++i) {
        target[i] = column.number(rows[i]);
        infinite |= std::isinf(target[i]);
      }
      if (infinite) {
        throw std::invalid_argument(
            "Input X contains infinity or a value too large for dtype('float64'): column " +
            std::to_string(f) + " (counted from 0).");
      }
    }
  });
  return gathered;
}

SortedColumn sort_column(std::vector<double>&& column, const std::vector<std::uint32_t>& rows,
                         const std::int32_t* classes, const EntryLayout& layout) {
  std::vector<double> values = std::move(column);
  std::vector<Keyed> items;
  items.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isnan(values[i])) items.push_back({order_key(values[i]), static_cast<std::uint32_t>(i)});
  }
  if (items.size() < kSmall) {
    std::sort(items.begin(), items.end(), [](const Keyed& a, const Keyed& b) {
      return a.key != b.key ? a.key < b.key : a.position < b.position;
    });
  } else {
    radix_sort(items);
  }
  SortedColumn sorted;
  sorted.entries.resize(items.size());
  std::size_t n_distinct = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    // The distinct values overwrite the column from its start: there are never more of them than items read.
    if (i == 0 || items[i].key != items[i - 1].key) values[n_distinct++] = value_of(items[i].key);
    const std::uint32_t row = rows[items[i].position];
    sorted.entries[i] = layout.pack(n_distinct - 1, static_cast<std::uint64_t>(classes[row]), row);
  }
  values.resize(n_distinct);
  if (n_distinct < values.capacity() / 2) values.shrink_to_fit();
  sorted.values = std::move(values);
  return sorted;
}

Presorted presort(const Table& table, ThreadPool& pool) {
  const EntryLayout layout = Presorted::layout();
  if (table.n_rows >= layout.max_instances())
    throw std::length_error("too many rows to sort them beforehand");
  std::vector<std::uint32_t> rows(table.n_rows);
  std::iota(rows.begin(), rows.end(), 0U);
  const std::vector<std::int32_t> classes(table.n_rows, 0);
  auto columns = gather_numeric(table, rows, pool);
  Presorted presorted;
  presorted.columns.resize(columns.size());
  pool.run(columns.size(), true, [&](std::size_t f, std::size_t) {
    if (table.columns[f].nominal()) return;
    presorted.columns[f] = sort_column(std::move(columns[f]), rows, classes.data(), layout);
  });
  return presorted;
}

SortedColumn with_classes(const SortedColumn& sorted, const std::int32_t* classes,
                          const EntryLayout& layout) {
  const EntryLayout from = Presorted::layout();
  SortedColumn copy{sorted.values, std::vector<std::uint64_t>(sorted.entries.size())};
  for (std::size_t i = 0; i < copy.entries.size(); ++i) {
    const std::uint32_t row = from.instance(sorted.entries[i]);
    copy.entries[i] =
        layout.pack(from.rank(sorted.entries[i]), static_cast<std::uint64_t>(classes[row]), row);
  }
  return copy;
}

}  // namespace stakes
