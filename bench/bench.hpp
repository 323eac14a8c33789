// Benchmarks compare two things in one run and print ratios: minimum of repeats, warm, both sides under the
// same load.
#pragma once

#include <functional>
#include <limits>
#include <string>

#include "stiffly/stopwatch.hpp"

namespace stiffly::bench {

/// A group of measurements, run by its name. Returns whether every bound it states was met.
struct Section {
  std::string name;
  std::string what;
  std::function<bool()> run;
};

Section bandwidth();
Section krylov_overhead();
Section cost_laws();
Section auto_choice();
Section exponentials();
Section coil();
Section large_step();
Section solvers();
Section stiffness();
Section growth();
Section effort();
Section fibres();
Section contact();
Section flow();
Section hair();
Section one_hair();
Section touching_hair();

inline double seconds(const std::function<void()>& work) {
  const Stopwatch watch;
  work();
  return watch.seconds();
}

/// Least time of `repeats` runs.
inline double fastest(int repeats, const std::function<void()>& work) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < repeats; ++i) best = std::min(best, seconds(work));
  return best;
}

/// "ok" or "MISSED", for the last column of a row with a bound.
inline const char* verdict(bool met) { return met ? "ok" : "MISSED"; }

}  // namespace stiffly::bench
