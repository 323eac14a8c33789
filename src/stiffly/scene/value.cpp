#include "stiffly/scene/value.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "stiffly/error.hpp"
#include "stiffly/files/text_reader.hpp"
#include "stiffly/text.hpp"

namespace stiffly {
namespace {

template <class... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};
template <class... Visitors>
Overloaded(Visitors...) -> Overloaded<Visitors...>;

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

}  // namespace

std::string describe(ValueType type) {
  switch (type) {
    case ValueType::number:
      return "a number";
    case ValueType::integer:
      return "a whole number";
    case ValueType::boolean:
      return "true or false";
    case ValueType::text:
      return "a text in quotes";
    case ValueType::vector:
      return "three numbers [x, y, z]";
    case ValueType::pair:
      return "two whole numbers [i, j]";
    case ValueType::numbers:
      return "a list of numbers";
    case ValueType::integers:
      return "a list of whole numbers";
    case ValueType::vectors:
      return "a list of [x, y, z]";
  }
  return {};
}

std::string to_text(const Value& value) {
  return std::visit(Overloaded{[](double v) { return fmt::format("{}", v); },
                               [](std::int64_t v) { return fmt::format("{}", v); },
                               [](bool v) { return std::string(v ? "true" : "false"); },
                               [](const std::string& v) { return quoted(v); },
                               [](const auto& v) { return fmt::format("[{}]", fmt::join(v, ", ")); }},
                    value);
}

std::string Origin::text() const {
  if (!source) return {};
  return line > 0 ? fmt::format("{}:{}", *source, line) : *source;
}

void refuse(const Origin& origin, const std::string& message) {
  const std::string where = origin.text();
  throw InputError(where.empty() ? message : where + ": " + message);
}

std::string Key::range() const {
  const auto finite = [](double v) { return std::isfinite(v); };
  if (!choices.empty()) return fmt::format("one of \"{}\"", fmt::join(choices, "\", \""));
  if (finite(above))
    return finite(at_most) ? fmt::format("> {}, ≤ {}", above, at_most) : fmt::format("> {}", above);
  if (finite(at_least) && finite(at_most)) return fmt::format("{} … {}", at_least, at_most);
  if (finite(at_least)) return fmt::format("≥ {}", at_least);
  return finite(at_most) ? fmt::format("≤ {}", at_most) : std::string{};
}

std::string Section::title() const {
  if (name.empty()) return "the top of the file";
  return repeated ? fmt::format("[[{}]]", name) : fmt::format("[{}]", name);
}

const Key* Section::find(std::string_view key) const {
  const auto it = std::find_if(keys.begin(), keys.end(), [&](const Key& k) { return k.name == key; });
  return it == keys.end() ? nullptr : &*it;
}

const Key& find_key(const Section& section, std::string_view name, const Origin& origin) {
  if (const Key* key = section.find(name)) return *key;
  unknown_key(section, name, origin);
}

void unknown_key(const Section& section, std::string_view name, const Origin& origin) {
  std::vector<std::string> names;
  for (const Key& key : section.keys) names.push_back(key.name);
  const std::string kind =
      section.kind.empty() ? std::string{} : fmt::format(" of kind \"{}\"", section.kind);
  if (names.empty())
    refuse(origin,
           fmt::format("unknown key '{}' in {}{}, which has no keys", shown(name), section.title(), kind));
  refuse(origin, fmt::format("unknown key '{}' in {}{}; did you mean '{}'?", shown(name), section.title(),
                             kind, nearest(shown(name), names)));
}

void check_value(const Section& section, const Key& key, const Value& value, const Origin& origin) {
  const auto number = [&](double v) {
    if (!std::isfinite(v))
      refuse(origin, fmt::format("'{}' in {} must be finite, not {}", key.name, section.title(), v));
    if (v > key.above && v >= key.at_least && v <= key.at_most) return;
    refuse(origin, fmt::format("'{}' in {} must be {}{}{}, not {}", key.name, section.title(), key.range(),
                               key.unit.empty() ? "" : " ", key.unit, v));
  };
  std::visit(Overloaded{[&](double v) { number(v); }, [&](std::int64_t v) { number(static_cast<double>(v)); },
                        [](bool) {},
                        [&](const std::string& v) {
                          if (key.choices.empty() ||
                              std::find(key.choices.begin(), key.choices.end(), v) != key.choices.end())
                            return;
                          refuse(origin,
                                 fmt::format("'{}' in {} must be {}, not \"{}\"; did you mean \"{}\"?",
                                             key.name, section.title(), key.range(), shown(v),
                                             nearest(shown(v), key.choices)));
                        },
                        [&](const std::vector<std::array<double, 3>>& v) {
                          for (const auto& point : v)
                            for (const double component : point) number(component);
                        },
                        [&](const auto& v) {
                          for (const auto component : v) number(static_cast<double>(component));
                        }},
             value);
}

const Values::Entry* Values::entry(std::string_view key) const {
  const auto it =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.key->name == key; });
  return it == entries_.end() ? nullptr : &*it;
}

const Origin& Values::origin(std::string_view key) const {
  const Entry* found = entry(key);
  return found ? found->origin : origin_;
}

void Values::set(const Key& key, Value value, const Origin& origin) {
  check_value(*section_, key, value, origin);
  for (Entry& e : entries_)
    if (e.key == &key) {
      e.value = std::move(value);
      e.origin = origin;
      return;
    }
  entries_.push_back({&key, std::move(value), origin});
}

void Values::check_complete() const {
  for (const Key& key : section_->keys)
    if (key.required && !given(key.name))
      refuse(origin_, fmt::format("{} needs '{}' ({}{}{}): {}", section_->title(), key.name,
                                  describe(key.type), key.unit.empty() ? "" : ", ", key.unit, key.help));
}

std::vector<const Key*> Values::unread() const {
  std::vector<const Key*> out;
  for (const Entry& e : entries_)
    if (!e.read) out.push_back(e.key);
  return out;
}

std::optional<Value> Values::value(std::string_view key) const {
  if (const Entry* found = entry(key)) return found->value;
  const Key* known = section_->find(key);
  return known ? known->fallback : std::nullopt;
}

}  // namespace stiffly
