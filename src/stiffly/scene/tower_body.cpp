#include "stiffly/scene/tower_body.hpp"

#include <algorithm>

#include "stiffly/forces/girders.hpp"
#include "stiffly/scene/body_builder.hpp"

namespace stiffly {

Body make_tower_body(const TowerBodyParameters& p, const std::array<double, 3>& gravity) {
  const Tower tower = make_tower(p.tower);
  const std::size_t count = tower.points.size();
  const double stiff_below = p.stiff_part * p.tower.height;
  Particles particles =
      still_particles(tower.points, std::vector<double>(count, p.total_mass / static_cast<double>(count)));
  for (const int foot : tower.feet) particles.pinned[static_cast<std::size_t>(foot)] = true;
  for (std::size_t i = 0; i < count; ++i) {
    const double rise = tower.points[i].z() - stiff_below;
    const double share = rise > 0 ? rise / (p.tower.height - stiff_below) : 0;
    if (!particles.pinned[i]) particles.velocity[i][0] = p.push * share * share;
  }

  BodyBuilder builder(particles);
  Tower::Edges edges = tower.edges();
  std::vector<Girder> girders;
  for (const auto& [a, b] : edges) {
    const double middle =
        (tower.points[static_cast<std::size_t>(a)].z() + tower.points[static_cast<std::size_t>(b)].z()) / 2;
    const double stiffness = middle < stiff_below ? p.lower : p.upper;
    girders.push_back({builder.inner(a), builder.inner(b), stiffness, p.bending_share * stiffness});
  }
  builder.add(std::make_unique<Girders>(girders, builder.inner_positions()));
  builder.add_gravity(gravity);
  Body body = builder.finish();
  body.springs = std::move(edges);
  return body;
}

}  // namespace stiffly
