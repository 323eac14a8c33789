// A force on particles: energy, force, tangent.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "stiffly/system/second_order_system.hpp"

namespace stiffly {

/// All particles as forces see them: three entries each, the `free` movable ones first, then those whose
/// motion is prescribed.
struct Configuration {
  double time = 0;
  std::size_t free = 0;
  std::span<const double> x;
  std::span<const double> v;
};

/// One kind of force. Each must pass the triangle test: force = −∇energy, tangent = −∇force.
class Force {
 public:
  virtual ~Force() = default;
  virtual std::string name() const = 0;
  /// Potential energy; 0 for forces that have none.
  virtual double energy(const Configuration& q) const = 0;
  /// f ← f + force on the free particles.
  virtual void add_force(const Configuration& q, std::span<double> f) const = 0;
  /// Pairs of free particles that this force couples.
  virtual void add_pairs(std::size_t free, std::vector<std::pair<int, int>>& pairs) const = 0;
  /// Called once with the pattern of the whole system, to look up where blocks go.
  virtual void attach(std::size_t free, const BlockPattern& pattern) = 0;
  /// Adds −∂f/∂x and −∂f/∂v.
  virtual void add_tangent(const Configuration& q, Tangent& tangent) const = 0;

  virtual bool depends_on_velocity() const { return false; }
  virtual bool depends_on_time() const { return false; }
  /// Whether ∂f/∂x has an antisymmetric part.
  virtual bool circulatory() const { return false; }
};

}  // namespace stiffly
