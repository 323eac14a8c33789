// The points that stand for a body in frames and pictures.
#pragma once

#include <span>

#include "stiffly/forces/spring_law.hpp"
#include "stiffly/scene/body.hpp"

namespace stiffly {

/// What there is to draw, by the numbers of points.
struct Topology {
  std::vector<Triangle> triangles = {};
  std::vector<Tetrahedron> tetrahedra = {};
  std::vector<std::pair<int, int>> springs = {};
  std::vector<SpringMaterial> materials = {};     ///< of the springs, or none; without their dashpots
  std::vector<double> masses = {};                ///< kg, of the points, or none
  std::vector<std::pair<int, int>> strands = {};  ///< of each fibre, its first point and how many there are
  /// Of each point its particle, or the first of those whose mean it is; empty: points are particles.
  std::vector<int> particle = {};
  std::vector<ObstacleSurface> obstacles = {};
  bool contact = false;       ///< whether something can touch, so that frames have the sizes of those forces
  bool contact_time = false;  ///< whether frames have how long obstacles were touched
};

/// Every particle is a point, but of fibres there is one for each cross-section: the mean of its four
/// particles, in their place. So points are in the order of particles, and those of a fibre are its centre
/// line from the root to the tip.
class DrawnPoints {
 public:
  DrawnPoints(const Body& body, std::size_t particles);

  std::size_t size() const { return first_.size() - 1; }
  /// The first particle of a point, and behind its last one.
  std::pair<std::size_t, std::size_t> particles_of(std::size_t point) const {
    return {static_cast<std::size_t>(first_[point]), static_cast<std::size_t>(first_[point + 1])};
  }
  /// Positions or velocities of the points, from those of all particles.
  std::vector<Point> of(std::span<const Point> particles) const;
  /// The body's, without masses and materials. Of springs those that are in no fibre.
  Topology topology(const Body& body) const;
  /// Sums over the particles of each point.
  std::vector<double> sums(std::span<const double> of_particles) const;
  /// Of a frame in a file, position and velocity: single precision where there are fibres.
  double frame_bytes() const;

 private:
  bool fibres_;
  std::vector<int> first_;  ///< particle of each point, and behind the last one
};

}  // namespace stiffly
