// Fibres of all kinds, for batches and as systems of particles.
#pragma once

#include <Eigen/Geometry>
#include <memory>
#include <numbers>
#include <random>

#include "stiffly/fibres/batch.hpp"
#include "stiffly/forces/gravity.hpp"
#include "stiffly/forces/rayleigh_damping.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly::test {

/// Shaken along an axis, and turned about it: smooth from the start on.
class Shake final : public Motion {
 public:
  Shake(const Eigen::Vector3d& axis, double amplitude, double angle, double frequency)
      : axis_(axis.normalized()),
        amplitude_(amplitude),
        angle_(angle),
        omega_(2 * std::numbers::pi * frequency) {}

  void place(double t, std::span<const double> start, std::span<double> x,
             std::span<double> v) const override {
    const double swing = 1 - std::cos(omega_ * t), rate = omega_ * std::sin(omega_ * t);
    const Eigen::Matrix3d R = Eigen::AngleAxisd(angle_ * swing, axis_).toRotationMatrix();
    for (std::size_t i = 0; i < start.size(); i += 3) {
      const Eigen::Vector3d arm = R * Eigen::Vector3d::Map(start.data() + i);
      Eigen::Vector3d::Map(x.data() + i) = arm + amplitude_ * swing * axis_;
      Eigen::Vector3d::Map(v.data() + i) = rate * (amplitude_ * axis_ + angle_ * axis_.cross(arm));
    }
  }

 private:
  Eigen::Vector3d axis_;
  double amplitude_, angle_, omega_;
};

inline const Eigen::Vector3d test_gravity(0.3, -0.7, -9.81);

/// What the random numbers leave open.
struct FibreKind {
  double damping_time = 0;  ///< s
  double drag = 0;          ///< 1/s, of the masses
  bool shaken = false;
};

/// A curled fibre of 1 to 10 segments somewhere in space, moving.
inline MovingFibre random_fibre(std::size_t number, const FibreKind& kind = {}) {
  std::mt19937 random(static_cast<unsigned>(number) + 17);
  const auto between = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  const int segments = std::uniform_int_distribution<int>(1, 10)(random);
  const double length = between(0.01, 0.03) * segments, radius = between(0.001, 0.02);
  const double turns = between(0.1, 0.6), phase = between(0, 6);
  CentreLine line;
  for (int i = 0; i <= segments; ++i) {
    const double s = static_cast<double>(i) / segments, angle = phase + 2 * std::numbers::pi * turns * s;
    line.points.emplace_back(0.1 * phase + radius * std::cos(angle), radius * std::sin(angle),
                             0.2 - length * s);
    line.thickness.push_back(between(5e-5, 3e-4));
  }
  MovingFibre out;
  out.number = number;
  out.shape =
      make_fibre(line, {.young = between(1e9, 5e9), .torsion = between(2e8, 1e9), .density = 1300}, number);
  for (Spring& s : out.shape.springs) s.damping = kind.damping_time * s.stiffness;
  const Eigen::Vector3d wind(between(-1, 1), between(-1, 1), between(-1, 1));
  for (std::size_t p = 0; p < out.shape.position.size(); ++p) {
    const double s = p < batch::corners ? 0 : static_cast<double>(p / batch::corners) / segments;
    for (int d = 0; d < 3; ++d) out.velocity.push_back(0.3 * s * s * wind[d]);
    if (kind.drag == 0) continue;
    out.drag.push_back(kind.drag * out.shape.mass[p] * between(0.5, 2));
    for (int d = 0; d < 3; ++d) out.force.push_back(out.drag.back() * wind[d]);
  }
  if (kind.shaken) out.motion = std::make_shared<Shake>(wind, between(0.001, 0.01), between(0, 0.3), 2.3);
  return out;
}

/// The same as a system of particles, in the same order but for the root, which comes last.
inline std::unique_ptr<ParticleSystem> particle_system(const MovingFibre& fibre) {
  Particles p;
  for (const Eigen::Vector3d& x : fibre.shape.position) p.position.push_back({x.x(), x.y(), x.z()});
  for (std::size_t i = 0; i < p.size(); ++i)
    p.velocity.push_back({fibre.velocity[3 * i], fibre.velocity[3 * i + 1], fibre.velocity[3 * i + 2]});
  p.mass = fibre.shape.mass;
  p.pinned.assign(p.size(), false);
  std::fill_n(p.pinned.begin(), batch::corners, true);
  auto system = std::make_unique<ParticleSystem>(p);
  std::vector<Spring> springs = fibre.shape.springs;
  for (Spring& s : springs)
    for (int* end : {&s.first, &s.second}) *end = system->rank()[static_cast<std::size_t>(*end)];
  const auto masses = system->masses();
  auto elastic = std::make_unique<Springs>(std::move(springs), p.size());
  if (!fibre.drag.empty()) {
    std::vector<double> coefficients;
    for (std::size_t i = batch::corners; i < p.size(); ++i)
      for (int d = 0; d < 3; ++d) coefficients.push_back(fibre.drag[i]);
    Force* const forces[] = {elastic.get()};
    system->add(
        std::make_unique<RayleighDamping>(1.0, 0.0, MassMatrix::diagonal(coefficients),
                                          stiffness_of_all_particles(forces, system->start_positions())));
  }
  for (int d = 0; d < 3 && !fibre.force.empty(); ++d) {
    std::vector<double> along;
    for (const int particle : system->order())
      along.push_back(fibre.force[static_cast<std::size_t>(3 * particle + d)]);
    system->add(std::make_unique<ForceField>(Eigen::Vector3d(Eigen::Vector3d::Unit(d)), std::move(along)));
  }
  system->add(std::move(elastic));
  system->add(std::make_unique<Gravity>(test_gravity, std::vector<double>(masses.begin(), masses.end())));
  const int root[] = {0, 1, 2, 3};
  if (fibre.motion) system->prescribe(root, fibre.motion);
  system->finish();
  return system;
}

inline std::vector<MovingFibre> random_fibres(std::size_t first, std::size_t count, const FibreKind& kind) {
  std::vector<MovingFibre> out;
  for (std::size_t i = first; i < first + count; ++i) out.push_back(random_fibre(i, kind));
  return out;
}

}  // namespace stiffly::test
