#include "stiffly/contact/ellipsoid.hpp"

#include <fmt/format.h>

#include <cmath>
#include <Eigen/LU>

#include "stiffly/error.hpp"

namespace stiffly {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// Of half an axis: nearer than that to a plane of symmetry, the nearest point is one on either side.
constexpr double on_the_plane = 1e-12;

class Ellipsoid final : public SolidShape {
 public:
  Ellipsoid(const Vector3d& centre, const Vector3d& half_axes) : centre_(centre), r_(half_axes) {
    if (!centre.allFinite()) throw InputError("the centre of an ellipsoid must be finite");
    if (!half_axes.allFinite() || !(half_axes.minCoeff() > 0))
      throw InputError(
          fmt::format("half the axes of an ellipsoid must be positive and finite, not {}, {}, {}",
                      half_axes.x(), half_axes.y(), half_axes.z()));
  }

  // With p the nearest point and n the normal there, S the curvature of the surface:
  //   d = n·(x − p),  ∇d = n,  ∇²d = S(I + dS)⁻¹.
  std::optional<Distance> within(double reach, const Vector3d& x) const override {
    const Vector3d y = x - centre_;
    const double size = y.cwiseQuotient(r_).norm();  // no point is nearer than this says
    if (!((size - 1) * (size > 1 ? r_.minCoeff() : r_.maxCoeff()) < reach)) return std::nullopt;
    const Vector3d p = nearest(y), gradient = p.cwiseQuotient(r_.cwiseAbs2()), n = gradient.normalized();
    const double d = n.dot(y - p);
    if (!(d < reach)) return std::nullopt;
    const Matrix3d across = Matrix3d::Identity() - n * n.transpose();
    const Matrix3d S = across * r_.cwiseAbs2().cwiseInverse().asDiagonal() * across / gradient.norm();
    const Matrix3d focus = Matrix3d::Identity() + d * S;
    return Distance{d, n, focus.determinant() > 1e-9 ? Matrix3d(S * focus.inverse()) : Matrix3d::Zero()};
  }
  bool is_convex() const override { return true; }

 private:
  // p_i = r_i² y_i/(t + r_i²), with t the root of |q(t)| = 1, q_i = r_i y_i/(t + r_i²), beyond all poles.
  // There 1/|q| rises, nearly on a straight line, and is concave, so that Newton's method goes up to it from
  // where one q_i alone is 1, in few steps [Moré and Sorensen 1983].
  Vector3d nearest(Vector3d y) const {
    const Eigen::Array3d r = r_.array(), r2 = r.square();
    const Eigen::Array3d least = on_the_plane * r;
    for (int i = 0; i < 3; ++i)
      if (std::abs(y[i]) < least[i]) y[i] = std::copysign(least[i], y[i]);
    const Eigen::Array3d ry = r * y.array();
    double t = (ry.abs() - r2).maxCoeff();
    constexpr int most = 100;
    for (int k = 0; k < most; ++k) {
      const Eigen::Array3d inverse = (t + r2).inverse(), squares = (ry * inverse).square();
      const double square = squares.sum();
      const double change = square * (std::sqrt(square) - 1) / (squares * inverse).sum();
      t += change;
      if (!(change > 1e-15 * r2.sum())) break;
    }
    return r * ry / (t + r2);
  }

  Vector3d centre_, r_;
};

}  // namespace

std::shared_ptr<const SolidShape> ellipsoid(const Vector3d& centre, const Vector3d& half_axes) {
  return std::make_shared<Ellipsoid>(centre, half_axes);
}

}  // namespace stiffly
