// A fibre clamped at its root, and how it gives way to loads at its tip.
#pragma once

#include <memory>

#include "stiffly/fibres/fibre.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly::test {

/// Along z, as thick at the root and the tip as said.
inline CentreLine straight_line(double length, int segments, double root, double tip) {
  CentreLine line;
  for (int i = 0; i <= segments; ++i) {
    const double s = static_cast<double>(i) / segments;
    line.points.emplace_back(0, 0, s * length);
    line.thickness.push_back(root + s * (tip - root));
  }
  return line;
}

/// A helix about z, from its axis' foot.
inline CentreLine helix(double radius, double pitch, double turns, int segments, double thickness) {
  CentreLine line;
  for (int i = 0; i <= segments; ++i) {
    const double turn = turns * i / segments, angle = 2 * 3.14159265358979323846 * turn;
    line.points.emplace_back(radius * std::cos(angle), radius * std::sin(angle), pitch * turn);
    line.thickness.push_back(thickness);
  }
  return line;
}

/// The fibre as a system, the first cross-section pinned if it is clamped.
inline std::unique_ptr<ParticleSystem> fibre_system(const FibreShape& shape, bool clamped = true) {
  Particles p;
  for (const Eigen::Vector3d& x : shape.position) p.position.push_back({x.x(), x.y(), x.z()});
  p.velocity.resize(p.size());
  p.mass = shape.mass;
  p.pinned.resize(p.size());
  if (clamped) std::fill_n(p.pinned.begin(), fibre::corners, true);
  auto system = std::make_unique<ParticleSystem>(p);
  std::vector<Spring> springs = shape.springs;
  for (Spring& spring : springs)
    for (int* end : {&spring.first, &spring.second}) *end = system->rank()[static_cast<std::size_t>(*end)];
  system->add(std::make_unique<Springs>(std::move(springs), p.size()));
  system->finish();
  return system;
}

/// K at rest.
inline Eigen::MatrixXd stiffness_at_rest(const ParticleSystem& system) {
  const State start = system.initial_state();
  Tangent tangent;
  system.tangent(0, start.x(), start.v(), tangent);
  return tangent.stiffness.to_dense();
}

}  // namespace stiffly::test
