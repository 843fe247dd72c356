#include "evolve/rows.hpp"

#include <algorithm>
#include <bit>

#include "common/bits.hpp"

namespace stakes::evolve {

namespace {

// Columns with more values are looked up row by row: a mask for each value would take too much memory.
constexpr std::int32_t kMaxMembers = 64;
constexpr std::size_t kBlock = 512;  // words; the codes of a block stay in the nearest cache

using Bits = std::unique_ptr<std::uint64_t[]>;

Bits new_bits(const EvolveTable& table) {
  return std::make_unique_for_overwrite<std::uint64_t[]>(table.n_words);
}

// A list takes 4 bytes a row of the set, bits an eighth of a byte a row of the table.
bool few(const EvolveTable& table, std::size_t count) {
  return count * 32 < table.n_rows;
}

void set_bit(Mask& mask, std::size_t row) {
  mask[row / 64] |= std::uint64_t{1} << (row % 64);
}

std::uint64_t count_bits(const std::uint64_t* bits, std::size_t n_words) {
  return bit_kernels().count_and(bits, bits, n_words);
}

RowSet keep(const EvolveTable& table, Bits bits, std::size_t count) {
  RowSet rows;
  rows.count = count;
  rows.bits = std::move(bits);
  if (!few(table, count)) return rows;
  std::vector<std::uint32_t> list;
  list.reserve(count);
  rows.each(table, [&](std::uint32_t row) { list.push_back(row); });
  rows.list = std::move(list);
  rows.bits.reset();
  return rows;
}

// Bits of the rows in `from` that a numeric test sends left; missing values have the highest code.
void lower(const EvolveColumn& column, std::int32_t cut, const std::uint64_t* from, std::size_t first,
           std::size_t n_words, std::uint64_t* out) {
  const BitKernels& kernels = bit_kernels();
  if (column.bytes.empty()) {
    kernels.at_most_16(column.shorts.data() + 64 * first, static_cast<std::uint16_t>(cut), from + first,
                       n_words, out + first);
  } else {
    kernels.at_most_8(column.bytes.data() + 64 * first, static_cast<std::uint8_t>(cut), from + first, n_words,
                      out + first);
  }
}

// ---- what rows cost ---------------------------------------------------------------------------------------

void price_leaf(const EvolveTable& table, NodeRows& reach, const std::vector<double>& costs) {
  const auto k = static_cast<std::size_t>(table.n_classes);
  for (std::size_t p = 0; p < k; ++p) {
    if (p == 0 || costs[p] < reach.leaf_cost) {
      reach.leaf_cost = costs[p];
      reach.answer = static_cast<std::int32_t>(p);
    }
  }
  reach.label = reach.answer;
  const double refused = table.abstain_cost * reach.weight;
  if (refused < reach.leaf_cost) {
    reach.leaf_cost = refused;
    reach.label = -1;
  }
}

// From class weights; these must be there.
void judge(const EvolveTable& table, NodeRows& reach) {
  const auto k = static_cast<std::size_t>(table.n_classes);
  std::vector<double> costs(k, 0.0);
  std::size_t present = 0;
  reach.weight = 0.0;
  for (std::size_t c = 0; c < k; ++c) {
    const double weight = reach.class_weights[c];
    reach.weight += weight;
    present += weight > 0.0;
    if (table.cost_per_row) continue;
    for (std::size_t p = 0; p < k; ++p) costs[p] += weight * table.costs[c * k + p];
  }
  reach.pure = present < 2;
  if (table.cost_per_row) {
    reach.rows.each(table, [&](std::uint32_t row) {
      for (std::size_t p = 0; p < k; ++p) costs[p] += table.weight(row) * table.costs[row * k + p];
    });
  }
  price_leaf(table, reach, costs);
}

void weigh_rows(const EvolveTable& table, NodeRows& reach) {
  reach.class_weights.assign(static_cast<std::size_t>(table.n_classes), 0.0);
  reach.rows.each(table,
                  [&](std::uint32_t row) { reach.class_weights[table.classes[row]] += table.weight(row); });
}

// ---- splitting --------------------------------------------------------------------------------------------

// One branch while it is filled. `counts` are used where each row weighs 1.
struct Part {
  Bits bits;
  RowSet rows;
  std::vector<std::uint64_t> counts;
  std::uint64_t known = 0;  // rows whose value is not missing
};
using Parts = std::vector<Part>;

void add_counts(const EvolveTable& table, Part& part, std::size_t first, std::size_t n) {
  for (std::size_t c = 0; c < table.class_rows.size(); ++c) {
    part.counts[c] += bit_kernels().count_and(part.bits.get() + first, table.class_rows[c].data() + first, n);
  }
}

std::int32_t fullest(const Parts& parts) {
  const auto less = [](const Part& a, const Part& b) { return a.known < b.known; };
  return static_cast<std::int32_t>(std::max_element(parts.begin(), parts.end(), less) - parts.begin());
}

// A numeric test without missing values of rows that weigh 1: cut and counted block by block.
void cut_and_count(const EvolveTable& table, const NodeRows& from, const EvolveTest& test, Parts& parts) {
  const EvolveColumn& column = table.columns[static_cast<std::size_t>(test.column)];
  const std::uint64_t* rows = from.rows.bits.get();
  std::uint64_t *left = parts[0].bits.get(), *right = parts[1].bits.get();
  for (std::size_t first = 0; first < table.n_words; first += kBlock) {
    const std::size_t n = std::min(kBlock, table.n_words - first);
    lower(column, test.cut, rows, first, n, left);
    for (std::size_t w = first; w < first + n; ++w) right[w] = rows[w] & ~left[w];
    add_counts(table, parts[0], first, n);
  }
  for (std::size_t c = 0; c < from.class_weights.size(); ++c) {
    parts[1].counts[c] = static_cast<std::uint64_t>(from.class_weights[c]) - parts[0].counts[c];
    for (Part& part : parts) part.known += part.counts[c];
  }
}

void cut_bits(const EvolveTable& table, const std::uint64_t* rows, const EvolveTest& test, Parts& parts) {
  const EvolveColumn& column = table.columns[static_cast<std::size_t>(test.column)];
  lower(column, test.cut, rows, 0, table.n_words, parts[0].bits.get());
  for (std::size_t w = 0; w < table.n_words; ++w) {
    const std::uint64_t known = column.missing.empty() ? rows[w] : rows[w] & ~column.missing[w];
    parts[1].bits[w] = known & ~parts[0].bits[w];
  }
}

void group_bits(const EvolveTable& table, const std::uint64_t* rows, const EvolveTest& test, Parts& parts) {
  const EvolveColumn& column = table.columns[static_cast<std::size_t>(test.column)];
  for (Part& part : parts) std::fill_n(part.bits.get(), table.n_words, 0);
  if (!column.members.empty()) {
    for (std::size_t v = 0; v < column.members.size(); ++v) {
      std::uint64_t* bits = parts[static_cast<std::size_t>(test.branch[v])].bits.get();
      const std::uint64_t* member = column.members[v].data();
      for (std::size_t w = 0; w < table.n_words; ++w) bits[w] |= member[w] & rows[w];
    }
    return;
  }
  for (std::size_t w = 0; w < table.n_words; ++w) {
    for (std::uint64_t word = rows[w]; word; word &= word - 1) {
      const auto row = static_cast<std::uint32_t>(64 * w + static_cast<std::size_t>(std::countr_zero(word)));
      const std::int32_t code = column.code(row);
      if (code == column.n_values) continue;
      parts[static_cast<std::size_t>(test.branch[code])].bits[w] |= word & (~word + 1);
    }
  }
}

std::int32_t split_bits(const EvolveTable& table, const NodeRows& from, const EvolveTest& test,
                        Parts& parts) {
  const EvolveColumn& column = table.columns[static_cast<std::size_t>(test.column)];
  const std::uint64_t* rows = from.rows.bits.get();
  for (Part& part : parts) part.bits = new_bits(table);
  const bool counted = !column.nominal && column.missing.empty() && table.weights.empty();
  if (counted) {
    cut_and_count(table, from, test, parts);
  } else {
    column.nominal ? group_bits(table, rows, test, parts) : cut_bits(table, rows, test, parts);
    for (Part& part : parts) part.known = count_bits(part.bits.get(), table.n_words);
  }
  const std::int32_t to = fullest(parts);
  if (!column.missing.empty()) {
    std::uint64_t* bits = parts[static_cast<std::size_t>(to)].bits.get();
    for (std::size_t w = 0; w < table.n_words; ++w) bits[w] |= rows[w] & column.missing[w];
  }
  for (Part& part : parts) {
    if (!counted && table.weights.empty()) add_counts(table, part, 0, table.n_words);
    const bool changed = !column.missing.empty();
    const std::size_t count = changed ? count_bits(part.bits.get(), table.n_words) : part.known;
    part.rows = keep(table, std::move(part.bits), count);
  }
  return to;
}

// A numeric test without missing values: every row is written to both lists, and one of them moves on.
template <typename Code>
void cut_list(const EvolveTable& table, const Code* codes, const std::vector<std::uint32_t>& rows,
              std::int32_t cut, Parts& parts) {
  std::vector<std::uint32_t>&left = parts[0].rows.list, &right = parts[1].rows.list;
  left.resize(rows.size());
  right.resize(rows.size());
  std::uint64_t* counts[2] = {parts[0].counts.data(), parts[1].counts.data()};
  std::size_t n = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::uint32_t row = rows[i];
    const bool above = codes[row] > cut;
    left[n] = row;
    right[i - n] = row;
    n += !above;
    ++counts[above][table.classes[row]];
  }
  left.resize(n);
  right.resize(rows.size() - n);
  // Nodes live long: they must not hold on to what the branches did not need.
  left.shrink_to_fit();
  right.shrink_to_fit();
}

std::int32_t split_list(const EvolveTable& table, const NodeRows& from, const EvolveTest& test,
                        Parts& parts) {
  const EvolveColumn& column = table.columns[static_cast<std::size_t>(test.column)];
  const std::vector<std::uint32_t>& rows = from.rows.list;
  if (!column.nominal && column.missing.empty()) {
    column.visit([&](const auto* codes) { cut_list(table, codes, rows, test.cut, parts); });
    for (Part& part : parts) part.known = part.rows.count = part.rows.list.size();
    return fullest(parts);
  }
  const auto branch = [&](std::int32_t code) -> std::int32_t {
    return column.nominal ? test.branch[static_cast<std::size_t>(code)] : code > test.cut;
  };
  for (const std::uint32_t row : rows) {
    const std::int32_t code = column.code(row);
    if (code < column.n_values) ++parts[static_cast<std::size_t>(branch(code))].known;
  }
  const std::int32_t to = fullest(parts);
  for (const std::uint32_t row : rows) {
    const std::int32_t code = column.code(row);
    Part& part = parts[static_cast<std::size_t>(code < column.n_values ? branch(code) : to)];
    part.rows.list.push_back(row);
    ++part.counts[table.classes[row]];
  }
  for (Part& part : parts) part.rows.count = part.rows.list.size();
  return to;
}

}  // namespace

