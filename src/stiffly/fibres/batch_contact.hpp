// Obstacles in the way of a batch of fibres.
#pragma once

#include <optional>
#include <vector>

#include "stiffly/contact/friction_slip.hpp"
#include "stiffly/fibres/batch.hpp"

namespace stiffly {

/// What pushes the centres of cross-sections of a lane over a step (BatchView::push): p = −ΔU/Δg between the
/// gaps at both ends, along the mean of the normals there, by as much more or less as the gap changes more or
/// less than the way along it. So no energy is made or lost by it. Friction is that of the mean velocity.
class BatchContact {
 public:
  explicit BatchContact(const FibreBatch& batch);
  /// Whether any lane has obstacles.
  bool needed() const { return needed_; }

  /// A step of at most h with which a lane comes upon nothing unseen, from where the batch is.
  double longest_step(int lane, double t, double h) const;
  /// A lane is about to step from t to t + h, from where the view has it.
  void place(int lane, const BatchView& view, double t, double h);
  /// The push on a lane where it is.
  void push(int lane, const BatchView& view) const;
  /// Its derivative by the end of the step, without what would push sideways.
  void freeze(int lane, const BatchView& view) const;
  /// Over the step, J.
  struct Work {
    double brought = 0;  ///< by moving obstacles
    double rubbed = 0;   ///< taken by friction, of which what moves the obstacles may bring some
  };
  Work work(int lane, const BatchView& view) const;

 private:
  struct Lane {
    const ObstacleGroups* groups = nullptr;
    std::vector<std::vector<PlacedShape>> begin = {}, end = {};  ///< of each group
    /// Of cross-section by cross-section and obstacle by obstacle, where it is within the range of one.
    std::vector<std::optional<Distance>> start = {};
    double h = 0;
  };
  /// A cross-section that an obstacle pushes.
  struct Near {
    const FibreObstacles& group;
    Eigen::Vector3d v;  ///< of its centre against the obstacle
    Eigen::Vector3d obstacle;
    Eigen::Vector3d normal;
    double push, stiffness;

    bool rubs() const { return group.friction.coefficient > 0; }
    double grip() const { return group.friction.coefficient * push; }
    FrictionSlip slip() const { return {v, normal, group.friction}; }
  };
  /// visit(section, near)
  template <class Visit>
  void for_near(int lane, const BatchView& view, const Visit& visit) const;
  Eigen::Vector3d centre(int lane, const double* x, int section) const;

  const FibreBatch& batch_;
  bool needed_ = false;
  std::vector<Lane> lanes_;
};

}  // namespace stiffly
