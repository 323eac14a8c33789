// Several error bounds at once: which candidate reaches each of them in the least time.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "stiffly/study/measurement.hpp"
#include "stiffly/study/reference.hpp"

namespace stiffly::study {

struct Contestant {
  std::string family;  ///< rivals of the same family count as one
  Candidate* candidate;
};

struct RaceOptions {
  std::vector<double> bounds;
  double time_limit = 60;  ///< s of computing for one run
  double patience = 4;  ///< a run may take this many times (2 at least) the best time for the smallest bound
  int repeats = 3;      ///< runs of those close to winning, and of very short ones; the fastest counts
  StudyProgress progress = {};
};

/// What a contestant did: settings (steps, or tolerances) with their errors and times.
struct RaceEntry {
  std::string name, family;
  Knob knob = Knob::step;
  std::vector<Measurement> rungs = {};  ///< from the coarsest setting to the finest

  /// The cheapest rung that meets the bound, or nothing. One whose next finer rung came to an end without
  /// meeting it was lucky and does not count.
  const Measurement* best(double bound) const;
};

/// Every contestant goes down its ladder of settings until it meets the smallest bound. The next rung is
/// always that which promises to cost least, so that slow contestants are given up, once the smallest bound
/// has been met, with little time lost on them: what takes `patience` times the best time for the smallest
/// bound wins at no bound. Two rungs in a row out of time end a ladder too. In the end those within a factor
/// of two of a winner, or so quick that one measured time says little, are timed again, also half-way to the
/// next coarser rung. Throws InputError for bounds that are missing or not positive.
std::vector<RaceEntry> race(const Problem& problem, std::span<const Contestant> contestants,
                            const RaceOptions& options);

struct RaceOutcome {
  const RaceEntry *winner = nullptr, *rival = nullptr;  ///< the rival is the best of the other families
  const Measurement *winning = nullptr, *rivalling = nullptr;  ///< their runs

  double ratio() const { return rivalling->seconds / winning->seconds; }
};

/// Who wins at that bound. Nothing where nobody meets it, no rival where only one family does.
RaceOutcome race_outcome(std::span<const RaceEntry> entries, double bound);

}  // namespace stiffly::study
