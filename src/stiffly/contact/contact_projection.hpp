// What overlaps at the end of a step is put apart, and leaves each other.
#pragma once

#include <memory>
#include <vector>

#include "stiffly/contact/contact_source.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly {

struct ProjectionLaw {
  double friction = 0;     ///< μ of Coulomb's law
  double restitution = 0;  ///< e: things leave at e times the speed at which they came
  double depth = 0;        ///< m: overlaps below it are left
};

/// What projections did.
struct ProjectionReport {
  long contacts = 0;   ///< at most in a step
  long passes = 0;     ///< all together
  long halvings = 0;   ///< steps that were made as two, as overlaps could not be mended
  double deepest = 0;  ///< overlap that was left at the end of any step, m
  double taken = 0;    ///< energy that it took, J; below 0: brought
};

/// The displacement over a step, δ, is changed as little as can be, ½ δᵀMδ, such that nothing overlaps, and
/// the velocities such that things leave each other at e times the speed at which they came when the step
/// began; what rubs is held back by at most μ times the push, of both. Projected Gauss–Seidel [Bridson,
/// Fedkiw and Anderson 2002; Erleben 2007]; contacts are found anew and projected again until overlaps are
/// below the depth. As masses are the measure, momentum is kept to round-off. What passes through something
/// thin within a step is not seen.
class ContactProjection {
 public:
  /// The system must outlive it. Throws InputError unless 0 ≤ e ≤ 1, μ ≥ 0 and the depth is positive.
  ContactProjection(const ParticleSystem& system, const ProjectionLaw& law);
  /// What can touch, found by `source`, which `owner` keeps alive.
  void add(std::shared_ptr<const Force> owner, std::unique_ptr<ContactSource> source);

  /// Of a step from `from` to `to`. `deepest` is what is left.
  ProjectionReport project(const State& from, State& to);

  const ProjectionLaw& law() const { return law_; }
  /// Of the run: steps that were accepted.
  const ProjectionReport& report() const { return report_; }
  void count(const ProjectionReport& step);
  /// A run begins.
  void begin() { report_ = {}; }

 private:
  struct Contact;
  struct Part {
    std::shared_ptr<const Force> owner;
    std::unique_ptr<ContactSource> source;
  };
  std::vector<Contact> find(double time, double& deepest);
  void sweep(std::vector<Contact>& contacts, double friction, std::vector<double>& y) const;

  const ParticleSystem& system_;
  ProjectionLaw law_;
  std::vector<Part> parts_;
  ProjectionReport report_;
  std::vector<double> start_, x_, start_v_, v_;  ///< of all particles
};

}  // namespace stiffly
