// Numeric columns sorted once: every row becomes a 64-bit entry (rank of its value, class, row).
#pragma once

#include <cstdint>
#include <vector>

#include "common/parallel.hpp"
#include "common/table.hpp"

namespace stakes {

// Entries order by rank, so a sorted column is a sorted array of integers, and a scan over it needs neither
// the values nor the classes of the rows: both would be random reads.
class EntryLayout {
 public:
  EntryLayout() = default;
  explicit EntryLayout(std::int32_t n_classes);

  std::uint64_t pack(std::uint64_t rank, std::uint64_t cls, std::uint64_t instance) const {
    return (rank << rank_shift_) | (cls << class_shift_) | instance;
  }
  std::uint32_t rank(std::uint64_t entry) const { return static_cast<std::uint32_t>(entry >> rank_shift_); }
  std::uint32_t cls(std::uint64_t entry) const {
    return static_cast<std::uint32_t>((entry >> class_shift_) & class_mask_);
  }
  std::uint32_t instance(std::uint64_t entry) const {
    return static_cast<std::uint32_t>(entry & instance_mask_);
  }
  std::uint64_t with_instance(std::uint64_t entry, std::uint64_t instance) const {
    return (entry & ~instance_mask_) | instance;
  }
  std::size_t max_instances() const { return static_cast<std::size_t>(instance_mask_) + 1; }

 private:
  int rank_shift_ = 0, class_shift_ = 0;
  std::uint64_t class_mask_ = 0, instance_mask_ = 0;
};

struct SortedColumn {
  std::vector<double> values;          // distinct, ascending
  std::vector<std::uint64_t> entries;  // rows with a known value, ascending by rank, then by row
};

// Columns of doubles, one after another, for the rows in `rows`; NaN stays NaN. Throws on infinite values.
// Blocks of rows are copied column by column, because a table of rows would be read once per column
// otherwise.
std::vector<std::vector<double>> gather_numeric(const Table& table, const std::vector<std::uint32_t>& rows,
                                                ThreadPool& pool);

// Sorts one column; `column` gives up its memory. Entry i of `column` belongs to row rows[i].
SortedColumn sort_column(std::vector<double>&& column, const std::vector<std::uint32_t>& rows,
                         const std::int32_t* classes, const EntryLayout& layout);

// All rows of a table in the order of each numeric column, for whoever learns from them more than once.
struct Presorted {
  std::vector<SortedColumn> columns;  // empty for nominal ones; every entry is of class 0

  static EntryLayout layout() { return EntryLayout(1); }
};
Presorted presort(const Table& table, ThreadPool& pool);

// The same order with the classes of the rows. All rows must take part.
SortedColumn with_classes(const SortedColumn& sorted, const std::int32_t* classes, const EntryLayout& layout);

}  // namespace stakes
