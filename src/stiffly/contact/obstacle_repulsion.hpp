// Obstacles that push particles away.
#pragma once

#include <array>
#include <vector>

#include "stiffly/contact/friction_slip.hpp"
#include "stiffly/contact/obstacle.hpp"
#include "stiffly/contact/one_sided_contacts.hpp"
#include "stiffly/system/force.hpp"

namespace stiffly {

/// What meets obstacles: a ball about a particle, or about the middle of a fibre's cross-section. The corners
/// of that stand further out than a fibre is thick, and meet nothing.
struct ContactBall {
  std::array<int, 4> corners = {};  ///< particles in the inner order; of a cross-section all free, or none
  int count = 1;                    ///< of these
  double radius = 0;                ///< m

  std::span<const int> particles() const { return {corners.data(), static_cast<std::size_t>(count)}; }
  bool is_free(std::size_t free) const { return static_cast<std::size_t>(corners[0]) < free; }
  double share() const { return 1.0 / count; }
  /// Of positions or velocities of all particles.
  Eigen::Vector3d middle(std::span<const double> y) const {
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    for (const int particle : particles()) sum += Eigen::Vector3d::Map(y.data() + 3 * particle);
    return share() * sum;
  }
};

/// No particle is in two of them.
struct ContactBalls {
  std::vector<ContactBall> all = {};
};

/// f = −U'(g) ∇g on the balls that are free, with the gap g = φ(x) − r between the obstacle and each, and
/// friction against the obstacle's surface; the particles of a ball take equal shares. A force like any
/// other, so every method can use it; but it is felt only within its range, and whoever steps further than
/// that from one evaluation to the next does not see it in time.
class ObstacleRepulsion final : public Force {
 public:
  /// Throws InputError (naming the particle) unless radii are finite and not negative, unless the laws'
  /// numbers are positive and finite, and where friction is below 0.
  ObstacleRepulsion(std::vector<Obstacle> obstacles, ContactBalls balls, const RepulsionLaw& law,
                    const FrictionLaw& friction = {}, ContactResponse response = ContactResponse::mixed);
  /// A ball about each particle, with radii in the inner order.
  ObstacleRepulsion(std::vector<Obstacle> obstacles, const std::vector<double>& radii,
                    const RepulsionLaw& law, const FrictionLaw& friction = {},
                    ContactResponse response = ContactResponse::mixed);

  std::string name() const override { return "obstacles"; }
  double energy(const Configuration& q) const override;
  void add_force(const Configuration& q, std::span<double> f) const override;
  void add_pairs(std::size_t free, std::vector<std::pair<int, int>>& pairs) const override;
  void attach(std::size_t free, const BlockPattern& pattern) override;
  void add_tangent(const Configuration& q, Tangent& tangent) const override;
  std::unique_ptr<MixedElements> mixed_elements(std::size_t free, const BlockPattern& pattern) const override;
  /// Finds and measures contacts; the force must outlive it.
  std::unique_ptr<ContactSource> source() const;
  std::vector<std::unique_ptr<Force>> parts(const Partition& partition) const override;
  std::optional<Touch> touch(const Configuration& q) const override;
  double longest_step(const Configuration& q, double h) const override;
  bool is_barrier() const override { return law_.barrier; }
  double clear_share(const Configuration& from, const Configuration& to) const override;
  /// Of friction; what a moving obstacle brings by it counts as below 0.
  ForcePower power(const Configuration& q) const override;
  bool keeps_spin() const override { return false; }
  bool depends_on_velocity() const override { return friction_.coefficient > 0; }
  bool circulatory() const override { return friction_.coefficient > 0; }
  bool depends_on_time() const override;
  std::optional<double> energy_rate(const Configuration& q) const override;
  void add_drives(double t, std::vector<double>& out) const override {
    for (const Obstacle& obstacle : obstacles_) obstacle.add_drives(t, out);
  }
  double carried(double from, double to) const override {
    double most = 0;
    for (const Obstacle& obstacle : obstacles_) most = std::max(most, obstacle.carried(from, to));
    return most;
  }

  std::span<const Obstacle> obstacles() const { return obstacles_; }
  std::span<const ContactBall> balls() const { return balls_; }
  const RepulsionLaw& law() const { return law_; }
  const FrictionLaw& friction() const { return friction_; }

 private:
  class Gaps;
  /// A ball that is within the range of an obstacle.
  struct Near {
    const ContactBall& ball;
    std::size_t number;  ///< of the ball
    Eigen::Vector3d x;   ///< its middle
    const PlacedShape& shape;
    const Distance& d;
    double gap;
  };
  /// visit(Near) of what is within the range.
  template <class Visit>
  void for_contacts(const Configuration& q, std::size_t first, std::size_t last,
                    std::span<const PlacedShape> shapes, const Visit& visit) const;
  /// Σ term(Near)
  template <class Term>
  double sum_of_contacts(const Configuration& q, const Term& term) const;
  FrictionSlip slip(const Configuration& q, const Near& near) const {
    return {near.ball.middle(q.v) - near.shape.velocity(near.x), near.d.gradient, friction_};
  }

  std::vector<Obstacle> obstacles_;
  std::vector<ContactBall> balls_;
  RepulsionLaw law_;
  FrictionLaw friction_;
  ContactResponse response_;
  std::vector<std::int64_t> blocks_;  ///< of each ball, count² of them
  std::vector<std::size_t> first_block_;
};

}  // namespace stiffly
