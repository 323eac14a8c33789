// Bodies of stiff springs that turn: pendulums, rings, a cube, a chain.
#pragma once

#include <cmath>
#include <Eigen/Dense>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

#include "stiffly/forces/gravity.hpp"
#include "stiffly/forces/springs.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly::test {

/// Particles joined by springs at their rest lengths, with gravity along −z.
inline std::unique_ptr<ParticleSystem> springs_between(const Particles& p,
                                                       const std::vector<std::pair<int, int>>& pairs,
                                                       double stiffness, double gravity) {
  auto system = std::make_unique<ParticleSystem>(p);
  std::vector<Spring> springs;
  for (const auto& [i, j] : pairs) {
    const auto x = [&](int k) {
      return Eigen::Vector3d::Map(p.position[static_cast<std::size_t>(k)].data());
    };
    springs.push_back({system->rank()[static_cast<std::size_t>(i)],
                       system->rank()[static_cast<std::size_t>(j)], stiffness, (x(i) - x(j)).norm()});
  }
  system->add(std::make_unique<Springs>(springs, p.size()));
  if (gravity != 0)
    system->add(
        std::make_unique<Gravity>(Eigen::Vector3d(0, 0, -gravity),
                                  std::vector<double>(system->masses().begin(), system->masses().end())));
  system->finish();
  return system;
}

inline void add_particle(Particles& p, const Eigen::Vector3d& x, const Eigen::Vector3d& v, double mass,
                         bool pinned = false) {
  p.position.push_back({x(0), x(1), x(2)});
  p.velocity.push_back({v(0), v(1), v(2)});
  p.mass.push_back(mass);
  p.pinned.push_back(pinned);
}

/// A mass of 1 kg on a spring of 1 m, let go at 60° from the vertical.
inline std::unique_ptr<ParticleSystem> pendulum(double stiffness) {
  const double angle = std::numbers::pi / 3;
  Particles p;
  add_particle(p, {0, 0, 0}, {0, 0, 0}, 1, true);
  add_particle(p, {std::sin(angle), 0, -std::cos(angle)}, {0, 0, 0}, 1);
  return springs_between(p, {{0, 1}}, stiffness, 10);
}

/// 1 kg on a spring of 1 m, and 0.6 kg on one of 0.7 m below it, let go at 60° and 80° in different planes.
inline std::unique_ptr<ParticleSystem> double_pendulum(double stiffness) {
  const auto hanging = [](double angle, double plane) {
    return Eigen::Vector3d(std::sin(angle) * std::cos(plane), std::sin(angle) * std::sin(plane),
                           -std::cos(angle));
  };
  const Eigen::Vector3d first = hanging(1.05, 0), second = first + 0.7 * hanging(1.4, 0.6);
  Particles p;
  add_particle(p, {0, 0, 0}, {0, 0, 0}, 1, true);
  add_particle(p, first, {0, 0, 0}, 1);
  add_particle(p, second, {0, 0, 0}, 0.6);
  return springs_between(p, {{0, 1}, {1, 2}}, stiffness, 10);
}

/// A wheel of nine particles of 0.1 kg, 0.5 m from a tenth in the middle, with springs along rim and spokes:
/// it spins at about 7 rad/s about an axis askew, and flies.
inline std::unique_ptr<ParticleSystem> spinning_ring(double stiffness) {
  Particles p;
  std::vector<std::pair<int, int>> pairs;
  const Eigen::Vector3d spin(1, 2, 6.6), flight(0.3, -0.2, 0.5);
  constexpr int count = 9;
  for (int i = 0; i < count; ++i) {
    const double angle = 2 * std::numbers::pi * i / count;
    const Eigen::Vector3d x(0.5 * std::cos(angle), 0.5 * std::sin(angle), 0.04 * (i % 3));
    add_particle(p, x, flight + spin.cross(x), 0.1);
    pairs.emplace_back(i, (i + 1) % count);
    pairs.emplace_back(i, count);
    pairs.emplace_back(i, (i + 2) % count);
  }
  add_particle(p, {0, 0, 0}, flight, 0.1);
  return springs_between(p, pairs, stiffness, 0);
}

/// A cube of 0.5 m edges, all of its corners joined, spinning at about 7 rad/s about an axis askew.
inline std::unique_ptr<ParticleSystem> spinning_cube(double stiffness) {
  Particles p;
  std::vector<std::pair<int, int>> pairs;
  const Eigen::Vector3d spin(2, 6, 3);
  for (int i = 0; i < 8; ++i) {
    const Eigen::Vector3d x = 0.5 * Eigen::Vector3d(i & 1, (i >> 1) & 1, i >> 2).array() - 0.25;
    add_particle(p, x, spin.cross(x), 0.1 + 0.013 * i);
    for (int j = 0; j < i; ++j) pairs.emplace_back(i, j);
  }
  return springs_between(p, pairs, stiffness, 0);
}

/// Ten links of 0.1 m and 10 g, held at one end, falling from the horizontal.
inline std::unique_ptr<ParticleSystem> falling_chain(double stiffness) {
  Particles p;
  std::vector<std::pair<int, int>> pairs;
  for (int i = 0; i <= 10; ++i) {
    add_particle(p, {0.1 * i, 0, 0}, {0, 0, 0}, 0.01, i == 0);
    if (i > 0) pairs.emplace_back(i - 1, i);
  }
  return springs_between(p, pairs, stiffness, 9.81);
}

}  // namespace stiffly::test
