// Forces on particles with strains as unknowns, beside those that have none.
#pragma once

#include "stiffly/system/mixed_force.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly {

class MixedParticleForce final : public MixedForce {
 public:
  explicit MixedParticleForce(const ParticleSystem& system);

  std::size_t strains() const override { return starts_.back(); }
  void measure(double t, ConstVectorView x, ConstVectorView v, std::span<double> strain) const override;
  bool touching() const override { return !touching_.empty(); }
  void respond(const Compliance& matrix) override;
  void restart() override;
  void follow(ConstVectorView dx, ConstVectorView dv, std::span<const double> gap,
              std::span<double> strain) const override;

 protected:
  void do_begin(const ForcePath& guess, double b_per_mu, double c_per_mu) override;
  void do_freeze(const ForcePath& path, std::span<const double> strain, Tangent& out) override;
  void do_force(const ForcePath& path, std::span<const double> strain, std::span<double> gap,
                VectorView f) const override;

 private:
  /// The path with all particles; overwritten by the next one.
  ParticlePath particles(const ForcePath& path) const;
  /// The middle of the path.
  Configuration middle_particles(const ForcePath& path) const;
  /// body(elements, first and number of its strains) for each force that has strains.
  template <class Body>
  void for_each(const Body& body) const {
    for (std::size_t i = 0; i < elements_.size(); ++i)
      body(*elements_[i], starts_[i], starts_[i + 1] - starts_[i]);
  }

  const ParticleSystem& system_;
  std::vector<std::unique_ptr<MixedElements>> elements_;
  std::vector<MixedElements*> touching_;                               ///< those that come and go
  std::vector<std::size_t> starts_ = {0};                              ///< of the strains of each
  std::vector<const Force*> others_;                                   ///< without strains
  mutable std::vector<double> start_, end_, v_, middle_x_, middle_v_;  ///< of all particles
  mutable Vector middle_;
};

}  // namespace stiffly
