// Systems that supports drive and dampers damp: their books, and what a tolerance means for them.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "stiffly/control/energy_books.hpp"
#include "stiffly/control/methods.hpp"
#include "stiffly/control/simulation.hpp"
#include "stiffly/integrators/registry.hpp"
#include "stiffly/scene/scene.hpp"
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

DrivenRun drive(const Scene& scene, const char* method, const SimulationOptions& options) {
  DrivenRun out;
  EnergyBooks books(scene.system());
  const auto stepper = make_stepper(method, scene.system(), scene.body.start, options.plan());
  out.summary =
      simulate(*stepper, scene.body.start, options, [&](const State& now, const SimulationSummary&) {
        books.see(now);
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
