#include "text/rows.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <limits>
#include <unordered_map>

#include "text/number.hpp"

namespace stakes::text {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

struct Hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};
using Dictionary = std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>>;

// A value as it may stand in a message: short, and valid UTF-8 whatever the file holds.
std::string quoted(std::string_view text) {
  std::string result = "'";
  for (char c : text.substr(0, 40)) result += c >= 0x20 && c < 0x7f ? c : '?';
  return result + (text.size() > 40 ? "...'" : "'");
}

class RowReader {
 public:
  RowReader(std::string_view text, std::size_t first_line, const TextFormat& format,
            std::vector<TextColumn> columns, bool more)
      : begin_(text.data()),
        at_(begin_),
        end_(begin_ + text.size()),
        line_(first_line),
        more_(more),
        format_(format) {
    table_.columns = std::move(columns);
    dictionaries_.resize(table_.columns.size());
    last_.assign(table_.columns.size(), -1);
    for (char c : format.quotes) is_quote_[static_cast<unsigned char>(c)] = true;
    for (const std::string& token : format.missing)
      longest_missing_ = std::max(longest_missing_, token.size());
    const std::size_t lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
    // A dense row has at least one delimiter or line end for each field: an upper bound that no file of blank
    // lines can drive up.
    const std::size_t rows =
        std::min(lines, text.size() / std::max<std::size_t>(1, table_.columns.size()) + 1);
    for (std::size_t j = 0; j < table_.columns.size(); ++j) prepare(j, rows);
  }

  TextTable read() {
    while (at_ < end_) {
      row_line_ = line_;
      const char* start = at_;
      const std::size_t n_rows = table_.n_rows;
      bool cut = false;
      try {
        read_line();
        cut = more_ && at_ == end_ && at_[-1] != '\n';
      } catch (const TextError&) {
        if (!more_ || at_ != end_) throw;
        cut = true;
      }
      if (!cut) continue;
      at_ = start;
      line_ = row_line_;
      keep_rows(n_rows);
      break;
    }
    table_.end = static_cast<std::size_t>(at_ - begin_);
    table_.next_line = line_;
    return std::move(table_);
  }

 private:
  struct Field {
    std::string_view text;
    bool in_quotes = false;
    bool last = false;  // nothing follows in this row
  };

  void read_line() {
    skip_blanks();
    if (at_ == end_) return;
    if (*at_ == '\n') {
      next_line();
    } else if (format_.comment && *at_ == format_.comment) {
      skip_line();
    } else if (format_.sparse_rows && *at_ == '{') {
      read_sparse();
    } else {
      read_dense();
    }
  }

  // Forgets what has been stored of the rows from this one on.
  void keep_rows(std::size_t n_rows) {
    for (TextColumn& column : table_.columns) {
      if (column.numbers.size() > n_rows) column.numbers.resize(n_rows);
      if (column.codes.size() > n_rows) column.codes.resize(n_rows);
    }
    if (table_.weights.size() > n_rows) table_.weights.resize(n_rows);
    table_.n_rows = n_rows;
  }

  void prepare(std::size_t j, std::size_t rows) {
    TextColumn& column = table_.columns[j];
    if (column.kind == FieldKind::numeric) column.numbers.reserve(rows);
    if (column.kind != FieldKind::nominal && column.kind != FieldKind::open) return;
    column.codes.reserve(rows);
    for (std::size_t v = 0; v < column.values.size(); ++v) {
      dictionaries_[j].emplace(column.values[v], static_cast<std::int32_t>(v));
    }
  }

  [[noreturn]] void fail(const std::string& message) const { throw TextError(row_line_, message); }

  bool is_blank(char c) const {
    return c == ' ' || c == '\r' || (c == '\t' && format_.delimiter != '\t') || c == '\f' || c == '\v';
  }
  void skip_blanks() {
    while (at_ < end_ && is_blank(*at_)) ++at_;
  }
  void next_line() {
    ++at_;
    ++line_;
  }
  void skip_line() {
    while (at_ < end_ && *at_ != '\n') ++at_;
    if (at_ < end_) next_line();
  }
  bool at_row_end() const { return at_ == end_ || *at_ == '\n'; }

