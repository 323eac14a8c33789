#include "stiffly/study/hindsight.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "stiffly/error.hpp"
#include "stiffly/limits.hpp"
#include "stiffly/results/error_norms.hpp"
#include "stiffly/text.hpp"

namespace stiffly::study {
namespace {

constexpr double head_start = 1.05;    ///< by which a rival may be behind the fastest before it is stopped
constexpr double good = 1.25;          ///< ratio of times
constexpr double aim = 1.3;            ///< times the seconds asked for, so that all runs take as many
constexpr double far_longer = 2;       ///< than asked for
constexpr double narrow = 1.1;         ///< a duration this close to one that was too short is taken anyway
constexpr double too_far = 10;         ///< tolerances between solutions that should agree
constexpr double too_far_of_same = 2;  ///< times the difference between two runs of one method
constexpr std::size_t looks = 8;       ///< moments within the scene's own duration, and as many after it

/// A race over one duration.
class HindsightRace {
 public:
  HindsightRace(const Scene& scene, const HindsightOptions& options, double duration)
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

  RivalResult compare(const std::string& name, const Trajectory& run, const Trajectory& reference) const {
    RivalResult out{name, run.seconds, run.failure, run.out_of_time};
    if (!run.failure.empty()) return out;
    const ErrorMeasure measure(scene_.body, Norm::displacement, reference.states);
    out.early_difference = measure.error(std::span(run.states).first(looks));
    out.difference = measure.error(run.states);
    out.astray = out.early_difference > bound_;
    return out;
  }

  /// The same method by itself: what it is away from the automatic run is how far runs drift apart.
  void learn_from(RivalResult& same) {
    bound_ = std::max(bound_, too_far_of_same * same.early_difference);
    same.astray = false;
  }

 private:
  void add_moments(double from, double to) {
    for (std::size_t i = 1; i <= looks; ++i)
      moments_.push_back(scene_.body.start.time + from + (to - from) * static_cast<double>(i) / looks);
  }

