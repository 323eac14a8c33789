// Particles and forces on their way to a body.
#pragma once

#include <array>
#include <Eigen/Core>
#include <memory>
#include <span>

#include "stiffly/forces/springs.hpp"
#include "stiffly/scene/body.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly {

/// Free particles without velocity at these points.
Particles still_particles(std::span<const Eigen::Vector3d> points, std::vector<double> masses);

/// A spring between each pair of ends, as long as their distance.
std::vector<Spring> springs_at_rest(std::span<const std::pair<int, int>> ends,
                                    std::span<const Point> positions, double stiffness, double damping = 0,
                                    SpringLaw law = SpringLaw::linear);

/// What there is to draw of springs.
std::vector<std::pair<int, int>> ends_of(std::span<const Spring> springs);

/// Collects forces on particles. Forces speak of particles in the system's inner order, users in their own:
/// `inner` translates.
class BodyBuilder {
 public:
  explicit BodyBuilder(const Particles& particles);

  int inner(int particle) const { return system_->rank()[static_cast<std::size_t>(particle)]; }
  template <std::size_t corners>
  std::vector<std::array<int, corners>> inner(std::span<const std::array<int, corners>> elements) const {
    std::vector<std::array<int, corners>> out(elements.begin(), elements.end());
    for (auto& element : out)
      for (int& corner : element) corner = inner(corner);
    return out;
  }
  /// Positions at the start, in the inner order.
  std::vector<Point> inner_positions() const;

  void add(std::unique_ptr<Force> force) { system_->add(std::move(force)); }
  /// With ends in the user's order.
  void add_springs(std::vector<Spring> springs);
  void add_gravity(const std::array<double, 3>& acceleration);

  std::unique_ptr<ParticleSystem> finish_system();
  /// The system at its start; what there is to draw is up to the caller.
  Body finish();

 private:
  std::unique_ptr<ParticleSystem> system_;
};

}  // namespace stiffly
