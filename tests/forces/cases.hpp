// Every force in a small system of random particles, for the tests that all of them must pass.
#pragma once

#include <Eigen/Dense>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "stiffly/system/force.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly::test {

using Random = std::mt19937;
using Points = std::vector<Eigen::Vector3d>;

/// Particles in the inner order (free ones first).
struct Setting {
  Points rest;
  std::vector<double> masses;
  std::size_t free = 0;
};

struct Case {
  std::string name;
  std::function<std::unique_ptr<Force>(const Setting&, Random&)> make;
  bool internal = false;  ///< between the particles only: objective, at rest in the rest shape, no momentum
};

/// All forces, in cases.cpp's order of the issue.
const std::vector<Case>& cases();
/// Places of those that are internal.
std::vector<std::size_t> internal_cases();

constexpr int particles = 9;

/// Five tetrahedra on the nine particles, positive in `rest`.
std::vector<std::array<int, 4>> tetrahedra_of(const Points& rest);
/// Normally distributed points in which none of these tetrahedra is flat.
Points random_points(Random& random);

inline std::array<double, 3> to_array(const Eigen::Vector3d& x) { return {x(0), x(1), x(2)}; }
inline Eigen::Map<const Eigen::VectorXd> map(const Vector& x) {
  return {host(x).data(), static_cast<Eigen::Index>(x.size())};
}

}  // namespace stiffly::test
