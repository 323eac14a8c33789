// What of a scene can be drawn, and what its springs and particles are made of.
#pragma once

#include "stiffly/results/frame_file.hpp"
#include "stiffly/scene/scene.hpp"

namespace stiffly {

Topology topology(const Scene& scene);

/// Makes frames of states. The scene must outlive it.
class FrameMaker {
 public:
  explicit FrameMaker(const Scene& scene);

  const DrawnPoints& points() const { return points_; }
  FrameContents operator()(const State& state) const;

 private:
  const Scene& scene_;
  DrawnPoints points_;
  bool contact_;  ///< whether something can touch
};

}  // namespace stiffly
