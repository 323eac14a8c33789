// Shapes that rest, or move as told.
#pragma once

#include <Eigen/Geometry>
#include <memory>
#include <span>
#include <vector>

#include "stiffly/contact/solid_shape.hpp"
#include "stiffly/system/motion.hpp"

namespace stiffly {

/// A shape as it lies at one time. The shape must outlive it.
class PlacedShape {
 public:
  PlacedShape(const SolidShape& shape, const Motion* motion, double time);

  /// As SolidShape::within, in space.
  std::optional<Distance> within(double reach, const Eigen::Vector3d& x) const;
  bool is_convex() const { return shape_->is_convex(); }
  /// Of the material at x, m/s.
  Eigen::Vector3d velocity(const Eigen::Vector3d& x) const { return rate_ + spin_ * (x - origin_); }
  /// Its derivative by x.
  const Eigen::Matrix3d& spin() const { return spin_; }

 private:
  friend class ObstacleWay;  // that carries it
  const SolidShape* shape_;
  bool moves_;
  Eigen::Vector3d origin_ = Eigen::Vector3d::Zero(), rate_ = Eigen::Vector3d::Zero();
  Eigen::Matrix3d turn_ = Eigen::Matrix3d::Identity(), spin_ = Eigen::Matrix3d::Zero();
};

/// The way of a shape from one place to another: its origin goes straight, and it turns evenly about one
/// axis.
class ObstacleWay {
 public:
  ObstacleWay(const PlacedShape& start, const PlacedShape& end);

  /// After a share of the way.
  PlacedShape at(double share) const;
  /// The most by which it and what goes straight from x₀ to x₁ come nearer.
  double approach(const Eigen::Vector3d& x0, const Eigen::Vector3d& x1) const;

 private:
  PlacedShape start_;
  Eigen::Vector3d shift_;
  Eigen::AngleAxisd turn_;
};

/// A solid that nothing pushes aside.
class Obstacle {
 public:
  /// It follows `motion`, which must be a rigid one, from where the shape lies; none: it rests.
  explicit Obstacle(std::shared_ptr<const SolidShape> shape, std::shared_ptr<const Motion> motion = nullptr)
      : shape_(std::move(shape)), motion_(std::move(motion)) {}

  bool moves() const { return motion_ != nullptr; }
  PlacedShape at(double time) const { return {*shape_, motion_.get(), time}; }
  ObstacleWay way(double from, double to) const { return {at(from), at(to)}; }
  /// Where it moves, the origin and the three units as it carries them; as Force::add_drives.
  void add_drives(double time, std::vector<double>& out) const;
  /// How far these go from one time to another, at most, m.
  double carried(double from, double to) const;

 private:
  std::shared_ptr<const SolidShape> shape_;
  std::shared_ptr<const Motion> motion_;
};

/// All of them at a time; they must outlive what is returned.
std::vector<PlacedShape> placed(std::span<const Obstacle> obstacles, double time);

}  // namespace stiffly
