// The swimmer: forward, backward, free of force and torque, and the same by every kind of method.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <Eigen/Geometry>

#include "stiffly/control/energy_books.hpp"
#include "stiffly/control/methods.hpp"
#include "stiffly/forces/fluid.hpp"
#include "stiffly/scene/scene.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly {
namespace {

using Eigen::Vector3d;

constexpr int small_head = 17;  ///< its particles come first

Scene small_swimmer(std::vector<Override> overrides) {
  overrides.insert(overrides.begin(), {{"size", "small"}, {"frames", "0"}});
  return load_scene(find_scene("swimmer"), overrides);
}

struct Swim {
  Scene scene;
  State end = {};
  Vector3d way = Vector3d::Zero();  ///< of the head's centre, m
  double gained = 0;                ///< energy, J
  EnergyTotals totals = {};
};

Vector3d head_centre(const Scene& scene, const State& state) {
  Vector3d sum = Vector3d::Zero();
  const auto x = scene.positions(state);
  for (std::size_t i = 0; i < small_head; ++i) sum += Vector3d::Map(x[i].data()) / small_head;
  return sum;
}

Swim swim(const std::vector<Override>& overrides) {
  Swim out{.scene = small_swimmer(overrides)};
  const SimulationSettings& settings = out.scene.simulation;
  const auto stepper =
      make_stepper(settings.integrator, out.scene.system(), out.scene.body.start,
                   {.duration = settings.duration, .step = settings.step, .tolerance = settings.tolerance},
                   settings.options);
  EnergyBooks books(out.scene.system());
  books.see(stepper->state());
  while (!stepper->done()) {
    stepper->advance();
    books.see(stepper->state());
  }
  out.end = stepper->state();
  out.way = head_centre(out.scene, out.end) - head_centre(out.scene, out.scene.body.start);
  out.gained = stepper->energy() - stepper->initial_energy();
  out.totals = books.totals();
  return out;
}

// Positive torque pushes, negative torque pulls, by about as much: it would be the same but for the bending
// of the flagellum. With a right-handed helix it is the other way round.
TEST(Swimmer, GoesForwardAndBackward) {
  const auto way = [](const std::string& torque, const std::string& right_handed) {
    return swim({{"duration", "0.2"},
                 {"step", "0.01"},
                 {"right_handed", right_handed},
                 {"motor.torque", "\"" + torque + " * smoothstep(t/0.1)\""}})
        .way;
  };
  const Vector3d forward = way("0.05", "false"), backward = way("-0.05", "false"),
                 screw = way("0.05", "true");
  std::printf("forward %.3f mm, backward %.3f mm, right-handed %.3f mm; sideways %.3f mm\n",
              1e3 * forward.x(), 1e3 * backward.x(), 1e3 * screw.x(), 1e3 * forward.tail<2>().norm());
  EXPECT_GT(forward.x(), 5e-4);
  EXPECT_LT(backward.x(), -5e-4);
  EXPECT_NEAR(forward.x(), -backward.x(), 0.2 * forward.x());
  EXPECT_NEAR(forward.x(), -screw.x(), 0.2 * forward.x());
  EXPECT_LT(forward.tail<2>().norm(), forward.x());
}

struct NetForce {
  Vector3d force = Vector3d::Zero(), torque = Vector3d::Zero();
  double scale = 0;

