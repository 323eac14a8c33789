// The measure by which fibres in batches are put apart: their stiffness.
#pragma once

#include <memory>

#include "stiffly/contact/contact_sweeps.hpp"
#include "stiffly/fibres/batch_simulation.hpp"
#include "stiffly/fibres/section_chain.hpp"

namespace stiffly {

/// A = M + hC + h²K of fibres as they are when it is made: SectionChain. Factors are made of those that are
/// pushed.
class SectionMeasure final : public ImpulseResponse {
 public:
  /// Middles of cross-sections of fibre i are nodes from first_node[i] to first_node[i + 1]; they begin at
  /// `x`. Fibres all of whose nodes have an inverse mass of 0 are held. All must outlive it.
  SectionMeasure(const FibreSimulation& fibres, std::span<const std::size_t> first_node,
                 std::span<const std::size_t> fibre_of_node, std::span<const double> inverse_mass,
                 std::span<const double> x, double h)
      : fibres_(fibres),
        first_node_(first_node),
        fibre_of_node_(fibre_of_node),
        inverse_mass_(inverse_mass),
        x_(x),
        h_(h),
        pushed_(fibres.size()) {}

  void prepare(const ContactSet& contacts) override;
  int body_of(int particle) const override {
    return static_cast<int>(fibre_of_node_[static_cast<std::size_t>(particle)]);
  }
  bool concurrent() const override { return true; }
  std::vector<ImpulseColumn> columns(std::span<const ParticleShare> shares) override;
  void settle(const ContactSet& contacts, std::span<double> end) override;

  /// How far contacts have moved a fibre, whose nodes now are at `end`.
  SectionWay way(std::size_t fibre, std::span<const double> end);
  /// rad, of any cross-section of a fibre that was pushed.
  double farthest_turn(std::size_t fibre) const;
  /// With changes of velocity of its free nodes, how its cross-sections spin.
  SectionWay spinning(std::size_t fibre, std::vector<Eigen::Vector3d> change);

 private:
  struct Pushed {
    SectionChain chain;
    SectionWay way;  ///< from where it began; empty unless it was pushed in this measure
  };
  std::size_t fibre_of(const ParticleShare& share) const {
    return fibre_of_node_[static_cast<std::size_t>(share.particle)];
  }
  /// Made where there is none yet; several threads may ask for different ones.
  Pushed& pushed(std::size_t fibre);
  void begin(std::size_t fibre);
  std::vector<Eigen::Vector3d> middles(std::size_t fibre, std::span<const double> x) const;
  bool is_held(std::size_t fibre) const { return !(inverse_mass_[first_node_[fibre + 1] - 1] > 0); }
  /// Fibres that contacts push, each once.
  std::vector<std::size_t> fibres_of(const ContactSet& contacts) const;

  const FibreSimulation& fibres_;
  std::span<const std::size_t> first_node_, fibre_of_node_;
  std::span<const double> inverse_mass_, x_;
  double h_;
  std::vector<std::unique_ptr<Pushed>> pushed_;  ///< of each fibre, where it is
};

}  // namespace stiffly
