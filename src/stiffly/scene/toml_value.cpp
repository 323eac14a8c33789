#include "stiffly/scene/toml_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "stiffly/error.hpp"
#include "stiffly/files/text_reader.hpp"

namespace stiffly {
namespace {

[[noreturn]] void wrong_type(const Section& section, const Key& key, const std::string& found,
                             const Origin& origin) {
  refuse(origin,
         fmt::format("'{}' in {} must be {}, not {}", key.name, section.title(), describe(key.type), found));
}

std::string name_of(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::string:
      return fmt::format("the text \"{}\"", shown(*node.value<std::string>()));
    case toml::node_type::integer:
      return fmt::format("{}", *node.value<std::int64_t>());
    case toml::node_type::floating_point:
      return fmt::format("{}", *node.value<double>());
    case toml::node_type::boolean:
      return *node.value<bool>() ? "true" : "false";
    case toml::node_type::array:
      return fmt::format("a list of {}", node.as_array()->size());
    case toml::node_type::table:
      return "a table";
    default:
      return "a date or time";
  }
}

/// Whole numbers are numbers too; nothing else is converted.
template <class T>
std::optional<T> exact(const toml::node& node) {
  if constexpr (std::is_same_v<T, double>) {
    if (node.is_floating_point() || node.is_integer()) return node.value<double>();
    return std::nullopt;
  } else {
    return node.value_exact<T>();
  }
}

template <class T, std::size_t N>
std::optional<std::array<T, N>> components(const toml::node& node) {
  const toml::array* list = node.as_array();
  if (!list || list->size() != N) return std::nullopt;
  std::array<T, N> out;
  for (std::size_t i = 0; i < N; ++i) {
    const auto component = exact<T>((*list)[i]);
    if (!component) return std::nullopt;
    out[i] = *component;
  }
  return out;
}

template <class T>
std::optional<std::vector<T>> list(const toml::node& node, const auto& read_one) {
  if (!node.is_array()) return std::nullopt;
  std::vector<T> out;
  for (const toml::node& element : *node.as_array()) {
    const std::optional<T> one = read_one(element);
    if (!one) return std::nullopt;
    out.push_back(*one);
  }
  return out;
}

template <class T>
std::optional<Value> wrapped(std::optional<T> value) {
  return value ? std::optional<Value>(std::move(*value)) : std::nullopt;
}

/// The last character of the text in quotes that begins there; one without an end goes to the end of its
/// line, or of everything.
std::size_t end_of_text(std::string_view text, std::size_t begin, std::int64_t& line) {
  const char quote = text[begin];
  const bool long_one = text.substr(begin).starts_with(std::string(3, quote));
  for (std::size_t i = begin + (long_one ? 3 : 1); i < text.size(); ++i) {
    if (text[i] == '\n') {
      if (!long_one) return i - 1;
      ++line;
    } else if (text[i] == '\\' && quote == '"') {
      ++i;
    } else if (text[i] == quote && (!long_one || text.substr(i).starts_with(std::string(3, quote)))) {
      if (!long_one) return i;
      std::size_t last = i + 2;  // of up to five quotes in a row the last three close it
      while (last < i + 4 && text.substr(last + 1).starts_with(quote)) ++last;
      return last;
    }
  }
  return text.size();
}

std::optional<Value> read(ValueType type, const toml::node& node) {
  switch (type) {
    case ValueType::number:
      return wrapped(exact<double>(node));
    case ValueType::integer:
      return wrapped(exact<std::int64_t>(node));
    case ValueType::boolean:
      return wrapped(exact<bool>(node));
    case ValueType::text:
      return wrapped(exact<std::string>(node));
    case ValueType::vector:
      return wrapped(components<double, 3>(node));
    case ValueType::pair:
      return wrapped(components<std::int64_t, 2>(node));
    case ValueType::numbers:
      return wrapped(list<double>(node, exact<double>));
    case ValueType::integers:
      return wrapped(list<std::int64_t>(node, exact<std::int64_t>));
    case ValueType::vectors:
      return wrapped(list<std::array<double, 3>>(node, components<double, 3>));
  }
  return std::nullopt;
}

/// Tables lie within each other as deep as a key has dots, and whoever walks through them does so by
/// recursion: what no scene needs is refused before.
constexpr int deepest_key = 100;

void check_depth(std::string_view text, const std::string& name) {
  int dots = 0;
  std::int64_t line = 1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      i = end_of_text(text, i, line);
    } else if (c == '#') {
      i = std::min(text.size(), text.find('\n', i)) - 1;
    } else if (c == '.') {
      if (++dots > deepest_key)
        throw InputError(fmt::format("{}:{}: a key has more than {} dots", name, line, deepest_key));
    } else if (c == '\n' || c == '=' || c == ',' || c == '{' || c == '[') {
      dots = 0;
      line += c == '\n';
    }
  }
}

bool breaks_an_assertion(std::string_view text) {
  try {
    static_cast<void>(toml::parse(text));
  } catch (const toml::parse_error&) {
  } catch (const TomlAssertion&) {
    return true;
  }
  return false;
}

/// The line with which the text's beginning first breaks an assertion.
std::ptrdiff_t line_that_breaks(std::string_view text) {
  std::vector<std::size_t> ends;
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
    ends.push_back(at + 1);
  const auto first = std::partition_point(
      ends.begin(), ends.end(), [&](std::size_t end) { return !breaks_an_assertion(text.substr(0, end)); });
  return first - ends.begin() + 1;
}

}  // namespace

toml::table parse_toml(std::string_view text, const std::string& name) {
  check_depth(text, name);
  try {
    return toml::parse(text, name);
  } catch (const toml::parse_error& error) {
    throw InputError(
        fmt::format("{}:{}: not valid TOML: {}", name, error.source().begin.line, error.description()));
  } catch (const TomlAssertion&) {
    throw InputError(
        fmt::format("{}:{}: not valid TOML: there is a character that cannot stand where it does", name,
                    line_that_breaks(text)));
  }
}

namespace {

/// Empty for what is not TOML: a text without quotes, or a mistake.
std::optional<toml::table> parsed_value(std::string_view text) {
  if (text.find('\n') != std::string_view::npos) return std::nullopt;
  try {
    return parse_toml(fmt::format("value = {}", text), {});
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}  // namespace

Value read_value(const Section& section, const Key& key, const toml::node& node, const Origin& origin) {
  std::optional<Value> value = read(key.type, node);
  if (!value) wrong_type(section, key, name_of(node), origin);
  return std::move(*value);
}

Value parse_value(const Section& section, const Key& key, std::string_view text, const Origin& origin) {
  if (const std::optional<toml::table> table = parsed_value(text)) {
    const toml::node& node = *table->get("value");
    const bool bare = key.type == ValueType::text && !node.is_string();
    if (!bare) return read_value(section, key, node, origin);
  }
  if (key.type != ValueType::text) wrong_type(section, key, fmt::format("'{}'", shown(text)), origin);
  return std::string(text);
}

}  // namespace stiffly
