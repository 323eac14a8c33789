// Small helpers for messages.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stiffly {

/// The candidate with the smallest edit distance to `word`; empty if there is none.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

/// Throws InputError: unknown `what`, the nearest name, and the `list` command that shows all.
[[noreturn]] void throw_unknown(std::string_view name, std::string_view what,
                                std::span<const std::string> names);

/// "12.3 ms", "4.5 s", "2.1 min"; "-" for one that is not finite.
std::string duration_text(double seconds);

/// "a, then b": names in their order, those that follow their like only once.
std::string sequence_text(std::span<const std::string> names);

/// What has happened, without details and remedies: a message up to its first colon or semicolon. One word
/// and a colon at its beginning name who says it, and stay.
std::string first_clause(const std::string& message);

/// The entry whose `.name` is `name`; otherwise `throw_unknown`.
template <class Range>
auto& find_by_name(Range&& entries, std::string_view name, std::string_view what) {
  std::vector<std::string> names;
  for (auto& entry : entries) {
    if (entry.name == name) return entry;
    names.push_back(entry.name);
  }
  throw_unknown(name, what, names);
}

}  // namespace stiffly
