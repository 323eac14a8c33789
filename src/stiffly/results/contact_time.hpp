// How long obstacles were touched, and where.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "stiffly/contact/triangle_tree.hpp"
#include "stiffly/scene/drawn_points.hpp"
#include "stiffly/scene/scene.hpp"

namespace stiffly {

/// For every point of the obstacles' drawn surfaces, the time (s) for which things touched there since a run
/// began, as plaque is brushed away. A thing is a free point of DrawnPoints that is as near to an obstacle as
/// ObstacleSurface::touched_within says: a particle, or the middle of a fibre's cross-section, which are what
/// obstacles meet; two of them at one place count twice. Each step gives
/// its whole time to what touches at its end: to the corners of the triangle at the touched place, by their
/// weights there, so that the sum over points is that over things. Obstacles take along what they have got
/// where they move. Planes, which are drawn as one square, have zeros.
class ContactTime {
 public:
  /// Whether there is an obstacle that can have any.
  static bool possible(const Body& body);

  /// The scene must be one of particles, and outlive it.
  explicit ContactTime(const Scene& scene);

  /// To be called with the first state and after every step; the same state twice does no harm.
  void see(const State& state);
  /// Goes on from a state up to which an earlier run had this.
  void resume(std::vector<double> so_far, const State& state);

  /// At a time within the last step, or at its end: of the points of all obstacles, one after the other.
  std::vector<double> at(double time) const;
  /// At the last state that was seen.
  std::vector<double> now() const { return at(end_); }
  std::size_t size() const { return before_.size(); }

 private:
  struct Surface {
    std::size_t obstacle, first_point;
    TriangleTree triangles;
  };
  void touch(const Surface& surface, std::span<const Point> things, double time);

  const Scene& scene_;
  DrawnPoints points_;
  std::vector<bool> free_;  ///< of the points, those that feel obstacles
  std::vector<Surface> surfaces_;
  std::vector<double> before_;                            ///< up to the beginning of the last step
  std::vector<std::pair<std::size_t, double>> touching_;  ///< in that step: points, and how many things there
  std::optional<double> begin_;                           ///< of that step; none before the first state
  double end_ = 0;
};

}  // namespace stiffly
