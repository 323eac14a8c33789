// Obstacles that push fibres away.
#pragma once

#include <array>
#include <vector>

#include "stiffly/contact/obstacle.hpp"
#include "stiffly/contact/repulsion_law.hpp"
#include "stiffly/system/force.hpp"

namespace stiffly {

/// Obstacles as fibres feel them.
struct FibreObstacles {
  std::vector<Obstacle> obstacles;
  RepulsionLaw law;
  double radius = 0;  ///< of the fibres, m

  /// visit(placed shape, distance, gap) of what is within the range of a point.
  template <class Visit>
  void for_near(std::span<const PlacedShape> shapes, const Eigen::Vector3d& x, const Visit& visit) const {
    for (const PlacedShape& shape : shapes)
      if (const std::optional<Distance> d = shape.within(radius + law.range, x))
        visit(shape, *d, d->value - radius);
  }
  std::vector<PlacedShape> at(double time) const;
};

/// f = −U'(g) ∇g on the centre of each cross-section, with the gap g between the obstacle and a ball of the
/// fibre's radius about it; its four particles take a quarter each. The corners themselves, which stand
/// further out than hair is thick, feel nothing: that of a fibre which is pushed is its line.
class FibreRepulsion final : public Force {
 public:
  using Section = std::array<int, 4>;
  /// Free particles of each cross-section, in the inner order. Throws InputError unless the law's numbers are
  /// positive and finite and the radius is finite and not negative.
  FibreRepulsion(FibreObstacles obstacles, std::vector<Section> sections);

  std::string name() const override { return "obstacles to fibres"; }
  double energy(const Configuration& q) const override;
  void add_force(const Configuration& q, std::span<double> f) const override;
  void add_pairs(std::size_t free, std::vector<std::pair<int, int>>& pairs) const override;
  void attach(std::size_t free, const BlockPattern& pattern) override;
  void add_tangent(const Configuration& q, Tangent& tangent) const override;
  std::vector<std::unique_ptr<Force>> parts(const Partition& partition) const override;
  bool keeps_spin() const override { return false; }
  bool depends_on_time() const override;
  std::optional<double> energy_rate(const Configuration& q) const override;
  void add_drives(double t, std::vector<double>& out) const override {
    for (const Obstacle& obstacle : obstacles_.obstacles) obstacle.add_drives(t, out);
  }

  const FibreObstacles& obstacles() const { return obstacles_; }
  std::size_t sections() const { return sections_.size(); }

 private:
  Eigen::Vector3d centre(const Configuration& q, std::size_t section) const;

  FibreObstacles obstacles_;
  std::vector<Section> sections_;
  std::vector<std::array<std::int64_t, 16>> blocks_;
};

}  // namespace stiffly
