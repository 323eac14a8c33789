#include "stiffly/contact/proximity.hpp"

#include <algorithm>
#include <cmath>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <limits>
#include <optional>
#include <utility>

#include "stiffly/contact/point_triangle.hpp"

namespace stiffly {
namespace {

using Eigen::Vector3d;

/// Squared sines of the angle below which segments are taken as parallel, their distance being known to the
/// length times the sine, and below which the nearest points of their lines are not trusted unseen.
constexpr double parallel = 1e-20, nearly_parallel = 1e-8;

double clamped(double share) { return std::clamp(share, 0.0, 1.0); }
bool slides_at(double share) { return share > 0 && share < 1; }

Proximity between_segments(double s, double t, bool s_slides, bool t_slides) {
  Proximity out;
  out.weights = {-(1 - s), -s, 1 - t, t};
  if (s_slides) out.slides[static_cast<std::size_t>(out.freedoms++)] = {1, -1, 0, 0};
  if (t_slides) out.slides[static_cast<std::size_t>(out.freedoms++)] = {0, 0, -1, 1};
  return out;
}

}  // namespace

// The least of |r + a s − b t|² over the unit square, where a, b are the segments and r their distance at the
// start: that on the lines, if it is within, or else the least of the four sides. [Lumelsky 1985]
Proximity nearest_of_segments(const Corners& corners) {
  const Vector3d a = corners.col(1) - corners.col(0), b = corners.col(3) - corners.col(2);
  const Vector3d r = corners.col(0) - corners.col(2), across = a.cross(b);
  const double aa = a.squaredNorm(), bb = b.squaredNorm(), ab = a.dot(b), ar = a.dot(r), br = b.dot(r);
  const double squared_sine = aa > 0 && bb > 0 ? across.squaredNorm() / (aa * bb) : 0;
  std::optional<std::pair<double, double>> on_lines;
  if (squared_sine > parallel) {
    const double s = b.cross(r).dot(across) / across.squaredNorm();
    const double t = a.cross(r).dot(across) / across.squaredNorm();
    if (slides_at(s) && slides_at(t)) on_lines = {s, t};
    if (on_lines && squared_sine > nearly_parallel) return between_segments(s, t, true, true);
  } else if (aa > 0 && bb > 0) {
    // Where the other's ends are along a.
    const double first = -ar / aa, last = (ab - ar) / aa;
    const double low = std::max(0.0, std::min(first, last)), high = std::min(1.0, std::max(first, last));
    if (low < high) {
      const double s = (low + high) / 2, t = clamped((ab * s + br) / bb);
      return between_segments(s, t, false, slides_at(t));
    }
  }
  double least = std::numeric_limits<double>::infinity();
  Proximity out;
  const auto see = [&](double s, double t, bool s_slides, bool t_slides) {
    const double distance = (a * s + r - b * t).squaredNorm();
    if (!(distance < least)) return;
    least = distance;
    out = between_segments(s, t, s_slides, t_slides);
  };
  if (on_lines) see(on_lines->first, on_lines->second, true, true);
  for (const double s : {0.0, 1.0}) {
    const double t = bb > 0 ? clamped((ab * s + br) / bb) : 0;
    see(s, t, false, slides_at(t));
  }
  for (const double t : {0.0, 1.0}) {
    const double s = aa > 0 ? clamped((ab * t - ar) / aa) : 0;
    see(s, t, slides_at(s), false);
  }
  return out;
}

// A convex function of s and t that has one least place even where the segments are parallel. With the best t
// for each s it is convex in s: what is beyond an end has its least place there. [Ericson 2005, 5.1.9]
Proximity rounded_nearest_of_segments(const Corners& corners, double thickness) {
  constexpr double share = 0.02;
  const double rho2 = share * thickness * thickness;
  if (!(rho2 > 0)) return nearest_of_segments(corners);
  const Vector3d a = corners.col(1) - corners.col(0), b = corners.col(3) - corners.col(2);
  const Vector3d r = corners.col(0) - corners.col(2);
  const double aa = a.squaredNorm() + rho2, bb = b.squaredNorm() + rho2, ab = a.dot(b);
  const double ar = a.dot(r) - rho2 / 2, br = b.dot(r) + rho2 / 2;
  double s = clamped((ab * br - bb * ar) / (aa * bb - ab * ab)), t = (ab * s + br) / bb;
  if (t != clamped(t)) {
    t = clamped(t);
    s = clamped((ab * t - ar) / aa);
  }
  Proximity out = between_segments(s, t, slides_at(s), slides_at(t));
  out.added = rho2 * ((s - 0.5) * (s - 0.5) + (t - 0.5) * (t - 0.5) - 0.5);
  out.curvature = rho2;
  return out;
}

Proximity nearest_of_point_and_triangle(const Corners& corners) {
  const Vector3d w = nearest_weights(corners.col(0), {corners.col(1), corners.col(2), corners.col(3)});
  Proximity out;
  out.weights << -1, w;
  // Along the edges from the first of the corners that it depends on.
  Eigen::Index first = 0;
  while (w[first] == 0) ++first;
  for (Eigen::Index other = first + 1; other < 3; ++other) {
    if (w[other] == 0) continue;
    CornerWeights& slide = out.slides[static_cast<std::size_t>(out.freedoms++)];
    slide[1 + first] = -1;
    slide[1 + other] = 1;
  }
  return out;
}

Proximity nearest_of_points() {
  Proximity out;
  out.weights = {-1, 1, 0, 0};
  return out;
}

// With q = (|e|² + added)/2, e = Σ w_i x_i and a_p = ∂e/∂p for the freedoms p of the weights,
//   ∂q/∂x_i = w_i e,  ∂²q/∂x_i∂x_j = w_i w_j I,
//   ∂²q/∂p∂r = a_p·a_r + ρ² δ_pr,  ∂²q/∂x_i∂p = w_i a_p + w_{i,p} e,
// and the least over p has the Hessian q_xx − q_xp q_pp⁻¹ q_px; that of d = √(2q) is (∇²q − ∇d∇dᵀ)/d.
ProximityDistance distance_of(const Proximity& proximity, const Corners& corners) {
  const Vector3d e = proximity.between(corners);
  ProximityDistance out;
  out.value = proximity.distance(corners);
  if (!(out.value > 0)) return out;
  const Vector3d n = e / out.value;
  for (int i = 0; i < 4; ++i) out.gradient.segment<3>(3 * i) = proximity.weights[i] * n;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      out.hessian.block<3, 3>(3 * i, 3 * j).diagonal().array() += proximity.weights[i] * proximity.weights[j];
  const int p = proximity.freedoms;
  if (p > 0) {
    Eigen::Matrix<double, 12, 2> mixed = Eigen::Matrix<double, 12, 2>::Zero();
    Eigen::Matrix<double, 3, 2> a = Eigen::Matrix<double, 3, 2>::Zero();
    for (int k = 0; k < p; ++k) {
      const CornerWeights& slide = proximity.slides[static_cast<std::size_t>(k)];
      a.col(k) = corners * slide;
      for (int i = 0; i < 4; ++i)
        mixed.block<3, 1>(3 * i, k) = proximity.weights[i] * a.col(k) + slide[i] * e;
    }
    if (p == 1) {
      out.hessian -= mixed.col(0) * mixed.col(0).transpose() / (a.col(0).squaredNorm() + proximity.curvature);
    } else {
      const Eigen::Matrix2d along = a.transpose() * a + proximity.curvature * Eigen::Matrix2d::Identity();
      out.hessian -= mixed * along.inverse() * mixed.transpose();
    }
  }
  out.hessian = (out.hessian - out.gradient * out.gradient.transpose()) / out.value;
  out.hessian = 0.5 * (out.hessian + out.hessian.transpose()).eval();  // to the last bit
  return out;
}

}  // namespace stiffly
