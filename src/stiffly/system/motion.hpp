// Motions that prescribed particles follow.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

namespace stiffly {

/// Where a group of particles is at each time, given where it starts.
class Motion {
 public:
  virtual ~Motion() = default;
  /// Positions and velocities at t of particles that start at `start`; three entries each.
  virtual void place(double t, std::span<const double> start, std::span<double> x,
                     std::span<double> v) const = 0;
};

/// Where a rigid body is at a time.
struct Keyframe {
  double time = 0;                                     ///< s
  Eigen::Vector3d shift = Eigen::Vector3d::Zero();     ///< m
  Eigen::Vector3d rotation = Eigen::Vector3d::Zero();  ///< about the pivot: axis times angle in radians
};

/// A rigid motion through keyframes: x(t) = pivot + shift(t) + exp([rotation(t)]_×)(start − pivot). Shift and
/// rotation vector are cubic splines, twice continuously differentiable between the first and the last
/// keyframe. There the motion begins and ends with velocity zero; before and after, it rests. Angles add up,
/// so that full turns are possible.
class KeyframeMotion final : public Motion {
 public:
  /// Throws InputError (naming the keyframe) unless there is one at least, times ascend and all is finite.
  KeyframeMotion(std::vector<Keyframe> keyframes, const Eigen::Vector3d& pivot);

  void place(double t, std::span<const double> start, std::span<double> x,
             std::span<double> v) const override;

 private:
  using Coordinates = Eigen::Matrix<double, 6, 1>;  ///< shift, rotation
  struct Node {
    double time;
    Coordinates value, slope;
  };
  struct Moment {
    Coordinates value, rate;
  };
  Moment at(double t) const;

  std::vector<Node> nodes_;
  Eigen::Vector3d pivot_;
};

}  // namespace stiffly
