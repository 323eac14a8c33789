// How fibres are stepped, and how far each has come.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "stiffly/control/drive_map.hpp"
#include "stiffly/control/step_controller.hpp"
#include "stiffly/fibres/batch.hpp"

namespace stiffly {

struct ExponentialTableau;

/// How fibres are stepped.
struct FibreSteps {
  double duration = 1;   ///< of the run, s
  double step = 0.002;   ///< s, where the tolerance is 0
  double tolerance = 0;  ///< relative to the motion of each fibre: chooses the steps
  /// Error of each step's iteration, relative to the velocities; 0: a hundredth of what the tolerance leaves
  /// to a step, and 1e-6 at given steps.
  double iteration_tolerance = 0;
  double theta = 0.5;  ///< as in EnergyMomentum
  /// Errors are measured against a motion of so many metres at least: what begins to move from rest is
  /// otherwise followed as closely, relative to how little it has moved, as what moves far.
  double least_motion = 0;
  /// Of the method; none: energy-momentum. At given steps alone; whose stages do not depend on each other.
  const ExponentialTableau* exponential = nullptr;
  double phi_tolerance = 1e-6;  ///< error of φ-functions, relative to the increment
  /// What steps may not pass over where a tolerance chooses them; none: nothing.
  std::shared_ptr<const DriveMap> drives = nullptr;
};

/// What was done for fibres.
struct FibreWork {
  long steps = 0, rejected = 0;
  long substeps = 0;                 ///< that nobody asked for, because longer ones did not converge
  long factors = 0, iterations = 0;  ///< of exponential steps: solves
  long products = 0;                 ///< of exponential steps; not saved
  /// Factors and iterations of whole batches: with W lanes at work all the time, a W-th of the above.
  long batch_factors = 0, batch_iterations = 0;

  FibreWork& operator+=(const FibreWork& other);
};

/// Energy that came and went, J; exact but for what the iteration leaves.
struct FibreEnergy {
  double supports = 0;   ///< brought in by the root
  double dashpots = 0;   ///< taken by dashpots
  double drag = 0;       ///< taken by drag, as if nothing blew
  double obstacles = 0;  ///< brought in by those that move
  double friction = 0;   ///< taken by that against them; below 0: brought

  FibreEnergy& operator+=(const FibreEnergy& other);
};

/// What is known of a fibre besides its state.
struct FibreProgress {
  double time = 0;
  double step = 0;  ///< about the next one, s
  std::array<double, FibreBatch::past_slots> past_time = {};
  int past = 1;                        ///< states seen, the newest in slot (past − 1) % slots
  double displacement = 0, speed = 0;  ///< the largest so far, as in MotionScale
  double roundoff = 0;                 ///< of positions
  /// It was displaced, and begins anew with the step that it had. Its next steps are not judged: there are
  /// too few states for an estimate, and to compare steps of two lengths each time would triple the work.
  bool displaced = false;
  double owed = 0;  ///< J: what contact has made and is to have back
  StepController controller;
  FibreWork work = {};
  FibreEnergy energy = {};

  int newest() const { return (past - 1) % FibreBatch::past_slots; }
  std::vector<double> save() const;
  /// Throws InputError where the numbers are not such as are saved.
  void restore(std::span<const double> numbers);
  static constexpr std::size_t saved_numbers = 23;
};

}  // namespace stiffly
