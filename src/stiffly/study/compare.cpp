#include "stiffly/study/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiffly/error.hpp"

namespace stiffly::study {
namespace {

struct Stopped {};

constexpr double worthwhile = 0.9;  ///< of the time, that a shorter step must save

/// `last` is the run before it. A step so long that its work alone takes all the time says nothing of shorter
/// ones: only where those cost more is the time over.
Verdict verdict_of(const Measurement& trial, const Measurement* last, double bound) {
  if (!trial.out_of_time) return trial.error <= bound ? Verdict::pass : Verdict::fail;
  if (!(trial.simulated_seconds > 0)) return Verdict::far;
  const bool cheaper = last && trial.seconds_per_simulated() < last->seconds_per_simulated();
  return cheaper ? Verdict::fail : Verdict::out_of_time;
}

}  // namespace

double ComparisonEntry::cost() const {
  if (verdict == Verdict::pass) return fastest.seconds_per_simulated();
  double too_coarse = 0, cut_off = std::numeric_limits<double>::infinity();
  for (const Measurement& t : trials)
    if (t.out_of_time)
      cut_off = std::min(cut_off, t.seconds_per_simulated());
    else if (std::isfinite(t.error))
      too_coarse = std::max(too_coarse, t.seconds_per_simulated());
  return too_coarse > 0 ? too_coarse : cut_off;
}

SearchRange settings_of(const Candidate& candidate, double duration) {
  if (candidate.knob() == Knob::step) return {.largest = duration, .smallest = 1e-10 * duration};
  // The cost goes with a root of the tolerance: a coarser grid does.
  return {.largest = 0.1, .smallest = 1e-13, .coarse = 4, .fine = 1.3};
}

ComparisonEntry compare_one(const Problem& problem, Candidate& candidate, const CompareOptions& options) {
  ComparisonEntry out{.name = candidate.name(), .knob = candidate.knob()};
  const auto run_for = [&](double setting, double time_limit) {
    if (options.stopped && options.stopped()) throw Stopped{};
    const Measurement trial = attempt(problem, candidate, setting, time_limit);
    if (options.progress) options.progress(describe(candidate, trial));
    return trial;
  };
  const auto run = [&](double setting) { return run_for(setting, options.time_limit); };
  const SearchResult found = find_largest(settings_of(candidate, problem.duration()), [&](double setting) {
    const Measurement trial = run(setting);
    const Verdict verdict =
        verdict_of(trial, out.trials.empty() ? nullptr : &out.trials.back(), options.bound);
    out.trials.push_back(trial);
    return verdict;
  });
  out.verdict = found.verdict;
  const auto last = std::find_if(out.trials.rbegin(), out.trials.rend(),
                                 [&](const Measurement& t) { return t.setting == found.setting; });
  out.chosen = *last;
  const Measurement& best = *std::ranges::min_element(out.trials, {}, &Measurement::error);
  out.best_error = best.error;
  out.best_setting = best.setting;
  if (out.verdict != Verdict::pass) return out;
  const auto repeated = [&](Measurement trial) {
    for (int repeat = 1; repeat < options.repeats; ++repeat)
      trial.seconds = std::min(trial.seconds, run(trial.setting).seconds);
    return trial;
  };
  out.fastest = out.chosen = repeated(out.chosen);
  if (candidate.knob() != Knob::step) return out;
  // Runs of the search: a step that divides the duration may be far cheaper than a longer one that does not.
  for (const Measurement& t : out.trials)
    if (!t.out_of_time && t.error <= options.bound && t.seconds < worthwhile * out.fastest.seconds)
      out.fastest = repeated(t);
  // Half the step, and a quarter even where half is not cheaper, as long as one of them is.
  int in_vain = 0;
  for (double setting = found.setting / 2; in_vain < 2; setting /= 2) {
    Measurement shorter = run_for(setting, out.fastest.seconds);
    ++in_vain;
    if (!(shorter.error <= options.bound) || !(shorter.seconds < worthwhile * out.fastest.seconds)) continue;
    out.fastest = repeated(std::move(shorter));
    in_vain = 0;
  }
  return out;
}

Comparison compare(const Problem& problem, const Reference& reference, std::span<Candidate* const> candidates,
                   const CompareOptions& options) {
  if (!(options.bound > 0) || !std::isfinite(options.bound))
    throw InputError(fmt::format("the error bound must be positive and finite, not {}", options.bound));
  if (reference.difference > 0.5 * options.bound)
    throw InputError(
        fmt::format("the error bound {:.2g} is too small for a reference that is known to {:.2g}",
                    options.bound, reference.difference));
  const Scene& scene = *problem.scene;
  Comparison out{
      .scene = scene.name,
      .norm = std::string(name_of(problem.measure.norm())),
      .bound = options.bound,
      .duration = problem.duration(),
      .unknowns = scene.system().unknowns(),
      .moments = problem.moments.size(),
      .amplitude = problem.measure.amplitude(),
      .still = problem.measure.still(),
      .reference = fmt::format("{} ({}), checked by {} ({})", reference.best.method, reference.best.setting,
                               reference.witness.method, reference.witness.setting),
      .reference_difference = reference.difference,
      .entries = {}};
  for (const State& state : problem.measure.reference())
    out.max_kinetic = std::max(out.max_kinetic, scene.system().kinetic_energy(state.v()));
  try {
    for (Candidate* candidate : candidates) out.entries.push_back(compare_one(problem, *candidate, options));
  } catch (const Stopped&) {
    out.interrupted = true;
  }
  return out;
}

}  // namespace stiffly::study
