#include "stiffly/forces/stokeslets.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>

#include "stiffly/error.hpp"
#include "stiffly/linalg/parallel.hpp"

namespace stiffly {
namespace {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::Vector3d;

Vector3d point(std::span<const double> x, Index i) { return Vector3d::Map(x.data() + 3 * i); }

/// So many targets at a time: what is known of them fits into the fastest cache, and the sources pass by.
constexpr std::size_t targets_at_once = 64;
/// Points whose rows of G are made by one thread at a time.
constexpr std::size_t rows_at_once = 16;

/// The velocities of one block of targets.
struct TargetBlock {
  std::array<double, targets_at_once> x{}, y{}, z{}, u{}, v{}, w{};

  /// Adds (g (R² + ε²) + (g·r) r)/R³ of one source. One lane per target: no sum crosses lanes.
  void add(const double* source, const double* g, double blob2) {
    const double sx = source[0], sy = source[1], sz = source[2], gx = g[0], gy = g[1], gz = g[2];
    for (std::size_t t = 0; t < targets_at_once; ++t) {
      const double rx = x[t] - sx, ry = y[t] - sy, rz = z[t] - sz;
      const double R2 = rx * rx + ry * ry + rz * rz + blob2;
      const double inverse3 = 1 / (R2 * std::sqrt(R2));
      const double across = (R2 + blob2) * inverse3, along = (gx * rx + gy * ry + gz * rz) * inverse3;
      u[t] += across * gx + along * rx;
      v[t] += across * gy + along * ry;
      w[t] += across * gz + along * rz;
    }
  }
};

}  // namespace

Stokeslets::Stokeslets(double viscosity, double blob)
    : viscosity_(viscosity), blob_(blob), scale_(1 / (8 * std::numbers::pi * viscosity)) {
  if (!(std::isfinite(viscosity) && viscosity > 0))
    throw InputError(fmt::format("the viscosity must be positive and finite, not {} Pa s", viscosity));
  if (!(std::isfinite(blob) && blob > 0))
    throw InputError(fmt::format("the size of blobs must be positive and finite, not {} m", blob));
}

Matrix3d Stokeslets::mobility(const Vector3d& r) const {
  const double e2 = blob_ * blob_, R2 = r.squaredNorm() + e2, c = scale_ / (R2 * std::sqrt(R2));
  return c * ((R2 + e2) * Matrix3d::Identity() + r * r.transpose());
}

// With R' = r/R:  −g rᵀ(1/R³ + 3ε²/R⁵) + ((g·r) I + r gᵀ)/R³ − 3 (g·r) r rᵀ/R⁵
Matrix3d Stokeslets::gradient(const Vector3d& r, const Vector3d& g) const {
  const double e2 = blob_ * blob_, R2 = r.squaredNorm() + e2, c = scale_ / (R2 * std::sqrt(R2));
  const double along = g.dot(r);
  return c * (along * Matrix3d::Identity() + r * g.transpose() - (1 + 3 * e2 / R2) * g * r.transpose() -
              3 * along / R2 * r * r.transpose());
}

Eigen::MatrixXd Stokeslets::mobility_matrix(std::span<const double> points) const {
  const auto n = static_cast<Index>(points.size() / 3);
  Eigen::MatrixXd G(3 * n, 3 * n);
  for_chunks<rows_at_once>(static_cast<std::size_t>(n), [&](std::size_t first, std::size_t last) {
    for (auto j = static_cast<Index>(first); j < static_cast<Index>(last); ++j)
      for (Index i = 0; i < n; ++i)
        G.block<3, 3>(3 * i, 3 * j) = mobility(point(points, i) - point(points, j));
  });
  return G;
}

// Block (i, j) of G changes with x_i and, by the opposite, with x_j; diagonal blocks do not change.
Eigen::MatrixXd Stokeslets::mobility_change(std::span<const double> points, const Eigen::VectorXd& g) const {
  const auto n = static_cast<Index>(points.size() / 3);
  Eigen::MatrixXd B = Eigen::MatrixXd::Zero(3 * n, 3 * n);
  for_chunks<rows_at_once>(static_cast<std::size_t>(n), [&](std::size_t first, std::size_t last) {
    for (auto i = static_cast<Index>(first); i < static_cast<Index>(last); ++i)
      for (Index j = 0; j < n; ++j) {
        if (i == j) continue;
        const Matrix3d D = gradient(point(points, i) - point(points, j), g.segment<3>(3 * j));
        B.block<3, 3>(3 * i, 3 * i) += D;
        B.block<3, 3>(3 * i, 3 * j) = -D;
      }
  });
  return B;
}

void Stokeslets::velocity(std::span<const double> sources, std::span<const double> forces,
                          std::span<const double> targets, std::span<double> u) const {
  const std::size_t count = targets.size() / 3;
  for_chunks<targets_at_once>(count, [&](std::size_t first, std::size_t last) {
    TargetBlock block;
    for (std::size_t t = first; t < last; ++t) {
      block.x[t - first] = targets[3 * t];
      block.y[t - first] = targets[3 * t + 1];
      block.z[t - first] = targets[3 * t + 2];
    }
    for (std::size_t s = 0; s < sources.size(); s += 3) block.add(&sources[s], &forces[s], blob_ * blob_);
    for (std::size_t t = first; t < last; ++t) {
      u[3 * t] = scale_ * block.u[t - first];
      u[3 * t + 1] = scale_ * block.v[t - first];
      u[3 * t + 2] = scale_ * block.w[t - first];
    }
  });
}

}  // namespace stiffly
