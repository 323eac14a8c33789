// How contact is projected away, and what that did.
#pragma once

namespace stiffly {

/// In which things move as little as can be: by their masses M, which keeps momentum, or by M + hC + h²K over
/// a step of h, which also asks how much it deforms them.
enum class ProjectionMeasure { mass, stiffness };

/// Of a thickness: what is no further apart touches still. A pass puts things apart to zero, and rounding is
/// not to say whether the next one sees them.
inline constexpr double just_apart = 1e-5;

struct ProjectionLaw {
  double friction = 0;     ///< μ of Coulomb's law
  double restitution = 0;  ///< e: things leave at e times the speed at which they came
  double depth = 0;        ///< m: overlaps below it are left
  ProjectionMeasure measure = ProjectionMeasure::mass;
  int sweeps = 400;  ///< at most over all contacts, until they are found anew
  /// In the first pass; in each later one, which looks at less, twice as many as in the one before.
  int first_sweeps = 400;

  /// Throws InputError unless 0 ≤ e ≤ 1, μ ≥ 0 and the depth is positive.
  void check() const;
};

/// What projections did.
struct ProjectionReport {
  long contacts = 0;   ///< at most in a step
  long crossings = 0;  ///< ways through each other that were barred
  long passes = 0;     ///< all together
  long halvings = 0;   ///< steps that were made as two, as overlaps could not be mended
  double deepest = 0;  ///< overlap that was left at the end of any step, m
  double taken = 0;    ///< energy that it took, J; below 0: brought
  // Of fibres in batches:
  double driven = 0;  ///< J that what is held or moves by a script brought in by contact
  double made = 0;    ///< J that contact made beyond that and has not had back

  /// One step after the other.
  ProjectionReport& operator+=(const ProjectionReport& later);
};

}  // namespace stiffly
