// A method that is chosen on the way, against the best one in hindsight.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stiffly/scene/scene.hpp"
#include "stiffly/study/candidate.hpp"

namespace stiffly::study {

struct HindsightOptions {
  double tolerance = 1e-2;  ///< of all runs
  double seconds = 10;      ///< of computing, that the automatic run takes at least …
  double time_limit = 60;   ///< … and at most
  int rounds = 2;           ///< of repeated runs, of the best one and of the automatic one in turn
  std::function<void(const std::string&)> progress = {};
};

/// How a method did over the duration of the race.
struct RivalResult {
  std::string name;
  double seconds = 0;        ///< of computing: of the fastest whole run, or until it was stopped
  std::string failure = {};  ///< why it did not come in
  bool slower = false;       ///< the failure is only that it was stopped behind a faster one
  /// From the automatic run, max ‖x − x̂‖ relative to the amplitude of the motion: within the scene's own
  /// duration, where solutions can be expected to agree, and within all of the race's.
  double early_difference = 0, difference = 0;
  /// Too far from the automatic run within the scene's own duration: by ten tolerances, and by twice as much
  /// as the same method is. Whatever its time, it does not count.
  bool astray = false;

  bool came_in() const { return failure.empty() && !astray; }
};

/// Automatic runs that chose the same methods, one after the other.
struct AutomaticRuns {
  std::string choices;  ///< "a, then b"
  int runs = 0;
  double of_the_best = 0;  ///< seconds of the best rival, in the fastest of its runs next to these
  double seconds = 0;      ///< of the fastest …
  std::vector<Decision> decisions = {};  ///< … and how it came to its choices

  /// Of its time.
  double share_of_trials() const;
};

struct Hindsight {
  double duration = 0;                      ///< s of simulated time, of every run
  std::vector<AutomaticRuns> courses = {};  ///< choices rest on measured times and may differ; in their order
  std::vector<RivalResult> rivals = {};  ///< the one that was chosen last, then the others in the order given
  std::optional<std::size_t> best = {};  ///< of the rivals that are not astray; none: nobody came in
  /// Two rivals are astray, and close to each other: it may be the automatic run that is wrong.
  bool doubtful = false;

  /// Of every course, relative to the best one's time: fastest runs of both, at about the same time. Where
  /// nobody came in, upper bounds.
  std::vector<double> ratios() const;
};

/// Runs the automatic method over a duration that takes it long enough, and every rival over the same, which
/// is stopped as soon as it is a little slower than the fastest so far; then the best rival and the automatic
/// method in turn, so that both see the same moods of the machine. Throws SimulationError where an automatic
/// run fails.
Hindsight hindsight(const Scene& scene, Candidate& automatic, std::span<Candidate* const> rivals,
                    const HindsightOptions& options);

/// What many such races say together.
struct HindsightTally {
  int rows = 0, within = 0;  ///< within 1.25 times the best one's time
  double worst = 0;          ///< ratio

  void add(double ratio);
};

}  // namespace stiffly::study
