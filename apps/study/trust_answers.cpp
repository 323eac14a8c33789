// Questions of mechanics whose answers theory knows, with numbers that nothing is exact in.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "scene_text.hpp"
#include "trust_scenes.hpp"

namespace stiffly::app {
namespace {

constexpr double gravity = 9.81, pi = std::numbers::pi;

/// The moment at which an unknown that starts at 0 has come back to it, from the end of a run that is about
/// there.
double moment_of_return(const Scene& scene, const State& end, std::size_t particle, std::size_t axis) {
  const double moved =
      scene.positions(end)[particle][axis] - scene.positions(scene.body.start)[particle][axis];
  return end.time - moved / scene.velocities(end)[particle][axis];
}

/// A rigid rod swings with T = 4 √(l/g) K(sin(θ/2)); the spring is stiff enough to be one to seven digits.
KnownAnswer pendulum_period() {
  constexpr double length = 1.3, angle = 1.1;
  const double period = 4 * std::sqrt(length / gravity) * std::comp_ellint_1(std::sin(angle / 2));
  SceneText text(0.75 * period, {0, 0, -gravity});
  text.pin({0, 0, 0});
  text.particle({length * std::sin(angle), 0, -length * std::cos(angle)}, 0.9);
  text.spring(0, 1, 3e7);
  return {{"answer-pendulum", text.get()},
          "period of a pendulum on a spring of 3e7 N/m, from 63°",
          "4 √(l/g) K(sin θ/2)",
          period,
          [](const Scene& scene, const State& end) {  // under its support for the second time
            return (end.time - scene.positions(end)[1][0] / scene.velocities(end)[1][0]) / 0.75;
          }};
}

/// n masses in a row, one end held: ω = 2 √(k/m) sin(π/(4n + 2)), with the shape sin((2j)π/(4n + 2)).
KnownAnswer bar_period() {
  constexpr std::size_t count = 9;
  constexpr double stiffness = 3.1e6, mass = 0.23, angle = pi / (4 * count + 2);
  const double period = 2 * pi / (2 * std::sqrt(stiffness / mass) * std::sin(angle));
  SceneText text(period, {0, 0, 0});
  text.pin({0, 0, 0});
  for (std::size_t j = 1; j <= count; ++j)
    text.particle({0.17 * static_cast<double>(j), 0, 0}, mass,
                  {0.7 * std::sin(2 * angle * static_cast<double>(j)), 0, 0});
  for (std::size_t j = 0; j < count; ++j) text.spring(j, j + 1, stiffness);
  return {{"answer-bar", text.get()},
          "first period of a bar of 9 masses along itself",
          "π √(m/k) / sin(π/38)",
          period,
          [](const Scene& scene, const State& end) { return moment_of_return(scene, end, count, 0); }};
}

/// A mass on two bars at ±α to the horizontal: ω = √(2k/m) sin α upwards, for motions that are small.
KnownAnswer truss_period() {
  constexpr double stiffness = 7.3e5, mass = 1.7, angle = 0.6;
  const double period = 2 * pi / (std::sqrt(2 * stiffness / mass) * std::sin(angle));
  SceneText text(7 * period, {0, 0, 0});
  for (const double side : {-1.0, 1.0}) text.pin({side * std::cos(angle), 0, 0});
  text.particle({0, 0, std::sin(angle)}, mass, {0, 0, 1e-4});
  text.spring(0, 2, stiffness);
  text.spring(1, 2, stiffness);
  return {{"answer-truss", text.get()},
          "period of a mass on two bars, after 7 of them",
          "2π √(m/2k) / sin α",
          period,
          [](const Scene& scene, const State& end) { return moment_of_return(scene, end, 2, 2) / 7; }};
}

/// Timoshenko's beam under its own weight: δ = ρgAl⁴/8EI + ρgl²/2κG, κ = 5/6, G = E/2 without Poisson's
/// effect. Damped critically until it is at rest.
KnownAnswer beam_deflection(int cells) {
  constexpr double young = 1.3e8, density = 1000, length = 1, width = 0.2;
  constexpr double line_load = density * gravity * width * width,
                   second_moment = width * width * width * width / 12;
  constexpr double bending = line_load / (8 * young * second_moment),
                   shear = density * gravity / (2 * 5.0 / 6 * young / 2);
  const double frequency = 3.516 * std::sqrt(young * second_moment / (density * width * width));
  const std::string text = fmt::format(
      "[simulation]\nduration = {}\ntolerance = 1e-3\ngravity = [0, 0, {}]\n[model]\nkind = \"block\"\n"
      "lengths = [{}, {}, {}]\ncells = [{}, {}, {}]\nyoung = {:e}\npoisson = 0.0\ndensity = {}\n"
      "[damping]\nmass_factor = {}\n",
      20 / frequency, -gravity, length, width, width, 5 * cells, cells, cells, young, density, 2 * frequency);
  return {{fmt::format("answer-beam-{}", cells), text},
          fmt::format("sag of a beam, {} linear tetrahedra thick", cells),
          "ρgAl⁴/8EI + ρgl²/2κG",
          bending + shear,
          [](const Scene& scene, const State& end) {
            const auto from = scene.positions(scene.body.start), to = scene.positions(end);
            double sum = 0;
            int count = 0;
            for (std::size_t i = 0; i < from.size(); ++i)
              if (from[i][0] > length - 1e-9) sum += from[i][2] - to[i][2], ++count;
            return sum / count;
          }};
}

}  // namespace

std::vector<KnownAnswer> known_answers() {
  return {pendulum_period(),  bar_period(),       truss_period(),
          beam_deflection(2), beam_deflection(4), beam_deflection(8)};
}

}  // namespace stiffly::app
