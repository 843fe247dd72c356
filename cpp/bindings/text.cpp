// Binds the row reader of text files.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "bindings/options.hpp"
#include "text/rows.hpp"

namespace stakes::bindings {

static auto text_read_rows(nb::bytes text, std::size_t offset, std::size_t first_line,
                           const text::TextFormat& format, const std::vector<std::string>& names,
                           const std::vector<int>& kinds, const std::vector<std::vector<std::string>>& values,
                           bool more) {
  if (names.empty() || names.size() != kinds.size() || names.size() != values.size()) {
    throw std::invalid_argument("names, kinds and values must have the same length, at least 1");
  }
  if (offset > text.size()) throw std::invalid_argument("offset must not exceed the length of the text");
  std::vector<text::TextColumn> columns(names.size());
  for (std::size_t j = 0; j < names.size(); ++j) {
    if (kinds[j] < 0 || kinds[j] > static_cast<int>(text::FieldKind::probe)) {
      throw std::invalid_argument("kinds must be 0 to 4");
    }
    columns[j].name = names[j];
    columns[j].kind = static_cast<text::FieldKind>(kinds[j]);
    columns[j].values = values[j];
  }
  const std::string_view view(static_cast<const char*>(text.data()) + offset, text.size() - offset);
  text::TextTable table;
  {
    nb::gil_scoped_release release;
    table = text::read_rows(view, first_line, format, std::move(columns), more);
  }
  using Floats = decltype(owned_array(std::move(table.weights)));
  using Ints = decltype(owned_array(std::move(table.columns[0].codes)));
  using Array = std::variant<std::monostate, Floats, Ints>;
  std::vector<std::tuple<Array, std::optional<std::vector<std::string>>, bool>> result;
  for (text::TextColumn& column : table.columns) {
    Array array;
    std::optional<std::vector<std::string>> distinct;
    const bool open = column.kind == text::FieldKind::open;
    if (column.kind == text::FieldKind::numeric) array = owned_array(std::move(column.numbers));
    if (column.kind == text::FieldKind::nominal || open) array = owned_array(std::move(column.codes));
    if (open) distinct = std::move(column.values);
    result.emplace_back(std::move(array), std::move(distinct), column.all_numbers);
  }
  std::optional<Floats> weights;
  if (!table.weights.empty()) weights = owned_array(std::move(table.weights));
  return std::tuple(std::move(result), std::move(weights), table.n_rows, offset + table.end, table.next_line);
}

void bind_text(nb::module_& m) {
  nb::exception<text::TextError>(m, "TextError", PyExc_ValueError);
  OptionsClass<text::TextFormat>(m, "TextFormat", "How rows of text are written.")
      .field("delimiter", &text::TextFormat::delimiter)
      .field("quotes", &text::TextFormat::quotes)
      .field("escapes", &text::TextFormat::escapes)
      .field("doubled_quotes", &text::TextFormat::doubled_quotes)
      .field("multiline", &text::TextFormat::multiline)
      .field("final_period", &text::TextFormat::final_period)
      .field("sparse_rows", &text::TextFormat::sparse_rows)
      .field("quoted_missing", &text::TextFormat::quoted_missing)
      .field("comment", &text::TextFormat::comment)
      .field("comment_after_blank", &text::TextFormat::comment_after_blank)
      .field("comment_anywhere", &text::TextFormat::comment_anywhere)
      .field("missing", &text::TextFormat::missing)
      .finish();
  m.def(
      "read_rows", &text_read_rows, nb::arg("text"), nb::arg("offset"), nb::arg("first_line"),
      nb::arg("format"), nb::arg("names"), nb::arg("kinds"), nb::arg("values"), nb::arg("more") = false,
      "Rows of text to a list of (array, distinct values, all numbers) for each column, weights, row count,\n"
      "and where reading stopped: offset and line. Where more text follows, a row that may go on is left.");
}

}  // namespace stakes::bindings
