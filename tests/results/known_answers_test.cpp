// Scenes whose answers theory knows, run as a user would: the method chosen, a bound on the error, the state
// in the end against a formula.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>

#include "stiffly/results/scene_run.hpp"
#include "temporary_folder.hpp"

namespace stiffly::test {
namespace {

constexpr double standard_gravity = 9.81, asked_error = 1e-3;

struct Answers {
  std::string text;
  Answers(double duration, double g) {
    text = fmt::format(
        "[simulation]\nduration = {:.17g}\nerror = {}\nintegrator = \"auto\"\ngravity = [0, 0, {}]\n",
        duration, asked_error, -g);
  }
  void particle(double x, double y, double z, double mass, std::array<double, 3> v = {}) {
    text += fmt::format(
        "[[particle]]\nposition = [{:.17g}, {:.17g}, {:.17g}]\nmass = {}\nvelocity = [{:.17g}, {:.17g}, "
        "{:.17g}]\n",
        x, y, z, mass, v[0], v[1], v[2]);
  }
  void pin(double x, double y, double z) {
    text += fmt::format("[[particle]]\nposition = [{}, {}, {}]\nmass = 1\npinned = true\n", x, y, z);
  }
  void spring(int a, int b, double stiffness, double rest, double damping = 0) {
    text += fmt::format("[[spring]]\nends = [{}, {}]\nstiffness = {}\nrest_length = {:.17g}\ndamping = {}\n",
                        a, b, stiffness, rest, damping);
  }
  std::vector<std::array<double, 3>> run() const {
    TemporaryFolder folder;
    SceneRun run(load_scene(folder.write("answer.toml", text)));
    const RunReport report = run.simulate();
    EXPECT_EQ(report.status, RunStatus::done) << report.error;
    return run.scene().positions(run.state());
  }
};

double off_from(const std::array<double, 3>& a, double x, double y, double z) {
  return std::hypot(a[0] - x, a[1] - y, a[2] - z);
}

/// Around a cone at ω² = g/(l cos θ): the rod turns without end, and nothing swings.
TEST(KnownAnswers, AConicalPendulumGoesRound) {
  constexpr double rest = 1.3, stiffness = 4e6, mass = 0.9, angle = 0.77;
  // Stretched by what holds it on its circle: k(l − l₀) cos θ = mg.
  const double length = rest + mass * standard_gravity / (stiffness * std::cos(angle));
  const double omega = std::sqrt(standard_gravity / (length * std::cos(angle))),
               radius = length * std::sin(angle);
  const double end = 1.37 * 2 * std::numbers::pi / omega;
  Answers scene(end, standard_gravity);
  scene.pin(0, 0, 0);
  scene.particle(radius, 0, -length * std::cos(angle), mass, {0, omega * radius, 0});
  scene.spring(0, 1, stiffness, rest);
  EXPECT_LT(off_from(scene.run()[1], radius * std::cos(omega * end), radius * std::sin(omega * end),
                     -length * std::cos(angle)),
            asked_error * 2 * radius);
}

/// Two masses on a stiff spring that turn about each other while they fly: the spring is as long as the
/// turning makes it, m₁m₂/(m₁+m₂) ω² l = k(l − l₀).
TEST(KnownAnswers, ADumbbellTurns) {
  constexpr double rest = 0.73, stiffness = 3e5, m1 = 0.4, m2 = 1.7, omega = 11.3, end = 0.71, vx = 0.21;
  constexpr double reduced = m1 * m2 / (m1 + m2),
                   length = stiffness * rest / (stiffness - reduced * omega * omega);
  const double r1 = length * m2 / (m1 + m2), r2 = length * m1 / (m1 + m2);
  Answers scene(end, 0);
  scene.particle(r1, 0, 0, m1, {vx, omega * r1, 0});
  scene.particle(-r2, 0, 0, m2, {vx, -omega * r2, 0});
  scene.spring(0, 1, stiffness, rest);
  const auto x = scene.run();
  const double c = std::cos(omega * end), s = std::sin(omega * end);
  EXPECT_LT(off_from(x[0], vx * end + r1 * c, r1 * s, 0), asked_error * 2 * r1);
  EXPECT_LT(off_from(x[1], vx * end - r2 * c, -r2 * s, 0), asked_error * 2 * r1);
}

/// A row of masses, one end held, the other struck: every mode ω_k = 2 √(k/m) sin(φ_k/2) with φ_k =
/// (2k−1)π/(2n+1), its shape sin(jφ_k) at mass j. A front runs along the bar and back, as d'Alembert says,
/// and frays.
TEST(KnownAnswers, ABarIsStruckAtItsEnd) {
  constexpr int n = 17;
  constexpr double stiffness = 2.9e5, mass = 0.31, gap = 0.13, blow = 0.17;
  const double speed = gap * std::sqrt(stiffness / mass), end = 2.7 * n * gap / speed;
  Answers scene(end, 0);
  scene.pin(0, 0, 0);
  for (int j = 1; j <= n; ++j) scene.particle(gap * j, 0, 0, mass, {j == n ? blow : 0, 0, 0});
  for (int j = 0; j < n; ++j) scene.spring(j, j + 1, stiffness, gap);
  const auto x = scene.run();
  double most = 0, off = 0;
  for (int j = 1; j <= n; ++j) {
    double u = 0;
    for (int k = 1; k <= n; ++k) {
      const double phi = (2 * k - 1) * std::numbers::pi / (2 * n + 1);
      const double omega = 2 * std::sqrt(stiffness / mass) * std::sin(phi / 2);
      u += 4.0 / (2 * n + 1) * std::sin(n * phi) * std::sin(j * phi) * blow / omega * std::sin(omega * end);
    }
    most = std::max(most, std::abs(u));
    off = std::max(off, std::abs(x[static_cast<std::size_t>(j)][0] - gap * j - u));
  }
  EXPECT_GT(most, 1e-3 * gap);
  EXPECT_LT(off, 2 * asked_error * most) << "the largest displacement on the way is no smaller";
}

/// The logarithmic decrement: amplitudes fall by exp(−δ) from one period to the next.
TEST(KnownAnswers, ADampedMassFallsByItsDecrement) {
  constexpr double rest = 0.61, stiffness = 870, damping = 2.3, mass = 1.9, pull = 0.07;
  const double decay = damping / (2 * mass), omega = std::sqrt(stiffness / mass - decay * decay);
  const double end = 5 * 2 * std::numbers::pi / omega;
  Answers scene(end, 0);
  scene.pin(0, 0, 0);
  scene.particle(0, rest + pull, 0, mass);
  scene.spring(0, 1, stiffness, rest, damping);
  const double left = scene.run()[1][1] - rest;
  EXPECT_NEAR(left, pull * std::exp(-decay * end), asked_error * 2 * pull);
  EXPECT_NEAR(std::log(pull / left) / 5, decay * 2 * std::numbers::pi / omega, 0.02);
}

/// Two equal oscillators, weakly joined: all that one has, the other has half a beat later.
TEST(KnownAnswers, CoupledOscillatorsBeat) {
  constexpr double stiffness = 4.1e4, joint = 1.3e3, mass = 0.57, pull = 0.011, gap = 0.8;
  const double slow = std::sqrt(stiffness / mass), fast = std::sqrt((stiffness + 2 * joint) / mass);
  const double end = std::numbers::pi / (fast - slow);
  Answers scene(end, 0);
  scene.pin(0, 0, 0);
  scene.particle(gap + pull, 0, 0, mass);
  scene.particle(2 * gap, 0, 0, mass);
  scene.pin(3 * gap, 0, 0);
  scene.spring(0, 1, stiffness, gap);
  scene.spring(1, 2, joint, gap);
  scene.spring(2, 3, stiffness, gap);
  const auto x = scene.run();
  const double sum = pull / 2 * std::cos(slow * end), difference = pull / 2 * std::cos(fast * end);
  EXPECT_NEAR(x[1][0] - gap, sum + difference, asked_error * 2 * pull);
  EXPECT_NEAR(x[2][0] - 2 * gap, sum - difference, asked_error * 2 * pull);
  EXPECT_LT(std::abs(sum + difference), 0.05 * pull) << "it has given all away";
}

}  // namespace
}  // namespace stiffly::test
