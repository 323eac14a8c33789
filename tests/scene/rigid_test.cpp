// Rigid boxes of scene files, against Euler's equations.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "stiffly/control/simulation.hpp"
#include "stiffly/error.hpp"
#include "stiffly/integrators/registry.hpp"
#include "stiffly/scene/scene.hpp"
#include "stiffly/system/particle_system.hpp"
#include "temporary_folder.hpp"

namespace stiffly {
namespace {

using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;

constexpr double box_mass = 1.9;
const Vector3d edges(0.31, 0.17, 0.07);
const Vector3d start_spin(0.05, 7.3, 0.11);  // about the middle axis, almost: it turns over and over

Scene rigid_scene(const std::string& keys, const std::string& more = "") {
  const test::TemporaryFolder folder;
  return load_scene(folder.write("scene.toml", "[simulation]\nduration = 1\n[[rigid]]\n" + keys + more));
}

Scene spinning() {
  return rigid_scene(
      fmt::format("size = [{}, {}, {}]\nmass = {}\nspin = [{}, {}, {}]\nvelocity = [0.3, -0.1, 0.2]\n",
                  edges.x(), edges.y(), edges.z(), box_mass, start_spin.x(), start_spin.y(), start_spin.z()));
}

Vector3d moments() {
  const Vector3d s = edges.cwiseAbs2();
  return box_mass / 12 * Vector3d(s.y() + s.z(), s.x() + s.z(), s.x() + s.y());
}

TEST(RigidBox, HasTheInertiaOfAUniformBox) {
  const Scene scene = rigid_scene(
      fmt::format("size = [{}, {}, {}]\nmass = {}\nrotation = [31, -47, 23]\nposition = [0.7, -0.2, 1.3]\n",
                  edges.x(), edges.y(), edges.z(), box_mass));
  const auto& system = dynamic_cast<const ParticleSystem&>(scene.system());
  ASSERT_EQ(system.particles(), 9u);
  const auto x = scene.positions(scene.body.start);
  Matrix3d inertia = Matrix3d::Zero();
  double mass = 0;
  const Vector3d middle(0.7, -0.2, 1.3);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double m = system.masses()[static_cast<std::size_t>(system.rank()[i])];
    const Vector3d r = Vector3d::Map(x[i].data()) - middle;
    inertia += m * (r.squaredNorm() * Matrix3d::Identity() - r * r.transpose());
    mass += m;
  }
  const Vector3d turn = Vector3d(31, -47, 23) * std::numbers::pi / 180;
  const Matrix3d R = Eigen::AngleAxisd(turn.norm(), turn.normalized()).toRotationMatrix();
  EXPECT_NEAR(mass, box_mass, 1e-14);
  EXPECT_LT((inertia - R * moments().asDiagonal() * R.transpose()).norm(), 1e-15);
}

/// By quaternions and the classical Runge–Kutta method, in small steps.
Matrix3d turned_by_euler(double duration) {
  const Vector3d I = moments();
  struct Spin {
    Eigen::Vector4d q;
    Vector3d w;  ///< in the frame of the body
  };
  const auto rate = [&](const Spin& s) {
    const Quaterniond q(s.q(3), s.q(0), s.q(1), s.q(2)), w(0, s.w.x(), s.w.y(), s.w.z());
    return Spin{0.5 * (q * w).coeffs(), (I.cwiseProduct(s.w).cross(s.w)).cwiseQuotient(I)};
  };
  const auto plus = [](const Spin& s, double h, const Spin& r) { return Spin{s.q + h * r.q, s.w + h * r.w}; };
  Spin s{Eigen::Vector4d(0, 0, 0, 1), start_spin};
  constexpr int steps = 20000;
  const double h = duration / steps;
  for (int i = 0; i < steps; ++i) {
    const Spin a = rate(s), b = rate(plus(s, h / 2, a)), c = rate(plus(s, h / 2, b)), d = rate(plus(s, h, c));
    s = plus(plus(plus(plus(s, h / 6, a), h / 3, b), h / 3, c), h / 6, d);
  }
  return Quaterniond(s.q(3), s.q(0), s.q(1), s.q(2)).normalized().toRotationMatrix();
}

TEST(RigidBox, TurnsOverAsEulersEquationsSay) {
  const Scene scene = spinning();
  constexpr double duration = 3.1;
  const Matrix3d R = turned_by_euler(duration);
  const auto error_at = [&](const char* method, double step) {
    IntegratorOptions options;
    options.newton_tolerance = 1e-12;
    const auto integrator = make_integrator(method, options);
    State state = scene.body.start;
    const auto& system = dynamic_cast<const ParticleSystem&>(scene.system());
    const Momentum before = system.momentum(state);
    simulate(system, *integrator, state, {.duration = duration, .step = step});
    const Momentum after = system.momentum(state);
    if (std::string(method) == "energy-momentum") {
      EXPECT_LT((after.angular - before.angular).norm(), 1e-9 * before.angular.norm()) << method;
      EXPECT_LT((after.linear - before.linear).norm(), 1e-12 * before.linear.norm()) << method;
    }
    double worst = 0;
    const auto x = scene.positions(state);
    for (int corner = 0; corner < 8; ++corner) {
      const Vector3d at =
          edges.cwiseProduct(Vector3d(corner / 4 - 0.5, corner / 2 % 2 - 0.5, corner % 2 - 0.5));
      const Vector3d expected = R * at + duration * Vector3d(0.3, -0.1, 0.2);
      worst = std::max(worst, (Vector3d::Map(x[static_cast<std::size_t>(corner)].data()) - expected).norm());
    }
    return worst / edges.norm();
  };
  const double coarse = error_at("energy-momentum", 4.1e-3), fine = error_at("energy-momentum", 2.05e-3);
  std::printf("errors of energy-momentum over the diagonal: %.2e and %.2e\n", coarse, fine);
  EXPECT_NEAR(std::log2(coarse / fine), 2, 0.25) << "second order, whatever the stiffness of the links";
  EXPECT_LT(fine, 0.02);
  EXPECT_LT(error_at("energy-momentum-4", 4.1e-3), 0.2 * coarse);
}

TEST(RigidBox, CarriesWhatIsTiedToIt) {
  const Scene scene = rigid_scene("size = [0.2, 0.3, 0.4]\nmass = 5.3\n",
                                  "[[particle]]\nposition = [0.9, 0.15, 0.2]\nmass = 0.11\n"
                                  "[[spring]]\nends = [0, 8]\nstiffness = 71\nrest_length = 0.5\n"
                                  "[plasticity]\nyield = 0.01\n");
  const auto& system = dynamic_cast<const ParticleSystem&>(scene.system());
  ASSERT_EQ(system.particles(), 10u);
  EXPECT_EQ(scene.positions(scene.body.start)[8], (Point{0.1, 0.15, 0.2})) << "the last corner";
  const auto integrator = make_integrator("energy-momentum");
  State state = scene.body.start;
  simulate(system, *integrator, state, {.duration = 0.4, .step = 1.7e-3});
  EXPECT_EQ(system.plastic_work()->yielded, 1u) << "the spring yields, the box does not";
  const auto x = scene.positions(state);
  EXPECT_NEAR((Vector3d::Map(x[1].data()) - Vector3d::Map(x[8].data())).norm(),
              Vector3d(0.2, 0.3, 0.4).norm(), 1e-5);
}

/// Linear and angular velocity of a box, from its particles.
struct Motion6 {
  Vector3d linear, angular;
};
Motion6 motion_of(const Scene& scene, const State& state) {
  const auto& system = dynamic_cast<const ParticleSystem&>(scene.system());
  const auto x = scene.positions(state), v = scene.velocities(state);
  Vector3d middle = Vector3d::Zero(), momentum = Vector3d::Zero(), spin = Vector3d::Zero();
  double mass = 0;
  const auto each = [&](const auto& visit) {
    for (std::size_t i = 0; i < x.size(); ++i)
      visit(system.masses()[static_cast<std::size_t>(system.rank()[i])], Vector3d::Map(x[i].data()),
            Vector3d::Map(v[i].data()));
  };
  each([&](double m, const Vector3d& at, const Vector3d& u) {
    mass += m;
    middle += m * at;
    momentum += m * u;
  });
  middle /= mass;
  Matrix3d inertia = Matrix3d::Zero();
  each([&](double m, const Vector3d& at, const Vector3d& u) {
    const Vector3d r = at - middle;
    spin += m * r.cross(u);
    inertia += m * (r.squaredNorm() * Matrix3d::Identity() - r * r.transpose());
  });
  return {momentum / mass, inertia.inverse() * spin};
}

/// Thrown at the floor from just above it, which it leaves after one impact.
Motion6 after_impact(const std::string& turned, double restitution) {
  const Scene scene = rigid_scene(
      fmt::format("size = [{}, {}, {}]\nmass = {}\nvelocity = [0.7, 0, -3.1]\nspin = [0.3, 0.4, -0.2]\n"
                  "position = [0, 0, {}]\n{}",
                  edges.x(), edges.y(), edges.z(), box_mass, 0.19, turned),
      fmt::format(
          "[contact]\nresponse = \"projection\"\nmeasure = \"stiffness\"\ndepth = 1e-5\nrestitution = {}\n"
          "[[obstacle]]\nshape = \"half-space\"\n",
          restitution));
  IntegratorOptions options = scene.simulation.options;
  const auto integrator = make_integrator("energy-momentum", options);
  State state = scene.body.start;
  double lowest_speed = 0;
  simulate(scene.system(), *integrator, state, {.duration = 0.2, .step = 1.3e-3},
           [&](const State& now, const SimulationSummary&) {
             const double speed = motion_of(scene, now).linear.z();
             lowest_speed = std::min(lowest_speed, speed);
             return speed < lowest_speed + 0.1 || now.time == 0;  // until it has been hit
           });
  return motion_of(scene, state);
}

TEST(RigidBox, LeavesAWallAtTheSpeedThatRestitutionSays) {
  // On an edge or a corner r from its middle: impulse J = −(1 + e) u_n/(1/m + (r×n)·I⁻¹(r×n)).
  const double e = 0.37;
  const std::string turned = "rotation = [0, -38, 0]\n";  // its edge at −x, −z is lowest, and two corners hit
  const Matrix3d R = Eigen::AngleAxisd(-38 * std::numbers::pi / 180, Vector3d::UnitY()).toRotationMatrix();
  const Matrix3d inverse = R * moments().cwiseInverse().asDiagonal() * R.transpose();
  const Vector3d n = Vector3d::UnitZ(), u(0.7, 0, -3.1);
  const Motion6 left = after_impact(turned, e);
  // Both corners of the edge, symmetric about y = 0 but for the spin, which is small against the impact.
  const Vector3d r = R * Vector3d(-0.5 * edges.x(), 0, -0.5 * edges.z());
  const double J = -(1 + e) * (u.z() + Vector3d(0.3, 0.4, -0.2).cross(r).z()) /
                   (1 / box_mass + r.cross(n).dot(inverse * r.cross(n)));
  std::printf(
      "impulse %.4f N s by theory; velocity %.4f, %.4f, %.4f m/s, by theory %.4f up; spin about y %.4f, by "
      "theory %.4f\n",
      J, left.linear.x(), left.linear.y(), left.linear.z(), u.z() + J / box_mass, left.angular.y(),
      0.4 + J * (inverse * r.cross(n)).y());
  EXPECT_NEAR(left.linear.z(), u.z() + J / box_mass, 0.03 * std::abs(u.z()));
  EXPECT_NEAR(left.linear.x(), u.x(), 0.03);
  EXPECT_NEAR(left.angular.y(), 0.4 + J * (inverse * r.cross(n)).y(), 0.02 * left.angular.y());
}

TEST(RigidBox, RefusesWhatCannotBeMeant) {
  for (const auto& [keys, words] : {std::pair{"mass = 1\n", "size"},
                                    {"size = [1, 1, 1]\n", "mass"},
                                    {"size = [1, 0, 1]\nmass = 1\n", "positive"},
                                    {"size = [1, 2, 1]\nmass = -1\n", "mass"},
                                    {"size = [1, 2, 1]\nmass = 1\nstiffness = 0\n", "stiffness"}})
    try {
      rigid_scene(keys);
      FAIL() << keys;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("scene.toml:"), std::string::npos) << error.what();
    }
}

}  // namespace
}  // namespace stiffly
