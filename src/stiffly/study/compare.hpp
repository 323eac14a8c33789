// Equal quality: for each candidate the largest step (or loosest tolerance) whose error stays below a bound,
// and what it costs there. The protocol of the papers' tables. Beside it, what the bound costs at best.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "stiffly/study/measurement.hpp"
#include "stiffly/study/reference.hpp"
#include "stiffly/study/search.hpp"

namespace stiffly::study {

struct CompareOptions {
  double bound = 0.1;
  double time_limit = 60;  ///< s of computing for one run
  int repeats = 3;         ///< runs at the chosen setting; the fastest counts
  StudyProgress progress = {};
  std::function<bool()> stopped = {};  ///< asked before every run; then what is finished is the result
};

/// What came out for one candidate.
struct ComparisonEntry {
  std::string name;
  Knob knob = Knob::step;
  Verdict verdict = Verdict::fail;  ///< pass: it met the bound
  /// The chosen run, with the time of the fastest repeat; where the bound was not met, the last one, whose
  /// cost per simulated second is then a lower bound.
  Measurement chosen = {};
  /// Of all runs within the bound the one that took least: shorter steps than the largest one may be cheaper
  /// together, where the work in a step grows with its length.
  Measurement fastest = {};
  /// Seconds of computing per simulated second, at best. Where the bound was not met, at least: as much as
  /// the dearest run that came to its end and was not good enough, or else the cheapest one that was cut off.
  double cost() const;
  double best_error = 0;                 ///< the smallest error of all trials …
  double best_setting = 0;               ///< … and where
  std::vector<Measurement> trials = {};  ///< in the order in which they were made
};

struct Comparison {
  std::string scene, norm;
  double bound = 0, duration = 0;
  std::size_t unknowns = 0, moments = 0;
  double amplitude = 0;        ///< of the motion, relative to the body's size
  double still = 0;            ///< error of a body that stands still
  double max_kinetic = 0;      ///< J, over the moments of the reference
  std::string reference = {};  ///< in words
  double reference_difference = 0;
  std::vector<ComparisonEntry> entries;
  bool interrupted = false;  ///< before all candidates were there
};

/// Where the search for a candidate's step or tolerance goes.
SearchRange settings_of(const Candidate& candidate, double duration);

ComparisonEntry compare_one(const Problem& problem, Candidate& candidate, const CompareOptions& options);

/// Throws InputError for a bound that the reference is not good enough for.
Comparison compare(const Problem& problem, const Reference& reference, std::span<Candidate* const> candidates,
                   const CompareOptions& options);

}  // namespace stiffly::study
