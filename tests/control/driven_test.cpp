// Systems that supports drive and dampers damp: their books, and what a tolerance means for them.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <functional>

#include "stiffly/control/energy_books.hpp"
#include "stiffly/control/methods.hpp"
#include "stiffly/control/simulation.hpp"
#include "stiffly/integrators/registry.hpp"
#include "stiffly/scene/scene.hpp"
#include "stiffly/system/particle_system.hpp"
#include "temporary_folder.hpp"

namespace stiffly::test {
namespace {

/// A hair of five stiff segments that hangs from a root which begins to swing.
constexpr const char* shaken_hair = R"scene([simulation]
duration = 0.37
gravity = [0, 0, -9.81]
[model]
kind = "fibres"
segments = [5, 5]
length = 0.17
thickness = 9e-5
tip_thickness = 5e-5
young = 3.6e9
torsion = 1e9
density = 1320
damping = 1e-4
drag = 3e-5
start = "hanging"
direction = [0, 0, -1]
[[motion]]
x = "0.05 * sin(2*pi*2.3*t) * smoothstep(t/0.15)"
rotation_z = "0.4 * sin(2*pi*1.7*t) * smoothstep(t/0.15)"
pivot = [0.07, 0.02, 0]
)scene";

struct DrivenRun {
  State end;
  SimulationSummary summary;
  double unexplained = 0, largest = 0;  ///< J; by the books, and the largest kinetic energy
};

DrivenRun drive(const Scene& scene, const char* method, const SimulationOptions& options,
                const std::function<void(const State&)>& watch = {}) {
  DrivenRun out;
  EnergyBooks books(scene.system());
  const auto stepper = make_stepper(method, scene.system(), scene.body.start, options.plan());
  out.summary =
      simulate(*stepper, scene.body.start, options, [&](const State& now, const SimulationSummary&) {
        books.see(now);
        if (watch) watch(now);
        out.largest = std::max(out.largest, scene.system().kinetic_energy(now.v()));
        return true;
      });
  out.end = stepper->state();
  const EnergyTotals& sum = books.totals();
  out.unexplained = out.summary.final_energy - out.summary.initial_energy -
                    (sum.supports + sum.fields - sum.all_dissipated());
  return out;
}

/// Stiff links pull at the root with forces that no step of milliseconds resolves, and their dampers stand
/// beside them: from forces and velocities at single times the books were off by several times all energy.
TEST(DrivenTest, BooksOfAShakenHairCloseAtLongSteps) {
  TemporaryFolder folder;
  const Scene scene = load_scene(folder.write("hair.toml", shaken_hair));
  for (const char* method : {"tr-bdf2", "energy-momentum", "newmark"}) {
    const DrivenRun run = drive(scene, method, {.duration = 0.37, .step = 0.0047});
    std::printf("%-18s %.2g of the kinetic energy\n", method, run.unexplained / run.largest);
    EXPECT_LT(std::abs(run.unexplained), 0.02 * run.largest) << method;
  }
}

/// A mass on a spring, at rest until a field begins, far from the origin; `field` is its strength over time.
Scene resting_mass(TemporaryFolder& folder, const std::string& field) {
  return load_scene(folder.write("rest.toml", R"scene([simulation]
duration = 0.43
[[particle]]
position = [0, 0, 0]
mass = 1
pinned = true
[[particle]]
position = [0.9, 0, 0]
mass = 0.57
[[spring]]
ends = [0, 1]
stiffness = 8.1e4
[[field]]
x = ")scene" + field + "\"\n"));
}

/// A mass on a spring that stands far from the origin, shaken by a field: x = A/(Ω² − ω²) (sin ωt − ω/Ω sin
/// Ωt). Books that count what the field gives to a standing body once left nothing to what moves, and steps
/// were cut to nothing.
TEST(DrivenTest, AToleranceHoldsInAFieldFarFromTheOrigin) {
  constexpr double mass = 0.57, stiffness = 8.1e4, strength = 70, omega = 61.3, end = 0.43, place = 0.9;
  TemporaryFolder folder;
  const Scene scene = resting_mass(folder, "70 * sin(61.3*t)");
  const double own = std::sqrt(stiffness / mass), size = strength / (own * own - omega * omega);
  const double right = place + size * (std::sin(omega * end) - omega / own * std::sin(own * end));
  for (const char* method : {"bdf2", "tr-bdf2", "ros3pl", "energy-momentum"})
    for (const double tolerance : {0.025, 1e-3}) {
      const DrivenRun run = drive(scene, method, {.duration = end, .tolerance = tolerance});
      const double off = std::abs(host(run.end.x())[0] - right) / size;
      std::printf("%-18s %.4f: %.2g in %ld steps\n", method, tolerance, off, run.summary.steps);
      EXPECT_LT(off, 30 * tolerance) << method;
    }
}

/// u = A/Ω² (t² − 2/Ω² (1 − cos Ωt)) for a field A t². In the first moments any error is as large as the
/// motion: steps were cut to nothing.
TEST(DrivenTest, AToleranceHoldsWhereMotionBeginsFromRest) {
  constexpr double strength = 7e3, end = 0.43, square = 8.1e4 / 0.57;
  const double right = strength / square * (end * end - 2 / square * (1 - std::cos(std::sqrt(square) * end)));
  TemporaryFolder folder;
  const Scene scene = resting_mass(folder, "7e3 * t*t");
  for (const char* method : {"auto", "verlet", "bdf2", "tr-bdf2", "ros3pl", "exprb42", "energy-momentum"})
    for (const double tolerance : {0.03, 1e-3}) {
      const DrivenRun run = drive(scene, method, {.duration = end, .tolerance = tolerance});
      const double off = std::abs(host(run.end.x())[0] - 0.9 - right) / right;
      std::printf("%-18s %.4f: %.2g in %ld steps\n", method, tolerance, off, run.summary.steps);
      EXPECT_LT(off, 10 * tolerance) << method;
      EXPECT_LT(run.summary.steps, 3000) << method;
    }
}

/// u = A/Ω² (1 − cos Ω(t − t₀)) from t₀ on. A body at rest allows steps that end long after the load was
/// switched on, with no method any the wiser: results were off by all of the motion.
TEST(DrivenTest, AToleranceHoldsWhereALoadIsSwitchedOn) {
  constexpr double strength = 31, end = 0.43, square = 8.1e4 / 0.57, begin = 0.173;
  const double right = strength / square * (1 - std::cos(std::sqrt(square) * (end - begin)));
  TemporaryFolder folder;
  const Scene scene = resting_mass(folder, "31 * step(t - 0.173)");
  for (const char* method : {"auto", "verlet", "bdf2", "tr-bdf2", "ros3pl", "exprb42", "energy-momentum"})
    for (const double tolerance : {0.01, 1e-3}) {
      const DrivenRun run = drive(scene, method, {.duration = end, .tolerance = tolerance});
      const double off = std::abs(host(run.end.x())[0] - 0.9 - right) / (2 * strength / square);
      std::printf("%-18s %.4f: %.2g in %ld steps\n", method, tolerance, off, run.summary.steps);
      EXPECT_LT(off, 20 * tolerance) << method;
    }
}

/// A push of a hundredth of the run, after which the mass swings on: u = A/Ω² (cos Ω(t − t₁) − cos Ω(t −
/// t₀)).
TEST(DrivenTest, AToleranceHoldsAfterAShortPush) {
  constexpr double strength = 310, end = 0.43, square = 8.1e4 / 0.57, from = 0.173, to = 0.1773;
  const double omega = std::sqrt(square);
  const double right = strength / square * (std::cos(omega * (end - to)) - std::cos(omega * (end - from)));
  const double size = 2 * strength / square * std::sin(omega * (to - from) / 2);
  TemporaryFolder folder;
  const Scene scene = resting_mass(folder, "310 * (step(t - 0.173) - step(t - 0.1773))");
  for (const char* method : {"auto", "verlet", "tr-bdf2", "ros3pl", "exprb42", "energy-momentum"}) {
    const DrivenRun run = drive(scene, method, {.duration = end, .tolerance = 1e-3});
    const double off = std::abs(host(run.end.x())[0] - 0.9 - right) / size;
    std::printf("%-18s %.2g in %ld steps\n", method, off, run.summary.steps);
    EXPECT_LT(off, 0.02) << method;
  }
}

/// A wall that sets out while all is at rest meets a mass, which leaves it at twice its speed. Books take
/// what the wall brings in by differences in time: where a step had used up what energies may miss, each of
/// the next took a part of what was left, and the run ended as if its tolerance could not be met.
TEST(DrivenTest, AToleranceHoldsWhereAnObstacleSetsOut) {
  TemporaryFolder folder;
  const Scene scene = load_scene(folder.write("wall.toml", R"scene([simulation]
duration = 0.83
[[particle]]
position = [0.9, 0.1, -0.2]
mass = 0.57
[contact]
stiffness = 3e5
range = 0.003
radius = 0.01
[[obstacle]]
shape = "half-space"
point = [0.87, 0, 0]
normal = [1, 0, 0]
x = "0.7 * max(0, t - 0.213)"
)scene"));
  for (const char* method :
       {"auto", "verlet", "dopri5", "bdf2", "tr-bdf2", "ros3pl", "exprb42", "energy-momentum"})
    for (const double tolerance : {0.01, 1.3e-3, 1e-3, 1e-5}) {
      const DrivenRun run = drive(scene, method, {.duration = 0.83, .tolerance = tolerance});
      const double off = std::abs(host(run.end.v())[0] / 1.4 - 1);
      std::printf("%-18s %.4f: %.2g in %ld steps\n", method, tolerance, off, run.summary.steps);
      EXPECT_LT(off, 10 * tolerance) << method;
    }
}

/// A support that turns about an axis through it, or moves along one direction: what stands still does so but
/// for rounding, which no step resolves.
TEST(DrivenTest, SupportsThatRestInSomeDirectionsDoNotLimitSteps) {
  TemporaryFolder folder;
  const Scene scene = load_scene(folder.write("turning.toml", R"scene([simulation]
duration = 0.43
[[particle]]
position = [1.7, 0.3, -0.9]
mass = 1
pinned = true
[[particle]]
position = [1.9, 0.4, -1.3]
mass = 0.57
[[spring]]
ends = [0, 1]
stiffness = 810
[[motion]]
x = "0.013 * sin(7*t)"
rotation_z = "0.7 * t"
pivot = [1.7, 0.3, 0]
)scene"));
  const DrivenRun run = drive(scene, "tr-bdf2", {.duration = 0.43, .tolerance = 1e-2});
  EXPECT_LT(run.summary.steps, 300);
}

TEST(DrivenTest, AToleranceIsNoTroubleWhereNothingMoves) {
  TemporaryFolder folder;
  for (const char* field : {"0", "70 * smoothstep((t - 9)/2)"}) {  // never, and long after the end
    const Scene scene = resting_mass(folder, field);
    for (const char* method : {"auto", "verlet", "dopri5", "bdf2", "ros3pl", "exprb42", "energy-momentum"}) {
      const DrivenRun run = drive(scene, method, {.duration = 0.43, .tolerance = 1e-3});
      EXPECT_NEAR(host(run.end.x())[0], 0.9, 1e-12) << method;
      EXPECT_LT(run.summary.steps, 3000) << method;
    }
  }
}

/// What a step of the midpoint rule makes of elastic energy, by its geometry alone: forces meet the links as
/// they are in the middle, f(x_½)·Δx, and at the end of the step they hold U(x₁) − U(x₀).
double made_by_midpoint_step(const ParticleSystem& system, const State& from, const State& to) {
  std::vector<double> x0(3 * system.particles()), v(x0), x1(x0), middle(x0), x(x0);
  const auto elastic = [&](double time, const std::vector<double>& at) {
    double sum = 0;
    for (const auto& force : system.forces())
      if (!force->is_field()) sum += force->energy({time, system.free_particles(), at, v});
    return sum;
  };
  Vector mean(from.x());
  axpby(0.5, to.x(), 0.5, mean);
  const double half = 0.5 * (from.time + to.time);
  system.place(from.time, from.x(), from.v(), x0, v);
  system.place(to.time, to.x(), to.v(), x1, v);
  system.place(half, mean, from.v(), middle, v);
  const auto beside = [&](double part) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = middle[i] + part * (x1[i] - x0[i]);
    return elastic(half, x);
  };
  constexpr double delta = 1e-4;
  return elastic(to.time, x1) - elastic(from.time, x0) - (beside(delta) - beside(-delta)) / (2 * delta);
}

/// The midpoint rule asks stiff links to be in balance in the middle of a step; at its end they are stretched
/// by what they turned meanwhile, and hold several times the energy of the motion, which their dampers take
/// in part. Books call that the method's error, to within what they are right to elsewhere.
TEST(DrivenTest, BooksSayWhatTheMidpointRuleMakes) {
  TemporaryFolder folder;
  const Scene scene = load_scene(folder.write("hair.toml", shaken_hair));
  const auto& system = dynamic_cast<const ParticleSystem&>(scene.system());
  for (const double step : {0.0047, 0.0023}) {
    State last = scene.body.start;
    double made = 0;
    const DrivenRun run =
        drive(scene, "implicit-midpoint", {.duration = 0.37, .step = step}, [&](const State& now) {
          if (now.time > last.time) made += made_by_midpoint_step(system, last, now);
          last = now;
        });
    std::printf("steps of %.4f s: made %.4g, unexplained %.4g of the kinetic energy\n", step,
                made / run.largest, run.unexplained / run.largest);
    EXPECT_NEAR(run.unexplained, made, 0.02 * std::max(made, run.largest)) << step;
    EXPECT_GT(made, (step > 0.004 ? 1 : 0.05) * run.largest) << "or there is nothing to tell apart";
  }
}

/// Methods that linearise lose energy where stiff links turn, and estimates do not see it.
TEST(DrivenTest, AToleranceHoldsForAShakenHair) {
  TemporaryFolder folder;
  const Scene scene = load_scene(folder.write("hair.toml", shaken_hair));
  const auto distance = [](const State& a, const State& b) {
    const std::vector<double> x = to_host(a.x()), y = to_host(b.x());
    double most = 0;
    for (std::size_t i = 0; i < x.size(); ++i) most = std::max(most, std::abs(x[i] - y[i]));
    return most;
  };
  const State right = drive(scene, "tr-bdf2", {.duration = 0.37, .step = 4e-5}).end;
  const double motion = distance(right, scene.body.start);
  ASSERT_LT(distance(drive(scene, "energy-momentum", {.duration = 0.37, .step = 1.3e-4}).end, right),
            1e-3 * motion)
      << "the reference";
  for (const char* method : {"ros3pl", "tr-bdf2", "energy-momentum", "bdf2"}) {
    const DrivenRun run = drive(scene, method, {.duration = 0.37, .tolerance = 1e-2});
    std::printf("%-18s %.2g of the motion, %ld steps, %.2g of the energy\n", method,
                distance(run.end, right) / motion, run.summary.steps, run.unexplained / run.largest);
    EXPECT_LT(distance(run.end, right), 2e-2 * motion) << method;
  }
}

}  // namespace
}  // namespace stiffly::test