void index_rows(EvolveTable& table) {
  table.n_words = (table.n_rows + 63) / 64;
  table.class_rows.assign(static_cast<std::size_t>(table.n_classes), Mask(table.n_words, 0));
  for (std::size_t row = 0; row < table.n_rows; ++row) set_bit(table.class_rows[table.classes[row]], row);
  for (EvolveColumn& column : table.columns) {
    column.bytes.resize(column.bytes.empty() ? 0 : 64 * table.n_words);
    column.shorts.resize(column.shorts.empty() ? 0 : 64 * table.n_words);
    if (column.nominal && column.n_values <= kMaxMembers) {
      column.members.assign(static_cast<std::size_t>(column.n_values), Mask(table.n_words, 0));
    }
    for (std::uint32_t row = 0; row < table.n_rows; ++row) {
      const std::int32_t code = column.code(row);
      if (code < column.n_values) {
        if (!column.members.empty()) set_bit(column.members[static_cast<std::size_t>(code)], row);
        continue;
      }
      column.missing.resize(table.n_words, 0);
      set_bit(column.missing, row);
    }
  }
}

NodeRowsPtr all_rows(const EvolveTable& table) {
  auto reach = std::make_shared<NodeRows>();
  reach->rows.count = table.n_rows;
  reach->rows.bits = new_bits(table);
  std::fill_n(reach->rows.bits.get(), table.n_words, ~std::uint64_t{0});
  if (table.n_rows % 64) reach->rows.bits[table.n_words - 1] = (std::uint64_t{1} << (table.n_rows % 64)) - 1;
  weigh_rows(table, *reach);
  judge(table, *reach);
  return reach;
}

