// Bodies in space as shaded pictures: a small software renderer.
#pragma once

#include <array>
#include <Eigen/Core>
#include <span>
#include <utility>
#include <vector>

#include "stiffly/plot/image.hpp"

namespace stiffly {

/// What to draw. With triangles or strands, those are; else the lines, and the particles as balls.
struct Drawing {
  std::span<const std::array<double, 3>> positions = {};
  std::span<const std::array<int, 3>> triangles = {};
  std::span<const std::pair<int, int>> lines = {};
  std::vector<Color> colors = {};                     ///< of each particle
  std::span<const std::pair<int, int>> strands = {};  ///< smooth lines through particles first, …, last − 1
  std::size_t closed = 0;  ///< of the triangles, from the first on, those of which only the front is seen
};

/// A parallel projection: z is up, and the view comes a little from above.
class Camera {
 public:
  /// Sees all of `positions`, of which there is at least one; flat things are looked at from their broad
  /// side.
  explicit Camera(std::span<const std::array<double, 3>> positions);

  /// Height over width of what is seen.
  double aspect() const { return (high_.y() - low_.y()) / (high_.x() - low_.x()); }
  /// Makes it fill a picture of that size but for a margin.
  void fit(int width, int height, double margin);
  /// x and y in pixels, z growing towards the viewer (in pixels too).
  Eigen::Vector3d project(const Eigen::Vector3d& x) const;
  /// The direction seen from as a direction in space.
  Eigen::Vector3d towards_viewer() const { return axes_.row(2); }
  /// Lowest z of all that is seen.
  double ground() const { return ground_; }
  double pixels_per_metre() const { return scale_; }

 private:
  Eigen::Matrix3d axes_;        ///< rows: right, up, towards the viewer
  Eigen::Vector2d low_, high_;  ///< of what is seen, along right and up
  double ground_ = 0;
  double scale_ = 1;
  Eigen::Vector2d centre_ = Eigen::Vector2d::Zero();  ///< of the picture, in pixels
};

/// A light background with the drawing and its shadow on the ground, and the triangles of what is around it.
Image render(const Drawing& drawing, const Camera& camera, int width, int height, const Drawing& around = {});

}  // namespace stiffly