  /// Of forces (three numbers each) at all particles.
  void add(std::span<const double> x, const Eigen::VectorXd& f) {
    for (Eigen::Index i = 0; i < f.size(); i += 3) {
      const Vector3d at = Vector3d::Map(x.data() + i), push = f.segment<3>(i);
      force += push;
      torque += at.cross(push);
      scale += push.norm();
    }
  }
};

// What it does to itself has neither force nor torque: all that moves it is the fluid.
TEST(Swimmer, IsFreeOfForceAndTorque) {
  const Swim swum = swim({{"duration", "0.06"}, {"step", "0.01"}});
  const auto& system = dynamic_cast<const ParticleSystem&>(swum.scene.system());
  const std::vector<double> x = to_host(swum.end.x()), v = to_host(swum.end.v());
  const Configuration q{swum.end.time, system.free_particles(), x, v};
  NetForce own, fluid;
  for (const auto& force : system.forces()) {
    std::vector<double> f(x.size(), 0.0);
    force->add_force(q, f);
    NetForce& sum = dynamic_cast<const Fluid*>(force.get()) ? fluid : own;
    sum.add(x, Eigen::VectorXd::Map(f.data(), static_cast<Eigen::Index>(f.size())));
  }
  const double length = 0.15;
  std::printf("net force %.1e, net torque %.1e of what it exerts on the fluid\n",
              own.force.norm() / fluid.scale, own.torque.norm() / (length * fluid.scale));
  EXPECT_GT(fluid.scale, 0.01);
  EXPECT_LT(own.force.norm(), 1e-8 * fluid.scale);
  EXPECT_LT(own.torque.norm(), 1e-8 * fluid.scale * length);
}

/// Within so much of the way by short steps of tr-bdf2.
void expect_same_way(const std::string& duration,
                     const std::vector<std::pair<std::string, std::string>>& methods) {
  const auto way = [&](const std::string& method, const std::string& step) {
    const Vector3d out = swim({{"duration", duration}, {"integrator", method}, {"step", step}}).way;
    std::printf("%s, steps of %s s: %.5f mm\n", method.c_str(), step.c_str(), 1e3 * out.x());
    return out;
  };
  const Vector3d expected = way("tr-bdf2", "0.002");
  for (const auto& [method, step] : methods)
    EXPECT_LT((way(method, step) - expected).norm(), 0.02 * expected.norm()) << method;
}

TEST(Swimmer, GoesTheSameWayByOtherMethods) {
  expect_same_way("0.06", {{"bdf2", "0.002"}, {"energy-momentum", "0.006"}});
}

TEST(Swimmer, LongGoesTheSameWayByEveryKindOfMethod) {
  expect_same_way(
      "0.3",
      {{"tr-bdf2", "0.01"}, {"bdf2", "0.002"}, {"energy-momentum", "0.006"}, {"backward-euler", "0.001"}});
}

// At its true size, in water: as many lengths in as many turns. The two differ by the inertia of the large
// one.
TEST(Swimmer, LongSwimsAlikeAtTheSizeOfABacterium) {
  const double size = 5e-5, thin = 5e-5;  // of lengths, of viscosities
  const auto text = [](double value) { return fmt::format("{:.17g}", value); };
  const std::vector<Override> small = {{"model.head_length", text(0.05 * size)},
                                       {"model.head_width", text(0.025 * size)},
                                       {"model.head_stiffness", text(3e6 * size * thin)},
                                       {"model.length", text(0.12 * size)},
                                       {"model.radius", text(0.009 * size)},
                                       {"model.pitch", text(0.046 * size)},
                                       {"model.thickness", text(0.004 * size)},
                                       {"model.young", text(2e10 * thin)},
                                       {"model.torsion", text(3e9 * thin)},
                                       {"fluid.viscosity", text(20 * thin)},
                                       {"fluid.blob", text(0.004 * size)}};
  std::vector<Override> base = {{"duration", "0.12"}, {"step", "0.008"}};
  const Vector3d large = swim(base).way;
  base.insert(base.end(), small.begin(), small.end());
  base.push_back(
      {"motor.torque", fmt::format("\"{:.17g} * smoothstep(t/0.1)\"", 0.05 * thin * std::pow(size, 3))});
  const Vector3d tiny = swim(base).way / size;
  std::printf("%.5f mm enlarged, %.5f mm times 20 000 at its true size\n", 1e3 * large.x(), 1e3 * tiny.x());
  EXPECT_LT((tiny - large).norm(), 0.05 * large.norm());
}

// What the motor brings in, the fluid takes.
TEST(Swimmer, ItsEnergyIsInTheBooks) {
  const Swim swum = swim({{"duration", "0.06"}, {"step", "0.005"}});
  EXPECT_EQ(swum.scene.system().dissipators(), (std::vector<std::string>{"motor", "fluid"}));
  EXPECT_FALSE(swum.scene.system().passive());
  const double brought = -swum.totals.dissipated[0], taken = swum.totals.dissipated[1];
  std::printf("the motor brought %.6f J, the fluid took %.6f J, the body has %.1e J\n", brought, taken,
              swum.gained);
  EXPECT_GT(brought, 1e-4);
  EXPECT_NEAR(brought - taken, swum.gained, 2e-3 * brought);
}

}  // namespace
}  // namespace stiffly
