// Converged solutions of scenes: what errors are measured against.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "stiffly/results/error_norms.hpp"
#include "stiffly/scene/scene.hpp"
#include "stiffly/study/candidate.hpp"

namespace stiffly::study {

/// Tells how a study goes on, one line at a time.
using StudyProgress = std::function<void(const std::string&)>;

/// Evenly spaced: T/n, 2T/n, … T after the start.
std::vector<double> even_moments(const State& start, double duration, int count);

struct ReferenceOptions {
  Norm norm = Norm::position;
  double agreement =
      0.005;                ///< the two methods must agree to this in that norm: 1/20 of the error bound, say
  double time_limit = 600;  ///< s of computing, over all attempts
  /// Numbers of candidates of which one is to be among the two, those of other libraries, say. Only when half
  /// of the time is over any two will do.
  std::vector<std::size_t> witnesses = {};
  std::filesystem::path cache = {};  ///< folder of earlier references; empty: none is kept
  StudyProgress progress = {};
};

/// One of the two solutions behind a reference.
struct Solution {
  std::string method;
  std::string setting;  ///< "step 1.25e-05 s" or "tolerance 1e-08"
  std::vector<State> states;
};

struct Reference {
  Solution best, witness;  ///< `best` is what errors are measured against
  double difference = 0;   ///< between the two, in the norm that was asked for
  double seconds = 0;      ///< of computing
  bool cached = false;

  const std::vector<State>& states() const { return best.states; }
};

/// Where references are kept unless a user says otherwise: $XDG_CACHE_HOME or ~/.cache, then
/// stiffly/references. Empty where neither is known.
std::filesystem::path reference_folder();

/// All that a reference depends on, as text: the scene's settings but for those of the method, the physics
/// itself (start, and forces at two states: lists of particles are not in the settings), the moments.
std::string reference_key(const Scene& scene, std::span<const double> moments);

/// Refines several independent methods, always the one whose next run costs least, until two of them agree,
/// and keeps the result. A damaged or foreign file in the cache is computed anew; one that does not agree
/// well enough is too. Throws SimulationError where there is no agreement within the time, or where two
/// methods have settled on different solutions.
Reference find_reference(const Scene& scene, std::span<const double> moments,
                         std::span<Candidate* const> candidates, const ReferenceOptions& options);

}  // namespace stiffly::study
