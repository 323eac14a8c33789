// What overlaps at the end of a step is put apart, and leaves each other.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "stiffly/contact/contact_sweeps.hpp"
#include "stiffly/contact/stiffness_measure.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly {

/// Projects the contacts of a system of particles away (project_contacts). What passes through something thin
/// within a step is not seen.
class ContactProjection {
 public:
  /// The system must outlive it. Throws InputError as the law's check does.
  ContactProjection(const ParticleSystem& system, const ProjectionLaw& law);
  /// What can touch, found by `source`, which `owner` keeps alive.
  void add(std::shared_ptr<const Force> owner, std::unique_ptr<ContactSource> source);

  /// Of a step from `from` to `to`. `deepest` is what is left.
  ProjectionReport project(const State& from, State& to);

  /// At most h: the step from there in which nothing comes nearer to anything by more than half the range of
  /// what finds it.
  double longest_step(const State& from, double h);

  const ProjectionLaw& law() const { return law_; }

 private:
  struct Part {
    std::shared_ptr<const Force> owner;
    std::unique_ptr<ContactSource> source;
  };
  void find(double time, ContactSet& out);

  const ParticleSystem& system_;
  ProjectionLaw law_;
  std::vector<Part> parts_;
  std::optional<StiffnessMeasure> stiffness_;  ///< where it is the measure
  std::vector<double> inverse_mass_;
  std::vector<double> start_, x_, start_v_, v_;  ///< of all particles
};

}  // namespace stiffly
