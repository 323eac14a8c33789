#include "trust_scenes.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "scene_text.hpp"

namespace stiffly::app {
namespace {

using Text = SceneText;
using Point = Text::Point;

constexpr Point down = {0, 0, -9.81}, none = {0, 0, 0};

Point cross(const Point& a, const Point& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

TrustScene double_pendulum(double stiffness) {
  Text text(1.3, down);
  text.pin({0, 0, 0});
  text.particle({0.87, 0, -0.48}, 1.1);
  text.particle({1.21, 0.1, -1.15}, 0.7);
  text.spring(0, 1, stiffness);
  text.spring(1, 2, stiffness);
  return {fmt::format("double-pendulum-{:.0e}", stiffness), text.get()};
}

TrustScene cube() {
  Text text(2, none);
  std::vector<Point> corners;
  for (int i = 0; i < 8; ++i) corners.push_back({(i & 1) - 0.5, (i >> 1 & 1) - 0.5, (i >> 2) - 0.5});
  const double length = std::sqrt(14.0);
  const Point spin = {3 / length, 2 * 3 / length, 3 * 3 / length};  // 3 rad/s
  for (const Point& at : corners) text.particle(at, 0.13, cross(spin, at));
  for (std::size_t i = 0; i < 8; ++i)
    for (std::size_t j = i + 1; j < 8; ++j) text.spring(i, j, 1e5);
  return {"spinning-cube", text.get()};
}

TrustScene ring() {
  constexpr std::size_t count = 13;
  Text text(1, none);
  for (std::size_t i = 0; i < count; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / count;
    const Point at = {std::cos(angle), std::sin(angle), 0};
    text.particle(at, 0.09, cross({0.7, 0, 5}, at));
  }
  for (std::size_t i = 0; i < count; ++i) {
    text.spring(i, (i + 1) % count, 3e7);
    text.spring(i, (i + 2) % count, 3e5);
    text.spring(i, (i + 5) % count, 1e5);
  }
  return {"spinning-ring", text.get()};
}

TrustScene built_in(std::string name, std::vector<Override> overrides = {}) {
  return {std::move(name), "", std::move(overrides)};
}

TrustScene flag_in_constant_wind() {
  return {
      "flag-in-constant-wind",
      "[simulation]\nduration = 0.3\ntolerance = 1e-3\ngravity = [0, 0, -9.81]\n[model]\nkind = \"flag\"\n"
      "rows = 5\ncolumns = 7\nstructural = 1e4\nshear = 1e3\nbending = 1e2\nlaw = \"cubic\"\n"
      "area_density = 0.15\nwind = [7, 2, 0]\n"};
}

}  // namespace

TrustScene pendulum(double stiffness) {
  const double angle = std::numbers::pi / 3;
  Text text(2, down);
  text.pin({0, 0, 0});
  text.particle({std::sin(angle), 0, -std::cos(angle)}, 1);
  text.spring(0, 1, stiffness);
  return {fmt::format("pendulum-{:.0e}", stiffness), text.get()};
}

TrustScene truss() {
  constexpr std::size_t bays = 7;
  constexpr double stiffness = 2.3e6;
  Text text(2, none);
  for (const double z : {0.0, 1.0}) text.pin({0, 0, z});
  for (std::size_t i = 1; i <= bays; ++i)
    for (const double z : {0.0, 1.0})
      text.particle({static_cast<double>(i), 0, z}, 3.7, {0, 0, i == bays ? 0.05 : 0});  // plucked at its end
  for (std::size_t i = 0; i <= bays; ++i) {
    const std::size_t a = 2 * i;
    text.spring(a, a + 1, stiffness);
    if (i == bays) break;
    text.spring(a, a + 2, stiffness);
    text.spring(a + 1, a + 3, stiffness);
    text.spring(a, a + 3, stiffness);
    text.spring(a + 1, a + 2, stiffness);
  }
  return {"truss", text.get()};
}

std::vector<TrustScene> spinning_scenes() { return {cube(), ring()}; }

std::vector<TrustScene> tolerance_scenes() {
  return {
      pendulum(1e3),
      pendulum(1e5),
      pendulum(1e7),
      pendulum(1e9),
      double_pendulum(1e3),
      double_pendulum(1e6),
      double_pendulum(1e9),
      cube(),
      ring(),
      truss(),
      built_in("chain"),
      built_in("fput", {{"simulation.duration", "7"}}),
      {"cantilever",
       "[simulation]\nduration = 0.7\ntolerance = 1e-3\ngravity = [0, 0, -9.81]\n[model]\nkind = \"block\"\n"
       "cells = [10, 2, 2]\n"},
      flag_in_constant_wind()};
}

std::vector<TrustScene> bound_scenes() {
  std::vector<TrustScene> out = tolerance_scenes();
  for (const char* name : {"wave", "dahlquist", "overdamped", "damped-spring"}) out.push_back(built_in(name));
  out.push_back(built_in("flag", {{"size", "small"}, {"simulation.duration", "0.3"}}));
  out.push_back(built_in("bristle"));
  out.push_back(built_in("hair", {{"count", "1"}, {"simulation.duration", "0.7"}}));
  for (const char* name : {"coil", "tower", "bunny", "dragon"})
    out.push_back(built_in(name, {{"size", "small"}, {"simulation.duration", "0.7"}}));
  out.push_back(built_in("slope"));
  out.push_back(built_in("drape", {{"rows", "7"}, {"columns", "7"}, {"simulation.duration", "0.2"}}));
  out.push_back(built_in("pile", {{"model.count", "3"}, {"simulation.duration", "0.17"}}));
  out.push_back(built_in(
      "swimmer",
      {{"sections", "12"}, {"head_sides", "3"}, {"head_rings", "1"}, {"simulation.duration", "0.1"}}));
  return out;
}

}  // namespace stiffly::app
