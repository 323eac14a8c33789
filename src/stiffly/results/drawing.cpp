#include "stiffly/results/drawing.hpp"

#include <cmath>
#include <map>

#include "stiffly/forces/girders.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly {
namespace {

using Pair = std::pair<int, int>;

Pair ordered(int a, int b) { return {std::min(a, b), std::max(a, b)}; }

/// Of the springs and girders that forces have, by the user's numbers of their ends.
std::map<Pair, SpringMaterial> materials_of(const ParticleSystem& system) {
  std::map<Pair, SpringMaterial> out;
  for (const auto& force : system.forces()) {
    std::span<const Spring> springs;
    if (const auto* s = dynamic_cast<const Springs*>(force.get())) springs = s->springs();
    if (const auto* g = dynamic_cast<const Girders*>(force.get())) springs = g->along();
    for (const Spring& spring : springs) {
      const auto user = [&](int inner) { return system.order()[static_cast<std::size_t>(inner)]; };
      out[ordered(user(spring.first), user(spring.second))] = spring.material();
    }
  }
  return out;
}

/// All particles as forces see them, and the forces between things that touch.
class Touching {
 public:
  Touching(const ParticleSystem& system, const State& state)
      : system_(system), x_(3 * system.particles()), v_(x_.size()) {
    std::ranges::copy(system.start_positions(), x_.begin());
    system.place(state.time, state.x(), state.v(), x_, v_);
    q_ = {state.time, system.free_particles(), x_, v_};
    for (const auto& force : system.forces())
      if (force->touch(q_)) forces_.push_back(force.get());
  }

  bool possible() const { return !forces_.empty(); }
  /// On each particle, in the user's order; pinned ones feel nothing.
  std::vector<Point> forces() const {
    std::vector<double> f(3 * q_.free);
    for (const Force* force : forces_) force->add_force(q_, f);
    std::vector<Point> out;
    for (const int inner : system_.rank()) {
      const auto i = static_cast<std::size_t>(inner);
      out.push_back(i < q_.free ? Point{f[3 * i], f[3 * i + 1], f[3 * i + 2]} : Point{});
    }
    return out;
  }

 private:
  const ParticleSystem& system_;
  std::vector<double> x_, v_;
  Configuration q_;
  std::vector<const Force*> forces_;
};

}  // namespace

FrameMaker::FrameMaker(const Scene& scene) : scene_(scene), points_(scene.body, scene.particles()) {
  const Topology shape = topology(scene);
  contact_ = shape.contact;
  if (shape.contact_time) timed_points_ = arrays_of(shape.obstacles).owner.size();
}

FrameContents FrameMaker::operator()(const State& state, const ContactTime* counted) const {
  FrameContents out{state.time, points_.of(scene_.positions(state)), points_.of(scene_.velocities(state))};
  for (const ObstacleSurface& obstacle : scene_.body.obstacles)
    out.poses.push_back(obstacle.pose(state.time));
  out.contact_time = counted ? counted->at(state.time) : std::vector<double>(timed_points_);
  if (contact_) {
    std::vector<double> sizes;
    for (const auto& [x, y, z] :
         Touching(dynamic_cast<const ParticleSystem&>(scene_.system()), state).forces())
      sizes.push_back(std::hypot(x, y, z));
    out.contact = points_.sums(sizes);
  }
  return out;
}

Topology topology(const Scene& scene) {
  const DrawnPoints points(scene.body, scene.particles());
  Topology out = points.topology(scene.body);
  const auto* system = dynamic_cast<const ParticleSystem*>(scene.body.system.get());
  if (!system) return out;
  std::vector<double> masses;
  for (const int inner : system->rank()) masses.push_back(system->masses()[static_cast<std::size_t>(inner)]);
  out.masses = points.sums(masses);
  out.contact = Touching(*system, scene.body.start).possible();
  out.contact_time = ContactTime::possible(scene.body);
  if (out.springs.empty()) return out;
  const auto particle = [&](int point) {
    return out.particle.empty() ? point : out.particle[static_cast<std::size_t>(point)];
  };
  const std::map<Pair, SpringMaterial> known = materials_of(*system);
  for (const auto& [a, b] : out.springs) {
    const auto found = known.find(ordered(particle(a), particle(b)));
    if (found == known.end()) return out.materials.clear(), out;
    out.materials.push_back(found->second);
  }
  return out;
}

}  // namespace stiffly
