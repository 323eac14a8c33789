#include "stiffly/files/csv.hpp"

#include <fmt/format.h>

#include <charconv>

#include "stiffly/error.hpp"
#include "stiffly/files/text_reader.hpp"

namespace stiffly {
namespace {

constexpr std::string_view blanks_in_line = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks_in_line);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks_in_line) - first + 1);
}

/// Takes a quoted cell from the front of `rest`, "" inside it standing for one quote; false if it does not
/// end.
bool take_quoted(std::string_view& rest, std::string& cell) {
  for (std::size_t i = 1; i < rest.size(); ++i) {
    if (rest[i] != '"') {
      cell += rest[i];
    } else if (i + 1 < rest.size() && rest[i + 1] == '"') {
      cell += rest[i++];
    } else {
      rest.remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

void split(std::string_view line, const std::string& name, int number, std::vector<std::string>& cells) {
  cells.clear();
  for (std::string_view rest = line;;) {
    rest = rest.substr(std::min(rest.size(), rest.find_first_not_of(blanks_in_line)));
    std::string cell;
    const bool quoted = !rest.empty() && rest.front() == '"';
    if (quoted && !take_quoted(rest, cell))
      throw InputError(fmt::format("{}:{}: a quote does not end on this line", name, number));
    const std::size_t comma = rest.find(',');
    const std::string_view plain = trimmed(rest.substr(0, comma));
    if (!quoted) cell = plain;
    if (quoted && !plain.empty())
      throw InputError(fmt::format("{}:{}: '{}' after the closing quote", name, number, shown(plain)));
    cells.push_back(std::move(cell));
    if (comma == std::string_view::npos) return;
    rest.remove_prefix(comma + 1);
  }
}

template <class T>
bool parse(std::string_view text, T& out) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace

void read_csv(std::string_view text, const std::string& name, const CsvRow& header, const CsvRow& row) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::vector<std::string> cells;
  std::size_t columns = 0;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty() || line.front() == '#') continue;
    split(line, name, number, cells);
    if (columns == 0) {
      columns = cells.size();
      header(cells, number);
    } else if (cells.size() != columns) {
      throw InputError(fmt::format("{}:{}: {} cells, but the header names {} columns", name, number,
                                   cells.size(), columns));
    } else {
      row(cells, number);
    }
  }
  if (columns == 0)
    throw InputError(fmt::format("{}: the table is empty; its first line must name the columns", name));
}

bool parse_number(std::string_view text, double& out) { return parse(text, out); }
bool parse_integer(std::string_view text, std::int64_t& out) { return parse(text, out); }

}  // namespace stiffly
