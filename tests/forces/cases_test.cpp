// The forces that the generic tests run through.
#include "forces/cases.hpp"

#include "stiffly/contact/obstacle_repulsion.hpp"
#include "stiffly/forces/air_drag.hpp"
#include "stiffly/forces/corotational.hpp"
#include "stiffly/forces/fluid.hpp"
#include "stiffly/forces/force_field.hpp"
#include "stiffly/forces/girders.hpp"
#include "stiffly/forces/gravity.hpp"
#include "stiffly/forces/motor.hpp"
#include "stiffly/forces/neo_hookean.hpp"
#include "stiffly/forces/plastic_spring.hpp"
#include "stiffly/forces/rayleigh_damping.hpp"
#include "stiffly/forces/saint_venant_kirchhoff.hpp"
#include "stiffly/forces/springs.hpp"
#include "stiffly/forces/tug.hpp"
#include "stiffly/forces/weighted_springs.hpp"
#include "stiffly/forces/wind.hpp"
#include "stiffly/mesh/tetrahedra.hpp"

namespace stiffly::test {

using namespace mesh;
namespace {

double between(Random& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

double rest_length(const Points& rest, int i, int j) {
  return (rest[static_cast<std::size_t>(i)] - rest[static_cast<std::size_t>(j)]).norm();
}

std::unique_ptr<Force> springs(const Setting& s, Random& random, SpringLaw law, double damping) {
  std::vector<Spring> all;
  for (int i = 0; i < particles; ++i)
    for (int j = 0; j < i; ++j)
      if (between(random, 0, 1) < 0.5)
        all.push_back({i, j, between(random, 50, 200), rest_length(s.rest, i, j),
                       damping * between(random, 0.5, 2), law});
  return std::make_unique<Springs>(all, particles);
}

/// From each corner of each tetrahedron to the centre of the face opposite, and one that holds a particle
/// twice.
std::unique_ptr<Force> weighted_springs(const Setting& s, Random& random, SpringLaw law, double damping) {
  std::vector<WeightedSpring> all;
  const auto add = [&](const SpringEnd& first, const SpringEnd& second) {
    Eigen::Vector3d e = Eigen::Vector3d::Zero();
    for (std::size_t i = 0; i < first.particles.size(); ++i)
      e -= first.weights[i] * s.rest[static_cast<std::size_t>(first.particles[i])];
    for (std::size_t i = 0; i < second.particles.size(); ++i)
      e += second.weights[i] * s.rest[static_cast<std::size_t>(second.particles[i])];
    all.push_back(
        {first, second, {between(random, 50, 200), e.norm(), damping * between(random, 0.5, 2), law}});
  };
  for (const auto& t : tetrahedra_of(s.rest))
    for (std::size_t i = 0; i < 4; ++i)
      add({{t[i]}, {1.0}}, {{t[(i + 1) % 4], t[(i + 2) % 4], t[(i + 3) % 4]}, {0.5, 0.25, 0.25}});
  add({{0, 1}, {0.5, 0.5}}, {{1, 2, 3}, {0.25, 0.25, 0.5}});
  return std::make_unique<WeightedSprings>(all, particles);
}

std::vector<Point> to_points(const Points& x) {
  std::vector<Point> out;
  for (const Eigen::Vector3d& point : x) out.push_back(to_array(point));
  return out;
}

/// The edges of the tetrahedra, and particle 7 on a girder of its own.
std::unique_ptr<Force> girders(const Setting& s, Random& random) {
  std::vector<Girder> all;
  for (const auto& [i, j] : edges_of(tetrahedra_of(s.rest)))
    if (i != 7 && (j != 7 || i == 6))
      all.push_back({i, j, between(random, 100, 200), between(random, 10, 100)});
  return std::make_unique<Girders>(all, to_points(s.rest));
}

/// On the surface of the tetrahedra.
std::unique_ptr<Force> wind(const Setting& s, WindLaw law) {
  const Wind gusty{{3, -1, 0.5}, 0.4, 2.0, 1.0};
  return std::make_unique<WindForce>(surface_of(tetrahedra_of(s.rest)), particles, gusty, law, 0.6);
}

/// Each tetrahedron of another material.
template <class Material>
std::unique_ptr<Force> tetrahedra(const Setting& s, Random& random) {
  const auto all = tetrahedra_of(s.rest);
  std::vector<Material> materials;
  for (std::size_t i = 0; i < all.size(); ++i)
    materials.push_back({Lame::from_young(between(random, 50, 200), between(random, 0, 0.4))});
  return std::make_unique<TetrahedronForce<Material>>(all, to_points(s.rest), materials);
}

/// One of each shape; the ball moves.
std::unique_ptr<Force> obstacles(Random& random, double friction) {
  const auto motion = std::make_shared<KeyframeMotion>(
      std::vector<Keyframe>{{.time = 0}, {.time = 0.8, .shift = {0.3, 0.2, 0.1}, .rotation = {0.2, 0.9, -1}}},
      Eigen::Vector3d(0.1, 0, 0.2));
  std::vector<double> radii;
  for (int i = 0; i < particles; ++i) radii.push_back(between(random, 0, 0.1));
  return std::make_unique<ObstacleRepulsion>(
      std::vector<Obstacle>{
          Obstacle(ball({0.4, 0.3, 0.5}, 0.6), motion), Obstacle(half_space({0, 0, -0.7}, {0.1, 0.2, 1})),
          Obstacle(capsule({-0.7, 0.3, 0.2}, {-0.4, 0.9, 0.8}, 0.3)), Obstacle(hollow(ball({0, 0, 0}, 2.1)))},
      radii, RepulsionLaw{37, 0.45}, FrictionLaw{friction, 0.3});
}

/// Of the springs at rest.
std::unique_ptr<Force> rayleigh_damping(const Setting& s, Random& random) {
  const std::unique_ptr<Force> elastic = springs(s, random, SpringLaw::linear, 0);
  const std::vector<Force*> forces = {elastic.get()};
  std::vector<double> x, masses;
  for (const Eigen::Vector3d& point : s.rest) x.insert(x.end(), point.begin(), point.end());
  for (std::size_t i = 0; i < s.free; ++i) masses.insert(masses.end(), 3, s.masses[i]);
  return std::make_unique<RayleighDamping>(0.7, 0.01, MassMatrix::diagonal(masses),
                                           stiffness_of_all_particles(forces, x));
}

}  // namespace

std::vector<std::array<int, 4>> tetrahedra_of(const Points& rest) {
  std::vector<std::array<int, 4>> out = {
      {0, 1, 2, 3}, {1, 2, 3, 4}, {4, 5, 6, 7}, {2, 4, 6, 8}, {0, 3, 5, 8}};
  for (auto& t : out) {
    const auto x = [&](std::size_t i) { return rest[static_cast<std::size_t>(t[i])]; };
    if ((x(1) - x(0)).cross(x(2) - x(0)).dot(x(3) - x(0)) < 0) std::swap(t[2], t[3]);
  }
  return out;
}

Points random_points(Random& random) {
  std::normal_distribution<double> normal;
  const auto flattest = [](const Points& rest) {
    double volume = 1e9;
    for (const auto& t : tetrahedra_of(rest)) {
      const auto x = [&](std::size_t i) { return rest[static_cast<std::size_t>(t[i])]; };
      volume = std::min(volume, (x(1) - x(0)).cross(x(2) - x(0)).dot(x(3) - x(0)) / 6);
    }
    return volume;
  };
  Points out(particles);
  do {
    for (Eigen::Vector3d& x : out) x = Eigen::Vector3d::NullaryExpr([&] { return normal(random); });
  } while (flattest(out) < 0.1);
  return out;
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"linear_springs", [](const auto& s, auto& r) { return springs(s, r, SpringLaw::linear, 0); }, true},
      {"cubic_springs", [](const auto& s, auto& r) { return springs(s, r, SpringLaw::cubic, 0); }, true},
      {"dashpots", [](const auto& s, auto& r) { return springs(s, r, SpringLaw::linear, 3); }, true},
      {"linear_weighted_springs",
       [](const auto& s, auto& r) { return weighted_springs(s, r, SpringLaw::linear, 0); }, true},
      {"cubic_weighted_springs",
       [](const auto& s, auto& r) { return weighted_springs(s, r, SpringLaw::cubic, 0); }, true},
      {"weighted_dashpots",
       [](const auto& s, auto& r) { return weighted_springs(s, r, SpringLaw::linear, 3); }, true},
      {"tug",
       [](const auto& s, auto&) {
         auto hand = std::make_shared<Hand>(0.7);  // at 0.3 s it is taking hold
         hand->pull(0.1, static_cast<int>(s.free) - 2, {0.4, -1.3, 2.1}, 83.0);
         return std::make_unique<Tug>(hand);
       }},
      {"gravity", [](const auto& s,
                     auto&) { return std::make_unique<Gravity>(Eigen::Vector3d(0.3, -1, -9.81), s.masses); }},
      {"switching_field",
       [](const auto& s, auto&) {
         return std::make_unique<ForceField>(
             [](double t) -> Eigen::Vector3d {
               return {std::sin(t), 2, t < 1 ? -9.81 : 9.81};
             },
             s.masses);
       }},
      {"quadratic_wind", [](const auto& s, auto&) { return wind(s, WindLaw::quadratic); }},
      {"linear_wind", [](const auto& s, auto&) { return wind(s, WindLaw::linear); }},
      {"air_drag", [](const auto& s,
                      auto&) { return std::make_unique<AirDrag>(s.masses, Eigen::Vector3d(2, -0.7, 0.3)); }},
      {"rayleigh_damping", rayleigh_damping},
      {"fluid",
       [](const auto&, auto&) {
         return std::make_unique<Fluid>(Stokeslets(0.7, 0.008), Eigen::Vector3d(0.2, -0.7, 0.3), particles);
       }},
      {"motor",
       [](const auto&, auto&) {
         return std::make_unique<Motor>(
             std::vector{5, 1, 3, 2}, std::vector{0, 8, 6, 4, 7}, particles,
             [](double t) { return 1.3 * std::cos(2 * t); }, true);
       }},
      {"girders", girders, true},
      {"yielding_springs",
       [](const auto& s, auto& r) {
         return springs(s, r, SpringLaw::linear, 0)->yielding({.yield = 0.17, .hardening = 0.27});
       },
       true},
      {"yielding_dashpots",
       [](const auto& s, auto& r) {
         return springs(s, r, SpringLaw::linear, 3)->yielding({.yield = 0.07, .hardening = 0.4});
       },
       true},
      {"yielding_girders",
       [](const auto& s, auto& r) { return girders(s, r)->yielding({.yield = 0.13, .hardening = 0.27}); },
       true},
      {"corotational_tetrahedra", tetrahedra<Corotational>, true},
      {"saint_venant_kirchhoff_tetrahedra", tetrahedra<SaintVenantKirchhoff>, true},
      {"neo_hookean_tetrahedra", tetrahedra<NeoHookean>, true},
      {"obstacles", [](const auto&, auto& r) { return obstacles(r, 0); }},
      {"rough_obstacles", [](const auto&, auto& r) { return obstacles(r, 0.7); }},
  };
  return all;
}

std::vector<std::size_t> internal_cases() {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < cases().size(); ++i)
    if (cases()[i].internal) out.push_back(i);
  return out;
}

}  // namespace stiffly::test
