// Steps within which nothing comes upon an obstacle unseen.
#pragma once

#include <span>
#include <vector>

#include "stiffly/contact/obstacle.hpp"

namespace stiffly {

/// Nothing may come nearer to an obstacle than a margin within a step, or nearer by more than the margin
/// where it is there. Things are taken to move straight, as they do when the step begins; obstacles as they
/// are told to, be it that they only begin to within the step.
class ApproachLimit {
 public:
  /// Of steps of at most h. The obstacles must outlive it.
  ApproachLimit(std::span<const Obstacle> obstacles, double time, double h, double margin);

  /// At most h, of a ball with its middle at x.
  double longest_step(const Eigen::Vector3d& x, const Eigen::Vector3d& v, double radius, double h) const;

 private:
  struct Placed {
    const Obstacle* obstacle;
    PlacedShape now;
    std::vector<PlacedShape> later;  ///< some times ahead, where it moves
  };
  double look_ahead(const Placed& placed, const Eigen::Vector3d& x, const Eigen::Vector3d& v, double radius,
                    double h) const;

  std::vector<Placed> placed_;
  double time_, margin_;
};

}  // namespace stiffly
