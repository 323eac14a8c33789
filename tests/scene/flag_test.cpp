// The flag: what it is made of, and that it waves without stretching.
#include "stiffly/scene/flag.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <Eigen/Geometry>
#include <numeric>

#include "scene/particles_of.hpp"
#include "stiffly/control/simulation.hpp"
#include "stiffly/error.hpp"
#include "stiffly/forces/springs.hpp"
#include "stiffly/integrators/registry.hpp"
#include "stiffly/scene/scene.hpp"

namespace stiffly {
namespace {

double area(std::span<const Triangle> triangles, std::span<const Point> positions) {
  const auto at = [&](int i) { return Eigen::Vector3d::Map(positions[static_cast<std::size_t>(i)].data()); };
  double sum = 0;
  for (const Triangle& t : triangles) sum += (at(t[1]) - at(t[0])).cross(at(t[2]) - at(t[0])).norm() / 2;
  return sum;
}

TEST(Flag, HasTheSpringsAndTheMassOfItsSheet) {
  FlagParameters p;
  p.sheet = {.rows = 4, .columns = 6, .width = 1, .height = 0.5};
  const Body body = make_flag(p, {0, 0, -9.81});
  const ParticleSystem& system = particles_of(body);
  EXPECT_EQ(system.particles(), 24u);
  EXPECT_EQ(system.free_particles(), 20u);
  EXPECT_EQ(body.springs.size(), 4u * 5 + 6 * 3 + 2 * 3 * 5 + 4 * 4 + 6 * 2);
  EXPECT_EQ(body.triangles.size(), 2u * 3 * 5);
  const double mass = std::accumulate(system.masses().begin(), system.masses().end(), 0.0);
  EXPECT_NEAR(mass, 0.15 * 0.5, 1e-12);
  int of_stiffness[3] = {0, 0, 0};
  for (const Spring& s : dynamic_cast<const Springs&>(*system.forces()[0]).springs()) {
    EXPECT_EQ(s.law, SpringLaw::cubic);
    ++of_stiffness[s.stiffness == 1e4 ? 0 : s.stiffness == 1e3 ? 1 : 2];
  }
  EXPECT_EQ(of_stiffness[0], 38);
  EXPECT_EQ(of_stiffness[1], 30);
  EXPECT_EQ(of_stiffness[2], 28);
}

TEST(Flag, HangsByItsSideOrByItsCorners) {
  FlagParameters p;
  p.sheet = {.rows = 4, .columns = 6};
  p.held = FlagParameters::Held::corners;
  EXPECT_EQ(particles_of(make_flag(p, {})).free_particles(), 22u);
}

TEST(Flag, WithoutBendingHasNoSpringsForIt) {
  FlagParameters p;
  p.sheet = {.rows = 4, .columns = 6};
  p.bending = 0;
  EXPECT_EQ(make_flag(p, {}).springs.size(), 38u + 30);
}

TEST(Flag, WrongParametersAreRefused) {
  FlagParameters thread, sail;
  thread.sheet.rows = 1;
  sail.drag = -1;
  EXPECT_THROW(make_flag(thread, {}), InputError);
  EXPECT_THROW(make_flag(sail, {}), InputError);
}

/// The flag waves for a while, and its area stays within 3 %.
void waves(const std::string& size) {
  const Override setting{"size", size};
  const Scene scene = load_scene(find_scene("flag"), std::span(&setting, 1));
  const SimulationSettings& s = scene.simulation;
  const double before = area(scene.body.triangles, scene.positions(scene.body.start));
  double least = before, most = before, swing = 0;
  State state = scene.body.start;
  simulate(scene.system(), *make_integrator(s.integrator, s.options), state, {1.0, s.step, s.tolerance},
           [&](const State& now, const SimulationSummary&) {
             const std::vector<Point> positions = scene.positions(now);
             const double now_area = area(scene.body.triangles, positions);
             least = std::min(least, now_area);
             most = std::max(most, now_area);
             for (const Point& x : positions) swing = std::max(swing, std::abs(x[1]));
             return true;
           });
  fmt::print("{}: area {:.4f} to {:.4f} of the start\n", size, least / before, most / before);
  EXPECT_GT(least, 0.97 * before);
  EXPECT_LT(most, 1.03 * before);
  EXPECT_GT(swing, 0.1) << "m across the plane in which it starts";
}

TEST(Flag, WavesWithAnAreaThatHardlyChanges) { waves("small"); }
TEST(Flag, LongWaveOfTheFullFlagKeepsItsArea) { waves("full"); }

}  // namespace
}  // namespace stiffly
