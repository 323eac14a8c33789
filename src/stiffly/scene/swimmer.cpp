#include "stiffly/scene/swimmer.hpp"

#include <cmath>
#include <numbers>

#include "stiffly/forces/weighted_springs.hpp"
#include "stiffly/scene/body_builder.hpp"

namespace stiffly {
namespace {

using Eigen::Vector3d;
using std::numbers::pi;

/// Front pole, rings from front to back, rear pole; every other ring is turned by half a side.
struct SwimmerHead {
  std::vector<Vector3d> points;
  std::vector<Triangle> triangles;
  int rings, sides;

  explicit SwimmerHead(const SwimmerParameters& p) : rings(p.head_rings), sides(p.head_sides) {
    const double half = p.head_length / 2, width = p.head_width / 2;
    points.emplace_back(half, 0, 0);
    for (int ring = 0; ring < rings; ++ring)
      for (int side = 0; side < sides; ++side) {
        const double latitude = pi * (ring + 1) / (rings + 1);
        const double around = 2 * pi * (side + 0.5 * (ring % 2)) / sides;
        points.emplace_back(half * std::cos(latitude), width * std::sin(latitude) * std::cos(around),
                            width * std::sin(latitude) * std::sin(around));
      }
    points.emplace_back(-half, 0, 0);
    for (int side = 0; side < sides; ++side) {
      triangles.push_back({0, at(0, side), at(0, side + 1)});
      triangles.push_back({rear(), at(rings - 1, side + 1), at(rings - 1, side)});
      for (int ring = 0; ring + 1 < rings; ++ring) {
        const int turned = ring % 2;  // the ring whose corners come later
        triangles.push_back({at(ring, side), at(ring + 1, side + turned), at(ring, side + 1)});
        triangles.push_back({at(ring, side + 1 - turned), at(ring + 1, side), at(ring + 1, side + 1)});
      }
    }
  }
  int size() const { return static_cast<int>(points.size()); }
  int rear() const { return size() - 1; }
  int at(int ring, int side) const { return 1 + ring * sides + side % sides; }
};

/// Evenly along its arc.
CentreLine flagellum_line(const SwimmerParameters& p) {
  const double around = 2 * pi * p.radius / p.pitch;
  const double stub = p.length * std::sqrt(1 + around * around) / (p.sections - 1);  // a segment or more
  const double growth = p.pitch / 3, start = -p.head_length / 2 - p.thickness;
  const auto at = [&](double along) -> Vector3d {
    const double z = std::max(0.0, along - stub), r = p.radius * (1 - std::exp(-std::pow(z / growth, 2)));
    const double angle = (p.right_handed ? -2 : 2) * pi * z / p.pitch;
    return {start - along, r * std::cos(angle), r * std::sin(angle)};
  };
  constexpr int looks = 4000;
  std::vector<double> arc = {0.0};
  for (int i = 1; i <= looks; ++i)
    arc.push_back(arc.back() + (at(p.length * i / looks) - at(p.length * (i - 1) / looks)).norm());
  CentreLine line;
  for (int i = 0, k = 0; i < p.sections; ++i) {
    const double wanted = arc.back() * i / (p.sections - 1);
    while (k + 1 < looks && arc[static_cast<std::size_t>(k) + 1] < wanted) ++k;
    const double before = arc[static_cast<std::size_t>(k)], after = arc[static_cast<std::size_t>(k) + 1];
    line.points.push_back(at(p.length * (k + (wanted - before) / (after - before)) / looks));
    line.thickness.push_back(p.thickness);
  }
  return line;
}

/// The four sides of each cuboid and the two ends.
void add_faces(int first, int sections, std::vector<Triangle>& out) {
  const auto at = [&](int section, int corner) {
    return first + fibre::particle(section, corner % fibre::corners);
  };
  for (int section = 0; section + 1 < sections; ++section)
    for (int corner = 0; corner < fibre::corners; ++corner) {
      out.push_back({at(section, corner), at(section, corner + 1), at(section + 1, corner + 1)});
      out.push_back({at(section, corner), at(section + 1, corner + 1), at(section + 1, corner)});
    }
  const int last = sections - 1;
  out.insert(out.end(), {{at(0, 0), at(0, 2), at(0, 1)},
                         {at(0, 0), at(0, 3), at(0, 2)},
                         {at(last, 0), at(last, 1), at(last, 2)},
                         {at(last, 0), at(last, 2), at(last, 3)}});
}

}  // namespace

Body make_swimmer(const SwimmerParameters& p, const std::array<double, 3>& gravity) {
  const SwimmerHead head(p);
  const FibreShape flagellum = make_fibre(flagellum_line(p), p.material);
  std::vector<Vector3d> points = head.points;
  points.insert(points.end(), flagellum.position.begin(), flagellum.position.end());
  const double volume = pi / 6 * p.head_length * p.head_width * p.head_width;
  std::vector<double> masses(head.points.size(), p.material.density * volume / head.size());
  masses.insert(masses.end(), flagellum.mass.begin(), flagellum.mass.end());
  const auto length = [&](int a, int b) {
    return (points[static_cast<std::size_t>(a)] - points[static_cast<std::size_t>(b)]).norm();
  };

  std::vector<Spring> springs;
  for (int a = 0; a < head.size(); ++a)
    for (int b = 0; b < a; ++b)
      springs.push_back(
          {.first = b, .second = a, .stiffness = p.head_stiffness, .rest_length = length(a, b)});
  for (Spring spring : flagellum.springs) {
    spring.first += head.size();
    spring.second += head.size();
    springs.push_back(spring);
  }

  BodyBuilder builder(still_particles(points, std::move(masses)));
  std::vector<WeightedSpring> hinge;
  MotorMount mount;
  for (int section = 0; section < 2; ++section) {
    SpringEnd centre;
    Vector3d middle = Vector3d::Zero();
    for (int corner = 0; corner < fibre::corners; ++corner) {
      const int particle = head.size() + fibre::particle(section, corner);
      mount.rotor.push_back(particle);
      centre.particles.push_back(builder.inner(particle));
      centre.weights.push_back(1.0 / fibre::corners);
      middle += points[static_cast<std::size_t>(particle)] / fibre::corners;
    }
    for (int side = 0; side < head.sides; ++side) {
      const int anchor = head.at(head.rings - 1, side);
      hinge.push_back({centre,
                       {{builder.inner(anchor)}, {1.0}},
                       {.stiffness = p.head_stiffness,
                        .rest_length = (points[static_cast<std::size_t>(anchor)] - middle).norm()}});
    }
  }
  for (int i = 0; i < head.size(); ++i) mount.stator.push_back(i);
  builder.add_springs(springs);
  builder.add(std::make_unique<WeightedSprings>(hinge, points.size()));
  builder.add_gravity(gravity);
  Body body = builder.finish();
  for (const Spring& spring : springs) body.springs.emplace_back(spring.first, spring.second);
  body.triangles = head.triangles;
  add_faces(head.size(), p.sections, body.triangles);
  body.motors.push_back(std::move(mount));
  return body;
}

}  // namespace stiffly