namespace {

std::shared_ptr<NodeRows> outline(const NodeRows& reach) {
  RowSet rows;
  rows.count = reach.rows.count;
  return std::make_shared<NodeRows>(NodeRows{std::move(rows), reach.class_weights, reach.weight,
                                             reach.leaf_cost, reach.answer, reach.label, reach.pure});
}

}  // namespace

NodeRowsPtr without_rows(const NodeRows& reach) {
  return outline(reach);
}

NodeRowsPtr with_rows(const EvolveTable& table, const NodeRows& reach,
                      const std::vector<const RowSet*>& parts) {
  auto whole = outline(reach);
  // Many rows are put in order by bits, few by comparisons.
  if (8 * reach.rows.count > table.n_words) {
    Bits bits = new_bits(table);
    std::fill_n(bits.get(), table.n_words, 0);
    for (const RowSet* part : parts) {
      for (const std::uint32_t row : part->list) bits[row / 64] |= std::uint64_t{1} << (row % 64);
    }
    whole->rows = keep(table, std::move(bits), reach.rows.count);
    return whole;
  }
  std::vector<std::uint32_t>& list = whole->rows.list;
  list.reserve(reach.rows.count);
  for (const RowSet* part : parts) list.insert(list.end(), part->list.begin(), part->list.end());
  std::sort(list.begin(), list.end());
  return whole;
}

std::vector<NodeRowsPtr> split(const EvolveTable& table, const NodeRows& from, const EvolveTest& test,
                               std::int32_t& missing_branch) {
  Parts parts(static_cast<std::size_t>(test.n_branches));
  for (Part& part : parts) part.counts.assign(static_cast<std::size_t>(table.n_classes), 0);
  missing_branch =
      from.rows.bits ? split_bits(table, from, test, parts) : split_list(table, from, test, parts);
  std::vector<NodeRowsPtr> branches;
  for (Part& part : parts) {
    auto reach = std::make_shared<NodeRows>();
    reach->rows = std::move(part.rows);
    if (table.weights.empty()) {
      reach->class_weights.assign(part.counts.begin(), part.counts.end());
    } else {
      // Never as a difference: the sum must depend on the rows alone, not on how the tree came about.
      weigh_rows(table, *reach);
    }
    judge(table, *reach);
    branches.push_back(std::move(reach));
  }
  return branches;
}

}  // namespace stakes::evolve
