// Newton's method in all its variants, on the same steps.
#include "stiffly/integrators/stage_solver.hpp"

#include <gtest/gtest.h>

#include "integrators/problems.hpp"
#include "stiffly/linalg/particle_constraints.hpp"
#include "stiffly/scene/chain.hpp"
#include "stiffly/scene/coil.hpp"

namespace stiffly::test {
namespace {

State after(const SecondOrderSystem& system, State state, const IntegratorOptions& options, double h,
            int steps, const char* method = "backward-euler") {
  const auto integrator = make_integrator(method, options);
  integrator->start(system, state);
  for (int i = 0; i < steps; ++i) state = integrator->step(state, h, false).state;
  return state;
}

// Chain: large rotations. Coil: thousands of springs. Every way to solve the same equations gives the same
// solution.
TEST(StageSolverTest, AllVariantsAgree) {
  const auto chain = make_chain_system();
  const auto coil = make_coil_system(small_coil());
  const struct {
    const ParticleSystem& system;
    double h;
    int steps;
  } cases[] = {{*chain, 1e-3, 40}, {*coil, 2e-3, 3}};
  for (const auto& [system, h, steps] : cases) {
    const State start = system.initial_state();
    const State reference =
        after(system, start, {.newton = "line-search", .newton_tolerance = 1e-12}, h, steps);
    for (const NewtonKind& kind : newton_kinds())
      for (const char* solver : {"cholesky", "cg-block"}) {
        const Counters before = system.counters();
        const State found =
            after(system, start, {.newton = kind.name, .linear_solver = solver, .newton_tolerance = 1e-10}, h,
                  steps);
        const Counters used = system.counters() - before;
        std::printf("%-16s %-9s %5ld forces %4ld tangents %4ld factorizations %5ld solves %6ld inner\n",
                    kind.name.c_str(), solver, static_cast<long>(used.force), static_cast<long>(used.tangent),
                    static_cast<long>(used.factorization), static_cast<long>(used.solve),
                    static_cast<long>(used.inner));
        EXPECT_LT(distance(found, reference), 1e-7 * norm(start.x())) << kind.name << " " << solver;
      }
  }
}

TEST(StageSolverTest, EveryLinearSolverServes) {
  const auto coil = make_coil_system(small_coil());
  const State start = coil->initial_state();
  const State reference = after(*coil, start, {.newton_tolerance = 1e-12}, 2e-3, 2);
  for (const LinearSolverInfo& solver : linear_solvers())
    EXPECT_LT(
        distance(after(*coil, start, {.linear_solver = solver.name, .newton_tolerance = 1e-10}, 2e-3, 2),
                 reference),
        1e-8)
        << solver.name;
}

TEST(StageSolverTest, SimplifiedNewtonSavesFactorizations) {
  const auto chain = make_chain_system();
  const auto factorizations = [&](const char* kind) {
    const Counters before = chain->counters();
    after(*chain, chain->initial_state(), {.newton = kind}, 1e-3, 40);
    return (chain->counters() - before).factorization;
  };
  EXPECT_LT(factorizations("simplified"), factorizations("newton"));
}

// Strains as unknowns: fewer factors than the line search takes, on chains that fall.
TEST(StageSolverTest, MixedIterationSavesFactorizations) {
  for (const double stiffness : {1e5, 1e7}) {
    ChainParameters parameters;
    parameters.stiffness = stiffness;
    const auto chain = make_chain_system(parameters);
    const State start = chain->initial_state();
    for (const char* method : {"backward-euler", "implicit-midpoint", "tr-bdf2", "bdf2"})
      for (const double h : {0.0211, 0.0107, 0.0053, 0.0019}) {
        const int steps = static_cast<int>(0.3 / h);
        const auto travel = [&](const char* kind, double tolerance) {
          const Counters before = chain->counters();
          State end = after(*chain, start, {.newton = kind, .newton_tolerance = tolerance}, h, steps, method);
          const Counters used = chain->counters() - before;
          std::printf("%.0e N/m %-18s h = %.4f %-12s %6.2f factors %6.2f solves a step\n", stiffness, method, h,
                      kind, static_cast<double>(used.factorization) / steps,
                      static_cast<double>(used.solve) / steps);
          return std::pair(used.factorization, std::move(end));
        };
        try {
          const auto [newton_factors, newton] = travel("line-search", 1e-11);
          const auto [mixed_factors, mixed] = travel("mixed", 1e-11);
          EXPECT_LT(mixed_factors, newton_factors);
          EXPECT_LT(distance(mixed, newton), 1e-6 * norm(start.x())) << method << " " << h;
        } catch (const SimulationError& error) {
          std::printf("%.0e N/m %-18s h = %.4f %s\n", stiffness, method, h, error.what());
        }
      }
  }
}

// A compressed chain pushes sideways: at a large step the matrix is indefinite, and is corrected.
TEST(StageSolverTest, IndefiniteMatricesAreCorrected) {
  Chain made = make_chain();
  for (std::size_t i = 0; i < made.particles.size(); ++i) {
    made.particles.position[i][0] *= 0.9;
    made.particles.position[i][2] = 1e-3 * std::sin(2.0 * static_cast<double>(i));
  }
  auto system = std::make_unique<ParticleSystem>(made.particles);
  std::vector<Spring> springs = made.springs;
  for (Spring& s : springs)
    s.first = system->rank()[static_cast<std::size_t>(s.first)],
    s.second = system->rank()[static_cast<std::size_t>(s.second)];
  system->add(std::make_unique<Springs>(springs, made.particles.size()));
  system->finish();
  const State start = system->initial_state();
  constexpr double h = 5e-4;
  Tangent tangent;
  system->tangent(0, start.x(), start.v(), tangent);
  BlockMatrix S(tangent.stiffness.shared_pattern());
  system->mass().add_to(1.0, S);
  S.add(h * h, tangent.stiffness);
  EXPECT_THROW(SparseCholesky().factorize(S), NotPositiveDefinite);
  const State end = after(*system, start, {}, h, 5);
  EXPECT_TRUE(std::isfinite(norm(end.y)));
}

TEST(StageSolverTest, ConstraintsArePrescribedVelocities) {
  const auto chain = make_chain_system();
  const auto constraints = std::make_shared<ParticleConstraints>();
  constraints->fix(28, {0.1, 0, 0.2});        // the loose end is led away
  constraints->keep_in_plane(10, {0, 0, 1});  // and one may not fall
  State state = chain->initial_state();
  const auto method = make_integrator(
      "backward-euler", {.linear_solver = "cg-block", .newton_tolerance = 1e-10, .constraints = constraints});
  method->start(*chain, state);
  for (int i = 0; i < 20; ++i) state = method->step(state, 1e-3, false).state;
  const auto x = host(state.x()), v = host(state.v());
  EXPECT_NEAR(v[84], 0.1, 1e-14);
  EXPECT_NEAR(v[86], 0.2, 1e-14);
  EXPECT_NEAR(x[86], 0.2 * 0.02, 1e-14);
  EXPECT_NEAR(v[32], 0, 1e-14);
  EXPECT_LT(v[50], -0.1) << "others fall";
  constraints->clear();  // and let go
  for (int i = 0; i < 20; ++i) state = method->step(state, 1e-3, false).state;
  EXPECT_LT(host(state.v())[32], -0.05);
}

TEST(StageSolverTest, NamesAreChecked) {
  EXPECT_THROW(make_integrator("bdf2", {.newton = "newtn"}), InputError);
  EXPECT_THROW(make_integrator("bdf2", {.linear_solver = "cg-sor"}), InputError);
  EXPECT_THROW(make_integrator("bdf2", {.newton_tolerance = 0}), InputError);
}

}  // namespace
}  // namespace stiffly::test
