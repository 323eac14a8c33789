// The energy-momentum step: what it keeps, and that stiffness costs it nothing.
#include "stiffly/integrators/energy_momentum.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "integrators/problems.hpp"
#include "stiff_links.hpp"
#include "stiffly/scene/scene.hpp"

namespace stiffly::test {
namespace {

struct Journey {
  State state;
  double drift = 0;    ///< largest change of the energy over the largest kinetic energy
  double factors = 0;  ///< per step
  double solves = 0;   ///< per step
  long substeps = 0;
};

Journey travel(const SecondOrderSystem& system, State state, double h, int steps, double tolerance,
               const EnergyMomentum::Variant& variant = EnergyMomentum::conserving()) {
  EnergyMomentum method(variant.traits, variant.parameters, {.newton_tolerance = tolerance});
  method.start(system, state);
  const double energy = system.energy(state);
  const Counters before = system.counters();
  double change = 0, motion = 0;
  for (int i = 0; i < steps; ++i) {
    state = method.step(state, h, false).state;
    change = std::max(change, std::abs(system.energy(state) - energy));
    motion = std::max(motion, system.kinetic_energy(state.v()));
  }
  const Counters used = system.counters() - before;
  return {state, change / motion, static_cast<double>(used.factorization) / steps,
          static_cast<double>(used.solve) / steps, method.substeps()};
}

TEST(EnergyMomentumTest, EnergyDoesNotDrift) {
  for (const double k : {1e3, 1e5, 1e7, 1e9, 1e12}) {
    const auto cube = spinning_cube(k), chain = falling_chain(k);
    for (const auto& [name, system] : {std::pair("cube", cube.get()), std::pair("chain", chain.get())}) {
      const Journey r = travel(*system, system->initial_state(), 0.0073, 1000, 1e-12);
      std::printf("%-6s k = %.0e: drift %.1e, %.2f factors and %.2f solves a step, %ld substeps\n", name, k,
                  r.drift, r.factors, r.solves, r.substeps);
      EXPECT_LT(r.drift, 1e-10) << name << " " << k;
    }
  }
}

// The rigid pendulum φ'' = −g/l sin φ by RK4 at a tiny step. A stiff spring that carries its load is longer
// by up to 2mg/k.
TEST(EnergyMomentumTest, StiffPendulumsSwingLikeRigidOnes) {
  const double h = 0.0093, g = 10;
  const int steps = 150;
  const auto rigid = [&](double t) {
    double phi = std::numbers::pi / 3, omega = 0;
    const int n = 20000;
    const double dt = t / n;
    for (int i = 0; i < n; ++i) {
      const auto a = [&](double p) { return -g * std::sin(p); };
      const double k1 = omega, l1 = a(phi), k2 = omega + dt / 2 * l1, l2 = a(phi + dt / 2 * k1),
                   k3 = omega + dt / 2 * l2, l3 = a(phi + dt / 2 * k2), k4 = omega + dt * l3,
                   l4 = a(phi + dt * k3);
      phi += dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
      omega += dt / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
    }
    return phi;
  };
  const double exact = rigid(h * steps);
  for (double k = 1e3; k < 2e9; k *= 10) {
    const auto system = pendulum(k);
    const Journey coarse = travel(*system, system->initial_state(), h, steps, 1e-10),
                  fine = travel(*system, system->initial_state(), h / 3, 3 * steps, 1e-10);
    const auto angle = [](const Journey& r) {
      return std::atan2(host(r.state.x())[0], -host(r.state.x())[2]);
    };
    std::printf("k = %.0e: angle off by %.1e, %.1e at a third of the step\n", k, angle(coarse) - exact,
                angle(fine) - exact);
    EXPECT_NEAR(angle(coarse), exact, 4e-4 + 40 / k) << k;
    EXPECT_NEAR(angle(fine), exact, 5e-5 + 40 / k) << k;
  }
}

// The same pendulum at order 4: springs far too stiff for the step turn with it, back in time, too.
TEST(EnergyMomentumTest, FourthOrderWhereStiffSpringsTurn) {
  const double duration = 1.3;
  for (const double k : {1e6, 1e7, 1e8}) {
    const auto system = pendulum(k);
    const auto state_after = [&](int steps, const EnergyMomentum::Variant& variant) {
      const Journey r = travel(*system, system->initial_state(), duration / steps, steps, 1e-12, variant);
      EXPECT_LT(r.drift, 1e-9) << k;
      return r.state;
    };
    const State exact = integrate(*system, *make_integrator("dopri5"), system->initial_state(), duration,
                                  std::min(1e-4, 0.09 / std::sqrt(k)));
    const auto error = [&](const State& found) {
      Vector difference(found.x());
      axpy(-1.0, exact.x(), difference);
      return norm(difference);
    };
    // As many solves: five parts to a step.
    const double second = error(state_after(135, EnergyMomentum::conserving())),
                 fourth = error(state_after(27, EnergyMomentum::fourth_order()));
    std::printf("k = %.0e: off by %.1e, at order 4 by %.1e\n", k, second, fourth);
    EXPECT_LT(fourth, 0.1 * second) << k;
  }
}

/// Solves a step over stiffnesses, which are to be the same within ± 1.
class SolvesAStep {
 public:
  explicit SolvesAStep(std::string name) : name_(std::move(name)) {}
  ~SolvesAStep() { EXPECT_LE((most_ - least_) / 2, 1) << name_ << ": within ± 1"; }

