#include "stiffly/fibres/growth.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <Eigen/Geometry>
#include <numbers>
#include <unordered_map>

#include "stiffly/error.hpp"

namespace stiffly {
namespace {

using Eigen::Vector3d;

/// Steps along a guide for each segment.
constexpr int fineness = 16;

}  // namespace

CentreLine grow(const Vector3d& root, const Vector3d& direction, const GrowthGuide& guide, double length,
                int segments, const Taper& taper, const Curl& curl) {
  constexpr double two_pi = 2 * std::numbers::pi;
  const double turns = curl.radius > 0 ? length / curl.pitch : 0;
  const int steps = std::max(fineness * segments, static_cast<int>(fineness * turns));
  const double ds = length / steps;
  Vector3d centre = root, along = direction.normalized(), axis = along.unitOrthogonal();
  CentreLine fine;
  double grown = 0;
  for (int i = 0; grown < length; ++i) {
    Vector3d place = centre;
    if (curl.radius > 0) {
      const double turn = i * ds / curl.pitch, angle = two_pi * turn + curl.phase;
      const double away = curl.radius * (turn < 1 ? turn * turn * (3 - 2 * turn) : 1);
      place += away * (std::cos(angle) * axis + std::sin(angle) * along.cross(axis));
    }
    if (i > 0) {
      const Vector3d step = place - fine.points.back();
      place = fine.points.back() + step * std::min(1.0, (length - grown) / step.norm());
      grown = step.norm() < length - grown ? grown + step.norm() : length;
    }
    fine.points.push_back(place);
    fine.thickness.push_back(taper.root + (taper.tip - taper.root) * grown / length);
    const Vector3d next = guide(centre, along).normalized();
    axis = transported(axis, along, next);
    along = next;
    centre += ds * along;
  }
  return resampled(fine, segments);
}

CentreLine resampled(const CentreLine& line, int segments) {
  std::vector<double> reach = {0};
  for (std::size_t i = 1; i < line.points.size(); ++i)
    reach.push_back(reach.back() + (line.points[i] - line.points[i - 1]).norm());
  CentreLine out;
  std::size_t next = 1;
  for (int k = 0; k <= segments; ++k) {
    const double s = reach.back() * k / segments;
    while (next + 1 < reach.size() && reach[next] < s) ++next;
    const double piece = reach[next] - reach[next - 1], t = piece > 0 ? (s - reach[next - 1]) / piece : 0;
    out.points.emplace_back((1 - t) * line.points[next - 1] + t * line.points[next]);
    out.thickness.push_back((1 - t) * line.thickness[next - 1] + t * line.thickness[next]);
  }
  return out;
}

// Vogel (1979): the k-th seed at radius ∝ √k, turned by the golden angle from the one before.
std::vector<Vector3d> sunflower(int count, const Vector3d& centre, const Vector3d& axis, double radius) {
  const Vector3d u = axis.normalized().unitOrthogonal(), w = axis.normalized().cross(u);
  const double golden = std::numbers::pi * (3 - std::sqrt(5.0));
  std::vector<Vector3d> out;
  for (int k = 0; k < count; ++k) {
    const double r = count > 1 ? radius * std::sqrt(static_cast<double>(k) / (count - 1)) : 0;
    out.emplace_back(centre + r * (std::cos(golden * k) * u + std::sin(golden * k) * w));
  }
  return out;
}

// Roots are sorted into cells as wide as the thickest one, so that neighbours are in neighbouring cells.
std::vector<StackedPlace> stack(int count, int layer, const Eigen::Vector3d& centre, double spacing,
                                double length, std::mt19937& random) {
  const auto between = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random()) / static_cast<double>(std::mt19937::max());
  };
  constexpr double play = 0.2;  // of the spacing, to each side
  std::vector<StackedPlace> out;
  double angle = 0;
  for (int i = 0; i < count; ++i) {
    if (i % layer == 0) angle = between(0, std::numbers::pi);
    const double turn = angle + play * std::min(1.0, spacing / length) * between(-1, 1);
    const double tilt = play * std::min(1.0, spacing / length) * between(-1, 1);
    const Eigen::Vector3d along(std::cos(tilt) * std::cos(turn), std::cos(tilt) * std::sin(turn),
                                std::sin(tilt));
    const Eigen::Vector3d across(-std::sin(angle), std::cos(angle), 0);
    const double row = i % layer - (layer - 1) / 2.0 + play * between(-1, 1);
    out.push_back(
        {centre + spacing * (row * across + Eigen::Vector3d(0, 0, i / layer)) - length / 2 * along, along});
  }
  return out;
}

void check_roots_apart(std::span<const CentreLine> lines) {
  double cell = 0;
  for (const CentreLine& line : lines)
    if (!line.thickness.empty() && std::isfinite(line.thickness.front()))
      cell = std::max(cell, line.thickness.front());
  if (!(cell > 0)) return;
  using Place = Eigen::Matrix<std::int64_t, 3, 1>;
  const auto key = [](const Place& p) {
    return static_cast<std::uint64_t>(p.x()) * 0x9E3779B97F4A7C15u ^
           static_cast<std::uint64_t>(p.y()) * 0xC2B2AE3D27D4EB4Fu ^
           static_cast<std::uint64_t>(p.z()) * 0x165667B19E3779F9u;
  };
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> cells;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].points.empty() || !lines[i].points.front().allFinite())
      continue;  // make_fibre refuses these
    const Vector3d& root = lines[i].points.front();
    const Place place = (root / cell).array().floor().max(-1e18).min(1e18).cast<std::int64_t>();
    for (int k = 0; k < 27; ++k) {
      const auto there = cells.find(key(place + Place(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1)));
      if (there == cells.end()) continue;
      for (const std::size_t j : there->second) {
        const double distance = (root - lines[j].points.front()).norm();
        const double thickness = (lines[i].thickness.front() + lines[j].thickness.front()) / 2;
        if (distance < thickness)
          throw InputError(
              fmt::format("fibre {}: its root is inside that of fibre {}: they are {:.3g} m apart and "
                          "{:.3g} m thick; use fewer or thinner fibres, or a larger place to grow on",
                          i, j, distance, thickness));
      }
    }
    cells[key(place)].push_back(i);
  }
}

}  // namespace stiffly
