#include "stiffly/results/motion_picture.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "stiffly/plot/picture.hpp"
#include "stiffly/scene/drawn_points.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly {
namespace {

constexpr std::size_t most_curves = 24;

/// Those that end come first.
std::vector<ObstacleSurface> drawn_obstacles(const Scene& scene) {
  std::vector<ObstacleSurface> out = scene.body.obstacles;
  std::stable_partition(out.begin(), out.end(),
                        [](const ObstacleSurface& obstacle) { return !obstacle.endless; });
  return out;
}

/// Of the points of all obstacles, in the order in which they are drawn.
std::vector<double> drawn_times(const Scene& scene, const std::vector<double>& times) {
  std::vector<double> out, of_planes;
  auto from = times.begin();
  for (const ObstacleSurface& obstacle : scene.body.obstacles) {
    std::vector<double>& to = obstacle.endless ? of_planes : out;
    to.insert(to.end(), from, from + std::ssize(obstacle.points));
    from += std::ssize(obstacle.points);
  }
  out.insert(out.end(), of_planes.begin(), of_planes.end());
  return out;
}

Canvas contact_sheet(const Scene& scene, const Record& record) {
  const DrawnPoints points(scene.body, scene.particles());
  const std::vector<ObstacleSurface> obstacles = drawn_obstacles(scene);
  std::vector<Moment> moments;
  for (std::size_t k = 0; k < record.snapshots.size(); ++k) {
    const State& state = record.snapshots[k];
    moments.push_back({state.time, points.of(scene.positions(state)), points.of(scene.velocities(state))});
    for (const ObstacleSurface& obstacle : obstacles)
      std::ranges::copy(obstacle.placed(state.time), std::back_inserter(moments.back().obstacles));
    if (k < record.contact_times.size())
      moments.back().contact_time = drawn_times(scene, record.contact_times[k]);
  }
  const Topology shape = points.topology(scene.body);
  std::vector<std::pair<int, int>> strands;  // from the first point to behind the last one
  for (const auto& [first, count] : shape.strands) strands.emplace_back(first, first + count);
  std::vector<Triangle> around;
  std::size_t corners = 0, seen = 0;
  for (const ObstacleSurface& obstacle : obstacles) {
    for (const auto& [a, b, c] : obstacle.triangles) {
      const int first = static_cast<int>(corners);
      around.push_back({first + a, first + b, first + c});
    }
    corners += obstacle.points.size();
    if (!obstacle.endless) seen = corners;
  }
  return contact_sheet(scene.name,
                       {shape.triangles, strands.empty() ? shape.springs : std::vector<std::pair<int, int>>{},
                        strands, around, seen},
                       moments);
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
