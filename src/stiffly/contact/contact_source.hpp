// Things that may touch, whatever they are: particles and obstacles, or two elements of bodies.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "stiffly/system/force.hpp"

namespace stiffly {

/// The line between the nearest points of two things: its end moves as Σ share_i x_i against `drift`.
struct ContactLine {
  double gap = 0;                                    ///< of the surfaces, m
  Eigen::Vector3d normal = Eigen::Vector3d::Zero();  ///< of length 1; zero where there is none
  double steepness = 1;                              ///< the gap grows by this times the way along the normal
  Eigen::Vector3d drift = Eigen::Vector3d::Zero();   ///< velocity of what is no particle, m/s
  std::vector<ParticleShare> shares = {};

  /// Σ share_i y_i over the particles that y has.
  Eigen::Vector3d mean(std::span<const double> y) const {
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    for (const auto& [particle, share] : shares)
      if (const auto at = 3 * static_cast<std::size_t>(particle); at < y.size())
        sum += share * Eigen::Vector3d::Map(y.data() + at);
    return sum;
  }
};

/// Finds what may touch, and measures it.
class ContactSource {
 public:
  using Key = std::pair<int, int>;  ///< of two things
  virtual ~ContactSource() = default;

  /// All that can be within the range somewhere along the path, as long as nobody is further than `wander`
  /// from where it ends; sorted.
  virtual std::vector<Key> find(const ParticlePath& path, double wander) = 0;
  /// What follows is asked where particles are at one time.
  virtual void place(const Configuration& q) = 0;
  /// Both may be called from several threads.
  virtual double gap(const Key& key) const = 0;
  virtual ContactLine line(const Key& key) const = 0;
};

}  // namespace stiffly
