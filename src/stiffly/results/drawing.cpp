#include "stiffly/results/drawing.hpp"

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

}  // namespace

Topology topology(const Scene& scene) {
  const DrawnPoints points(scene.body, scene.particles());
  Topology out = points.topology(scene.body);
  const auto* system = dynamic_cast<const ParticleSystem*>(scene.body.system.get());
  if (!system) return out;
  std::vector<double> masses;
  for (const int inner : system->rank()) masses.push_back(system->masses()[static_cast<std::size_t>(inner)]);
  out.masses = points.sums(masses);
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
