// A spring from one particle to a point that somebody moves while the simulation goes on.
#pragma once

#include <Eigen/Core>
#include <memory>

#include "stiffly/system/force.hpp"

namespace stiffly {

/// Who pulls where. Between two steps the hand may be moved; what it does is then a function of time that
/// goes on from where it was: strength and point go to their new values within `ramp`, so that force and
/// energy never jump and methods may keep what they remember of earlier steps.
class Hand {
 public:
  /// `ramp` in s of simulated time.
  explicit Hand(double ramp) : ramp_(ramp) {}

  /// From time t on: pulls the particle (inner order) towards `point`, at first with a strength that rises to
  /// `stiffness` in N/m. While another particle is still held, that one is let go first; pulling again later
  /// takes the new one.
  void pull(double t, int particle, const Eigen::Vector3d& point, double stiffness);
  /// From time t on: lets go.
  void release(double t);

  int particle() const { return particle_; }  ///< −1: none yet
  double stiffness(double t) const { return between(from_.stiffness, to_.stiffness, t); }
  Eigen::Vector3d point(double t) const { return between(from_.point, to_.point, t); }
  /// Whether it has ever pulled: results then depend on who did.
  bool used() const { return particle_ >= 0; }

 private:
  struct Hold {
    double stiffness = 0;
    Eigen::Vector3d point = Eigen::Vector3d::Zero();
  };
  template <class T>
  T between(const T& a, const T& b, double t) const {
    return a + smooth((t - since_) / ramp_) * (b - a);
  }
  static double smooth(double share);
  void go(double t, const Hold& to);

  double ramp_, since_ = 0;
  int particle_ = -1;
  Hold from_, to_;
};

/// f = k(t) (p(t) − x) on the particle that the hand holds, energy k(t)/2 |x − p(t)|².
class Tug final : public Force {
 public:
  explicit Tug(std::shared_ptr<const Hand> hand) : hand_(std::move(hand)) {}

  std::string name() const override { return "tug"; }
  double energy(const Configuration& q) const override;
  void add_force(const Configuration& q, std::span<double> f) const override;
  void add_pairs(std::size_t, std::vector<std::pair<int, int>>&) const override {}
  void attach(std::size_t free, const BlockPattern& pattern) override;
  void add_tangent(const Configuration& q, Tangent& tangent) const override;
  std::vector<std::unique_ptr<Force>> parts(const Partition& partition) const override;
  bool depends_on_time() const override { return true; }
  bool keeps_spin() const override { return false; }

 private:
  /// p − x of the particle, and its number here; none where it is not among these or not held.
  struct Reach {
    std::size_t particle;
    double stiffness;
    Eigen::Vector3d away;
  };
  std::optional<Reach> reach(const Configuration& q) const;

  std::shared_ptr<const Hand> hand_;
  std::vector<int> particles_;  ///< numbers in the whole system of the free ones here; empty: all are here
  std::vector<std::int64_t> diagonal_;
};

}  // namespace stiffly