  void add(double stiffness, const Journey& r) {
    std::printf("%-6s k = %.0e: %.0f factors per 100 steps, %.2f solves a step, %ld substeps\n",
                name_.c_str(), stiffness, 100 * r.factors, r.solves, r.substeps);
    least_ = std::min(least_, r.solves);
    most_ = std::max(most_, r.solves);
  }

 private:
  std::string name_;
  double least_ = 1e9, most_ = 0;
};

TEST(EnergyMomentumTest, StiffnessCostsNothing) {
  for (const auto& [name, make] : {std::pair("chain", &falling_chain), std::pair("cube", &spinning_cube)}) {
    SolvesAStep solves(name);
    for (double k = 1e3; k < 2e12; k *= 10) {
      const auto system = make(k);
      solves.add(k, travel(*system, system->initial_state(), 0.0073, 100, 1e-6));
    }
  }
  SolvesAStep solves("bunny");
  for (const double k : {1e3, 1e6, 1e9, 1e12}) {
    const Scene scene =
        load_scene(find_scene("bunny"), std::vector<Override>{{"diagonal_stiffness", std::to_string(k)}});
    solves.add(k, travel(scene.system(), scene.body.start, 0.047, 25, 1e-6));
  }
}

// Both stages of TR-BDF2 have the same coefficient, so that one factor serves them, from step to step too.
TEST(EnergyMomentumTest, StagesOfTrBdf2ShareAFactor) {
  const double h = 0.0073;
  const int steps = 100;
  for (const double k : {1e4, 1e6, 1e8}) {
    const auto cube = spinning_cube(k), chain = falling_chain(k);
    for (const auto& [name, system] : {std::pair("cube", cube.get()), std::pair("chain", chain.get())}) {
      const auto method = make_integrator("tr-bdf2", {.newton = "mixed", .newton_tolerance = 1e-6});
      State state = system->initial_state();
      method->start(*system, state);
      const Counters before = system->counters();
      for (int i = 0; i < steps; ++i) state = method->step(state, h, false).state;
      const Counters used = system->counters() - before;
      std::printf("%-6s k = %.0e: %.2f factors and %.2f solves a step\n", name, k,
                  static_cast<double>(used.factorization) / steps, static_cast<double>(used.solve) / steps);
      EXPECT_LE(used.factorization, steps) << name << " " << k;
      EXPECT_GE(used.solve, 2 * steps) << "two stages a step";
    }
  }
}

// The bunny sinks by 4 % of its height in a second.
TEST(EnergyMomentumTest, StiffnessCostsNothingWhereABodyIsSeenToMove) {
  double least = 1e9, most = 0;
  for (const char* k : {"1e6", "1e8", "1e10", "1e12"}) {
    const Scene scene = load_scene(
        find_scene("bunny"), std::vector<Override>{{"diagonal_stiffness", k}, {"gravity", "[0, 0, -1]"}});
    const State& start = scene.body.start;
    const Journey r = travel(scene.system(), start, 0.05, 20, 1e-9);
    Vector moved(r.state.x());
    axpy(-1.0, start.x(), moved);
    const double motion = norm(moved) / std::sqrt(static_cast<double>(start.unknowns()) / 3);
    std::printf("k = %s: %.2f factors and %.2f solves a step, motion %.2f m\n", k, r.factors, r.solves,
                motion);
    EXPECT_GT(motion, 0.1);
    EXPECT_LT(r.factors, 0.4);
    least = std::min(least, r.solves);
    most = std::max(most, r.solves);
  }
  EXPECT_LT(most, 1.1 * least);
}

TEST(EnergyMomentumTest, AgreesWithVerletAtTinySteps) {
  const auto chain = falling_chain(1e4);
  const State start = chain->initial_state();
  const double duration = 0.31;
  const State exact = integrate(*chain, *make_integrator("verlet"), start, duration, duration / 40001);
  double before = 0;
  for (const long steps : {1001L, 2002L, 4004L}) {
    const State found = integrate(*chain, *make_integrator("energy-momentum", {.newton_tolerance = 1e-12}),
                                  start, duration, duration / static_cast<double>(steps));
    const double error = distance(found, exact);
    std::printf("%ld steps: %.2e\n", steps, error);
    if (before > 0) {
      EXPECT_NEAR(before / error, 4, 0.6);
    }
    before = error;
  }
}

// A step far too long is made of shorter ones, and the run goes on.
TEST(EnergyMomentumTest, LongStepsAreDivided) {
  const auto cube = spinning_cube(1e5);
  const Journey r = travel(*cube, cube->initial_state(), 0.97, 10, 1e-8);
  std::printf("%ld substeps, drift %.1e\n", r.substeps, r.drift);
  EXPECT_GT(r.substeps, 0);
  EXPECT_LT(r.drift, 1e-5);
}

// Vibration of springs that the step does not resolve: reflected, or damped to nothing.
TEST(EnergyMomentumTest, DampingTakesWhatIsNotResolved) {
  const auto system = pendulum(1e7);
  State start = system->initial_state();
  const double along = 0.5;  // m/s, along the spring
  for (std::size_t i = 0; i < 3; ++i) host(start.v())[i] = along * host(start.x())[i];
  const auto radial = [](const State& s) { return std::abs(dot(s.x(), s.v())) / norm(s.x()); };
  const Journey kept = travel(*system, start, 0.0031, 200, 1e-10),
                gone = travel(*system, start, 0.0031, 200, 1e-10, EnergyMomentum::damped());
  std::printf("radial velocity %.1e, damped %.1e\n", radial(kept.state), radial(gone.state));
  EXPECT_GT(radial(kept.state), 0.3 * along);
  EXPECT_LT(radial(gone.state), 0.01 * along);
}

}  // namespace
}  // namespace stiffly::test
