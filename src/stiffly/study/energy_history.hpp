// Energy over time.
#pragma once

#include "stiffly/study/measurement.hpp"

namespace stiffly::study {

struct EnergyCurve {
  std::string name;
  std::vector<double> times, energies;  ///< from the start on
  Measurement trial;                    ///< its error is not known
};

/// A few hundred energies at most: at the ends of constant steps, or evenly where steps are chosen. A run
/// that fails has those before the failure.
EnergyCurve energy_history(const Scene& scene, double duration, Candidate& candidate, double setting,
                           double time_limit);

}  // namespace stiffly::study
