// Binds the row reader of text files.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <string_view>
#include <vector>

#include "bindings/module.hpp"
#include "text/rows.hpp"

namespace stakes::bindings {

static nb::tuple text_read_rows(nb::bytes text, std::size_t offset, std::size_t first_line,
                                const text::TextFormat& format, const std::vector<std::string>& names,
                                const std::vector<int>& kinds,
                                const std::vector<std::vector<std::string>>& values) {
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
    table = text::read_rows(view, first_line, format, std::move(columns));
  }
  nb::list result;
  for (text::TextColumn& column : table.columns) {
    nb::object array = nb::none();
    if (column.kind == text::FieldKind::numeric) array = nb::cast(owned_array(std::move(column.numbers)));
    const bool codes = column.kind == text::FieldKind::nominal || column.kind == text::FieldKind::open;
    if (codes) array = nb::cast(owned_array(std::move(column.codes)));
    const bool open = column.kind == text::FieldKind::open;
    nb::object distinct = open ? nb::cast(column.values) : nb::none();
    result.append(nb::make_tuple(array, distinct, column.all_numbers));
  }
  nb::object weights = nb::none();
  if (!table.weights.empty()) weights = nb::cast(owned_array(std::move(table.weights)));
  return nb::make_tuple(result, weights, table.n_rows);
}

void bind_text(nb::module_& m) {
  nb::exception<text::TextError>(m, "TextError", PyExc_ValueError);
  nb::class_<text::TextFormat>(m, "TextFormat", "How rows of text are written.")
      .def(nb::init<>())
      .def_rw("delimiter", &text::TextFormat::delimiter)
      .def_rw("quotes", &text::TextFormat::quotes)
      .def_rw("escapes", &text::TextFormat::escapes)
      .def_rw("doubled_quotes", &text::TextFormat::doubled_quotes)
      .def_rw("multiline", &text::TextFormat::multiline)
      .def_rw("final_period", &text::TextFormat::final_period)
      .def_rw("sparse_rows", &text::TextFormat::sparse_rows)
      .def_rw("quoted_missing", &text::TextFormat::quoted_missing)
      .def_rw("comment", &text::TextFormat::comment)
      .def_rw("comment_after_blank", &text::TextFormat::comment_after_blank)
      .def_rw("comment_anywhere", &text::TextFormat::comment_anywhere)
      .def_rw("missing", &text::TextFormat::missing);
  m.def(
      "read_rows", &text_read_rows, nb::arg("text"), nb::arg("offset"), nb::arg("first_line"),
      nb::arg("format"), nb::arg("names"), nb::arg("kinds"), nb::arg("values"),
      "Rows of text to a list of (array, distinct values, all numbers) for each column, weights, row count.");
}

}  // namespace stakes::bindings