  const Scene& scene_;
  const HindsightOptions& options_;
  std::vector<double> moments_;
  double bound_ = too_far * options_.tolerance;  ///< on differences
};

/// `best` is the time of the best rival just before, if there is one.
void add(std::vector<AutomaticRuns>& courses, const Trajectory& run, double best) {
  std::vector<std::string> names;
  for (const Decision& decision : run.decisions) names.push_back(decision.integrator);
  const std::string choices = sequence_text(names);
  auto same = std::ranges::find(courses, choices, &AutomaticRuns::choices);
  if (same == courses.end()) same = courses.insert(same, {choices, 0, best, run.seconds, run.decisions});
  ++same->runs;
  same->of_the_best = std::min(same->of_the_best, best);
  if (run.seconds < same->seconds) same->seconds = run.seconds, same->decisions = run.decisions;
}

[[noreturn]] void fail(const Scene& scene, const Candidate& automatic, const HindsightOptions& options,
                       const std::string& why) {
  throw SimulationError(fmt::format("{} at the tolerance {:g} with {}: {}", scene.name, options.tolerance,
                                    automatic.name(), why));
}

/// A duration over which a run takes long enough, but not far longer, and that run. From a short one up: a
/// run that is planned for much longer than it is allowed to last would spend all its time in trials.
std::pair<double, Trajectory> long_enough(const Scene& scene, Candidate& automatic,
                                          const HindsightOptions& options) {
  const double longest = 1000 * scene.simulation.duration;
  double duration = scene.simulation.duration / 100, too_short = 0;
  for (int attempts = 0; attempts < 16 && duration < longest; ++attempts) {
    Trajectory run = HindsightRace(scene, options, duration).run(automatic, options.time_limit);
    if (!run.failure.empty() && !run.out_of_time) fail(scene, automatic, options, run.failure);
    const bool fits = run.failure.empty() && run.seconds >= options.seconds;
    if (fits && (run.seconds <= far_longer * options.seconds || duration < narrow * too_short))
      return {duration, std::move(run)};
    if (run.failure.empty() && run.seconds < options.seconds) too_short = duration;
    const double wanted = duration * std::clamp(aim * options.seconds / run.seconds, 0.3, 10.0);
    // Costs may rise steeply on the way.
    duration = wanted > too_short ? wanted : std::sqrt(too_short * duration);
  }
  fail(scene, automatic, options,
       fmt::format("no duration up to a thousand times the scene's takes {:g} to {:g} s of computing",
                   options.seconds, options.time_limit));
}

}  // namespace

std::vector<double> Hindsight::ratios() const {
  std::vector<double> out;
  for (const AutomaticRuns& course : courses)
    out.push_back(best ? course.seconds / course.of_the_best : 1 / head_start);
  return out;
}

double AutomaticRuns::share_of_trials() const {
  double sum = 0;
  for (const Decision& decision : decisions) sum += decision.seconds;
  return sum / seconds;
}

Hindsight hindsight(const Scene& scene, Candidate& automatic, std::span<Candidate* const> rivals,
                    const HindsightOptions& options) {
  const auto [duration, own] = long_enough(scene, automatic, options);
  HindsightRace race(scene, options, duration);
  Hindsight out{.duration = duration};
  add(out.courses, own, infinite);

  std::vector<Candidate*> order(rivals.begin(), rivals.end());
  if (!own.decisions.empty())
    std::stable_partition(order.begin(), order.end(), [&](const Candidate* rival) {
      return rival->name() == own.decisions.back().integrator;
    });
  double fastest = own.seconds;
  std::vector<Trajectory> runs;
  for (Candidate* rival : order) {
    Trajectory run = race.run(*rival, head_start * fastest);
    out.rivals.push_back(race.compare(rival->name(), run, own));
    if (run.failure.empty() && rival->name() == out.courses[0].choices) race.learn_from(out.rivals.back());
    if (out.rivals.back().came_in()) fastest = std::min(fastest, run.seconds);
    runs.push_back(std::move(run));
  }

  for (std::size_t i = 0; i < runs.size(); ++i)
    if (out.rivals[i].came_in() && (!out.best || runs[i].seconds < runs[*out.best].seconds)) out.best = i;
  if (out.best) out.courses[0].of_the_best = runs[*out.best].seconds;
  for (int round = 0; round < options.rounds; ++round) {
    double best = infinite;
    if (!order.empty()) {
      // Where nobody came in, the one that was chosen gets another chance.
      const std::size_t one = out.best.value_or(0);
      const Trajectory again = race.run(*order[one], out.best ? options.time_limit : head_start * fastest);
      const RivalResult finish = race.compare(order[one]->name(), again, own);
      if (finish.came_in() && (!out.best || finish.seconds < out.rivals[one].seconds)) {
        out.rivals[one] = finish;
        out.best = one;
      }
      if (out.best && again.failure.empty()) best = again.seconds;
    }
    const Trajectory again = race.run(automatic, options.time_limit);
    if (!again.failure.empty() && !again.out_of_time) fail(scene, automatic, options, again.failure);
    add(out.courses, again, best);
    fastest = std::min(fastest, again.seconds);
  }
  for (AutomaticRuns& course : out.courses)  // the best one may have failed next to it
    if (out.best && !(course.of_the_best < infinite)) course.of_the_best = out.rivals[*out.best].seconds;
  // Two that are far from the automatic run but close to each other: it may be that one that is off.
  for (std::size_t i = 0; i < runs.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (out.rivals[i].astray && out.rivals[j].astray && !race.compare("", runs[i], runs[j]).astray)
        out.doubtful = true;
  return out;
}

void HindsightTally::add(double ratio) {
  ++rows;
  if (ratio <= good) ++within;
  worst = std::max(worst, ratio);
}

}  // namespace stiffly::study
