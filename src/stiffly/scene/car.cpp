#include "stiffly/scene/car.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <numeric>
#include <set>

#include "stiffly/error.hpp"
#include "stiffly/scene/body_builder.hpp"

namespace stiffly {
namespace {

using Eigen::Vector3d;

/// Rises smoothly from 0 at `from` to 1 at `to`.
double ramp(double x, double from, double to) {
  const double t = std::clamp((x - from) / (to - from), 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

/// cos or sin to the power 2/n: the coordinates of a superellipse.
double power(double value, double n) { return std::copysign(std::pow(std::abs(value), 2 / n), value); }

/// Seen from the side, in metres of a car that is 4.2 m long.
double top(double x) {
  return 0.72 + 0.14 * ramp(x, 0, 1.1) + 0.54 * ramp(x, 1.05, 1.85) - 0.46 * ramp(x, 2.8, 3.7);
}
double bottom(double x) {
  const auto arch = [&](double wheel) {
    const double d = (x - wheel) / 0.36;
    return std::abs(d) < 1 ? 0.33 * std::sqrt(1 - d * d) : 0.0;
  };
  return 0.22 + arch(0.78) + arch(3.35);
}
/// Half of it, at a height: doors lean in above the belt line.
double width(double z) { return 0.83 - 0.22 * ramp(z, 0.8, 1.4); }

/// From the middle of the front, 0, over the sides to the middle of the rear, 1; around by an angle from
/// above; and inwards by a scale.
Vector3d car_point(double along, double angle, double scale) {
  constexpr double length = 4.2, nose = 0.22, rounding = 3.5, ends = 0.16;
  double x = 0, size = 1;
  if (along < ends || along > 1 - ends) {
    const double phi = std::numbers::pi / 2 * std::min(along, 1 - along) / ends;
    size = power(std::sin(phi), rounding);
    x = nose * (1 - power(std::cos(phi), rounding));
    if (along > 0.5) x = length - x;
  } else {
    x = nose + (length - 2 * nose) * (along - ends) / (1 - 2 * ends);
  }
  const double low = bottom(x), high = top(x), middle = 0.5 * (low + high);
  const double z = middle + scale * size * 0.5 * (high - low) * power(std::cos(angle), 5);
  const double y = scale * size * width(z) * power(std::sin(angle), 5);
  const double inward = 0.5 * length + (0.4 + 0.6 * scale) * (x - 0.5 * length);
  return {inward, y, z};
}

class CarBuilder {
 public:
  explicit CarBuilder(const CarParameters& p) : p_(p) {
    shell_ = {p.stations, p.sides, 0};
    add_points(shell_, 1);
    Layer outer = shell_;
    for (int layer = 1; layer <= p.layers; ++layer) {
      Layer inner{(p.stations - 1) / p.coarse + 1, p.sides / p.coarse, static_cast<int>(points.size())};
      add_points(inner, 1 - layer / (p.layers + 1.0));
      tie(outer, inner);
      mesh(inner);
      outer = inner;
    }
    mesh(shell_);
    close(0);
    close(shell_.stations - 1);
    share_area();
  }

  std::vector<Vector3d> points;
  std::vector<double> shares;  ///< of the mass
  std::set<std::pair<int, int>> structural, bending;
  std::vector<Triangle> triangles;

 private:
  struct Layer {
    int stations, sides, first;
    int at(int station, int side) const { return first + station * sides + (side % sides + sides) % sides; }
  };

  void add_points(const Layer& layer, double scale) {
    // The first and last rings would be points: they are where the next ones are, a third as wide.
    for (int i = 0; i < layer.stations; ++i)
      for (int j = 0; j < layer.sides; ++j) {
        const double along =
            std::clamp(static_cast<double>(i), 0.33, layer.stations - 1.33) / (layer.stations - 1);
        const double angle = 2 * std::numbers::pi * j / layer.sides;
        points.emplace_back(p_.length / 4.2 * car_point(along, angle, scale));
      }
  }

  void join(std::set<std::pair<int, int>>& out, int a, int b) {
    if (a != b) out.insert(std::minmax(a, b));
  }

  /// Neighbours, both diagonals, next but one; triangles of the shell.
  void mesh(const Layer& l) {
    for (int i = 0; i < l.stations; ++i)
      for (int j = 0; j < l.sides; ++j) {
        join(structural, l.at(i, j), l.at(i, j + 1));
        join(bending, l.at(i, j), l.at(i, j + 2));
        if (i + 2 < l.stations) join(bending, l.at(i, j), l.at(i + 2, j));
        if (i + 1 == l.stations) continue;
        join(structural, l.at(i, j), l.at(i + 1, j));
        join(structural, l.at(i, j), l.at(i + 1, j + 1));
        join(structural, l.at(i, j + 1), l.at(i + 1, j));
        if (l.first != shell_.first) continue;
        triangles.push_back({l.at(i, j), l.at(i, j + 1), l.at(i + 1, j + 1)});
        triangles.push_back({l.at(i, j), l.at(i + 1, j + 1), l.at(i + 1, j)});
      }
  }

  /// The hole that the first or last ring leaves.
  void close(int station) {
    const auto at = [&](int side) { return shell_.at(station, station == 0 ? -side : side); };
    for (int j = 0; j < shell_.sides; ++j) join(structural, at(j), at(j + shell_.sides / 2));
    for (int j = 1; j + 1 < shell_.sides; ++j) triangles.push_back({at(0), at(j), at(j + 1)});
  }

  /// Of the shell by the area around each particle, but none has less than half of the mean, so that
  /// the small rings at the ends are not the fastest thing of all. Inside, each has the mean.
  void share_area() {
    std::vector<double> area(points.size());
    for (const Triangle& t : triangles) {
      const auto x = [&](int i) { return points[static_cast<std::size_t>(t[static_cast<std::size_t>(i)])]; };
      for (const int corner : t)
        area[static_cast<std::size_t>(corner)] += (x(1) - x(0)).cross(x(2) - x(0)).norm() / 6;
    }
    const auto shell = static_cast<std::size_t>(shell_.stations) * static_cast<std::size_t>(shell_.sides);
    const double mean = std::accumulate(area.begin(), area.end(), 0.0) / static_cast<double>(shell);
    double sum = 0;
    for (std::size_t i = 0; i < area.size(); ++i)
      sum += area[i] = i < shell ? std::max(area[i], 0.5 * mean) : mean;
    for (const double own : area) shares.push_back(own / sum);
  }

  /// Each point of the inner layer to the one outside it and to the neighbours of that.
  void tie(const Layer& outer, const Layer& inner) {
    const int step = outer.first == shell_.first ? p_.coarse : 1;
    for (int i = 0; i < inner.stations; ++i)
      for (int j = 0; j < inner.sides; ++j) {
        join(structural, inner.at(i, j), outer.at(step * i, step * j));
        for (const int d : {-1, 1}) {
          join(structural, inner.at(i, j), outer.at(step * i, step * (j + d)));
          if (i + d >= 0 && i + d < inner.stations)
            join(structural, inner.at(i, j), outer.at(step * (i + d), step * j));
        }
      }
  }

  const CarParameters& p_;
  Layer shell_{};
};

void check(const CarParameters& p) {
  if (p.coarse < 1 || (p.stations - 1) % p.coarse != 0 || p.sides % p.coarse != 0)
    throw InputError(
        fmt::format("car: 'stations' less one and 'sides' must be multiples of 'coarse', not {} "
                    "and {} of {}",
                    p.stations - 1, p.sides, p.coarse));
  if (p.sides / p.coarse < 5 || (p.stations - 1) / p.coarse < 4)
    throw InputError(
        "car: the structure inside needs five sides and stations: more 'sides' and 'stations', or "
        "less 'coarse'");
}

}  // namespace

Body make_car(const CarParameters& p, const std::array<double, 3>& gravity) {
  check(p);
  const CarBuilder car(p);
  std::vector<double> masses;
  for (const double share : car.shares) masses.push_back(share * p.total_mass);
  Particles particles = still_particles(car.points, std::move(masses));
  std::ranges::fill(particles.velocity, p.velocity);
  const std::vector<std::pair<int, int>> structural(car.structural.begin(), car.structural.end()),
      bending(car.bending.begin(), car.bending.end());
  std::vector<Spring> springs = springs_at_rest(structural, particles.position, p.structural, p.damping);
  const std::vector<Spring> bent = springs_at_rest(bending, particles.position, p.bending);
  springs.insert(springs.end(), bent.begin(), bent.end());
  BodyBuilder builder(particles);
  builder.add_springs(springs);
  builder.add_gravity(gravity);
  Body body = builder.finish();
  body.triangles = car.triangles;
  body.springs = structural;
  return body;
}

}  // namespace stiffly
