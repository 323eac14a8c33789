// All the hair of a head with contact: where the time of a step goes, and how long four seconds would take.
#include <fmt/format.h>

#include <algorithm>

#include "bench.hpp"
#include "stiffly/fibres/fibre_contact.hpp"
#include "stiffly/fibres/system_fibres.hpp"
#include "stiffly/files/machine.hpp"
#include "stiffly/scene/scene.hpp"
#include "stiffly/threads.hpp"

namespace stiffly::bench {
namespace {

constexpr double paper_seconds = 54 * 60, most_gigabytes = 16;  ///< paper 000, section 4.4
/// From where steps are measured: hair at rest, and the head in full swing. On the way there hairs do not
/// touch, as that would take an hour; the first steps put apart what is then in each other, and do not count.
constexpr double times[] = {0, 0.72};
constexpr int first_steps = 2, measured_steps = 4;

FibreContact::Seconds since(const FibreContact::Seconds& now, const FibreContact::Seconds& before) {
  return {now.fibres - before.fibres, now.detection - before.detection, now.response - before.response};
}

bool run() {
  const Override overrides[] = {{"size", "full", ""}, {"contact.between", "bodies", ""}};
  const Scene scene = load_scene(find_scene("hair"), overrides);
  const auto& system = dynamic_cast<const ParticleSystem&>(scene.system());
  std::string why;
  const std::optional<SystemFibres> fibres = SystemFibres::find(system, scene.body.strands, why);
  if (!fibres) throw SimulationError(why);
  const FibreContactLaw law = scene.body.fibre_contact.value();
  const double duration = scene.simulation.duration;
  FibreSimulation simulation(fibres->supply(scene.body.start), Eigen::Vector3d::Zero(),
                             {.duration = duration,
                              .step = scene.simulation.step,
                              .tolerance = scene.simulation.tolerance,
                              .least_motion = 1e-3 * fibres->mean_length(scene.body.start)});
  FibreContact contact(simulation, fibres->segments(), law);
  fmt::print("{} fibres, {} unknowns, an interval of {} ms, {} threads; s of processor for each interval:\n",
             fibres->size(), system.unknowns(), 1e3 * law.interval, thread_count());
  double slowest = 0;
  for (const double from : times) {
    if (from > 0) simulation.advance(from);
    ProjectionReport did;
    FibreContact::Seconds before;
    for (int k = 1; k <= first_steps + measured_steps; ++k) {
      const ProjectionReport step = contact.advance(from + k * law.interval);
      if (k == first_steps) before = contact.seconds();
      if (k > first_steps) did += step;
    }
    const FibreContact::Seconds spent = since(contact.seconds(), before);
    const double all = spent.fibres + spent.detection + spent.response;
    slowest = std::max(slowest, all / measured_steps / thread_count());
    fmt::print(
        "from t = {} s: forces and linear algebra {:.2f}, detection {:.2f}, response {:.2f}; {} contacts at "
        "most, {} ways through barred, {} passes, {} halvings, deepest {:.2g} m\n",
        from, spent.fibres / measured_steps, spent.detection / measured_steps,
        spent.response / measured_steps, did.contacts, did.crossings, did.passes, did.halvings, did.deepest);
  }
  const double whole = slowest * duration / law.interval;
  const double gigabytes = static_cast<double>(peak_memory_bytes()) / 1e9;
  fmt::print(
      "{} s at the slower of both, were all threads busy: {:.0f} s (paper: {:.0f} s) {}; memory {:.2f} GB at "
      "most (bound {} GB) "
      "{}\n",
      duration, whole, paper_seconds, verdict(whole < paper_seconds), gigabytes, most_gigabytes,
      verdict(gigabytes < most_gigabytes));
  return whole < paper_seconds && gigabytes < most_gigabytes;
}

}  // namespace

Section touching_hair() {
  return {"touching-hair", "all the hair of a head with contact: where the time of a step goes", run};
}

}  // namespace stiffly::bench