  // Leaves the reader on the character after the closing quote.
  std::string_view read_quoted() {
    const char quote = *at_++;
    const char* start = at_;
    while (at_ < end_ && *at_ != quote && *at_ != '\\' && *at_ != '\n') ++at_;
    const bool doubled = format_.doubled_quotes && at_ + 1 < end_ && at_[1] == quote;
    if (at_ < end_ && *at_ == quote && !doubled) return {start, static_cast<std::size_t>(at_++ - start)};
    scratch_.assign(start, at_);
    for (; at_ < end_; ++at_) {
      char c = *at_;
      if (c == quote) {
        if (!(format_.doubled_quotes && at_ + 1 < end_ && at_[1] == quote)) {
          ++at_;
          return scratch_;
        }
        ++at_;
      } else if (c == '\\' && format_.escapes) {
        if (++at_ == end_) break;
        c = *at_ == 'n' ? '\n' : *at_ == 't' ? '\t' : *at_ == 'r' ? '\r' : *at_;
        if (*at_ == '\n') fail("a quote is opened but not closed.");
      } else if (c == '\n') {
        if (!format_.multiline) break;
        ++line_;
      }
      scratch_ += c;
    }
    fail("a quote is opened but not closed.");
  }

  bool starts_comment(const char* start) const {
    if (!format_.comment || *at_ != format_.comment) return false;
    return format_.comment_anywhere || (format_.comment_after_blank && at_ > start && is_blank(at_[-1]));
  }

  // Up to the next delimiter, the end of the row, or a character that ends an element of a sparse row.
  std::string_view read_plain(bool sparse) {
    const char* start = at_;
    bool plain = true;
    const char delimiter = format_.delimiter;
    const bool escapes = format_.escapes && format_.quotes.empty();
    while (at_ < end_ && *at_ != delimiter && *at_ != '\n') {
      if (format_.comment && *at_ == format_.comment && starts_comment(start)) break;
      if (sparse && (*at_ == '}' || is_blank(*at_))) break;
      if (escapes && *at_ == '\\') {
        plain = false;
        if (++at_ == end_ || *at_ == '\n') break;
      }
      ++at_;
    }
    std::string_view text(start, static_cast<std::size_t>(at_ - start));
    const bool ended = at_ == end_ || *at_ == '\n' || (format_.comment && *at_ == format_.comment);
    text = trimmed(text, plain);
    if (!format_.final_period) return text;
    if (ended && !text.empty() && text.back() == '.' && (plain || !ends_escaped(text))) {
      text = trimmed(text.substr(0, text.size() - 1), plain);
    }
    return unescaped(text);
  }

  std::string_view trimmed(std::string_view text, bool plain) const {
    while (!text.empty() && is_blank(text.back()) && (plain || !ends_escaped(text))) text.remove_suffix(1);
    return text;
  }

  // Whether a backslash that is not itself taken literally stands before the last character.
  static bool ends_escaped(std::string_view text) {
    std::size_t i = text.size() - 1;
    while (i > 0 && text[i - 1] == '\\') --i;
    return (text.size() - 1 - i) % 2 == 1;
  }

