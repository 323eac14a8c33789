// What a scene file can say: typed values, the keys they belong to, and where they were written.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace stiffly {

using Value =
    std::variant<double, std::int64_t, bool, std::string, std::array<double, 3>, std::array<std::int64_t, 2>,
                 std::vector<double>, std::vector<std::int64_t>, std::vector<std::array<double, 3>>>;

/// In the order of the alternatives of `Value`.
enum class ValueType { number, integer, boolean, text, vector, pair, numbers, integers, vectors };

/// "a number", "three numbers", …
std::string describe(ValueType type);
/// As TOML writes it, numbers in the fewest digits that give them back.
std::string to_text(const Value& value);

/// Where something was written: a line of a file, or an option of the command line.
struct Origin {
  std::shared_ptr<const std::string> source;
  int line = 0;  ///< 0 where there are no lines

  Origin() = default;
  explicit Origin(std::string name, int at_line = 0)
      : source(std::make_shared<const std::string>(std::move(name))), line(at_line) {}
  Origin at(int other_line) const {
    Origin other = *this;
    other.line = other_line;
    return other;
  }
  /// "scene.toml:12"
  std::string text() const;
};

/// Throws InputError "ORIGIN: message".
[[noreturn]] void refuse(const Origin& origin, const std::string& message);

/// One key of one section: all that is said about it anywhere comes from here.
struct Key {
  std::string name = {};
  ValueType type = ValueType::number;
  std::string unit = {};               ///< SI; empty where there is none
  std::string help = {};               ///< one line
  std::optional<Value> fallback = {};  ///< the value if none is given
  bool required = false;
  std::string fallback_help = {};  ///< what happens without a value where no single value says it
  double above = -std::numeric_limits<double>::infinity();     ///< numbers must be larger …
  double at_least = -std::numeric_limits<double>::infinity();  ///< … or as large
  double at_most = std::numeric_limits<double>::infinity();
  std::vector<std::string> choices = {};  ///< of texts; any if empty

  /// "> 0", "0 … 5", `one of "a", "b"`; empty if all values of the type will do.
  std::string range() const;
};

/// A table of the file: [name], or [[name]] if there may be several.
struct Section {
  std::string name;  ///< empty: the top of the file
  bool repeated = false;
  std::string help;
  std::vector<Key> keys;
  std::string kind;  ///< of [model]: the one whose keys these are

  std::string title() const;
  const Key* find(std::string_view key) const;
};

/// Throws InputError that names the nearest key of the section.
[[noreturn]] void unknown_key(const Section& section, std::string_view name, const Origin& origin);
/// The key of that name, or `unknown_key`.
const Key& find_key(const Section& section, std::string_view name, const Origin& origin);
/// Throws InputError unless the value is finite, in range, and one of the choices.
void check_value(const Section& section, const Key& key, const Value& value, const Origin& origin);

/// The values of one table. Keys that were not given have their defaults.
class Values {
 public:
  Values() = default;
  Values(const Section& section, Origin origin) : section_(&section), origin_(std::move(origin)) {}

  const Section& section() const { return *section_; }
  const Origin& origin() const { return origin_; }
  /// Of the key's value, or of the table where it has none.
  const Origin& origin(std::string_view key) const;
  bool given(std::string_view key) const { return entry(key) != nullptr; }
  /// Checks and stores; a later value replaces an earlier one.
  void set(const Key& key, Value value, const Origin& origin);
  /// Throws InputError if a required key was not given.
  void check_complete() const;

  /// Keys that were given, but whose values nobody has asked for by one of the functions with a type below.
  std::vector<const Key*> unread() const;
  /// Whether a value came from the command line, which has no lines.
  bool from_command_line(std::string_view key) const { return given(key) && origin(key).line == 0; }

  /// The value given or the default; none if there is neither. Does not count as read.
  std::optional<Value> value(std::string_view key) const;
  double number(std::string_view key) const { return get<double>(key); }
  int integer(std::string_view key) const { return static_cast<int>(get<std::int64_t>(key)); }
  bool boolean(std::string_view key) const { return get<bool>(key); }
  std::string text(std::string_view key) const { return get<std::string>(key); }
  std::array<double, 3> vector(std::string_view key) const { return get<std::array<double, 3>>(key); }
  std::array<std::int64_t, 2> pair(std::string_view key) const {
    return get<std::array<std::int64_t, 2>>(key);
  }
  std::vector<double> numbers(std::string_view key) const { return get<std::vector<double>>(key); }
  std::vector<std::int64_t> integers(std::string_view key) const {
    return get<std::vector<std::int64_t>>(key);
  }
  std::vector<std::array<double, 3>> vectors(std::string_view key) const {
    return get<std::vector<std::array<double, 3>>>(key);
  }

 private:
  struct Entry {
    const Key* key;
    Value value;
    Origin origin;
    mutable bool read = false;
  };
  const Entry* entry(std::string_view key) const;
  template <class T>
  T get(std::string_view key) const {
    if (const Entry* found = entry(key)) found->read = true;
    return std::get<T>(value(key).value());
  }

  const Section* section_ = nullptr;
  Origin origin_;
  std::vector<Entry> entries_;
};

}  // namespace stiffly
