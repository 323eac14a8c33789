#include "stiffly/study/quality_race.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "stiffly/error.hpp"
#include "stiffly/limits.hpp"
#include "stiffly/study/compare.hpp"

namespace stiffly::study {
namespace {

constexpr double close_race = 2;
constexpr double hasty = 0.1;  ///< s: a single time below it says little

/// One contestant on its way down.
class Runner {
 public:
  Runner(const Problem& problem, const Contestant& contestant, const RaceOptions& options)
      : problem_(&problem),
        options_(&options),
        candidate_(contestant.candidate),
        range_(settings_of(*candidate_, problem.duration())),
        next_(range_.largest),
        entry_{candidate_->name(), contestant.family, candidate_->knob()} {}

  const RaceEntry& entry() const { return entry_; }
  double expected_seconds() const { return expected_seconds_; }

  /// Whether another rung can change anything, if one that takes longer than `worthless` cannot.
  bool open(double smallest_bound, double worthless) const {
    if (next_ < range_.smallest) return false;
    if (entry_.rungs.empty()) return true;
    const Measurement& last = entry_.rungs.back();
    return last.error > smallest_bound && last.seconds < worthless && late_ < 2;
  }

  void descend(double worthless) {
    entry_.rungs.push_back(run(next_, std::min(options_->time_limit, worthless)));
    const Measurement& last = entry_.rungs.back();
    late_ = last.out_of_time ? late_ + 1 : 0;
    expected_seconds_ = 2 * last.seconds;
    next_ /= range_.coarse;
  }

  /// The rung at which it meets the bound, half-way to the next coarser one too, and each as often as asked.
  void finish(double bound) {
    if (const Measurement* met = entry_.best(bound); met && met != &entry_.rungs.front()) {
      const double between = std::sqrt(met->setting * (met - 1)->setting);
      if ((met - 1)->setting > 0.9 * range_.coarse * met->setting)
        entry_.rungs.insert(entry_.rungs.begin() + (met - entry_.rungs.data()),
                            run(between, std::min(options_->time_limit, close_race * met->seconds)));
    }
    const Measurement* met = entry_.best(bound);
    if (!timed_.insert(met->setting).second) return;
    Measurement& chosen = entry_.rungs[static_cast<std::size_t>(met - entry_.rungs.data())];
    for (int repeat = 1; repeat < options_->repeats; ++repeat)
      chosen.seconds = std::min(chosen.seconds, run(chosen.setting, infinite).seconds);
  }

 private:
  Measurement run(double setting, double limit) {
    Measurement trial = attempt(*problem_, *candidate_, setting, limit);
    if (options_->progress) options_->progress(describe(*candidate_, trial));
    return trial;
  }

  const Problem* problem_;
  const RaceOptions* options_;
  Candidate* candidate_;
  SearchRange range_;
  double next_;
  double expected_seconds_ = 0;  ///< of the next rung
  int late_ = 0;                 ///< rungs out of time, in a row
  std::set<double> timed_;       ///< settings run as often as asked
  RaceEntry entry_;
};

double best_seconds(std::span<const Runner> runners, double bound) {
  double out = infinite;
  for (const Runner& runner : runners)
    if (const Measurement* met = runner.entry().best(bound)) out = std::min(out, met->seconds);
  return out;
}

void check(const RaceOptions& o) {
  if (o.bounds.empty()) throw InputError("a race needs at least one error bound");
  for (const double bound : o.bounds)
    if (!(bound > 0) || !std::isfinite(bound))
      throw InputError(fmt::format("an error bound must be positive and finite, not {}", bound));
  if (!(o.patience >= close_race))
    throw InputError(fmt::format("the patience must be at least {}, not {}", close_race, o.patience));
}

}  // namespace

const Measurement* RaceEntry::best(double bound) const {
  const Measurement* out = nullptr;
  for (std::size_t i = 0; i < rungs.size(); ++i) {
    if (!(rungs[i].error <= bound)) continue;
    const bool lucky = i + 1 < rungs.size() && !rungs[i + 1].out_of_time && !(rungs[i + 1].error <= bound);
    if (!lucky && (!out || rungs[i].seconds < out->seconds)) out = &rungs[i];
  }
  return out;
}

std::vector<RaceEntry> race(const Problem& problem, std::span<const Contestant> contestants,
                            const RaceOptions& options) {
  check(options);
  std::vector<Runner> runners;
  for (const Contestant& contestant : contestants) runners.emplace_back(problem, contestant, options);
  const double smallest = *std::ranges::min_element(options.bounds);
  for (;;) {
    const double worthless = options.patience * best_seconds(runners, smallest);
    Runner* next = nullptr;
    for (Runner& runner : runners)
      if (runner.open(smallest, worthless) && (!next || runner.expected_seconds() < next->expected_seconds()))
        next = &runner;
    if (!next) break;
    next->descend(worthless);
  }
  for (const double bound : options.bounds) {
    const double close = close_race * best_seconds(runners, bound);
    for (Runner& runner : runners)
      if (const Measurement* met = runner.entry().best(bound); met && met->seconds <= std::max(close, hasty))
        runner.finish(bound);
  }
  std::vector<RaceEntry> out;
  for (const Runner& runner : runners) out.push_back(runner.entry());
  return out;
}

RaceOutcome race_outcome(std::span<const RaceEntry> entries, double bound) {
  RaceOutcome out;
  for (const RaceEntry& entry : entries)
    if (const Measurement* met = entry.best(bound);
        met && (!out.winning || met->seconds < out.winning->seconds)) {
      out.winner = &entry;
      out.winning = met;
    }
  for (const RaceEntry& entry : entries)
    if (const Measurement* met = entry.best(bound);
        met && entry.family != out.winner->family &&
        (!out.rivalling || met->seconds < out.rivalling->seconds)) {
      out.rival = &entry;
      out.rivalling = met;
    }
  return out;
}

}  // namespace stiffly::study
