// A method at work for a while, to see what it costs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stiffly/control/controlled_stepper.hpp"

namespace stiffly {

/// Whether a method has made a good part of all energy that ever was in motion, from `before` to `after`. A
/// long step of a method that damps leaves some in stiff springs, too, but such a method loses it again.
bool makes_energy(const IntegratorTraits& method, const MotionScale& scale, double before, double after);

/// Steps as a run under a tolerance would make them. What it has made is kept while that is little, so that
/// the run can take it over.
class Trial {
 public:
  /// How long it may take.
  struct Allowance {
    double usual, while_open;  ///< s for a trial, and for one whose steps are few or grow and become cheaper
    double step, long_step;    ///< s after which a single step is given up, and one that may be worth it
  };
  struct Made {
    State state;  ///< after the step
    double energy;
    StepRecord step;
    double seconds;  ///< with those of rejected ones before it
  };

  /// The first step will be about h. Seconds are those of counted work (effort.hpp).
  Trial(const SecondOrderSystem& system, std::shared_ptr<Integrator> method, RunSoFar run,
        const StepPlan& plan, double h);

  /// For about so many seconds, or until the length of steps is found, or until it is clear that the method
  /// does not reach the best cost so far. A step that is far too long for a method may take minutes: a trial
  /// ends where longer steps cost more per simulated second than shorter ones did. The next call goes on from
  /// there: a method that damps vibrations takes long steps only when it has done so.
  void go_on(const Allowance& seconds, double best);
  const TrialResult& result() const { return result_; }
  /// Whether there is nothing more to learn: it is at the end of the run, or was given up.
  bool over() const { return given_up_ || (stepper_ && stepper_->done()); }

  /// The stepper after the last step, and all steps up to there; none where they were not kept.
  struct Legacy {
    std::unique_ptr<ControlledStepper> stepper;
    std::vector<Made> steps;
  };
  Legacy leave();

 private:
  bool none_accepted() const { return kept_ && made_.empty(); }
  void give_up();
  void steps_for(const Allowance& seconds, double best, TrialResult& now);
  ControlledStepper::Verdict attempt(double limit);

  const SecondOrderSystem& system_;
  RunSoFar from_;
  StepPlan plan_;
  double first_step_;
  std::shared_ptr<Integrator> method_;
  std::unique_ptr<ControlledStepper> stepper_;  ///< none before the first step, and where it was given up
  bool given_up_ = false;
  TrialResult result_;
  std::vector<Made> made_;
  bool kept_ = true;       ///< whether all steps are in `made_`
  double since_step_ = 0;  ///< s, since the last one that was accepted
};

}  // namespace stiffly
