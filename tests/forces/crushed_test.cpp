// Tetrahedra that are crushed and turned inside out: the averages of a step go on, and keep energy and
// momenta.
#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "forces/cases.hpp"
#include "integrators/problems.hpp"
#include "stiffly/forces/corotational.hpp"
#include "stiffly/forces/neo_hookean.hpp"
#include "stiffly/forces/saint_venant_kirchhoff.hpp"
#include "stiffly/integrators/energy_momentum.hpp"
#include "stiffly/mesh/block.hpp"
#include "stiffly/system/masses.hpp"

namespace stiffly::test {
namespace {

using Motion = std::function<Eigen::Vector3d(const Eigen::Vector3d& rest)>;

/// A free bar of 0.4 × 0.1 × 0.1 m, 1 MPa and 1000 kg/m³, in a state of any kind.
template <class Material>
std::unique_ptr<ParticleSystem> bar(const Motion& position, const Motion& velocity) {
  const mesh::BlockMesh block({0.4, 0.1, 0.1}, {6, 2, 2});
  Particles p;
  for (const Point& rest : block.positions) {
    const Eigen::Vector3d X = Eigen::Vector3d::Map(rest.data());
    p.position.push_back(to_array(position(X)));
    p.velocity.push_back(to_array(velocity(X)));
    p.pinned.push_back(false);
  }
  p.mass = lumped_masses(block.tetrahedra, block.positions, std::vector<double>{1000});
  auto system = std::make_unique<ParticleSystem>(p);
  system->add(std::make_unique<TetrahedronForce<Material>>(
      block.tetrahedra, block.positions, std::vector<Material>{{Lame::from_young(1e6, 0.3)}}));
  system->finish();
  return system;
}

struct Spin {
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  double scale = 0;  ///< Σ m|x × v|

  Spin(const ParticleSystem& system, const State& state) {
    for (std::size_t i = 0; i < system.particles(); ++i) {
      const Eigen::Vector3d part =
          system.masses()[i] * Eigen::Vector3d::Map(host(state.x()).data() + 3 * i)
                                   .cross(Eigen::Vector3d::Map(host(state.v()).data() + 3 * i));
      sum += part;
      scale += part.norm();
    }
  }
};

template <class Material>
class CrushedTest : public testing::Test {
 protected:
  static void travel(const char* what, const Motion& position, const Motion& velocity, double h, int steps) {
    const auto system = bar<Material>(position, velocity);
    State state = system->initial_state();
    EnergyMomentum method(EnergyMomentum::conserving().traits, {}, {.newton_tolerance = 1e-11});
    method.start(*system, state);
    const double energy = system->energy(state);
    const Spin spin(*system, state);
    double drift = 0, turned = 0, motion = 0, scale = spin.scale;
    const Counters before = system->counters();
    for (int i = 0; i < steps; ++i) {
      state = method.step(state, h, false).state;
      motion = std::max(motion, system->kinetic_energy(state.v()));
      drift = std::max(drift, std::abs(system->energy(state) - energy));
      const Spin now(*system, state);
      turned = std::max(turned, (now.sum - spin.sum).norm());
      scale = std::max(scale, now.scale);
    }
    ASSERT_TRUE(std::isfinite(system->energy(state))) << what;
    const Counters used = system->counters() - before;
    std::printf(
        "%s, %s, steps of %.1f ms: drift %.1e, spin %.1e, %.2f factors and %.1f solves a step, %ld "
        "substeps\n",
        Material::name, what, 1e3 * h, drift / motion, turned / scale,
        static_cast<double>(used.factorization) / steps, static_cast<double>(used.solve) / steps,
        method.substeps());
    EXPECT_LT(drift, 1e-8 * motion) << what;
    EXPECT_LT(turned, 1e-9 * scale) << what;
  }
};

using CrushedMaterials = testing::Types<Corotational, SaintVenantKirchhoff, NeoHookean>;
TYPED_TEST_SUITE(CrushedTest, CrushedMaterials);

const Motion still = [](const Eigen::Vector3d&) { return Eigen::Vector3d(0, 0, 0); };
const Motion in_place = [](const Eigen::Vector3d& X) { return X; };

const Motion crushed = [](const Eigen::Vector3d& X) {
  return Eigen::Vector3d(0.3 * X(0) + 0.02 * X(1), X(1) + 0.03 * X(2), X(2) - 0.01 * X(0));
};

/// Most tetrahedra begin with less than a fifth of their volume.
const Motion flattened = [](const Eigen::Vector3d& X) {
  return Eigen::Vector3d(0.15 * X(0) + 0.02 * X(1), X(1) + 0.03 * X(2), X(2) - 0.01 * X(0));
};

// Of second order, to the solution that Verlet's method finds with tiny steps.
TYPED_TEST(CrushedTest, AgreesWithVerletAtTinySteps) {
  const auto system = bar<TypeParam>(flattened, still);
  const double duration = 0.0031;
  const auto end = [&](const char* name, int steps) {
    return integrate(*system, *make_integrator(name, {.newton_tolerance = 1e-12}), system->initial_state(),
                     duration, duration / steps);
  };
  const State exact = end("verlet", 20001);
  const double coarse = distance(end("energy-momentum", 101), exact),
               fine = distance(end("energy-momentum", 202), exact);
  std::printf("%s: off by %.2e, %.2e at half the step\n", TypeParam::name, coarse, fine);
  EXPECT_NEAR(coarse / fine, 4, 0.6);
}

TYPED_TEST(CrushedTest, ABarLetGoAtThirtyPercentOfItsLength) {
  for (const double h : {0.0011, 0.0023}) this->travel("let go at 30 %", crushed, still, h, 60);
}

// Both halves fly towards each other at 20 m/s.
TYPED_TEST(CrushedTest, ABarThatIsDrivenTogether) {
  for (const double h : {0.0011, 0.0023})
    this->travel(
        "driven together", in_place,
        [](const Eigen::Vector3d& X) { return Eigen::Vector3d(-100 * (X(0) - 0.2), 1.0 * X(2), 0); }, h, 60);
}

// Particles of one end are pushed through the body, so that their tetrahedra are inside out.
TYPED_TEST(CrushedTest, ElementsInsideOut) {
  for (const double h : {0.0011, 0.0023})
    this->travel(
        "inside out",
        [](const Eigen::Vector3d& X) {
          return X(0) > 0.39 ? Eigen::Vector3d(0.28, 0.9 * X(1), X(2) + 0.01) : X;
        },
        still, h, 60);
}

}  // namespace
}  // namespace stiffly::test
