#include "stiffly/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "stiffly/error.hpp"

namespace stiffly {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
  const auto best = std::min_element(candidates.begin(), candidates.end(), [&](const auto& a, const auto& b) {
    return edit_distance(word, a) < edit_distance(word, b);
  });
  return best == candidates.end() ? std::string{} : *best;
}

void throw_unknown(std::string_view name, std::string_view what, std::span<const std::string> names) {
  throw InputError(fmt::format("unknown {0} '{1}'; did you mean '{2}'? (stiffly list {0}s shows all)", what,
                               name, nearest(name, names)));
}

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  if (seconds < 1e-3) return fmt::format("{:.3g} us", 1e6 * seconds);
  if (seconds < 1) return fmt::format("{:.3g} ms", 1e3 * seconds);
  if (seconds < 600) return fmt::format("{:.3g} s", seconds);
  return seconds < 36000 ? fmt::format("{:.1f} min", seconds / 60) : fmt::format("{:.1f} h", seconds / 3600);
}

std::string sequence_text(std::span<const std::string> names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (i == 0 || names[i] != names[i - 1]) out += (i == 0 ? "" : ", then ") + names[i];
  return out;
}

std::string first_clause(const std::string& message) {
  std::size_t end = message.find_first_of(":;");
  if (end != std::string::npos && message[end] == ':' && message.find(' ') == end + 1)
    end = message.find_first_of(":;", end + 1);
  return message.substr(0, end);
}

}  // namespace stiffly
