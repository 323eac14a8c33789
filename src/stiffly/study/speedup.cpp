#include "stiffly/study/speedup.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace stiffly::study {

Speedup speedup(const ComparisonEntry& ours, const ComparisonEntry& other) {
  if (ours.verdict == Verdict::fail) return {};
  // A method that was cut off within its first step, whatever its length, says nothing.
  const double ratio = other.cost() / ours.cost();
  const bool bounded_below = ours.verdict == Verdict::pass && std::isfinite(ratio);
  const bool bounded_above = other.verdict == Verdict::pass && std::isfinite(ours.cost());
  return {bounded_below ? ratio : 0, bounded_above ? ratio : std::numeric_limits<double>::infinity()};
}

std::string describe(const Speedup& s) {
  if (s.least == s.most) return fmt::format("{:.2g}", s.least);
  if (std::isfinite(s.most)) return fmt::format("at most {:.2g}", s.most);
  return s.least > 0 ? fmt::format("at least {:.2g}", s.least) : "unknown";
}

Standing standing(const Speedup& measured, double claimed) {
  if (measured.least >= claimed) return Standing::holds;
  return measured.most < claimed ? Standing::refuted : Standing::open;
}

}  // namespace stiffly::study
