#include "stiffly/contact/crossing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <Eigen/Geometry>
#include <vector>

namespace stiffly {
namespace {

using Eigen::Vector3d;

constexpr double same_place = 1e-6;  ///< of the lengths

/// c₀ + c₁ t + c₂ t² + c₃ t³
struct Cubic {
  std::array<double, 4> c = {};

  double operator()(double t) const { return c[0] + t * (c[1] + t * (c[2] + t * c[3])); }

  /// Where it may turn in (0, 1), ascending.
  std::vector<double> turns() const {
    const double a = 3 * c[3], b = 2 * c[2], discriminant = b * b - 4 * a * c[1];
    if (!(discriminant > 0)) return {};
    const double q = -(b + std::copysign(std::sqrt(discriminant), b)) / 2;
    std::vector<double> out;
    for (const double t : {a != 0 ? q / a : -1, q != 0 ? c[1] / q : -1})
      if (t > 0 && t < 1) out.push_back(t);
    std::ranges::sort(out);
    return out;
  }
};

/// The root in a stretch on which it rises or falls from one sign to the other, to the last digit.
double root_between(const Cubic& f, double low, double high) {
  const bool rises = f(low) < 0;
  for (;;) {
    const double middle = low + (high - low) / 2;
    if (!(middle > low && middle < high)) return high;
    ((f(middle) < 0) == rises ? low : high) = middle;
  }
}

struct Sides {
  Vector3d a, b, r;  ///< both segments, and from the start of the first to that of the second

  explicit Sides(const Corners& x) : a(x.col(1) - x.col(0)), b(x.col(3) - x.col(2)), r(x.col(2) - x.col(0)) {}
};

/// (a × b)·r along the way
Cubic volume(const Corners& from, const Corners& to) {
  const Sides p(from), d(to - from);
  const Vector3d ab0 = p.a.cross(p.b), ab1 = p.a.cross(d.b) + d.a.cross(p.b), ab2 = d.a.cross(d.b);
  return {{ab0.dot(p.r), ab0.dot(d.r) + ab1.dot(p.r), ab1.dot(d.r) + ab2.dot(p.r), ab2.dot(d.r)}};
}

}  // namespace

std::optional<Crossing> crossing_of_segments(const Corners& from, const Corners& to) {
  const Cubic f = volume(from, to);
  std::vector<double> stops = f.turns();
  stops.insert(stops.begin(), 0);
  stops.push_back(1);
  std::optional<Crossing> first;
  int through = 0;  // one way and the other
  for (std::size_t k = 0; k + 1 < stops.size(); ++k) {
    const double before = f(stops[k]), after = f(stops[k + 1]);
    if (before == 0 || (before < 0) == (after < 0)) continue;
    const double time = root_between(f, stops[k], stops[k + 1]);
    const Sides at(from + time * (to - from));
    const Vector3d across = at.a.cross(at.b);
    const double size = across.squaredNorm();
    if (!(size > 0)) continue;
    const double s = at.r.cross(at.b).dot(across) / size, t = at.r.cross(at.a).dot(across) / size;
    if (!(s >= 0 && s <= 1 && t >= 0 && t <= 1)) continue;
    // Of parallel segments all corners are in a plane, wherever they are.
    if ((s * at.a - t * at.b - at.r).norm() > same_place * (at.a.norm() + at.b.norm())) continue;
    through += before < 0 ? 1 : -1;
    if (first) continue;
    first = {.time = time, .weights = {-(1 - s), -s, 1 - t, t}, .normal = across / std::sqrt(size)};
    if (first->normal.dot(from * first->weights) < 0) first->normal = -first->normal;
  }
  return through == 0 ? std::nullopt : first;
}

}  // namespace stiffly
