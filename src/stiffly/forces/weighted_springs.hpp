// Springs between weighted means of particles, such as from a corner of a tetrahedron to the centre of a
// face.
#pragma once

#include "stiffly/forces/element_assembly.hpp"
#include "stiffly/forces/spring_law.hpp"

namespace stiffly {

/// The point Σ w_i x_i, with w_i ≥ 0 and Σ w_i = 1.
struct SpringEnd {
  std::vector<int> particles;
  std::vector<double> weights;
};

/// Throws InputError, its message starting with `where`, unless there is a weight for each of some particles
/// and they are as they should be.
void check(const SpringEnd& end, const std::string& where);

struct WeightedSpring {
  SpringEnd first, second;
  SpringMaterial material;
};

/// Springs along e = Σ c_i x_i, where c_i is the weight of particle i in the second end less that in the
/// first. Force on particle i: −c_i times the pull along e; tangent of (i, j): c_i c_j times that of the
/// spring.
class WeightedSprings final : public ElementForce {
 public:
  /// `particles` counts all of them. Throws InputError (naming the spring) on ends that are no convex
  /// combinations and as `check` does.
  WeightedSprings(const std::vector<WeightedSpring>& springs, std::size_t particles);

  std::string name() const override { return "weighted springs"; }
  double energy(const Configuration& q) const override;
  void add_force(const Configuration& q, std::span<double> f) const override;
  void add_tangent(const Configuration& q, Tangent& tangent) const override;
  std::unique_ptr<MixedElements> mixed_elements(std::size_t free, const BlockPattern& pattern) const override;
  std::vector<std::unique_ptr<Force>> parts(const Partition& partition) const override;
  ForcePower power(const Configuration& q) const override;
  bool depends_on_velocity() const override { return damped_; }
  bool circulatory() const override { return damped_; }

 private:
  Eigen::Vector3d between(std::size_t spring, std::span<const double> x) const;

  explicit WeightedSprings(ElementAssembly elements) : ElementForce(std::move(elements)) {}

  std::vector<SpringMaterial> materials_;
  std::vector<Eigen::VectorXd> coefficients_;  ///< c_i, in the order of the corners
  bool damped_ = false;
};

}  // namespace stiffly
