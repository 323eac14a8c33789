#include "stiffly/contact/solid_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stiffly/contact/offset.hpp"
#include "stiffly/error.hpp"

namespace stiffly {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// Below this part of a shape's size, directions are but rounding.
constexpr double hardly = 1e-12;

void check_finite(const Vector3d& v, const char* what) {
  if (!v.allFinite()) throw InputError(fmt::format("{} must be finite", what));
}
void check_length(double length, const char* what) {
  if (!(std::isfinite(length) && length > 0))
    throw InputError(fmt::format("{} must be positive and finite, not {}", what, length));
}

class HalfSpace final : public SolidShape {
 public:
  HalfSpace(const Vector3d& point, const Vector3d& normal) : point_(point), normal_(normal.normalized()) {
    check_finite(point, "the point of a half-space");
    check_finite(normal, "the normal of a half-space");
    if (normal.isZero(0)) throw InputError("the normal of a half-space must not be zero");
  }
  std::optional<Distance> within(double reach, const Vector3d& x) const override {
    const double value = normal_.dot(x - point_);
    if (!(value < reach)) return std::nullopt;
    return Distance{value, normal_, Matrix3d::Zero()};
  }
  bool is_convex() const override { return true; }

 private:
  Vector3d point_, normal_;
};

class Capsule final : public SolidShape {
 public:
  Capsule(const Vector3d& from, const Vector3d& to, double radius)
      : from_(from), along_(to - from), radius_(radius) {
    check_finite(from, "the centre of a sphere or capsule");
    check_finite(to, "the end of a capsule");
    check_length(radius, "the radius of a sphere or capsule");
  }
  std::optional<Distance> within(double reach, const Vector3d& x) const override {
    const Vector3d to_x = x - from_;
    const double length2 = along_.squaredNorm(), share = length2 > 0 ? along_.dot(to_x) / length2 : 0;
    const Vector3d offset = to_x - std::clamp(share, 0.0, 1.0) * along_;
    if (!(offset.norm() - radius_ < reach)) return std::nullopt;
    const bool from_side = share > 0 && share < 1;
    Distance out = from_side
                       ? distance_along(offset, along_.normalized(), {any_across(along_), hardly * radius_})
                       : distance_at(offset, {Vector3d::UnitZ(), hardly * radius_});
    out.value -= radius_;
    return out;
  }
  bool is_convex() const override { return true; }

 private:
  Vector3d from_, along_;
  double radius_;
};

class Cuboid final : public SolidShape {
 public:
  Cuboid(const Vector3d& centre, const Vector3d& half_sides) : centre_(centre), half_(half_sides) {
    check_finite(centre, "the centre of a box");
    for (const double side : half_sides) check_length(2 * side, "a side of a box");
  }
  std::optional<Distance> within(double reach, const Vector3d& x) const override {
    const Vector3d p = x - centre_;
    const Vector3d excess = p.cwiseAbs() - half_;
    const auto sign = [&](Eigen::Index axis) { return p[axis] < 0 ? -1.0 : 1.0; };
    Eigen::Index nearest = 0;
    const double largest = excess.maxCoeff(&nearest);
    if (!(largest < reach)) return std::nullopt;
    Vector3d offset;
    for (Eigen::Index axis = 0; axis < 3; ++axis) offset[axis] = sign(axis) * std::max(0.0, excess[axis]);
    const auto outside = (offset.array() != 0).count();
    if (outside <= 1) return Distance{largest, sign(nearest) * Vector3d::Unit(nearest), Matrix3d::Zero()};
    if (!(offset.norm() < reach)) return std::nullopt;
    if (outside == 3) return distance_at(offset, {offset, hardly * half_.minCoeff()});
    Eigen::Index edge = 0;
    offset.cwiseAbs().minCoeff(&edge);
    return distance_along(offset, Vector3d::Unit(edge), {offset, hardly * half_.minCoeff()});
  }
  bool is_convex() const override { return true; }

 private:
  Vector3d centre_, half_;
};

class Hollow final : public SolidShape {
 public:
  explicit Hollow(std::shared_ptr<const SolidShape> shape) : shape_(std::move(shape)) {}
  std::optional<Distance> within(double reach, const Vector3d& x) const override {
    const Distance d = shape_->distance(x);
    if (!(-d.value < reach)) return std::nullopt;
    return Distance{-d.value, -d.gradient, -d.hessian};
  }

 private:
  std::shared_ptr<const SolidShape> shape_;
};

}  // namespace

std::shared_ptr<const SolidShape> half_space(const Vector3d& point, const Vector3d& normal) {
  return std::make_shared<HalfSpace>(point, normal);
}
std::shared_ptr<const SolidShape> ball(const Vector3d& centre, double radius) {
  return std::make_shared<Capsule>(centre, centre, radius);
}
std::shared_ptr<const SolidShape> capsule(const Vector3d& from, const Vector3d& to, double radius) {
  return std::make_shared<Capsule>(from, to, radius);
}
std::shared_ptr<const SolidShape> cuboid(const Vector3d& centre, const Vector3d& half_sides) {
  return std::make_shared<Cuboid>(centre, half_sides);
}
std::vector<std::shared_ptr<const SolidShape>> walls(const Vector3d& centre, const Vector3d& half_sides) {
  const Cuboid checked(centre, half_sides);
  std::vector<std::shared_ptr<const SolidShape>> out;
  for (Eigen::Index axis = 0; axis < 3; ++axis)
    for (const double side : {-1.0, 1.0}) {
      const Vector3d outwards = side * Vector3d::Unit(axis);
      out.push_back(half_space(centre + half_sides[axis] * outwards, -outwards));
    }
  return out;
}
std::shared_ptr<const SolidShape> hollow(std::shared_ptr<const SolidShape> shape) {
  return std::make_shared<Hollow>(std::move(shape));
}

}  // namespace stiffly
