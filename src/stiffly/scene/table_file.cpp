#include "stiffly/scene/table_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "stiffly/error.hpp"
#include "stiffly/files/csv.hpp"
#include "stiffly/files/file.hpp"
#include "stiffly/files/text_reader.hpp"
#include "stiffly/text.hpp"

namespace stiffly {
namespace {

constexpr std::uintmax_t largest_table = 2048ull << 20;

/// What a column holds: a key's value, one component of it, or (key == nullptr) the row's number.
struct Column {
  const Key* key = nullptr;
  int component = -1;
};

struct ComponentName {
  const char* column;
  const char* key;
  int component;
};
constexpr ComponentName component_names[] = {
    {"x", "position", 0},  {"y", "position", 1},  {"z", "position", 2}, {"vx", "velocity", 0},
    {"vy", "velocity", 1}, {"vz", "velocity", 2}, {"first", "ends", 0}, {"second", "ends", 1},
    {"i", "ends", 0},      {"j", "ends", 1},
};

Column find_column(const Section& section, const std::string& name, const Origin& origin) {
  if (name == section.name) return {};
  if (const Key* key = section.find(name)) return {key, -1};
  std::vector<std::string> names;
  for (const Key& key : section.keys)
    if (key.type != ValueType::vector && key.type != ValueType::pair) names.push_back(key.name);
  for (const ComponentName& c : component_names)
    if (const Key* key = section.find(c.key)) {
      if (name == c.column) return {key, c.component};
      names.emplace_back(c.column);
    }
  // No longer than a column's name: the file may be none of the scene's business.
  const std::string start = shown(name, 12);
  refuse(origin, fmt::format("unknown column '{}' in a table of {}s; did you mean '{}'?", start, section.name,
                             nearest(start, names)));
}

int components(ValueType type) { return type == ValueType::vector ? 3 : type == ValueType::pair ? 2 : 1; }

std::vector<Column> read_header(const Section& section, std::span<const std::string> cells,
                                const Origin& origin) {
  std::vector<Column> columns;
  for (const std::string& cell : cells) {
    const Column column = find_column(section, cell, origin);
    for (const Column& earlier : columns)
      if (earlier.key == column.key &&
          (earlier.component == column.component || earlier.component < 0 || column.component < 0))
        refuse(origin, fmt::format("column '{}' is given twice", shown(cell)));
    columns.push_back(column);
  }
  for (const Key& key : section.keys) {
    const auto count =
        std::count_if(columns.begin(), columns.end(), [&](const Column& c) { return c.key == &key; });
    const bool whole = std::any_of(columns.begin(), columns.end(),
                                   [&](const Column& c) { return c.key == &key && c.component < 0; });
    if ((count > 0 || key.required) && !whole && count != components(key.type)) {
      std::string wanted;
      for (const ComponentName& c : component_names)
        if (key.name == c.key && std::string_view(c.column) != "i" && std::string_view(c.column) != "j")
          wanted += fmt::format("{}'{}'", wanted.empty() ? "" : ", ", c.column);
      refuse(origin, fmt::format("a table of {}s needs {} {}", section.name,
                                 wanted.empty() ? "the column" : "the columns",
                                 wanted.empty() ? fmt::format("'{}'", key.name) : wanted));
    }
  }
  return columns;
}

/// Cells of one row to values of one section.
class RowReader {
 public:
  RowReader(const Section& section, const Key& key, const Origin& origin)
      : section_(section), key_(key), origin_(origin) {}

  double number(const std::string& cell) const {
    double value = 0;
    if (!parse_number(cell, value)) wrong(cell, "a number");
    return value;
  }

  std::int64_t integer(const std::string& cell) const {
    std::int64_t value = 0;
    if (!parse_integer(cell, value)) wrong(cell, "a whole number");
    return value;
  }

  bool boolean(const std::string& cell) const {
    if (cell == "true" || cell == "1") return true;
    if (cell != "false" && cell != "0") wrong(cell, "true or false");
    return false;
  }

  /// "0 0 1", "0, 0, 1" or "[0, 0, 1]" in one cell.
  std::vector<std::string> split(const std::string& cell) const {
    std::vector<std::string> parts;
    constexpr std::string_view between = " \t,;[]";
    for (std::size_t first = cell.find_first_not_of(between); first != std::string::npos;) {
      const std::size_t end = cell.find_first_of(between, first);
      parts.push_back(cell.substr(first, end - first));
      first = end == std::string::npos ? end : cell.find_first_not_of(between, end);
    }
    if (static_cast<int>(parts.size()) != components(key_.type)) wrong(cell, describe(key_.type));
    return parts;
  }

  Value vector(std::span<const std::string> cells) const {
    return std::array{number(cells[0]), number(cells[1]), number(cells[2])};
  }
  Value pair(std::span<const std::string> cells) const {
    return std::array{integer(cells[0]), integer(cells[1])};
  }

  Value value(std::span<const std::string> cells) const {
    switch (key_.type) {
      case ValueType::number:
        return number(cells[0]);
      case ValueType::integer:
        return integer(cells[0]);
      case ValueType::boolean:
        return boolean(cells[0]);
      case ValueType::text:
        return cells[0];
      case ValueType::vector:
        return cells.size() == 1 ? vector(split(cells[0])) : vector(cells);
      case ValueType::pair:
        return cells.size() == 1 ? pair(split(cells[0])) : pair(cells);
      default:  // no section that can come from a table has lists
        return {};
    }
  }

 private:
  [[noreturn]] void wrong(const std::string& cell, const std::string& wanted) const {
    refuse(origin_,
           fmt::format("'{}' of a {} must be {}, not '{}'", key_.name, section_.name, wanted, shown(cell)));
  }

  const Section& section_;
  const Key& key_;
  const Origin& origin_;
};

void check_row_number(const Section& section, const std::string& cell, std::size_t expected,
                      const Origin& origin) {
  std::int64_t number = -1;
  if (!parse_integer(cell, number) || number != static_cast<std::int64_t>(expected))
    refuse(origin, fmt::format("column '{}' must number the rows 0, 1, 2, …: {} is due here, not '{}'",
                               section.name, expected, shown(cell)));
}

Values read_row(const Section& section, std::span<const Column> columns, std::span<const std::string> cells,
                std::size_t row, const Origin& origin) {
  Values out(section, origin);
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (!columns[c].key) check_row_number(section, cells[c], row, origin);
  for (const Key& key : section.keys) {
    std::vector<std::string> own;
    for (int component = -1; component < 3; ++component)
      for (std::size_t c = 0; c < columns.size(); ++c)
        if (columns[c].key == &key && columns[c].component == component) own.push_back(cells[c]);
    const auto empty = [](const std::string& cell) { return cell.empty(); };
    if (std::all_of(own.begin(), own.end(), empty)) continue;
    out.set(key, RowReader(section, key, origin).value(own), origin);
  }
  out.check_complete();
  return out;
}

}  // namespace

std::vector<Values> read_table_file(const std::filesystem::path& path, const Section& section,
                                    const Origin& origin) {
  std::string text;
  try {
    text = read_file(path, largest_table);
  } catch (const FileError& error) {
    throw FileError(fmt::format("{}: {}", origin.text(), error.what()));
  }
  const Origin file(path.string());
  std::vector<Column> columns;
  std::vector<Values> rows;
  read_csv(
      text, path.string(),
      [&](std::span<const std::string> cells, int line) {
        columns = read_header(section, cells, file.at(line));
      },
      [&](std::span<const std::string> cells, int line) {
        rows.push_back(read_row(section, columns, cells, rows.size(), file.at(line)));
      });
  return rows;
}

}  // namespace stiffly
