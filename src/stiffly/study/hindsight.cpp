#include "stiffly/study/hindsight.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "stiffly/error.hpp"
#include "stiffly/study/error_norms.hpp"

namespace stiffly {
namespace {

constexpr double head_start = 1.05;  ///< by which a rival may be behind the fastest before it is stopped
constexpr double good = 1.25;        ///< ratio of times
constexpr double too_far = 10;       ///< tolerances between solutions that should agree
constexpr std::size_t looks = 8;     ///< moments within the scene's own duration, and as many after it

/// A race over one duration.
class Race {
 public:
  Race(const Scene& scene, const HindsightOptions& options, double duration)
      : scene_(scene), options_(options) {
    const double own = std::min(duration, scene.simulation.duration);
    add_moments(0, own);
    if (own < duration) add_moments(own, duration);
  }

  Trajectory run(Candidate& candidate, double time_limit) const {
    Trajectory out =
        candidate.run(scene_.system(), scene_.body.start, moments_, options_.tolerance, time_limit);
    if (options_.progress)
      options_.progress(fmt::format("{}: {:.3g} s of computing for {:.4g} s{}", candidate.name(), out.seconds,
                                    out.simulated_seconds, out.failure.empty() ? "" : ", " + out.failure));
    return out;
  }

  /// The faster one of a run that was made and another one takes its place.
  void repeat(Candidate& candidate, Trajectory& run) const {
    Trajectory again = this->run(candidate, options_.time_limit);
    if (again.failure.empty() && again.seconds < run.seconds) run = std::move(again);
  }

  Finish compare(const std::string& name, const Trajectory& run, const Trajectory& reference) const {
    Finish out{name, run.seconds, run.failure, run.out_of_time};
    if (!run.failure.empty()) return out;
    const ErrorMeasure measure(scene_.body, Norm::displacement, reference.states);
    out.early_difference = measure.error(std::span(run.states).first(looks));
    out.difference = measure.error(run.states);
    return out;
  }

 private:
  void add_moments(double from, double to) {
    for (std::size_t i = 1; i <= looks; ++i)
      moments_.push_back(scene_.body.start.time + from + (to - from) * static_cast<double>(i) / looks);
  }

  const Scene& scene_;
  const HindsightOptions& options_;
  std::vector<double> moments_;
};

/// The methods of an automatic run, each once in a sequence.
std::vector<std::string> chosen(const Trajectory& run) {
  std::vector<std::string> out;
  for (const Decision& decision : run.decisions)
    if (out.empty() || out.back() != decision.integrator) out.push_back(decision.integrator);
  return out;
}

struct LongRuns {
  double duration;
  Trajectory faster, slower;
};

/// From a short duration up to one over which two runs take long enough: a run that is planned for much
/// longer than it is allowed to last would spend all its time in trials.
LongRuns long_enough(const Scene& scene, Candidate& automatic, const HindsightOptions& options) {
  double duration = scene.simulation.duration / 100;
  const double longest = 1000 * scene.simulation.duration;
  for (int attempts = 0; attempts < 12 && duration < longest; ++attempts) {
    const Race race(scene, options, duration);
    std::vector<Trajectory> runs;
    do {
      runs.push_back(race.run(automatic, options.time_limit));
      if (!runs.back().failure.empty() && !runs.back().out_of_time)
        throw SimulationError(fmt::format("{} at the tolerance {:g} with {}: {}", scene.name,
                                          options.tolerance, automatic.name(), runs.back().failure));
    } while (runs.size() < 2 && runs[0].failure.empty() && runs[0].seconds >= options.seconds);
    const Trajectory& last = runs.back();
    if (runs.size() == 2 && last.failure.empty() && last.seconds >= options.seconds) {
      std::ranges::sort(runs, {}, &Trajectory::seconds);
      return {duration, std::move(runs[0]), std::move(runs[1])};
    }
    duration *= std::clamp(1.15 * options.seconds / last.seconds, 0.3, 10.0);
  }
  throw SimulationError(fmt::format(
      "{} at the tolerance {:g}: up to a thousand times the scene's duration there is none over which {} "
      "computes for {:g} to {:g} s",
      scene.name, options.tolerance, automatic.name(), options.seconds, options.time_limit));
}

}  // namespace

std::vector<double> Hindsight::ratios() const {
  const double first = best ? automatic.seconds / rivals[*best].seconds : 1 / head_start;
  if (same_choices) return {first};
  return {first, first * other_seconds / automatic.seconds};
}

double Hindsight::share_of_trials() const {
  double sum = 0;
  for (const Decision& decision : decisions) sum += decision.seconds;
  return sum / automatic.seconds;
}

Hindsight hindsight(const Scene& scene, Candidate& automatic, std::span<Candidate* const> rivals,
                    const HindsightOptions& options) {
  const auto [duration, own, other] = long_enough(scene, automatic, options);
  const Race race(scene, options, duration);
  Hindsight out{.duration = duration,
                .automatic = {automatic.name(), own.seconds},
                .other_seconds = other.seconds,
                .same_choices = chosen(own) == chosen(other),
                .decisions = own.decisions};

  std::vector<Candidate*> order(rivals.begin(), rivals.end());
  if (!out.decisions.empty())
    std::stable_partition(order.begin(), order.end(), [&](const Candidate* rival) {
      return rival->name() == out.decisions.back().integrator;
    });
  double fastest = own.seconds;
  std::vector<Trajectory> runs;
  const double bound = too_far * options.tolerance;
  for (Candidate* rival : order) {
    Trajectory run = race.run(*rival, head_start * fastest);
    out.rivals.push_back(race.compare(rival->name(), run, own));
    Finish& finish = out.rivals.back();
    finish.astray = finish.failure.empty() && finish.early_difference > bound;
    if (finish.failure.empty() && !finish.astray) fastest = std::min(fastest, run.seconds);
    runs.push_back(std::move(run));
  }

  for (std::size_t i = 0; i < runs.size(); ++i)
    if (runs[i].failure.empty() && !out.rivals[i].astray &&
        (!out.best || runs[i].seconds < runs[*out.best].seconds))
      out.best = i;
  if (out.best) {
    race.repeat(*order[*out.best], runs[*out.best]);
    out.rivals[*out.best].seconds = runs[*out.best].seconds;
  }
  // Two that are far from the automatic run but close to each other: it may be that one that is off.
  for (std::size_t i = 0; i < runs.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (out.rivals[i].astray && out.rivals[j].astray &&
          race.compare("", runs[i], runs[j]).early_difference <= bound)
        out.doubtful = true;
  return out;
}

void HindsightTally::add(double ratio) {
  ++rows;
  if (ratio <= good) ++within;
  worst = std::max(worst, ratio);
}

}  // namespace stiffly
