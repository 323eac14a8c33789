// What of a scene can be drawn, and what its springs and particles are made of.
#pragma once

#include "stiffly/results/contact_time.hpp"
#include "stiffly/results/frame_file.hpp"
#include "stiffly/scene/scene.hpp"

namespace stiffly {

Topology topology(const Scene& scene);

/// Makes frames of states. The scene must outlive it.
class FrameMaker {
 public:
  explicit FrameMaker(const Scene& scene);

  const DrawnPoints& points() const { return points_; }
  /// Where obstacles can be touched, with the times that were counted; zeros where none were.
  FrameContents operator()(const State& state, const ContactTime* counted = nullptr) const;

 private:
  const Scene& scene_;
  DrawnPoints points_;
  bool contact_ = false;          ///< whether something can touch
  std::size_t timed_points_ = 0;  ///< of all obstacles, where frames have how long they were touched
};

}  // namespace stiffly
