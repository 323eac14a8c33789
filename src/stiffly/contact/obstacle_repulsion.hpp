// Obstacles that push particles away.
#pragma once

#include <vector>

#include "stiffly/contact/obstacle.hpp"
#include "stiffly/contact/one_sided_contacts.hpp"
#include "stiffly/system/force.hpp"

namespace stiffly {

/// f_i = −U'(g) ∇g on the free particles, with the gap g = φ(x_i) − r_i between the obstacle and a ball of
/// radius r_i about each, and friction against the obstacle's surface. A force like any other, so every
/// method can use it; but it is felt only within its range, and whoever steps further than that from one
/// evaluation to the next does not see it in time.
class ObstacleRepulsion final : public Force {
 public:
  /// Radii of all particles in the inner order, m. Throws InputError (naming the particle) unless they are
  /// finite and not negative, unless the laws' numbers are positive and finite, and where friction is below
  /// 0.
  ObstacleRepulsion(std::vector<Obstacle> obstacles, std::vector<double> radii, const RepulsionLaw& law,
                    const FrictionLaw& friction = {}, ContactResponse response = ContactResponse::mixed);

  std::string name() const override { return "obstacles"; }
  double energy(const Configuration& q) const override;
  void add_force(const Configuration& q, std::span<double> f) const override;
  void add_pairs(std::size_t, std::vector<std::pair<int, int>>&) const override {}
  void attach(std::size_t free, const BlockPattern& pattern) override;
  void add_tangent(const Configuration& q, Tangent& tangent) const override;
  std::unique_ptr<MixedElements> mixed_elements(std::size_t free, const BlockPattern& pattern) const override;
  /// Finds and measures contacts; the force must outlive it.
  std::unique_ptr<ContactSource> source() const;
  std::vector<std::unique_ptr<Force>> parts(const Partition& partition) const override;
  std::optional<Touch> touch(const Configuration& q) const override;
  double longest_step(const Configuration& q, double h) const override;
  bool is_barrier() const override { return law_.barrier; }
  double clear_share(std::span<const double> from, const Configuration& to) const override;
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

 private:
  class Gaps;
  std::vector<PlacedShape> placed(double time) const;
  /// Along the surface: T(w), its velocity w, and √(|w|² + v₀²).
  struct Slip {
    Eigen::Vector3d direction, velocity;
    double scale = 0;
  };
  Slip slip(const Configuration& q, std::size_t particle, const PlacedShape& shape, const Distance& d) const;
  /// visit(particle, shape, distance of its centre, gap) of what is within the range.
  template <class Visit>
  void for_contacts(const Configuration& q, std::size_t first, std::size_t last,
                    std::span<const PlacedShape> shapes, const Visit& visit) const;

  std::vector<Obstacle> obstacles_;
  std::vector<double> radii_;
  RepulsionLaw law_;
  FrictionLaw friction_;
  ContactResponse response_;
  std::vector<std::int64_t> diagonal_;
};

}  // namespace stiffly
