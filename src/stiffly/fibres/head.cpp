#include "stiffly/fibres/head.hpp"

#include <algorithm>
#include <cmath>
#include <Eigen/Geometry>
#include <numbers>

namespace stiffly {
namespace {

using Eigen::Vector3d;

constexpr double two_pi = 2 * std::numbers::pi;

/// Height of the hairline on the unit sphere, by where one looks from: 1 from the front, 0 from a side, −1
/// from behind.
double hairline(double front) { return 0.1 + 0.52 * front - 0.07 * front * front; }

bool has_hair(const Vector3d& direction) {
  const double around = std::hypot(direction.x(), direction.y());
  return direction.z() > hairline(around > 0 ? -direction.y() / around : 0);
}

double bump(const Vector3d& direction, const Vector3d& at, double width) {
  return std::exp(-(direction - at.normalized()).squaredNorm() / (2 * width * width));
}

}  // namespace

double Head::height(const Vector3d& place) const {
  const double size = (place - centre).cwiseQuotient(radii).norm();
  return (size - 1) * size / outwards(place).norm();
}

// The lattice of Fibonacci on the sphere [González 2010]: points at equal distances in height, each turned by
// the golden angle from the one before. Of N of them a part is on the scalp; N grows until these suffice.
std::vector<Vector3d> scalp(int count) {
  const double golden = std::numbers::pi * (3 - std::sqrt(5.0));
  std::vector<Vector3d> out;
  for (double N = 2.0 * count; static_cast<int>(out.size()) < count;
       N = std::ceil(1.001 * N * std::max(1.0, count / (static_cast<double>(out.size()) + 1)))) {
    out.clear();
    for (int i = 0; i < N; ++i) {
      const double z = 1 - (2 * i + 1) / N, r = std::sqrt(1 - z * z);
      const Vector3d direction(r * std::cos(golden * i), r * std::sin(golden * i), z);
      if (has_hair(direction)) out.push_back(direction);
    }
  }
  out.resize(static_cast<std::size_t>(count));
  return out;
}

GrowthGuide combed(const Head& head, const Vector3d& root_direction, double lift) {
  const double side = root_direction.x() >= 0 ? 1 : -1;
  const double size = head.radii.mean(), bend = 0.25 * size;  // the way on which it turns
  return [=](const Vector3d& place, const Vector3d& direction) -> Vector3d {
    const Vector3d out = head.outwards(place).normalized();
    const double height = head.height(place), near = std::exp(-std::max(0.0, height - lift) / (0.3 * size));
    const double above = std::max(0.0, out.z()) * near;
    Vector3d wanted = -Vector3d::UnitZ() + above * (1.1 * side * Vector3d::UnitX() + 0.9 * Vector3d::UnitY());
    wanted -= near * std::min(0.0, wanted.dot(out)) * out;                 // not into the head …
    wanted += std::clamp((lift - height) / lift, -0.5 * near, 2.0) * out;  // … but close to it
    const double turn = 1.0 / 16;
    return direction + turn * (size / bend / 4) * (wanted.normalized() - direction);
  };
}

HeadSurface surface(const Head& head) {
  constexpr int rings = 40, columns = 56;
  HeadSurface out;
  const auto add = [&](int first, int second, int third) { out.triangles.push_back({first, second, third}); };
  /// `rings` closed rows of points joined by triangles.
  const auto tube = [&](int rows, const auto& point) {
    const int first = static_cast<int>(out.points.size());
    for (int i = 0; i <= rows; ++i)
      for (int j = 0; j < columns; ++j)
        out.points.push_back(point(static_cast<double>(i) / rows, two_pi * j / columns));
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) {
        const int a = first + i * columns + j, b = first + i * columns + (j + 1) % columns;
        add(a, a + columns, b);
        add(b, a + columns, b + columns);
      }
  };
  tube(rings, [&](double s, double angle) -> Vector3d {
    const double polar = 1e-3 + (std::numbers::pi - 2e-3) * s;
    const Vector3d d(std::sin(polar) * std::cos(angle), std::sin(polar) * std::sin(angle), std::cos(polar));
    const double nose = 0.17 * bump(d, {0, -1, -0.16}, 0.1) + 0.08 * bump(d, {0, -1, 0.0}, 0.09);
    const double chin = 0.16 * bump(d, {0, -0.75, -0.85}, 0.28), lips = 0.035 * bump(d, {0, -1, -0.5}, 0.12);
    const double eyes = 0.05 * (bump(d, {0.36, -1, 0.1}, 0.13) + bump(d, {-0.36, -1, 0.1}, 0.13));
    const double ears = 0.1 * (bump(d, {1, 0.05, -0.1}, 0.12) + bump(d, {-1, 0.05, -0.1}, 0.12));
    Vector3d shape = (1 + nose + chin + lips - eyes + ears) * d;
    shape.x() *= 1 - 0.22 * std::max(0.0, -d.z());  // the jaw is narrower than the brow
    return head.point(shape);
  });
  tube(8, [&](double s, double angle) -> Vector3d {  // neck and shoulders
    const double wide = 0.62 + 0.1 * s + 1.1 * std::pow(std::max(0.0, s - 0.55) / 0.45, 2);
    const double deep = 0.55 + 0.05 * s + 0.1 * std::pow(std::max(0.0, s - 0.55) / 0.45, 2);
    return head.point({wide * std::cos(angle), 0.12 + deep * std::sin(angle), -0.7 - 1.1 * s});
  });
  return out;
}

}  // namespace stiffly
