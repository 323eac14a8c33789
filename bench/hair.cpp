// All the hair of a head, shaken for four seconds: how long, how much memory, how right.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "bench.hpp"
#include "stiffly/fibres/system_fibres.hpp"
#include "stiffly/files/machine.hpp"
#include "stiffly/results/scene_run.hpp"
#include "stiffly/scene/drawn_points.hpp"
#include "stiffly/threads.hpp"

namespace stiffly::bench {
namespace {

using Path = std::vector<Eigen::Vector3d>;  ///< of a tip, frame by frame

/// Every so many fibres one is computed again with short steps.
constexpr std::size_t stride = 199;

Eigen::Vector3d tip(std::span<const double> positions) { return centre_line(positions).back(); }

std::map<std::size_t, Path> sampled_tips(const Scene& scene, const SystemFibres& fibres,
                                         const std::vector<double>& frames) {
  const FibreSupply all = fibres.supply(scene.body.start);
  std::vector<std::size_t> numbers;
  FibreSupply sample;
  for (std::size_t i = 0; i < fibres.size(); i += stride) {
    numbers.push_back(i);
    sample.segments.push_back(all.segments[i]);
  }
  sample.fibre = [&](std::size_t i) { return all.fibre(numbers[i]); };
  FibreSimulation reference(
      sample, Eigen::Vector3d::Zero(),
      {.duration = scene.simulation.duration, .step = 2e-4, .iteration_tolerance = 1e-7});
  std::map<std::size_t, Path> out;
  for (const double time : frames) {
    if (time > 0) reference.advance(time);
    for (std::size_t i = 0; i < numbers.size(); ++i) out[numbers[i]].push_back(tip(reference.positions(i)));
  }
  return out;
}

/// Largest distance of a tip from where it should be, over its way.
double error(const Path& path, const Path& right) {
  double most = 0, way = 0;
  for (std::size_t f = 0; f < right.size(); ++f) {
    most = std::max(most, (path[f] - right[f]).norm());
    way = std::max(way, (right[f] - right.front()).norm());
  }
  return most / way;
}

bool run() {
  const Override full{"size", "full", ""};
  SceneRun run(load_scene(find_scene("hair"), std::span(&full, 1)));
  const Scene& scene = run.scene();
  const auto& system = dynamic_cast<const ParticleSystem&>(scene.system());
  std::vector<double> frames;
  std::map<std::size_t, Path> tips;
  const RunReport report = run.simulate({.frame = [&](const State& state) {
    frames.push_back(state.time);
    const std::vector<double> x = to_host(state.x());
    for (std::size_t i = 0; i < scene.body.strands.size(); i += stride) {
      const Strand& strand = scene.body.strands[i];
      const int last =
          system.rank()[static_cast<std::size_t>(strand.first_particle + 4 * (strand.sections - 1))];
      tips[i].push_back(tip({x.data() + 3 * last, 12}));
    }
  }});
  const double seconds = report.summary.wall_seconds, memory = static_cast<double>(peak_memory_bytes()) / 1e9;
  fmt::print(
      "{} fibres, {} particles, tolerance {}: {} to {} s, {} steps, {:.2f} factors and {:.2f} corrections "
      "each\n",
      scene.body.strands.size(), system.particles(), scene.simulation.tolerance, name_of(report.status),
      report.summary.simulated_seconds, report.summary.steps,
      static_cast<double>(report.summary.counters.factorization) / static_cast<double>(report.summary.steps),
      static_cast<double>(report.summary.counters.solve) / static_cast<double>(report.summary.steps));
  if (report.status != RunStatus::done) {
    fmt::print("{} {}\n", report.error, verdict(false));
    return false;
  }
  fmt::print("{:.0f} s on {} threads (bound 600 s) {}; memory {:.2f} GB at most (bound 8 GB) {}\n", seconds,
             thread_count(), verdict(seconds < 600), memory, verdict(memory < 8));
  std::string why;
  const std::optional<SystemFibres> fibres = SystemFibres::find(system, scene.body.strands, why);
  if (!fibres) throw SimulationError(why);
  std::vector<double> errors;
  for (const auto& [i, right] : sampled_tips(scene, *fibres, frames)) errors.push_back(error(tips[i], right));
  std::ranges::sort(errors);
  const auto part = [&](double share) {
    return 100 * errors[static_cast<std::size_t>(share * static_cast<double>(errors.size() - 1))];
  };
  fmt::print(
      "tips of {} fibres against steps of 0.2 ms: off by {:.2g} % of their way (median), {:.2g} % (of 99 %, "
      "bound 5 %) {}, {:.2g} % at most\n",
      errors.size(), part(0.5), part(0.99), verdict(part(0.99) <= 5), part(1));
  return seconds < 600 && memory < 8 && part(0.99) <= 5;
}

}  // namespace

Section hair() { return {"hair", "all the hair of a head, shaken for four seconds", run}; }

}  // namespace stiffly::bench
