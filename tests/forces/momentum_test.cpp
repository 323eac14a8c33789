// Bodies on which nothing acts from outside keep their momentum and their angular momentum.
#include <gtest/gtest.h>

#include "forces/cases.hpp"
#include "stiffly/integrators/registry.hpp"

namespace stiffly::test {
namespace {

/// Linear and angular momentum about the origin, and what round-off is measured against: the sums of the
/// absolute values.
struct Momentum {
  Eigen::Vector3d linear = Eigen::Vector3d::Zero(), angular = Eigen::Vector3d::Zero();
  double linear_scale = 0, angular_scale = 0;

  Momentum(const ParticleSystem& system, const State& state) {
    const auto x = system.positions(state), v = system.velocities(state);
    for (std::size_t r = 0; r < system.particles(); ++r) {
      const auto i = static_cast<std::size_t>(system.order()[r]);
      const Eigen::Vector3d p = system.masses()[r] * Eigen::Vector3d::Map(v[i].data());
      const Eigen::Vector3d l = Eigen::Vector3d::Map(x[i].data()).cross(p);
      linear += p;
      angular += l;
      linear_scale += p.norm();
      angular_scale += l.norm();
    }
  }
};

class MomentumTest : public testing::TestWithParam<std::size_t> {
 protected:
  /// A random body, stretched, turning at 3 rad/s and flying, its particles of different masses.
  static std::unique_ptr<ParticleSystem> flying_body(const Eigen::Vector3d& flight = {0.5, 1, -0.2}) {
    Random random(11);
    const Points rest = random_points(random);
    const Eigen::Vector3d spin(1, -2, 2);
    Particles p;
    for (std::size_t i = 0; i < rest.size(); ++i) {
      const Eigen::Vector3d x(1.3 * rest[i].x(), 0.9 * rest[i].y(), 0.8 * rest[i].z());
      p.position.push_back(to_array(x));
      p.velocity.push_back(to_array(spin.cross(x) + flight));
      p.mass.push_back(1 + 0.3 * static_cast<double>(i));
      p.pinned.push_back(false);
    }
    auto system = std::make_unique<ParticleSystem>(p);
    system->add(cases()[GetParam()].make({rest, p.mass, p.size()}, random));
    system->finish();
    return system;
  }

  /// Largest change over the steps: of the momenta relative to their scales, of the potential energy relative
  /// to that at the start.
  struct Change {
    double linear = 0, angular = 0, deformation = 0, energy = 0;
    double drift = 0;  ///< of the energy, relative to the largest kinetic energy
  };
  static Change change_in(int steps, const char* name, double tolerance,
                          const std::unique_ptr<ParticleSystem>& system) {
    State state = system->initial_state();
    const Momentum before(*system, state);
    const double energy = system->potential_energy(0, state.x()), total = system->energy(state);
    const auto method = make_integrator(name, {.newton_tolerance = tolerance});
    method->start(*system, state);
    Change most;
    double motion = 0;
    for (int i = 0; i < steps; ++i) {
      state = method->step(state, 0.02, false).state;
      const Momentum now(*system, state);
      most.linear = std::max(most.linear, (now.linear - before.linear).norm() / before.linear_scale);
      most.angular = std::max(most.angular, (now.angular - before.angular).norm() / before.angular_scale);
      most.deformation =
          std::max(most.deformation, std::abs(system->potential_energy(0, state.x()) - energy) / energy);
      most.energy = std::max(most.energy, (system->energy(state) - total) / total);
      if (system->conservative())
        most.energy = std::max(most.energy, (total - system->energy(state)) / total);
      most.drift = std::max(most.drift, std::abs(system->energy(state) - total));
      motion = std::max(motion, system->kinetic_energy(state.v()));
    }
    most.drift /= motion;
    return most;
  }
  static Change change_in_100_steps(const char* name) { return change_in(100, name, 1e-14, flying_body()); }
  /// Whether the force of the case only takes energy.
  static bool dissipates() { return !flying_body()->conservative(); }
};

// The implicit midpoint rule takes the force at the middle of the straight path from x to x', where its
// torque is nothing; so L' − L = Σ m (x' − x) × v̄ + x̄ × m(v' − v) = 0 whatever the step, for every force
// that turns with the body. This includes girders, whose frames follow the particles within the step, and
// dashpots. Backward Euler, which takes it at the end, loses angular momentum, and the measure sees it.
TEST_P(MomentumTest, IsKeptByTheImplicitMidpointRule) {
  const Change midpoint = change_in_100_steps("implicit-midpoint"),
               euler = change_in_100_steps("backward-euler");
  std::printf("momentum %.1e  angular momentum %.1e (backward Euler %.1e)\n", midpoint.linear,
              midpoint.angular, euler.angular);
  EXPECT_LT(midpoint.linear, 1e-10);
  EXPECT_LT(midpoint.angular, 1e-10);
  EXPECT_LT(euler.linear, 1e-10);
  EXPECT_GT(euler.angular, 1e-2);
  EXPECT_GT(midpoint.deformation, 0.3) << "a body that does not deform proves nothing";
}

// And keeps the energy of what has one; dashpots only take it.
TEST_P(MomentumTest, IsKeptWithTheEnergyByEnergyMomentum) {
  for (const char* name : {"energy-momentum", "energy-momentum-damped"}) {
    const Change change = change_in_100_steps(name);
    std::printf("%s: momentum %.1e  angular momentum %.1e  energy %.1e\n", name, change.linear,
                change.angular, change.energy);
    EXPECT_LT(change.linear, 1e-12);
    EXPECT_LT(change.angular, 1e-12);
    EXPECT_LT(std::string(name) == "energy-momentum" ? change.energy : 0, 1e-11);
    EXPECT_GT(change.deformation, 0.3) << "a body that does not deform proves nothing";
  }
}

// Over a thousand steps of a body that spins in its place, where round-off does not grow with the way. What
// the iteration leaves of energy and angular momentum in each step adds up, to steps times tolerance at most;
// at 1e-12 it leaves nothing but round-off, which goes to either side.
TEST_P(MomentumTest, DoesNotDriftInAThousandSteps) {
  constexpr int steps = 1000;
  const auto travel = [&](double tolerance, double energy, double angular) {
    const Change change = change_in(steps, "energy-momentum", tolerance, flying_body({0, 0, 0}));
    std::printf(
        "tolerance %.0e: momentum %.1e  angular momentum %.1e  energy %.1e of the largest kinetic energy\n",
        tolerance, change.linear, change.angular, change.drift);
    EXPECT_LT(change.linear, 1e-12) << tolerance;
    EXPECT_LT(change.angular, angular) << tolerance;
    if (dissipates())
      EXPECT_GT(change.drift, 1e-3) << "dashpots take energy";
    else
      EXPECT_LT(change.drift, energy) << tolerance;
  };
  travel(1e-9, steps * 1e-9, steps * 1e-9);
  travel(1e-12, 1e-10, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Forces, MomentumTest, testing::ValuesIn(internal_cases()),
                         [](const auto& index) { return cases()[index.param].name; });

}  // namespace
}  // namespace stiffly::test
