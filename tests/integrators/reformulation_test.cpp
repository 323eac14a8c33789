// All reformulations and evaluators give the same trajectory.
#include <gtest/gtest.h>

#include "integrators/problems.hpp"
#include "stiffly/phi/registry.hpp"
#include "stiffly/scene/coil.hpp"
#include "stiffly/system/explicit_root.hpp"
#include "stiffly/system/fput.hpp"

namespace stiffly::test {
namespace {

/// ‖a − b‖ / ‖a − start‖
double relative_distance(const State& a, const State& b, const State& start) {
  Vector difference(a.y), motion(a.y);
  axpy(-1.0, b.y, difference);
  axpy(-1.0, start.y, motion);
  return norm(difference) / norm(motion);
}

TEST(ReformulationTest, ExplicitRootAndSquareRootFreeAgree) {
  for (const bool consistent : {false, true}) {
    const DrivenChain system(consistent ? DrivenChain::Mass::consistent : DrivenChain::Mass::diagonal, 12);
    const State start = system.initial_state();
    for (const std::string evaluator : {"dense", "phipm", "phipm_simul_iom2", "kiops", "rational"})
      for (const std::string name : {"exprb42", "pexprb43", "gautschi"}) {
        constexpr double tolerance = 1e-8;
        const auto free = make_integrator(name, {.evaluator = evaluator,
                                                 .phi_tolerance = tolerance,
                                                 .reformulation = Reformulation::square_root_free});
        const auto root = make_integrator(name, {.evaluator = evaluator,
                                                 .phi_tolerance = tolerance,
                                                 .reformulation = Reformulation::explicit_root});
        constexpr long steps = 19;
        const State a = integrate(system, *free, start, 1.0, 0.053),
                    b = integrate(system, *root, start, 1.0, 0.053);
        // Each step may err by the tolerance; the norms of the two forms differ by √cond(K) at most.
        EXPECT_LT(relative_distance(a, b, start), 20 * steps * tolerance) << name << " with " << evaluator;
      }
  }
}

TEST(ReformulationTest, ExplicitRootOfIndependentPartsIsTakenPerPart) {
  // 40 separate two-particle bodies: one dense root of 80·3 unknowns would do too, but each part is its own.
  Particles particles;
  std::vector<Spring> springs;
  for (int i = 0; i < 40; ++i) {
    for (const double z : {0.0, 1.0, 2.0}) {
      particles.position.push_back({2.0 * i, 0.05 * z * z, z});
      particles.velocity.push_back({0.1 * i, 0, 0});
      particles.mass.push_back(1);
      particles.pinned.push_back(false);
    }
    for (const auto& [a, b] : {std::pair{0, 1}, {1, 2}, {0, 2}})
      springs.push_back({3 * i + a, 3 * i + b, 1e3, b - a == 2 ? 1.9 : 0.9});
  }
  ParticleSystem system(particles);
  system.add(std::make_unique<Springs>(springs, particles.size()));
  system.finish();
  Tangent tangent;
  const State start = system.initial_state();
  system.tangent(0, start.x(), start.v(), tangent);
  tangent.stiffness.add_diagonal(
      1.0, std::vector<double>(system.unknowns(), 1.0));  // free bodies: make it definite
  const ExplicitRoot root(system.mass(), tangent.stiffness);
  Vector u(start.y.size()), back(start.y.size());
  root.transform(start.y, u);
  root.restore(u, back);
  axpy(-1.0, start.y, back);
  EXPECT_LT(norm(back), 1e-11 * norm(start.y));
  // ‖u‖² = xᵀKx + vᵀMv
  Vector Kx(system.unknowns());
  tangent.stiffness.apply(start.x(), Kx);
  EXPECT_NEAR(dot(u, u), dot(start.x(), Kx) + 2 * system.kinetic_energy(start.v()), 1e-9 * dot(u, u));
}

TEST(ReformulationTest, ExplicitRootRefusesLargeSystemsAndNamesTheOtherForm) {
  const auto system = make_coil_system();
  const auto method = make_integrator(
      "exprb42",
      {.evaluator = "kiops", .phi_tolerance = 1e-6, .reformulation = Reformulation::explicit_root});
  try {
    method->start(*system, system->initial_state());
    FAIL() << "a dense root of 24 000 unknowns was attempted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("square-root-free"), std::string::npos) << error.what();
  }
}

TEST(ReformulationTest, EveryEvaluatorGivesTheSameTrajectory) {
  const Fput system(3, 100);
  const State start = system.initial_state();
  const auto exact = make_integrator("exprb42", {.evaluator = "dense", .phi_tolerance = 1e-12});
  const State expected = integrate(system, *exact, start, 0.5, 0.021);
  for (const EvaluatorInfo& info : evaluators()) {
    const auto method = make_integrator("exprb42", {.evaluator = info.name, .phi_tolerance = 1e-9});
    EXPECT_LT(relative_distance(integrate(system, *method, start, 0.5, 0.021), expected, start), 1e-6)
        << info.name;
  }
}

}  // namespace
}  // namespace stiffly::test
