// Obstacles in the way of a batch of fibres.
#pragma once

#include <array>

#include "stiffly/fibres/batch.hpp"
#include "stiffly/fibres/fibre_repulsion.hpp"

namespace stiffly {

/// What pushes the centres of cross-sections of a lane in the middle of a step, where they are the means of
/// both ends: f(x̄, t + h/2), of second order, as the iteration has it (BatchView::push).
class BatchContact {
 public:
  explicit BatchContact(const FibreBatch& batch);
  /// Whether any lane has obstacles.
  bool needed() const { return needed_; }

  /// A lane is about to step from t to t + h.
  void place(int lane, double t, double h);
  /// The push on a lane where it is.
  void push(int lane, const BatchView& view) const;
  /// Its derivative by the end of the step, without what would push sideways.
  void freeze(int lane, const BatchView& view) const;
  /// What moving obstacles have brought in over the step, J.
  double work(int lane, const BatchView& view) const;

 private:
  struct Lane {
    const FibreObstacles* obstacles = nullptr;
    std::vector<PlacedShape> shapes = {};
    double h = 0;
  };
  template <class Visit>
  void for_sections(int lane, const BatchView& view, const Visit& visit) const;

  const FibreBatch& batch_;
  bool needed_ = false;
  std::vector<Lane> lanes_;
};

}  // namespace stiffly
