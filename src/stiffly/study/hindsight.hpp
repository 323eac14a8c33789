// A method that is chosen on the way, against the best one in hindsight.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stiffly/scene/scene.hpp"
#include "stiffly/study/candidate.hpp"

namespace stiffly {

struct HindsightOptions {
  double tolerance = 1e-2;  ///< of all runs
  double seconds = 10;      ///< of computing, that the automatic run takes at least …
  double time_limit = 60;   ///< … and at most
  std::function<void(const std::string&)> progress = {};
};

/// How a method did over the duration of the race.
struct Finish {
  std::string name;
  double seconds = 0;        ///< of computing: of the fastest whole run, or until it was stopped
  std::string failure = {};  ///< why it did not come in
  bool slower = false;       ///< the failure is only that it was stopped behind a faster one
  /// From the automatic run, max ‖x − x̂‖ relative to the amplitude of the motion: within the scene's own
  /// duration, where solutions can be expected to agree, and within all of the race's.
  double early_difference = 0, difference = 0;
  /// More than ten tolerances away from the automatic run within the scene's own duration: whatever its time,
  /// it does not count.
  bool astray = false;
};

struct Hindsight {
  double duration = 0;  ///< s of simulated time, of every run
  Finish automatic;
  double other_seconds = 0;   ///< of the slower automatic run: choices rest on measured times and may differ
  bool same_choices = false;  ///< whether both runs chose the same methods, one after the other
  std::vector<Decision> decisions = {};  ///< of the fastest automatic run
  std::vector<Finish> rivals = {};       ///< the one it chose last, then the others in the order given
  std::optional<std::size_t> best = {};  ///< of the rivals that are not astray; none: nobody came in
  /// Two rivals are astray, and close to each other: it may be the automatic run that is wrong.
  bool doubtful = false;

  /// Time of the automatic runs relative to the best one's: of both where their choices differ, else of the
  /// faster one, as the best one's is that of its faster run. Where nobody came in, upper bounds.
  std::vector<double> ratios() const;
  /// Of the automatic run's time.
  double share_of_trials() const;
};

/// Runs the automatic method twice over a duration that takes it long enough, and every rival over the same,
/// which is stopped as soon as it is a little slower than the fastest so far. Of the best rival the faster
/// one of two runs counts. Throws SimulationError where the automatic run fails.
Hindsight hindsight(const Scene& scene, Candidate& automatic, std::span<Candidate* const> rivals,
                    const HindsightOptions& options);

/// What many such races say together.
struct HindsightTally {
  int rows = 0, within = 0;  ///< within 1.25 times the best one's time
  double worst = 0;          ///< ratio

  void add(double ratio);
};

}  // namespace stiffly
