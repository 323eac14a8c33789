// Bodies that push each other, and themselves, away.
#pragma once

#include <vector>

#include "stiffly/contact/near_list.hpp"
#include "stiffly/contact/one_sided_contacts.hpp"
#include "stiffly/contact/pair_contact.hpp"
#include "stiffly/system/force.hpp"

namespace stiffly {

/// Every pair of elements whose surfaces are nearer than the range stores U(g), and rubs with Coulomb's
/// friction made smooth. A force like any other, so every method can use it. Its tangent couples what is near
/// at the time: that is left to add_touching_tangent, and the pattern of the system grows and shrinks with
/// it. Over a step the push is U's change over that of the gap: no energy is made or lost by it.
class BodyRepulsion final : public Force {
 public:
  /// Nodes speak of particles in the inner order; `x` of all particles is where the bodies are drawn. Throws
  /// InputError unless the laws' numbers are positive and finite (friction: not negative), and where bodies
  /// overlap.
  BodyRepulsion(const ContactBodies& bodies, std::span<const double> x, const RepulsionLaw& law,
                const FrictionLaw& friction = {}, ContactResponse response = ContactResponse::mixed);

  std::string name() const override { return "contact"; }
  double energy(const Configuration& q) const override;
  void add_force(const Configuration& q, std::span<double> f) const override;
  void add_pairs(std::size_t, std::vector<std::pair<int, int>>&) const override {}
  void attach(std::size_t, const BlockPattern&) override {}
  void add_tangent(const Configuration&, Tangent&) const override {}
  void add_touching_pairs(const Configuration& q, std::vector<std::pair<int, int>>& pairs) const override;
  void add_touching_tangent(const Configuration& q, Tangent& tangent) const override;
  std::unique_ptr<MixedElements> mixed_elements(std::size_t free, const BlockPattern& pattern) const override;
  /// Finds and measures contacts; the force must outlive it.
  std::unique_ptr<ContactSource> source() const;
  std::optional<Touch> touch(const Configuration& q) const override;
  double longest_step(const Configuration& q, double h) const override;
  void forget() override { near_.forget(); }
  bool is_barrier() const override { return law_.barrier; }
  double clear_share(const Configuration& from, const Configuration& to) const override;
  ForcePower power(const Configuration& q) const override;
  std::optional<double> support_rate(const Configuration& q) const override;
  /// Friction turns what it holds: its two forces are a thickness apart.
  bool keeps_spin() const override { return friction_.coefficient == 0; }
  bool depends_on_velocity() const override { return friction_.coefficient > 0; }
  bool circulatory() const override { return friction_.coefficient > 0; }

  /// The average over a step: along the line of nearest points in its middle, what U changes by.
  void add_average(const ParticlePath& path, std::span<double> f) const;
  /// Adds the tangent, its stiffness times `share`.
  void add_shared_tangent(const Configuration& q, double share, Tangent& tangent) const;

 private:
  class Gaps;
  /// A pair within the range.
  struct Met {
    ElementPair pair;
    PairContact contact;
    double gap;
  };
  std::vector<Met> met(const Configuration& q) const;
  /// Of segments the rounded distance is felt.
  Proximity nearest(const Neighbours& k, const Corners& corners) const;
  double gap(const Neighbours& k, const Corners& corners) const;
  /// f ← f + `local`, three entries for each corner.
  void scatter(const ElementPair& pair, const PairVector& local, std::size_t free, std::span<double> f) const;
  /// visit(free particle, share of a corner, corner)
  template <class Visit>
  void for_particles(const ElementPair& pair, std::size_t free, const Visit& visit) const;

  RepulsionLaw law_;
  FrictionLaw friction_;
  ContactResponse response_;
  mutable NearList near_;
  mutable std::vector<double> x_, v_;  ///< of the nodes
};

}  // namespace stiffly
