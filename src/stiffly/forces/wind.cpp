#include "stiffly/forces/wind.hpp"

#include <fmt/format.h>

#include <cmath>
#include <Eigen/Geometry>
#include <numbers>

#include "stiffly/error.hpp"
#include "stiffly/forces/sines.hpp"
#include "stiffly/linalg/matrix3.hpp"
#include "stiffly/system/partition.hpp"

namespace stiffly {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using std::numbers::pi;

constexpr int waves = 8;

/// The waves of the gusts, for length, period and strength 1.
struct Waves {
  Eigen::Matrix<double, 3, waves> amplitudes;
  Eigen::Matrix<double, waves, 3> numbers;
  Eigen::Vector<double, waves> frequencies, phases;
};

/// Directions spread over the sphere by the golden angle; lengths and periods shrink by ratios without a
/// common measure.
const Waves& all_waves() {
  static const Waves made = [] {
    Waves out;
    const double golden = (std::sqrt(5.0) - 1) / 2;
    for (int m = 0; m < waves; ++m) {
      const double z = 1 - (2 * m + 1.0) / waves, angle = 2 * pi * golden * m, r = std::sqrt(1 - z * z);
      const Vector3d direction(r * std::cos(angle), r * std::sin(angle), z);
      const Vector3d across(-std::sin(angle), std::cos(angle), 0);
      const double swing = 2 * pi * golden * golden * m;
      const Vector3d amplitude = std::cos(swing) * across + std::sin(swing) * direction.cross(across);
      out.amplitudes.col(m) = std::sqrt(2.0 / waves) * amplitude;
      out.numbers.row(m) = 2 * pi * std::pow(1.31, m) * direction;
      out.frequencies(m) = 2 * pi * std::pow(1.23, m);
      out.phases(m) = 2 * pi * golden * (m + 1) * (m + 1);
    }
    return out;
  }();
  return made;
}

/// Of each wave, ahead by `ahead` of its angle.
Eigen::Vector<double, waves> sines(const Wind& wind, double t, const Vector3d& x, double ahead = 0) {
  const Waves& all = all_waves();
  Eigen::Vector<double, waves> out =
      all.numbers * (x / wind.gust_length) - t / wind.gust_period * all.frequencies + all.phases;
  out.array() += ahead;
  take_sines(out.data(), waves);
  return out;
}

}  // namespace

Vector3d Wind::velocity(double t, const Vector3d& x) const {
  if (gusts == 0) return mean;
  return mean + gusts * mean.norm() * all_waves().amplitudes * sines(*this, t, x);
}

Matrix3d Wind::gradient(double t, const Vector3d& x) const {
  if (gusts == 0) return Matrix3d::Zero();
  const auto cosines = sines(*this, t, x, pi / 2);
  return gusts * mean.norm() / gust_length *
         (all_waves().amplitudes * cosines.asDiagonal() * all_waves().numbers);
}

WindForce::WindForce(std::span<const Triangle> triangles, std::size_t particles, Wind wind, WindLaw law,
                     double coefficient)
    : ElementForce(ElementAssembly(triangles, particles, "triangle in the wind")),
      wind_(std::move(wind)),
      law_(law),
      coefficient_(coefficient) {
  const auto check = [](bool good, const char* what, double value) {
    if (!(good && std::isfinite(value))) throw InputError(fmt::format("wind: {}, not {}", what, value));
  };
  check(wind_.mean.allFinite(), "the mean velocity must be finite", wind_.mean.norm());
  check(wind_.gusts >= 0, "gusts must be finite and not negative", wind_.gusts);
  check(wind_.gust_length > 0, "the length of gusts must be positive and finite", wind_.gust_length);
  check(wind_.gust_period > 0, "the period of gusts must be positive and finite", wind_.gust_period);
  check(coefficient >= 0, "the drag coefficient must be finite and not negative", coefficient);
}

/// What a triangle feels.
struct WindForce::Stream {
  Matrix3d x;                              ///< corners
  double area;                             ///< 0: the triangle has no normal and feels nothing
  Vector3d normal, relative;               ///< n, u
  double pressure = 0, pressure_rate = 0;  ///< p(u_n), p'(u_n)
};

