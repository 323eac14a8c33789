// Springs between two particles, with optional dashpots.
#pragma once

#include <type_traits>

#include "stiffly/forces/spring_law.hpp"
#include "stiffly/system/force.hpp"

namespace stiffly {

struct Spring {
  int first = 0, second = 0;  ///< particles
  double stiffness = 0;       ///< k, N/m
  double rest_length = 0;     ///< l, m
  double damping = 0;         ///< of the dashpot beside it, N s/m
  SpringLaw law = SpringLaw::linear;

  SpringMaterial material() const { return {stiffness, rest_length, damping, law}; }
};

struct PlasticLaw;
struct PlasticSpring;

/// All springs of a system, of one kind: Spring or PlasticSpring. Each particle gathers from the springs at
/// it: every spring is computed twice, but no two threads write to the same place and sums have one order.
template <class S>
class SpringNetwork final : public Force {
 public:
  /// `particles` counts all of them; ends must be valid and different, stiffness ≥ 0, rest length > 0, all
  /// finite (InputError names the spring).
  SpringNetwork(std::vector<S> springs, std::size_t particles);

  std::string name() const override { return "springs"; }
  double energy(const Configuration& q) const override;
  void add_force(const Configuration& q, std::span<double> f) const override;
  void add_pairs(std::size_t free, std::vector<std::pair<int, int>>& pairs) const override;
  void attach(std::size_t free, const BlockPattern& pattern) override;
  void add_tangent(const Configuration& q, Tangent& tangent) const override;
  std::unique_ptr<MixedElements> mixed_elements(std::size_t free, const BlockPattern& pattern) const override;
  std::vector<std::unique_ptr<Force>> parts(const Partition& partition) const override;
  ForcePower power(const Configuration& q) const override;
  bool depends_on_velocity() const override { return damped_; }
  bool circulatory() const override { return damped_; }
  std::unique_ptr<Force> yielding(const PlasticLaw& law) const override;
  void add_history(std::vector<double>& out) const override;
  std::span<const double> recall(std::span<const double> history) override;
  bool settle(const Configuration& q) override;
  PlasticWork plastic_work() const override;

  std::span<const S> springs() const { return springs_; }

 private:
  struct Incidence {
    int spring;
    int other;
    std::int64_t block = -1;  ///< of (this particle, other) in the pattern; −1 where other is not free
  };
  std::span<const Incidence> at(std::size_t particle) const {
    return {incidences_.data() + starts_[particle], incidences_.data() + starts_[particle + 1]};
  }

  static constexpr bool plastic = std::is_same_v<S, PlasticSpring>;
  std::size_t particles() const { return starts_.size() - 1; }

  std::vector<S> springs_;
  std::vector<std::size_t> starts_;  ///< incidences of particle i: starts_[i] … starts_[i+1]
  std::vector<Incidence> incidences_;
  std::vector<std::int64_t> diagonal_;
  bool damped_ = false;
};

using Springs = SpringNetwork<Spring>;
extern template class SpringNetwork<Spring>;

}  // namespace stiffly
