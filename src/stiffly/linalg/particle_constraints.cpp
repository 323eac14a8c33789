#include "stiffly/linalg/particle_constraints.hpp"

#include <fmt/format.h>

#include <cmath>
#include <Eigen/Geometry>

#include "stiffly/error.hpp"
#include "stiffly/linalg/on_host.hpp"

namespace stiffly {

void ParticleConstraints::fix(int particle, const Eigen::Vector3d& velocity) {
  for (int i = 0; i < 3; ++i) add(particle, Eigen::Vector3d::Unit(i), velocity(i));
}

void ParticleConstraints::keep_on_line(int particle, const Eigen::Vector3d& direction,
                                       const Eigen::Vector3d& velocity) {
  if (!(direction.norm() > 0))
    throw InputError(fmt::format("particle {}: a line needs a direction that is not zero", particle));
  const Eigen::Vector3d first = direction.unitOrthogonal(), second = direction.normalized().cross(first);
  for (const Eigen::Vector3d& across : {first, second}) add(particle, across, velocity.dot(across));
}

void ParticleConstraints::keep_in_plane(int particle, const Eigen::Vector3d& normal, double speed) {
  add(particle, normal, speed);
}

void ParticleConstraints::add(int particle, const Eigen::Vector3d& direction, double speed) {
  if (!(direction.norm() > 0) || !direction.allFinite() || !std::isfinite(speed))
    throw InputError(fmt::format(
        "particle {}: a constraint needs a finite direction that is not zero, and a finite speed", particle));
  std::vector<Direction>& known = constraints_[particle];
  const Eigen::Vector3d unit = direction.normalized();
  Eigen::Vector3d rest = unit;
  double rest_speed = speed;
  for (const Direction& d : known) {
    const double part = unit.dot(d.unit);
    rest -= part * d.unit;
    rest_speed -= part * d.speed;
  }
  constexpr double same = 1e-8;  // directions closer than this are one
  const double length = rest.norm();
  if (length > same) {
    known.push_back({rest / length, rest_speed / length});
    return;
  }
  double scale = std::abs(speed);
  for (const Direction& d : known) scale = std::max(scale, std::abs(d.speed));
  if (std::abs(rest_speed) > 1e-6 * scale)
    throw InputError(
        fmt::format("particle {}: two constraints along ({:.3g}, {:.3g}, {:.3g}) contradict each other: "
                    "{:.6g} m/s and {:.6g} m/s",
                    particle, unit.x(), unit.y(), unit.z(), speed - rest_speed, speed));
}

void ParticleConstraints::project(VectorView x) const {
  change_on_host(x, [this](std::span<double> values) {
    for (const auto& [particle, directions] : constraints_) {
      Eigen::Map<Eigen::Vector3d> here(values.data() + 3 * static_cast<std::ptrdiff_t>(particle));
      if (directions.size() == 3)
        here.setZero();
      else
        for (const Direction& d : directions) here -= d.unit.dot(here) * d.unit;
    }
  });
}

void ParticleConstraints::prescribe(VectorView v) const {
  project(v);
  change_on_host(v, [this](std::span<double> values) {
    for (const auto& [particle, directions] : constraints_)
      for (const Direction& d : directions)
        Eigen::Map<Eigen::Vector3d>(values.data() + 3 * static_cast<std::ptrdiff_t>(particle)) +=
            d.speed * d.unit;
  });
}

}  // namespace stiffly
