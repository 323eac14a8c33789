#include "stiffly/scene/rigid_box.hpp"

#include <Eigen/Geometry>
#include <numbers>

namespace stiffly {
namespace {

using Eigen::Vector3d;

Vector3d vector_at(const Values& values, const char* key) { return Vector3d::Map(values.vector(key).data()); }

constexpr double stiffness_per_mass = 1e8;  ///< 1/s²: oscillations of about a millisecond

/// Outwards, of corners 4i + 2j + k.
constexpr std::array<std::array<int, 4>, 6> sides = {
    {{0, 1, 3, 2}, {4, 6, 7, 5}, {0, 4, 5, 1}, {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 5, 7, 3}}};

}  // namespace

std::vector<Key> rigid_keys() {
  using enum ValueType;
  constexpr std::array<double, 3> none = {0, 0, 0};
  return {
      {.name = "position", .type = vector, .unit = "m", .help = "of its middle", .fallback = none},
      {.name = "size", .type = vector, .unit = "m", .help = "lengths of its edges", .required = true},
      {.name = "mass", .type = number, .unit = "kg", .help = "of all of it", .required = true, .above = 0},
      {.name = "rotation",
       .type = vector,
       .unit = "°",
       .help = "from edges along the axes: about this vector by its length",
       .fallback = none},
      {.name = "velocity", .type = vector, .unit = "m/s", .help = "of its middle", .fallback = none},
      {.name = "spin", .type = vector, .unit = "rad/s", .help = "angular velocity", .fallback = none},
      {.name = "stiffness",
       .type = number,
       .unit = "N/m",
       .help = "of the links that hold it together",
       .fallback_help = "1e8 times the mass",
       .above = 0},
  };
}

void add_rigid_box(const Values& box, Particles& particles, RigidParts& out) {
  const Vector3d size = vector_at(box, "size"), middle = vector_at(box, "position"),
                 spin = vector_at(box, "spin"), velocity = vector_at(box, "velocity"),
                 turn = vector_at(box, "rotation") * std::numbers::pi / 180;
  if (!(size.minCoeff() > 0)) refuse(box.origin("size"), "all three lengths of 'size' must be positive");
  const double mass = box.number("mass");
  const Eigen::Matrix3d R = turn.norm() > 0
                                ? Eigen::AngleAxisd(turn.norm(), turn.normalized()).toRotationMatrix()
                                : Eigen::Matrix3d::Identity();
  const int first = static_cast<int>(particles.size());
  const auto add = [&](const Vector3d& from_middle, double share) {
    const Vector3d r = R * from_middle, x = middle + r, v = velocity + spin.cross(r);
    particles.position.push_back({x.x(), x.y(), x.z()});
    particles.velocity.push_back({v.x(), v.y(), v.z()});
    particles.mass.push_back(share * mass);
    particles.pinned.push_back(false);
  };
  for (const double x : {-0.5, 0.5})
    for (const double y : {-0.5, 0.5})
      for (const double z : {-0.5, 0.5}) add(size.cwiseProduct(Vector3d(x, y, z)), 1.0 / 24);
  add(Vector3d::Zero(), 2.0 / 3);

  const double stiffness = box.given("stiffness") ? box.number("stiffness") : stiffness_per_mass * mass;
  constexpr int count = 9;
  for (int a = first; a < first + count; ++a)
    for (int b = first; b < a; ++b) {
      const auto x = [&](int i) {
        return Vector3d::Map(particles.position[static_cast<std::size_t>(i)].data());
      };
      out.links.push_back({{{a}, {1.0}}, {{b}, {1.0}}, {stiffness, (x(a) - x(b)).norm(), 0}});
    }
  for (const auto& s : sides)
    for (const int i : {1, 2})
      out.triangles.push_back(
          {first + s[0], first + s[static_cast<std::size_t>(i)], first + s[static_cast<std::size_t>(i) + 1]});
}

}  // namespace stiffly
