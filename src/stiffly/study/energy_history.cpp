#include "stiffly/study/energy_history.hpp"

#include <algorithm>
#include <cmath>

#include "stiffly/study/reference.hpp"

namespace stiffly::study {
namespace {

constexpr long most_samples = 400;

std::vector<double> ends_of_steps(const State& start, double duration, double step) {
  const long steps = std::max(1L, std::lround(std::ceil(duration / step - 1e-9)));
  const long stride = (steps + most_samples - 1) / most_samples;
  std::vector<double> out;
  for (long n = stride; n < steps; n += stride) out.push_back(start.time + static_cast<double>(n) * step);
  out.push_back(start.time + duration);
  return out;
}

}  // namespace

EnergyCurve energy_history(const Scene& scene, double duration, Candidate& candidate, double setting,
                           double time_limit) {
  const State& start = scene.body.start;
  const std::vector<double> moments = candidate.knob() == Knob::step
                                          ? ends_of_steps(start, duration, setting)
                                          : even_moments(start, duration, most_samples / 2);
  const Trajectory run = candidate.run(scene.system(), start, moments, setting, time_limit);
  EnergyCurve out{.name = candidate.name(),
                  .times = {start.time},
                  .energies = {scene.system().energy(start)},
                  .trial = summarize(run, setting, moments.size())};
  for (const State& state : run.states) {
    out.times.push_back(state.time);
    out.energies.push_back(scene.system().energy(state));
  }
  return out;
}

}  // namespace stiffly::study
