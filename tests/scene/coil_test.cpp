// The coil must be a sound body: right size, well-shaped tetrahedra, one piece, at rest.
#include "stiffly/scene/coil.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <set>

#include "stiffly/error.hpp"

namespace stiffly {

using namespace mesh;
namespace {

class CoilTest : public testing::TestWithParam<bool> {
 protected:
  CoilParameters parameters() const { return GetParam() ? small_coil() : CoilParameters{}; }
  Coil coil = make_coil(parameters());
};

INSTANTIATE_TEST_SUITE_P(Sizes, CoilTest, testing::Bool(),
                         [](const auto& p) { return p.param ? "small" : "full"; });

TEST_P(CoilTest, HasTheParticlesItPromises) {
  const std::size_t n = coil.particles.size();
  EXPECT_EQ(n, GetParam() ? 497u : 7999u);
  EXPECT_EQ(coil.particles.velocity.size(), n);
  EXPECT_EQ(coil.particles.mass.size(), n);
  EXPECT_EQ(coil.particles.pinned.size(), n);
  const double mass = std::accumulate(coil.particles.mass.begin(), coil.particles.mass.end(), 0.0);
  EXPECT_NEAR(mass, parameters().total_mass, 1e-9 * mass);
}

TEST_P(CoilTest, TetrahedraAreWellShaped) {
  double smallest_angle = 180, smallest = 1e300, largest = 0;
  for (const Tetrahedron& t : coil.tetrahedra) {
    const double volume = signed_volume(t, coil.particles.position);
    ASSERT_GT(volume, 0);
    smallest = std::min(smallest, volume);
    largest = std::max(largest, volume);
    smallest_angle = std::min(smallest_angle, smallest_dihedral_angle(t, coil.particles.position));
  }
  EXPECT_GT(smallest_angle, 30);
  EXPECT_LT(largest / smallest, 2);
}

TEST_P(CoilTest, TetrahedraFillTheWire) {
  double volume = 0;
  for (const Tetrahedron& t : coil.tetrahedra) volume += signed_volume(t, coil.particles.position);
  const CoilParameters p = parameters();
  // A wire's volume is cross-section times length of its centre line (Pappus); the cross-section is a polygon
  // with 6 r corners, and so are chords for arcs along the wire.
  const double corners = 6.0 * p.rings;
  const double section =
      0.5 * corners * p.wire_radius * p.wire_radius * std::sin(2 * std::numbers::pi / corners);
  const double length = p.turns * std::hypot(2 * std::numbers::pi * p.coil_radius, p.pitch);
  EXPECT_NEAR(volume, section * length, 0.02 * volume);
}

TEST_P(CoilTest, EveryEdgeIsOneSpringAtRest) {
  std::set<std::pair<int, int>> seen;
  for (const Spring& s : coil.springs) {
    EXPECT_LT(s.first, s.second);
    EXPECT_TRUE(seen.emplace(s.first, s.second).second) << s.first << " " << s.second;
    EXPECT_EQ(s.stiffness, 1e6);
    EXPECT_GT(s.rest_length, 0);
  }
  for (const Tetrahedron& t : coil.tetrahedra)
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = i + 1; j < 4; ++j)
        EXPECT_TRUE(seen.count({std::min(t[i], t[j]), std::max(t[i], t[j])}));
}

TEST_P(CoilTest, IsOnePiece) {
  std::vector<std::size_t> root(coil.particles.size());
  std::iota(root.begin(), root.end(), std::size_t{0});
  const auto find = [&](std::size_t i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  for (const Spring& s : coil.springs)
    root[find(static_cast<std::size_t>(s.first))] = find(static_cast<std::size_t>(s.second));
  for (std::size_t i = 0; i < root.size(); ++i) ASSERT_EQ(find(i), find(0));
}

TEST_P(CoilTest, SurfaceIsClosedAndHasTheTopologyOfABall) {
  std::map<std::pair<int, int>, int> directed;
  std::set<int> corners;
  for (const Triangle& t : coil.triangles)
    for (std::size_t i = 0; i < 3; ++i) {
      ++directed[{t[i], t[(i + 1) % 3]}];
      corners.insert(t[i]);
    }
  for (const auto& [edge, count] : directed) {
    EXPECT_EQ(count, 1);
    EXPECT_TRUE(directed.count({edge.second, edge.first}));
  }
  const long euler = static_cast<long>(corners.size()) - static_cast<long>(directed.size() / 2) +
                     static_cast<long>(coil.triangles.size());
  EXPECT_EQ(euler, 2);
}

TEST_P(CoilTest, SurfaceEnclosesTheVolumeOfTheTetrahedra) {
  double inside = 0, enclosed = 0;
  for (const Tetrahedron& t : coil.tetrahedra) inside += signed_volume(t, coil.particles.position);
  std::vector<Point> positions = coil.particles.position;
  positions.push_back({0, 0, 0});
  // Gauss: cones from the origin over outward triangles.
  for (const Triangle& t : coil.triangles)
    enclosed += signed_volume({static_cast<int>(positions.size()) - 1, t[0], t[1], t[2]}, positions);
  EXPECT_NEAR(enclosed, inside, 1e-9 * inside);
}

TEST_P(CoilTest, FootIsHeldAndRestIsFree) {
  const CoilParameters p = parameters();
  const auto held = std::count(coil.particles.pinned.begin(), coil.particles.pinned.end(), true);
  const double expected = p.held_turns / p.turns * static_cast<double>(coil.particles.size());
  EXPECT_NEAR(static_cast<double>(held), expected, 20);
  EXPECT_TRUE(coil.particles.pinned.front());
  EXPECT_FALSE(coil.particles.pinned.back());
}

TEST_P(CoilTest, RestsWithoutTheField) {
  CoilParameters p = parameters();
  p.gravity = {0, 0, 0};
  const auto system = make_coil_system(p);
  const State state = system->initial_state();
  Vector f(system->unknowns());
  system->force(0, state.x(), state.v(), f);
  // Round-off of lengths of 0.01 m times the stiffness.
  for (const double component : host(f)) EXPECT_LT(std::abs(component), 1e-15 * p.stiffness);
}

TEST_P(CoilTest, FieldPullsDownWithItsWeight) {
  const CoilParameters p = parameters();
  const auto system = make_coil_system(p);
  const State state = system->initial_state();
  Vector f(system->unknowns());
  system->force(0, state.x(), state.v(), f);
  const auto values = host(f);
  double sum = 0;
  for (std::size_t i = 2; i < values.size(); i += 3) sum += values[i];
  const double free_mass =
      p.total_mass * static_cast<double>(system->free_particles()) / static_cast<double>(system->particles());
  EXPECT_NEAR(sum, p.gravity[2] * free_mass, 1e-6);
}

TEST(CoilSections, AreChosenToGiveGoodTetrahedra) {
  CoilParameters p;
  p.sections = 0;
  const Coil coil = make_coil(p);
  EXPECT_NEAR(static_cast<double>(coil.particles.size()), 8000, 400);
  for (const Tetrahedron& t : coil.tetrahedra)
    ASSERT_GT(smallest_dihedral_angle(t, coil.particles.position), 30);
}

TEST(CoilParametersTest, ImpossibleOnesAreRefused) {
  const auto refused = [](auto change) {
    CoilParameters p;
    change(p);
    EXPECT_THROW(make_coil(p), InputError);
  };
  refused([](auto& p) { p.turns = 0; });
  refused([](auto& p) { p.pitch = p.wire_radius; });
  refused([](auto& p) { p.wire_radius = 2 * p.coil_radius; });
  refused([](auto& p) { p.rings = 0; });
  refused([](auto& p) { p.sections = 2; });
  refused([](auto& p) { p.sections = -1; });
  refused([](auto& p) { p.held_turns = p.turns; });
  refused([](auto& p) { p.total_mass = std::nan(""); });
  refused([](auto& p) { p.stiffness = -1; });
  refused([](auto& p) {
    p.sections = 0;
    p.turns = 1e12;
  });
}

TEST(TetrahedraTest, RegularTetrahedron) {
  const std::vector<Point> corners = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
  const Tetrahedron t = {0, 1, 2, 3};
  EXPECT_NEAR(std::abs(signed_volume(t, corners)), 8.0 / 3, 1e-14);
  EXPECT_NEAR(smallest_dihedral_angle(t, corners), std::acos(1.0 / 3) * 180 / std::numbers::pi, 1e-10);
  EXPECT_EQ(edges_of(std::span(&t, 1)).size(), 6u);
  EXPECT_EQ(surface_of(std::span(&t, 1)).size(), 4u);
}

}  // namespace
}  // namespace stiffly
