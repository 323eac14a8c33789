// A method at work for a while, to see what it costs.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "stiffly/control/stability_limit.hpp"
#include "stiffly/control/step_controller.hpp"

namespace stiffly {

/// What came out of trying a method.
struct Attempt {
  std::string integrator;
  double cost = 0;           ///< seconds of computing per simulated second; at least, if a step was given up
  double step = 0;           ///< the last one made, s, or the one to be made where none was accepted yet
  double next_step = 0;      ///< the one it would have made next
  bool growing = false;      ///< its steps had not found their length yet
  double error = 0;          ///< at a given step: of a step, relative to the motion
  std::string failure = {};  ///< why it cannot be taken
};

/// Whether a method has made as much energy, from `before` to `after`, as a fourth of all that ever was in
/// motion. A long step of a method that damps leaves some in stiff springs, too, but such a method loses
/// it again.
bool makes_energy(const IntegratorTraits& method, const MotionScale& scale, double before, double after);

/// Steps as a run under a tolerance would make them. What it has made is kept while that is little, so that
/// the run can take it over.
class Tryout {
 public:
  static constexpr double shortest = 0.02;  ///< s
  static constexpr double close = 1.5;      ///< costs within this factor of the best may still win
  static constexpr double hopeless = 30;    ///< costs beyond this factor do not catch up by longer steps
  static constexpr int fewest_steps = 4;    ///< that say something

  struct Conditions {
    const SecondOrderSystem& system;
    double tolerance, end;  ///< of the run
    const std::function<double()>& clock;
  };
  struct Allowance {
    double usual, while_open;  ///< s for a trial, and for one whose steps are few or grow and become cheaper
    double step, long_step;    ///< s after which a single step is given up, and one that may be worth it
  };
  struct Made {
    double h;
    Step step;
    double seconds;  ///< with those of rejected ones before it
  };

  Tryout(std::string name, std::unique_ptr<Integrator> method, const State& from, MotionScale scale, double h,
         const Conditions& conditions);

  /// For about so many seconds, or until the length of steps is found, or until it is clear that the method
  /// does not reach the best cost so far. A step that is far too long for a method may take minutes: a trial
  /// ends where longer steps cost more per simulated second than shorter ones did. The next call goes on from
  /// there: a method that damps vibrations takes long steps only when it has done so.
  void go_on(const Allowance& seconds, double best);
  const Attempt& attempt() const { return attempt_; }
  /// Whether there is nothing more to learn: it is at the end of the run, or was given up.
  bool over() const { return !method_ || state_.time >= conditions_.end; }

  /// The method, bound to the state after the last step, and all steps up to there; none where they were not
  /// kept.
  struct Legacy {
    std::unique_ptr<Integrator> method;
    std::vector<Made> steps;
  };
  Legacy leave();

 private:
  bool untouched() const { return kept_ && made_.empty(); }  ///< no step was accepted yet
  void steps_for(const Allowance& seconds, double best, Attempt& now);
  bool try_step(double h, double limit);

  Conditions conditions_;
  std::unique_ptr<Integrator> method_;  ///< none where it was given up in the middle of a step
  State state_;
  MotionScale scale_;
  StepController controller_;
  StabilityLimit limit_;
  double h_;
  Attempt attempt_;
  std::vector<Made> made_;
  bool kept_ = true;  ///< whether all steps are in `made_`
  double energy_;     ///< at the beginning
  double energy_now_;
  double since_step_ = 0;  ///< s, since the last one that was accepted
};

}  // namespace stiffly
