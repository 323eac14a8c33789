// All the hair of a head with contact: where the time of a step goes, and how long four seconds would take.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench.hpp"
#include "stiffly/fibres/fibre_contact.hpp"
#include "stiffly/fibres/system_fibres.hpp"
#include "stiffly/files/machine.hpp"
#include "stiffly/scene/scene.hpp"
#include "stiffly/threads.hpp"

namespace stiffly::bench {
namespace {

constexpr double paper_seconds = 54 * 60, most_gigabytes = 16;  ///< paper 000, section 4.4
/// Of all the hair the beginning, at rest; of a tenth of it, combed less densely, all the way into full
/// swing.
struct Sample {
  const char *name, *count;
  double interval, until;  ///< s
};
constexpr Sample samples[] = {{"all, from rest", "60000", 4e-3, 0.024},
                              {"a tenth, in the swing", "6000", 1e-3, 0.5}};
constexpr int measured_steps = 4;

FibreContact::Seconds since(const FibreContact::Seconds& now, const FibreContact::Seconds& before) {
  return {now.fibres - before.fibres, now.detection - before.detection, now.response - before.response};
}

/// Seconds of all processors for each interval, of the last ones before the end.
double measure(const Sample& sample) {
  const Override overrides[] = {{"size", "full", ""},
                                {"model.count", sample.count, ""},
                                {"model.comb", "layers", ""},
                                {"contact.between", "bodies", ""},
                                {"contact.interval", fmt::format("{}", sample.interval), ""}};
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
  const int steps = static_cast<int>(std::lround(sample.until / sample.interval));
  ProjectionReport did;
  FibreContact::Seconds before;
  for (int k = 1; k <= steps; ++k) {
    const ProjectionReport step = contact.advance(k * sample.interval);
    if (k == steps - measured_steps) before = contact.seconds();
    if (k > steps - measured_steps) did += step;
  }
  const FibreContact::Seconds spent = since(contact.seconds(), before);
  fmt::print(
      "{}: {} fibres, {} unknowns, an interval of {} ms: forces and linear algebra {:.2f}, detection {:.2f}, "
      "response {:.2f}; {} "
      "contacts at most, {} ways through barred, {} passes, {} halvings, deepest {:.2g} m\n",
      sample.name, fibres->size(), system.unknowns(), 1e3 * sample.interval, spent.fibres / measured_steps,
      spent.detection / measured_steps, spent.response / measured_steps, did.contacts, did.crossings,
      did.passes, did.halvings, did.deepest);
  return (spent.fibres + spent.detection + spent.response) / measured_steps * scene.simulation.duration /
         sample.interval / thread_count() * (60000.0 / static_cast<double>(fibres->size()));
}

bool run() {
  fmt::print("{} threads; s of processor for each interval:\n", thread_count());
  double slowest = 0;
  for (const Sample& sample : samples) slowest = std::max(slowest, measure(sample));
  const double gigabytes = static_cast<double>(peak_memory_bytes()) / 1e9;
  fmt::print(
      "4 s of 60 000 at the slower of both rates, were all threads busy: {:.0f} s (paper: {:.0f} s) {}; "
      "memory "
      "{:.2f} GB at most (bound {} GB) {}\n",
      slowest, paper_seconds, verdict(slowest < paper_seconds), gigabytes, most_gigabytes,
      verdict(gigabytes < most_gigabytes));
  return slowest < paper_seconds && gigabytes < most_gigabytes;
}

}  // namespace

Section touching_hair() {
  return {"touching-hair", "all the hair of a head with contact: where the time of a step goes", run};
}

}  // namespace stiffly::bench
