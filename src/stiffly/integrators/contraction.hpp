// The rules of an iteration with strains as unknowns, known by the sizes of its corrections alone: when it
// has converged, and when its factor no longer serves.
#pragma once

#include <array>

namespace stiffly {

/// Corrections on one factor.
class Contraction {
 public:
  enum class Verdict {
    goes_on,
    converged,
    slow,     ///< needs a new factor where it is
    diverged  ///< has to begin again, with a new factor
  };

  Contraction() = default;
  /// Unknowns are accelerations, of which velocities have c. What is left is to be `tolerance` of the
  /// velocities, which are about `motion` to begin with, but not below `floor`, their round-off; at 1e-12 and
  /// below, all that round-off leaves.
  Contraction(double c, double tolerance, double motion, double floor)
      : c_(c), tolerance_(tolerance), motion_(motion), floor_(floor) {}

  int count() const { return count_; }
  /// Whether a correction of that size is beyond all use.
  bool diverges(double correction) const;
  /// After a correction, with the size of what was corrected.
  Verdict see(double correction, double unknown);

 private:
  double c_ = 0, tolerance_ = 0, motion_ = 0, floor_ = 0;
  int count_ = 0;
  double first_ = 0, last_ = 0, before_last_ = 0;
};

/// Whether a factor is kept from one solve to the next.
class KeptFactor {
 public:
  static constexpr int most_in_a_solve = 5;

  /// At the beginning of a solve: whether that has to have a factor of its own.
  bool begins_anew();
  /// After a solve in which a factor served, one made there (`fresh`) or the one kept: whether what it wastes
  /// in corrections is still less than a new one costs.
  bool still_serves(int corrections, bool fresh, double cost);
  /// It did not serve.
  void failed(bool fresh);

  std::array<double, 4> save() const;
  void restore(const std::array<double, 4>& saved);

 private:
  int fresh_corrections_ = 0;  ///< that it took when it was new
  double wasted_ = 0;          ///< corrections beyond those, since then
  /// After a kept one did not serve, the next few solves begin with one of their own.
  int patience_ = 0, renewals_ = 0;
};

}  // namespace stiffly
