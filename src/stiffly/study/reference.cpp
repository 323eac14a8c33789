#include "stiffly/study/reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stiffly/error.hpp"
#include "stiffly/limits.hpp"
#include "stiffly/study/reference_cache.hpp"
#include "stiffly/study/study_clock.hpp"
#include "stiffly/text.hpp"

namespace stiffly::study {
namespace {

std::string describe(const Candidate& candidate, double setting) {
  return candidate.knob() == Knob::step ? fmt::format("step {:.3g} s", setting)
                                        : fmt::format("tolerance {:.3g}", setting);
}

double distance(const Scene& scene, Norm norm, const std::vector<State>& a, const std::vector<State>& b) {
  return a.empty() || b.empty() ? infinite : ErrorMeasure(scene.body, norm, a).error(b);
}

/// A method on its way to the solution.
class Refinement {
 public:
  Refinement(const Scene& scene, std::span<const double> moments, Candidate& candidate)
      : scene_(&scene), moments_(moments), candidate_(&candidate) {
    const double duration = moments.back() - scene.body.start.time;
    next_ = by_step() ? duration / 128 : 1e-3;
  }

  /// One run at the next setting. Unless it was out of time, it takes the place of the last one.
  void refine(Norm norm, double time_left) {
    constexpr double least = 1;  // s
    const double limit = std::min(time_left, std::max(least, 3 * expected_seconds_));
    Trajectory run = candidate_->run(scene_->system(), scene_->body.start, moments_, next_, limit);
    last_ = fmt::format("{} at {}", candidate_->name(), describe(*candidate_, next_));
    if (!run.failure.empty()) last_ += " (" + first_clause(run.failure) + ")";
    expected_seconds_ = 2 * run.seconds;
    if (run.out_of_time) return;
    const std::vector<State> before = std::move(states_);
    states_ = run.failure.empty() ? std::move(run.states) : std::vector<State>();
    change_ = distance(*scene_, norm, states_, before);
    setting_ = next_;
    next_ /= by_step() ? 2 : 8;
  }

  double expected_seconds() const { return expected_seconds_; }
  double change() const { return change_; }
  bool exhausted() const { return next_ < 1e-14; }
  const std::vector<State>& states() const { return states_; }
  Solution solution() const { return {candidate_->name(), describe(*candidate_, setting_), states_}; }
  const std::string& last() const { return last_; }

 private:
  bool by_step() const { return candidate_->knob() == Knob::step; }

  const Scene* scene_;
  std::span<const double> moments_;
  Candidate* candidate_;
  double next_ = 0, setting_ = 0, change_ = infinite;
  double expected_seconds_ = 0;  ///< of the next run
  std::string last_;             ///< run, in words
  std::vector<State> states_;    ///< of the finest run that was not out of time
};

/// Two methods as close to each other as any.
struct Pair {
  const Refinement *a = nullptr, *b = nullptr;  ///< a has settled more
  double difference = infinite;
};

/// Several methods, of which two have to agree.
class ReferenceRace {
 public:
  ReferenceRace(const Scene& scene, std::span<const double> moments, std::span<Candidate* const> candidates,
                const ReferenceOptions& options)
      : scene_(scene), options_(options) {
    for (Candidate* candidate : candidates) methods_.emplace_back(scene, moments, *candidate);
  }

  Reference run() {
    for (;;) {
      Refinement& next = cheapest();
      if (next.exhausted()) fail("no finer setting is left");
      next.refine(options_.norm, options_.time_limit - clock_.seconds());
      const Pair closest = closest_pair();
      if (options_.progress)
        options_.progress(fmt::format("reference: {}, change {:.2g}; closest two: {:.2g}", next.last(),
                                      next.change(), closest.difference));
      if (closest.difference <= options_.agreement && closest.a->change() <= options_.agreement)
        return {closest.a->solution(), closest.b->solution(), closest.difference, clock_.seconds(), false};
      if (clock_.seconds() >= options_.time_limit)
        fail(fmt::format("its time limit of {:.3g} s is over", options_.time_limit));
    }
  }

 private:
  /// Whose next run costs least, among those that have not settled far below what is asked for.
  Refinement& cheapest() {
    Refinement* out = nullptr;
    for (Refinement& method : methods_)
      if (method.change() > options_.agreement / 8 && !method.exhausted() &&
          (!out || method.expected_seconds() < out->expected_seconds()))
        out = &method;
    return out ? *out : methods_.front();
  }

  bool witness(std::size_t method) const {
    return std::ranges::find(options_.witnesses, method) != options_.witnesses.end();
  }

  Pair closest_pair() const {
    Pair out;
    for (std::size_t i = 0; i < methods_.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const bool first = methods_[i].change() <= methods_[j].change();
        const Refinement &a = methods_[first ? i : j], &b = methods_[first ? j : i];
        const double difference = distance(scene_, options_.norm, a.states(), b.states());
        if (difference > options_.agreement && b.change() <= options_.agreement / 8)
          fail(
              fmt::format("{} and {} have both settled, on solutions that differ by {:.2g}: one of them is "
                          "wrong here",
                          a.last(), b.last(), difference));
        const bool counts = options_.witnesses.empty() || witness(i) || witness(j) ||
                            clock_.seconds() > options_.time_limit / 2;
        if (counts && difference <= out.difference) out = {&a, &b, difference};
      }
    return out;
  }

  [[noreturn]] void fail(const std::string& why) const {
    std::string last;
    for (const Refinement& method : methods_)
      last += fmt::format("{}{}, change {:.2g}", last.empty() ? "" : "; ", method.last(), method.change());
    throw SimulationError(fmt::format(
        "no reference for {} to within {:.2g} in the {} norm: {}. The last runs: {}. Try a longer "
        "time limit, a shorter duration, a larger error bound, or other methods for the reference",
        scene_.name, options_.agreement, name_of(options_.norm), why, last));
  }

  const Scene& scene_;
  const ReferenceOptions& options_;
  std::vector<Refinement> methods_;
  const Stopwatch clock_ = study_watch();
};

}  // namespace

std::vector<double> even_moments(const State& start, double duration, int count) {
  std::vector<double> out;
  for (int j = 1; j <= count; ++j) out.push_back(start.time + duration * j / count);
  return out;
}

Reference find_reference(const Scene& scene, std::span<const double> moments,
                         std::span<Candidate* const> candidates, const ReferenceOptions& options) {
  if (candidates.size() < 2) throw InputError("a reference needs at least two independent methods");
  const ReferenceCache cache(options.cache, reference_key(scene, moments));
  if (std::optional<Reference> kept = cache.load(scene, moments)) {
    kept->difference = distance(scene, options.norm, kept->best.states, kept->witness.states);
    if (kept->difference <= options.agreement) return *std::move(kept);
  }
  Reference found = ReferenceRace(scene, moments, candidates, options).run();
  cache.store(found);
  return found;
}

}  // namespace stiffly::study
