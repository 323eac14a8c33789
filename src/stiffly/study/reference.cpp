#include "stiffly/study/reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>

#include "stiffly/error.hpp"
#include "stiffly/study/reference_cache.hpp"

namespace stiffly {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

std::string describe(const Candidate& candidate, double setting) {
  return candidate.knob() == Knob::step ? fmt::format("step {:.3g} s", setting)
                                        : fmt::format("tolerance {:.3g}", setting);
}

/// A method on its way to the solution.
class Refinement {
 public:
  Refinement(const Scene& scene, std::span<const double> moments, Candidate& candidate)
      : scene_(scene), moments_(moments), candidate_(candidate) {
    const double duration = moments.back() - scene.body.start.time;
    setting_ = candidate.knob() == Knob::step ? duration / 64 : 1e-2;
  }

  /// The next finer run; `change_` is its distance to the one before.
  void refine(Norm norm, double time_left) {
    setting_ /= candidate_.knob() == Knob::step ? 2 : 8;
    std::vector<State> before = std::move(states_);
    Trajectory run = candidate_.run(scene_.system(), scene_.body.start, moments_, setting_, time_left);
    out_of_time_ = run.out_of_time;
    failure_ = run.failure;
    states_ = run.failure.empty() ? std::move(run.states) : std::vector<State>();
    change_ =
        states_.empty() || before.empty() ? infinite : ErrorMeasure(scene_.body, norm, states_).error(before);
  }

  double change() const { return change_; }
  bool out_of_time() const { return out_of_time_; }
  bool exhausted() const { return setting_ < 1e-14; }
  const std::vector<State>& states() const { return states_; }
  Solution solution() const { return {candidate_.name(), describe(candidate_, setting_), states_}; }
  std::string text() const {
    return fmt::format("{} at {}{}", candidate_.name(), describe(candidate_, setting_),
                       failure_.empty() ? "" : " (" + failure_ + ")");
  }

 private:
  const Scene& scene_;
  std::span<const double> moments_;
  Candidate& candidate_;
  double setting_, change_ = infinite;
  bool out_of_time_ = false;
  std::string failure_;
  std::vector<State> states_;
};

double distance(const Scene& scene, Norm norm, const std::vector<State>& a, const std::vector<State>& b) {
  return a.empty() || b.empty() ? infinite : ErrorMeasure(scene.body, norm, a).error(b);
}

Reference converge(const Scene& scene, std::span<const double> moments, Candidate& first, Candidate& second,
                   const ReferenceOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  std::array<Refinement, 2> pair{Refinement(scene, moments, first), Refinement(scene, moments, second)};
  double difference = infinite;
  const auto fail = [&](const std::string& why) {
    throw SimulationError(fmt::format(
        "no reference for {} to within {:.2g} in the {} norm: {}. The last two, {} and {}, differ by {:.2g}. "
        "Try a longer time limit, a shorter duration, a larger error bound, or other methods for the "
        "reference",
        scene.name, options.agreement, name_of(options.norm), why, pair[0].text(), pair[1].text(),
        difference));
  };
  for (;;) {
    Refinement& next = pair[0].change() >= pair[1].change() ? pair[0] : pair[1];
    next.refine(options.norm, options.time_limit - seconds());
    difference = distance(scene, options.norm, pair[0].states(), pair[1].states());
    if (options.progress)
      options.progress(fmt::format("reference: {}, change {:.2g}, difference {:.2g}", next.text(),
                                   next.change(), difference));
    const auto [settled, other] =
        pair[0].change() <= pair[1].change() ? std::pair(&pair[0], &pair[1]) : std::pair(&pair[1], &pair[0]);
    if (difference <= options.agreement && settled->change() <= options.agreement)
      return {settled->solution(), other->solution(), difference, seconds(), false};
    if (next.out_of_time() || seconds() >= options.time_limit)
      fail(fmt::format("the {:.3g} s allowed for it are over", options.time_limit));
    if (other->change() <= options.agreement / 8)
      fail("both methods have settled, on different solutions: one of them is wrong here");
    if (next.exhausted()) fail("no finer setting is left");
  }
}

}  // namespace

std::vector<double> even_moments(const State& start, double duration, int count) {
  std::vector<double> out;
  for (int j = 1; j <= count; ++j) out.push_back(start.time + duration * j / count);
  return out;
}

Reference find_reference(const Scene& scene, std::span<const double> moments, Candidate& first,
                         Candidate& second, const ReferenceOptions& options) {
  const ReferenceCache cache(options.cache, reference_key(scene, moments));
  if (std::optional<Reference> kept = cache.load(scene, moments)) {
    kept->difference = distance(scene, options.norm, kept->best.states, kept->witness.states);
    if (kept->difference <= options.agreement) return *std::move(kept);
  }
  Reference found = converge(scene, moments, first, second, options);
  cache.store(found);
  return found;
}

}  // namespace stiffly
