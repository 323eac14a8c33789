// How much a step may change the energy of a system that should keep it.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "stiffly/control/energy_books.hpp"
#include "stiffly/control/motion_scale.hpp"

namespace stiffly {

/// An error estimate sees what a step does to positions and velocities, not what many steps do together:
/// where stiff links turn, every step may lose a little more than the last, and a pendulum comes to rest.
/// Energy is a second judge: that of a system which nothing damps or drives, and elsewhere what is left when
/// dampers, wind and supports have got theirs. Over the run it may change by the tolerance times the energy
/// in motion: half of that at any time, the other half in proportion to the time that has passed; and by as
/// much of what dampers have taken by then, with which errors go, too. Where no books are kept, only a gain
/// of a passive system is an error, and is judged step by step.
class EnergyBudget {
 public:
  EnergyBudget(const SecondOrderSystem& system, const State& start, double energy, double duration,
               double tolerance);

  /// What a step of h to `time` has changed, in parts of what it may: at most 1 is good. `transfer`: of that
  /// step, where books are kept. `gain_counts`: for methods that do not see energy come and go within a
  /// vibration.
  double share(const MotionScale& scale, double before, double after, double time, double h, bool gain_counts,
               const std::optional<EnergyTransfer>& transfer = {}) const;
  enum class Outlook {
    open,      ///< shorter steps help, or may
    hopeless,  ///< they have not helped for long: vibrations far faster are damped in one step, of any length
    unaccounted  ///< energy comes or goes at a rate that steps have nothing to do with: books miss something
  };
  /// After a step that was rejected for its energy.
  Outlook outlook(double h, double share);
  /// Books are not asked from here on.
  void distrust_books() { distrusted_ = true; }
  bool trusts_books() const { return !distrusted_; }
  /// The step to that energy was taken: it is the one to keep from here on, and what it lost is noted.
  void accept_loss(double before, double after, const std::optional<EnergyTransfer>& transfer = {});
  /// It was taken, and is within the budget, or was not judged.
  void accept(double before, double after, const std::optional<EnergyTransfer>& transfer = {});
  /// J, that no step could keep.
  double lost() const { return lost_; }

  std::vector<double> save() const { return {reference_, lost_, moved_, distrusted_ ? 1.0 : 0.0}; }
  void restore(std::span<const double> memory) {
    reference_ = memory[0], lost_ = memory[1], moved_ = memory[2], distrusted_ = memory[3] != 0;
  }
  static constexpr std::size_t memory_size = 4;

 private:
  struct Rejected {
    int count = 0;
    double h = 0, share = 0;  ///< of the first
  };

  bool kept_;  ///< whether the system keeps its energy
  double start_time_, duration_, tolerance_;
  double reference_;  ///< J, that there should be now
  double lost_ = 0, moved_ = 0;
  bool distrusted_ = false;
  Rejected rejected_;
};

}  // namespace stiffly
