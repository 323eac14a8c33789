#include "stiffly/results/motion_picture.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "stiffly/plot/picture.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly {
namespace {

constexpr std::size_t most_curves = 24;

/// With the middles of cross-sections after all particles, whose places or velocities these are.
std::vector<Point> drawn(std::vector<Point> particles, const std::vector<Strand>& strands) {
  for (const Strand& strand : strands)
    for (int section = 0; section < strand.sections; ++section) {
      Point mean = {0, 0, 0};
      for (int corner = 0; corner < 4; ++corner)
        for (std::size_t axis = 0; axis < 3; ++axis)
          mean[axis] +=
              particles[static_cast<std::size_t>(strand.first_particle + 4 * section + corner)][axis] / 4;
      particles.push_back(mean);
    }
  return particles;
}

Canvas contact_sheet(const Scene& scene, const Record& record) {
  std::vector<Moment> moments;
  const std::vector<Strand>& strands = scene.body.strands;
  for (const State& state : record.snapshots)
    moments.push_back(
        {state.time, drawn(scene.positions(state), strands), drawn(scene.velocities(state), strands)});
  if (strands.empty())
    return contact_sheet(scene.name, {scene.body.triangles, scene.body.springs, {}}, moments);
  std::vector<std::pair<int, int>> lines;
  int centre = static_cast<int>(scene.positions(scene.body.start).size());
  for (const Strand& strand : strands) {
    lines.emplace_back(centre, centre + strand.sections);
    centre += strand.sections;
  }
  return contact_sheet(scene.name, {scene.body.triangles, {}, lines}, moments);
}

/// Of large systems the axes alone.
Canvas curves(const Scene& scene, const Record& record) {
  std::vector<double> times;
  std::vector<Curve> curves(std::min(scene.system().unknowns(), most_curves));
  for (std::size_t i = 0; i < curves.size(); ++i) curves[i].name = fmt::format("x{}", i);
  for (const State& state : record.states) {
    const std::vector<double> x = to_host(state.x());
    times.push_back(state.time);
    for (std::size_t i = 0; i < curves.size(); ++i) curves[i].values.push_back(x[i]);
  }
  return plot(scene.name, times, curves);
}

}  // namespace

std::string motion_png(const Scene& scene, const Record& record) {
  const bool in_space = dynamic_cast<const ParticleSystem*>(&scene.system()) != nullptr;
  return encode_png(in_space ? contact_sheet(scene, record) : curves(scene, record));
}

}  // namespace stiffly