WindForce::Stream WindForce::stream(std::size_t triangle, const Configuration& q) const {
  Stream s;
  s.x = elements_.gather<3>(triangle, q.x);
  const Vector3d twice = (s.x.col(1) - s.x.col(0)).cross(s.x.col(2) - s.x.col(0));
  s.area = 0.5 * twice.norm();
  if (s.area == 0) return s;
  s.normal = twice / (2 * s.area);
  s.relative =
      wind_.velocity(q.time, s.x.rowwise().mean()) - elements_.gather<3>(triangle, q.v).rowwise().mean();
  const double u = s.normal.dot(s.relative);
  const bool quadratic = law_ == WindLaw::quadratic;
  s.pressure = coefficient_ * u * (quadratic ? std::abs(u) : 1);
  s.pressure_rate = coefficient_ * (quadratic ? 2 * std::abs(u) : 1);
  return s;
}

Matrix3d WindForce::forces(std::size_t triangle, const Configuration& q) const {
  const Stream s = stream(triangle, q);
  if (s.area == 0) return Matrix3d::Zero();
  return (s.area * s.pressure / 3 * s.normal).replicate<1, 3>();
}

void WindForce::add_force(const Configuration& q, std::span<double> f) const {
  elements_.for_each([&](std::size_t e) { elements_.add_force(e, forces(e, q), f); });
}

std::vector<std::unique_ptr<Force>> WindForce::parts(const Partition& partition) const {
  std::vector<std::unique_ptr<Force>> out;
  for (const PieceElements& piece : divided(elements_, partition)) {
    std::vector<Triangle> triangles;
    for (const auto& corners : piece.corners) triangles.push_back({corners[0], corners[1], corners[2]});
    out.push_back(std::make_unique<WindForce>(triangles, partition.particles(out.size()).size(), wind_, law_,
                                              coefficient_));
  }
  return out;
}

ForcePower WindForce::power(const Configuration& q) const {
  return elements_.sum([&](std::size_t e) {
    const Matrix3d f = forces(e, q);
    return ForcePower{.dissipated = -f.cwiseProduct(elements_.gather<3>(e, q.v)).sum(),
                      .supports = elements_.power_of_supports(e, f, q)};
  });
}

// With the area vector a = A n = ½ (x_1−x_0)×(x_2−x_0):  ∂F/∂a = p I + p' n (u − u_n n)ᵀ,  ∂F/∂u = A p' n nᵀ,
// ∂a/∂x_b = ½ [x_{b+2} − x_{b+1}]_×, and u changes by ∇w/3 with each corner's place, by −1/3 with its
// velocity.
void WindForce::add_tangent(const Configuration& q, Tangent& tangent) const {
  elements_.for_each([&](std::size_t e) {
    const Stream s = stream(e, q);
    if (s.area == 0) return;
    const Vector3d along = s.relative - s.normal.dot(s.relative) * s.normal;
    const Matrix3d by_area =
        s.pressure * Matrix3d::Identity() + s.pressure_rate * s.normal * along.transpose();
    const Matrix3d gradient = wind_.gradient(q.time, s.x.rowwise().mean());
    const Matrix3d by_flow = s.area * s.pressure_rate * s.normal * s.normal.transpose();
    Matrix9d K;
    for (int b = 0; b < 3; ++b) {
      const Vector3d opposite = s.x.col((b + 2) % 3) - s.x.col((b + 1) % 3);
      const Matrix3d block = by_area * 0.5 * cross_matrix(opposite) + by_flow * gradient / 3;
      for (int a = 0; a < 3; ++a) K.block<3, 3>(3 * a, 3 * b) = -block / 3;
    }
    elements_.add_matrix(e, (0.5 * (K + K.transpose())).eval(), tangent.stiffness);
    elements_.add_matrix(e, (0.5 * (K - K.transpose())).eval(), tangent.circulatory);
    elements_.add_blocks(
        e, [&](auto, auto) { return by_flow / 9; }, tangent.damping);
  });
}

}  // namespace stiffly
