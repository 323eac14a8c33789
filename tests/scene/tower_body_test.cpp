// The tower as a body: where it is stiff, what holds it, and how it is pushed.
#include "stiffly/scene/tower_body.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "stiffly/error.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly {
namespace {

TEST(TowerBody, HasTheGirdersAndFeetOfTheTower) {
  TowerBodyParameters p;
  p.tower.segments = 1;
  p.push = 3;
  const Tower tower = make_tower(p.tower);
  const Body body = make_tower_body(p, {});
  const auto& system = dynamic_cast<const ParticleSystem&>(*body.system);
  EXPECT_EQ(body.springs, tower.edges());
  EXPECT_EQ(system.particles(), tower.points.size());
  EXPECT_EQ(system.free_particles(), tower.points.size() - tower.feet.size());
  const double mass = std::accumulate(system.masses().begin(), system.masses().end(), 0.0);
  EXPECT_NEAR(mass, p.total_mass, 1e-9 * mass);
  const std::vector<Point> velocities = system.velocities(body.start);
  for (std::size_t i = 0; i < velocities.size(); ++i) {
    const double share = (tower.points[i].z() / p.tower.height - p.stiff_part) / (1 - p.stiff_part);
    EXPECT_NEAR(velocities[i][0], share > 0 ? 3 * share * share : 0, 1e-12);
  }
}

TEST(TowerBody, IsStiffBelowAndSoftAbove) {
  TowerBodyParameters p;
  p.tower.segments = 1;
  const Tower tower = make_tower(p.tower);
  const Body body = make_tower_body(p, {});
  const auto& system = dynamic_cast<const ParticleSystem&>(*body.system);
  Tangent tangent;
  system.tangent(0, body.start.x(), body.start.v(), tangent);
  // The diagonal blocks alone tell the parts apart: each sums over the girders at its particle.
  const auto trace = [&](std::size_t particle) {
    const auto rank = static_cast<std::size_t>(system.rank()[particle]);
    Vector e(system.unknowns()), k(system.unknowns());
    host(e)[3 * rank + 2] = 1;
    tangent.stiffness.apply(e, k);
    return host(k)[3 * rank + 2];
  };
  const double boundary = p.stiff_part * p.tower.height, margin = 0.15 * p.tower.height;
  for (std::size_t i = 0; i < tower.points.size(); ++i) {
    const double z = tower.points[i].z();
    if (z > 0 && z < boundary - margin) {
      EXPECT_GT(trace(i), 1e6) << z;
    }
    if (z > boundary + margin) {
      EXPECT_LT(trace(i), 1e6) << z;
    }
  }
}

TEST(TowerBody, WrongParametersAreRefused) {
  TowerBodyParameters sunken, limp, weightless;
  sunken.tower.height = -1;
  limp.bending_share = 2;
  weightless.total_mass = 0;
  EXPECT_THROW(make_tower_body(sunken, {}), InputError);
  EXPECT_THROW(make_tower_body(limp, {}), InputError);
  EXPECT_THROW(make_tower_body(weightless, {}), InputError);
}

}  // namespace
}  // namespace stiffly
