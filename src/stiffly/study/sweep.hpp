// Costs over a parameter of a scene: stiffness, number of particles, anything that can be set.
#pragma once

#include <functional>
#include <memory>

#include "stiffly/study/measurement.hpp"

namespace stiffly::study {

struct SweepRow {
  std::string candidate;
  double value = 0;  ///< of the parameter
  std::size_t unknowns = 0;
  Measurement trial;

  double seconds_per_step() const { return trial.seconds / static_cast<double>(trial.steps); }
};

using Candidates = std::vector<std::unique_ptr<Candidate>>;

/// One value of the parameter, with its scene built: how to measure a candidate there.
struct SweepStation {
  std::size_t unknowns = 0;
  std::function<Measurement(Candidate&)> measure;
};

/// Goes to every value and measures every candidate there.
std::vector<SweepRow> sweep(std::span<const double> values,
                            const std::function<SweepStation(double value)>& station_at,
                            const Candidates& candidates);

/// Exponent p of the least-squares fit y = c x^p; NaN with fewer than two points that are positive and
/// finite.
double fitted_exponent(std::span<const double> x, std::span<const double> y);

}  // namespace stiffly::study
