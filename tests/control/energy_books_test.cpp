// Energy that dampers take and drives bring, against analytic solutions, and balances that close at the order
// of the method.
#include "stiffly/control/energy_books.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "stiffly/control/simulation.hpp"
#include "stiffly/integrators/registry.hpp"
#include "stiffly/scene/scene.hpp"
#include "stiffly/system/linear_oscillator.hpp"
#include "temporary_folder.hpp"

namespace stiffly {
namespace {

State exact_state(const TestEquation& equation, double t) {
  const Eigen::VectorXd y = equation.exact(t);
  return State(t, Vector(std::span<const double>(y.data(), static_cast<std::size_t>(y.size()))));
}

/// What the damper took according to the books along the exact solution, less what is missing.
double miss_of_damper(int steps) {
  const TestEquation equation = damped_spring();
  EnergyBooks books(*equation.system);
  const double end = 0.37;
  for (int i = 0; i <= steps; ++i) books.see(exact_state(equation, end * i / steps));
  const double lost =
      equation.system->energy(exact_state(equation, 0)) - equation.system->energy(exact_state(equation, end));
  return books.totals().dissipated.at(0) - lost;
}

TEST(EnergyBooksTest, ADamperTakesWhatIsMissing) {
  EXPECT_LT(std::abs(miss_of_damper(150)), 1e-6);
  const double order = std::log2(miss_of_damper(35) / miss_of_damper(70));
  EXPECT_NEAR(order, 4, 0.3) << "Simpson's rule on a cubic";
}

TEST(EnergyBooksTest, ALoadThatChangesBringsItsWork) {
  // x'' = −x + cos 3t:  x = (cos t − cos 3t)/8, from rest.
  const auto one = [](double value) { return Eigen::MatrixXd::Constant(1, 1, value); };
  const LinearOscillator system(one(1), one(1), one(0),
                                [](double t) { return Eigen::VectorXd::Constant(1, std::cos(3 * t)); });
  const auto state = [](double t) {
    const double x = (std::cos(t) - std::cos(3 * t)) / 8, v = (3 * std::sin(3 * t) - std::sin(t)) / 8;
    return State(t, std::span(&x, 1), std::span(&v, 1));
  };
  EnergyBooks books(system);
  const double end = 2.3;
  for (int i = 0; i <= 300; ++i) books.see(state(end * i / 300));
  EXPECT_NEAR(books.totals().fields, system.energy(state(end)) - system.energy(state(0)), 1e-8);
  EXPECT_EQ(books.totals().supports, 0);
  EXPECT_TRUE(books.totals().dissipated.empty());
}

// A field that changes gives energy to what only stands far from where x is 0.
TEST(EnergyBooksTest, WhereAFieldIsZeroDoesNotMatter) {
  // (x − s)'' = −(x − s) + cos 3t
  for (const double s : {0.0, 310.0}) {
    const auto one = [](double value) { return Eigen::MatrixXd::Constant(1, 1, value); };
    const LinearOscillator system(
        one(1), one(1), one(0), [s](double t) { return Eigen::VectorXd::Constant(1, s + std::cos(3 * t)); });
    const auto state = [s](double t) {
      const double x = s + (std::cos(t) - std::cos(3 * t)) / 8, v = (3 * std::sin(3 * t) - std::sin(t)) / 8;
      return State(t, std::span(&x, 1), std::span(&v, 1));
    };
    EnergyBooks books(system);
    const double end = 2.3;
    const int steps = 37;
    for (int i = 0; i <= steps; ++i) books.see(state(end * i / steps));
    EXPECT_NEAR(books.totals().fields, system.energy(state(end)) - system.energy(state(0)), 1e-5) << s;
  }
}

TEST(EnergyBooksTest, ASystemThatKeepsItsEnergyCostsNothing) {
  const TestEquation equation = wave();
  EXPECT_FALSE(EnergyBooks::needed(*equation.system));
  EnergyBooks books(*equation.system);
  books.see(equation.start);
  EXPECT_EQ(books.totals().all_dissipated(), 0);
}

/// A run, and what its books do not explain.
double unexplained(const Scene& scene, const std::string& method, double h, EnergyTotals* totals = nullptr) {
  State state = scene.body.start;
  EnergyBooks books(scene.system());
  const auto integrator = make_integrator(method);
  const SimulationSummary s = simulate(scene.system(), *integrator, state, {scene.simulation.duration, h},
                                       [&](const State& now, const SimulationSummary&) {
                                         books.see(now);
                                         books.see(now);
                                         return true;
                                       });
  const EnergyTotals& sum = books.totals();
  if (totals) *totals = sum;
  return s.final_energy - s.initial_energy - (sum.supports + sum.fields - sum.all_dissipated());
}

constexpr const char* dragged = R"scene([simulation]
duration = 0.9
[[particle]]
position = [0, 0, 0]
mass = 1
pinned = true
[[particle]]
position = [1.1, 0, 0]
mass = 0.7
[[spring]]
ends = [0, 1]
stiffness = 60
damping = 1.3
[[motion]]
x = "0.2 * smoothstep(t / 0.6)"
)scene";

TEST(EnergyBooksTest, ASupportThatDragsABlockBringsTheWorkOfItsForce) {
  test::TemporaryFolder folder;
  const Scene scene = load_scene(folder.write("dragged.toml", dragged));
  // The same as an oscillator: m x'' = −k(x − l − s) − d(x' − s'), and the work ∫ −m x'' … by fine steps.
  const double k = 60, d = 1.3, m = 0.7, l = 1.1;
  const auto shift = [](double t) {
    const double u = std::min(t / 0.6, 1.0);
    return std::pair{0.2 * u * u * (3 - 2 * u), u < 1 ? 0.2 * 6 * u * (1 - u) / 0.6 : 0.0};
  };
  const auto rate = [&](double t, const Eigen::Vector4d& y) {  // x, v, work, dissipated
    const auto [s, u] = shift(t);
    const double pull = k * (y[0] - l - s) + d * (y[1] - u);
    return Eigen::Vector4d(y[1], -pull / m, -pull * u, d * (y[1] - u) * (y[1] - u));
  };
  Eigen::Vector4d y(l, 0, 0, 0);
  const int steps = 9000;
  const double h = 0.9 / steps;
  for (int i = 0; i < steps; ++i) {
    const double t = i * h;
    const Eigen::Vector4d k1 = rate(t, y), k2 = rate(t + h / 2, y + h / 2 * k1),
                          k3 = rate(t + h / 2, y + h / 2 * k2), k4 = rate(t + h, y + h * k3);
    y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  EnergyTotals totals;
  EXPECT_LT(std::abs(unexplained(scene, "rk4", 0.003, &totals)), 1e-7);
  EXPECT_NEAR(totals.supports, y[2], 1e-6);
  EXPECT_NEAR(totals.all_dissipated(), y[3], 1e-6);
  EXPECT_GT(y[3], 0.01);
  EXPECT_GT(y[2], y[3]);
}

TEST(EnergyBooksTest, AFlagInWindBalancesAtTheOrderOfTheMethod) {
  const Override changes[] = {{"rows", "4"},    {"columns", "5"},    {"structural", "50"}, {"shear", "10"},
                              {"bending", "2"}, {"damping", "0.01"}, {"duration", "0.4"}};
  const Scene scene = load_scene(find_scene("flag"), changes);
  for (const auto& [method, order] :
       {std::pair{"rk4", 4.0}, std::pair{"verlet", 2.0}, std::pair{"bdf2", 2.0}}) {
    EnergyTotals totals;
    const double coarse = unexplained(scene, method, 0.0034),
                 fine = unexplained(scene, method, 0.0034 / 8, &totals);
    EXPECT_GT(std::log2(std::abs(coarse / fine)) / 3, order - 0.2) << method << " " << coarse << " " << fine;
    EXPECT_LT(std::abs(fine), 1e-3 * std::abs(totals.all_dissipated())) << method;
  }
}

}  // namespace
}  // namespace stiffly
