// All the hair of a head with contact: where the time of a step goes, and how long four seconds would take.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench.hpp"
#include "stiffly/fibres/fibre_contact.hpp"
#include "stiffly/fibres/system_fibres.hpp"
#include "stiffly/files/machine.hpp"
#include "stiffly/scene/scene.hpp"
#include "stiffly/stopwatch.hpp"
#include "stiffly/threads.hpp"

namespace stiffly::bench {
namespace {

constexpr double paper_seconds = 54 * 60, most_gigabytes = 16;  ///< paper 000, section 4.4
/// s: from rest into the swing, which is at its fullest from 0.8 on.
constexpr double interval = 4e-3, window = 0.1, until = 0.5;

FibreContact::Seconds since(const FibreContact::Seconds& now, const FibreContact::Seconds& before) {
  return {now.fibres - before.fibres, now.detection - before.detection, now.response - before.response};
}

bool run() {
  const Override overrides[] = {{"size", "full", ""},
                                {"model.comb", "layers", ""},
                                {"contact.between", "bodies", ""},
                                {"contact.interval", fmt::format("{}", interval), ""}};
  const Scene scene = load_scene(find_scene("hair"), overrides);
  const auto& system = dynamic_cast<const ParticleSystem&>(scene.system());
  std::string why;
  const std::optional<SystemFibres> fibres = SystemFibres::find(system, scene.body.strands, why);
  if (!fibres) throw SimulationError(why);
  FibreSimulation simulation(fibres->supply(scene.body.start), Eigen::Vector3d::Zero(),
                             {.duration = scene.simulation.duration,
                              .step = scene.simulation.step,
                              .tolerance = scene.simulation.tolerance,
                              .least_motion = 1e-3 * fibres->mean_length(scene.body.start)});
  FibreContact contact(simulation, fibres->segments(), scene.body.fibre_contact.value());
  fmt::print(
      "{} fibres, {} unknowns, {} threads; s for each interval of {} ms, of the clock, and of all "
      "processors:\n",
      fibres->size(), system.unknowns(), thread_count(), 1e3 * interval);
  const int intervals = static_cast<int>(std::lround(window / interval));
  double slowest = 0;
  ProjectionReport all;
  for (int w = 1; w * window < until + interval / 2; ++w) {
    ProjectionReport did;
    const FibreContact::Seconds before = contact.seconds();
    const Stopwatch watch;
    for (int k = 1; k <= intervals; ++k) did += contact.advance((w - 1) * window + k * interval);
    const double clock = watch.seconds() / intervals;
    const FibreContact::Seconds spent = since(contact.seconds(), before);
    fmt::print(
        "to {:.1f} s: {:.2f}; forces and linear algebra {:.2f}, detection {:.2f}, response {:.2f}; {} "
        "contacts at most, {} ways through barred, {:.1f} passes, {} halvings, deepest {:.2g} m, made "
        "{:.2g} J\n",
        w * window, clock, spent.fibres / intervals, spent.detection / intervals, spent.response / intervals,
        did.contacts, did.crossings, static_cast<double>(did.passes) / intervals, did.halvings, did.deepest,
        did.made);
    slowest = std::max(slowest, clock);
    all += did;
  }
  const double seconds = slowest * scene.simulation.duration / interval;
  const double gigabytes = static_cast<double>(peak_memory_bytes()) / 1e9;
  fmt::print(
      "{} s at the slowest of these rates: {:.0f} s by the clock (paper: {:.0f} s) {}; memory {:.2f} GB at "
      "most (bound {} GB) {}\n",
      scene.simulation.duration, seconds, paper_seconds, verdict(seconds < paper_seconds), gigabytes,
      most_gigabytes, verdict(gigabytes < most_gigabytes));
  return seconds < paper_seconds && gigabytes < most_gigabytes;
}

}  // namespace

Section touching_hair() {
  return {"touching-hair", "all the hair of a head with contact: where the time of a step goes", run};
}

}  // namespace stiffly::bench