  // C4.5's names: a backslash takes the next character literally, and a run of blanks is one space.
  std::string_view unescaped(std::string_view text) {
    const auto odd = [this](char c) { return c == '\\' || is_blank(c); };
    if (std::none_of(text.begin(), text.end(), odd)) return text;
    scratch_.clear();
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\\' && i + 1 < text.size()) {
        scratch_ += text[++i];
      } else if (!is_blank(text[i])) {
        scratch_ += text[i];
      } else if (scratch_.empty() || scratch_.back() != ' ') {
        scratch_ += ' ';
      }
    }
    return scratch_;
  }

  Field read_field() {
    Field field;
    skip_blanks();
    if (at_ < end_ && is_quote_[static_cast<unsigned char>(*at_)]) {
      field.in_quotes = true;
      field.text = read_quoted();
      const char* after = at_;
      skip_blanks();
      if (at_ < end_ && *at_ != '\n' && *at_ != format_.delimiter && !starts_comment(after)) {
        fail("text follows a closing quote; a delimiter is missing.");
      }
    } else {
      field.text = read_plain(false);
    }
    if (at_ < end_ && *at_ == format_.delimiter) {
      ++at_;
    } else {
      field.last = true;
    }
    return field;
  }

  // Most fields are short numbers that a delimiter follows at once: read in one pass, about twice as fast.
  bool read_short_number(TextColumn& column) {
    if (column.kind != FieldKind::numeric || number_is_missing_) return false;
    double value = 0;
    const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
    const std::size_t length = parse_short_prefix(rest, value);
    if (length == 0 || length == rest.size() || at_[length] != format_.delimiter) return false;
    column.numbers.push_back(value);
    at_ += length + 1;
    return true;
  }

  void read_dense() {
    const std::size_t n_columns = table_.columns.size();
    std::size_t j = 0;
    double weight = 1.0;
    for (bool last = false; !last; ++j) {
      if (j == n_columns && format_.sparse_rows && at_weight()) {
        weight = read_weight();
        break;
      }
      if (j < n_columns && read_short_number(table_.columns[j])) continue;
      const Field field = read_field();
      if (j < n_columns) store(j, field.text, field.in_quotes);
      last = field.last;
    }
    if (j != n_columns) {
      fail("the row has " + std::to_string(j) + " fields, but " + std::to_string(n_columns) +
           " are expected.");
    }
    finish_row(weight);
  }

  bool at_weight() {
    skip_blanks();
    return at_ < end_ && *at_ == '{';
  }

  double read_weight() {
    ++at_;
    skip_blanks();
    const std::string_view text = read_plain(true);
    double weight = 0;
    if (!parse_number(text, weight) || weight < 0)
      fail("the row's weight " + quoted(text) + " is not a number >= 0.");
    skip_blanks();
    if (at_ == end_ || *at_ != '}') fail("the row's weight is not closed by '}'.");
    ++at_;
    return weight;
  }

  void read_sparse() {
    ++at_;
    given_.assign(table_.columns.size(), 0);
    for (skip_blanks(); at_ < end_ && *at_ != '}'; skip_blanks()) {
      const std::size_t j = read_index();
      if (given_[j]) fail("index " + std::to_string(j) + " occurs twice in a sparse row.");
      given_[j] = 1;
      skip_blanks();
      const bool in_quotes = at_ < end_ && is_quote_[static_cast<unsigned char>(*at_)];
      store(j, in_quotes ? read_quoted() : read_plain(true), in_quotes);
      skip_blanks();
      if (at_ < end_ && *at_ == format_.delimiter) {
        ++at_;
      } else if (at_ == end_ || *at_ != '}') {
        break;
      }
    }
    if (at_ == end_ || *at_ != '}') fail("a sparse row must be '{index value, ...}' and end with '}'.");
    ++at_;
    for (std::size_t j = 0; j < given_.size(); ++j) {
      if (!given_[j]) store_default(j);
    }
    double weight = 1.0;
    skip_blanks();
    if (at_ < end_ && *at_ == format_.delimiter) {
      ++at_;
      if (!at_weight()) fail("after a sparse row only a weight '{w}' may follow.");
      weight = read_weight();
    }
    finish_row(weight);
  }

  std::size_t read_index() {
    const std::string_view text = read_plain(true);
    std::size_t index = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), index);
    if (text.empty() || error != std::errc{} || stop != text.data() + text.size()) {
      fail("a sparse row needs an index, not " + quoted(text) + ".");
    }
    if (index >= table_.columns.size()) {
      fail("index " + std::to_string(index) + " of a sparse row is beyond the " +
           std::to_string(table_.columns.size()) + " attributes.");
    }
    return index;
  }

  void finish_row(double weight) {
    skip_blanks();
    if (at_ < end_ && format_.comment && *at_ == format_.comment) {
      while (at_ < end_ && *at_ != '\n') ++at_;
    }
    if (!at_row_end()) fail("text follows the end of the row.");
    if (at_ < end_) next_line();
    if (weight != 1.0 && table_.weights.empty()) table_.weights.assign(table_.n_rows, 1.0);
    ++table_.n_rows;
    if (weight != 1.0 || !table_.weights.empty()) table_.weights.push_back(weight);
  }

  bool is_missing(std::string_view text, bool in_quotes) const {
    if (text.size() > longest_missing_ || (in_quotes && !format_.quoted_missing)) return false;
    return std::find(format_.missing.begin(), format_.missing.end(), text) != format_.missing.end();
  }

  void store(std::size_t j, std::string_view text, bool in_quotes) {
    TextColumn& column = table_.columns[j];
    if (more_ && at_ == end_)
      return;  // the field may go on: its row is read again with the text that follows
    switch (column.kind) {
      case FieldKind::numeric: {
        double value = kMissing;
        if (!is_missing(text, in_quotes) && !parse_number(text, value)) {
          fail("column '" + column.name + "' is numeric, but " + quoted(text) + " is not a finite number.");
        }
        column.numbers.push_back(value);
        break;
      }
      case FieldKind::nominal:
      case FieldKind::open:
        column.codes.push_back(is_missing(text, in_quotes) ? -1 : code_of(j, text));
        break;
      case FieldKind::probe: {
        double value;
        if (column.all_numbers && !is_missing(text, in_quotes) && !parse_number(text, value)) {
          column.all_numbers = false;
        }
        break;
      }
      case FieldKind::ignored:
        break;
    }
  }

  // What a sparse row leaves out is 0, or the first declared value.
  void store_default(std::size_t j) {
    TextColumn& column = table_.columns[j];
    if (column.kind == FieldKind::numeric) column.numbers.push_back(0.0);
    if (column.kind == FieldKind::nominal) column.codes.push_back(column.values.empty() ? -1 : 0);
    if (column.kind == FieldKind::open) column.codes.push_back(-1);
  }

  std::int32_t code_of(std::size_t j, std::string_view text) {
    TextColumn& column = table_.columns[j];
    // Neighbouring rows tend to agree: saves most of the hashing.
    if (last_[j] >= 0 && column.values[static_cast<std::size_t>(last_[j])] == text) return last_[j];
    const auto entry = dictionaries_[j].find(text);
    if (entry != dictionaries_[j].end()) return last_[j] = entry->second;
    if (column.kind == FieldKind::nominal) {
      fail("column '" + column.name + "' has no value " + quoted(text) + " among those declared.");
    }
    if (column.values.size() >= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
      fail("column '" + column.name + "' has too many distinct values.");
    }
    const auto code = static_cast<std::int32_t>(column.values.size());
    column.values.emplace_back(text);
    dictionaries_[j].emplace(std::string(text), code);
    return last_[j] = code;
  }

  const char* begin_;
  const char* at_;
  const char* end_;
  std::size_t line_;
  bool more_;
  std::size_t row_line_ = 0;
  const TextFormat& format_;
  TextTable table_;
  std::vector<Dictionary> dictionaries_;
  std::vector<std::int32_t> last_;
  std::vector<char> given_;
  bool is_quote_[256] = {};
  std::size_t longest_missing_ = 0;
  bool number_is_missing_ = false;  // such as -999
  std::string scratch_;
};

}  // namespace

TextTable read_rows(std::string_view text, std::size_t first_line, const TextFormat& format,
                    std::vector<TextColumn> columns, bool more) {
  return RowReader(text, first_line, format, std::move(columns), more).read();
}

}  // namespace stakes::text
