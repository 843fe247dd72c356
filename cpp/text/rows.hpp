// Rows of text (ARFF, C4.5, CSV) to typed columns. What a file declares is read in Python; the rows are read
// here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace stakes::text {

// A numeric column; a nominal one whose values are declared; one whose values are collected; one that is
// left out; one of which we only ask whether all its values are numbers.
enum class FieldKind : std::uint8_t { numeric, nominal, open, ignored, probe };

struct TextFormat {
  char delimiter = ',';
  std::string quotes;                // characters that may enclose a field
  bool escapes = false;              // a backslash takes the next character literally
  bool doubled_quotes = false;       // "" inside quotes is one quote
  bool multiline = false;            // a quoted field may contain line ends
  bool final_period = false;         // a row may end in a period that is not part of its last field
  bool sparse_rows = false;          // {index value, ...} and a weight {w} after the last field
  bool quoted_missing = false;       // a missing token counts inside quotes as well
  char comment = 0;                  // starts a comment at the start of a line
  bool comment_after_blank = false;  // ... and after a blank
  bool comment_anywhere = false;     // ... and anywhere outside quotes
  std::vector<std::string> missing;  // fields that stand for a missing value
};

struct TextColumn {
  std::string name;
  FieldKind kind = FieldKind::numeric;
  std::vector<std::string> values;  // of a nominal column, in the order of its codes
  std::vector<double> numbers;      // NaN is missing
  std::vector<std::int32_t> codes;  // -1 is missing
  bool all_numbers = true;          // of a probed column
};

struct TextTable {
  std::vector<TextColumn> columns;
  std::vector<double> weights;  // empty where no row has one
  std::size_t n_rows = 0;
  std::size_t end = 0;        // where reading stopped in the text
  std::size_t next_line = 1;  // number of the line there
};

class TextError : public std::runtime_error {
 public:
  TextError(std::size_t line, const std::string& message)
      : std::runtime_error("line " + std::to_string(line) + ": " + message) {}
};

// Columns carry names, kinds and declared values; they come back filled. `first_line` is the number of the
// text's first line in its file. Where `more` text follows, a last row that may go on there is not read.
TextTable read_rows(std::string_view text, std::size_t first_line, const TextFormat& format,
                    std::vector<TextColumn> columns, bool more = false);

}  // namespace stakes::text
