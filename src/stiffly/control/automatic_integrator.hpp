// The method that serves a system best, found by trying.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stiffly/control/tryout.hpp"
#include "stiffly/integrators/registry.hpp"

namespace stiffly {

class Contest;

struct AutomaticOptions {
  double tolerance = 0;  ///< of the run; 0: its steps are given
  double step = 0;       ///< the given one
  double duration = 1;   ///< of the run, s: trials take a small part of what it will cost
  IntegratorOptions integrator = {};
  std::vector<std::string> candidates = {};  ///< by name; empty: the usual ones
  std::function<double()> clock = {};        ///< seconds since some moment; empty: as they pass
};

/// A choice, with its reason in one line and all that was tried, the best first.
struct Decision {
  double time = 0;  ///< simulated, when it was made
  std::string integrator;
  std::string reason;
  std::vector<Attempt> attempts;
  double seconds = 0;  ///< that the trials took, but for those whose steps the run took over
};

/// By name: those that have a chance to win at a tolerance, or at a given step.
std::vector<std::string> usual_candidates(bool tolerance);

/// Tries its candidates on the user's own system from the present state, goes on with the best one, and tries
/// again when the cost of simulated time has changed by a factor of two, or when it has computed twice as
/// long and as much is left. Under a tolerance the best is the one that computes fastest; at a given step it
/// is the most accurate one. Trials are part of the run: their work is counted and their time is spent, about
/// a tenth of the run's; the steps that the chosen one made in its trial are the run's next steps. Choices
/// rest on measured times, so that two runs may choose differently.
class AutomaticIntegrator final : public Integrator {
 public:
  /// Throws InputError for unknown candidates.
  explicit AutomaticIntegrator(AutomaticOptions options);

  /// Those of the method in use, with an error estimate in any case.
  const IntegratorTraits& traits() const override { return traits_; }
  void start(const SecondOrderSystem& system, const State& state) override;
  Step step(const State& from, double h, bool want_error) override;
  double preferred_step(const State& from, double h) override;
  IntegratorMemory save() override;
  void restore(const IntegratorMemory& memory) override;

  /// Tries all candidates from there and takes the best; the first step does so by itself. Throws
  /// SimulationError where every candidate fails.
  const Decision& decide(const State& from);
  std::span<const Decision> decisions() const { return decisions_; }

 private:
  void show(const IntegratorTraits& traits);
  void take(std::size_t candidate, const State& from);
  void take_over(Tryout& trial);
  void leave_inheritance(const State& from);
  /// From there, with the cost of the method in use where it is known.
  Contest contest_from(const State& from, const std::optional<double>& cost) const;
  /// Whether to decide anew, and if so, that.
  void review(const State& from);
  bool better_seen(double cost) const;
  std::optional<double> cost_so_far(double time) const;

  AutomaticOptions options_;
  const SecondOrderSystem* system_ = nullptr;
  State start_;
  std::unique_ptr<Integrator> current_;
  std::size_t chosen_ = 0;
  IntegratorTraits traits_;
  std::optional<MotionScale> scale_;
  double first_step_ = 0, end_ = 0;
  std::vector<bool> gained_;  ///< by candidate: it made energy out of nothing, and is not taken again
  std::vector<double> seen_;  ///< by candidate: its cost by the last trial, at least, s per s; 0: none
  double regarded_ = 0;       ///< cost up to which candidates are tried again
  std::vector<double> did_;   ///< by candidate: what it cost when it was in use, s per s; 0: it was not
  std::vector<Decision> decisions_;
  bool reviewed_ = false;  ///< before the step that is asked for now

  // Steps of the trial that are still to be handed out, and where the run is meanwhile.
  std::deque<Tryout::Made> inherited_;
  State handed_out_;
  std::optional<double> wish_;  ///< length of the next step
  double after_them_ = 0;       ///< length of the step after the inherited ones

  // What the chosen method has cost since it was chosen.
  double expected_ = 0;   ///< seconds per simulated second, by the trial
  double probation_ = 0;  ///< s of computing, after which one that was trusted is doubted; 0: none was
  double window_begin_ = 0, spent_ = 0;  ///< simulated time at which the window begins, seconds spent in it
  struct Mark {
    double time, seconds;  ///< simulated, and computed by then
  };
  std::vector<Mark> marks_;  ///< since it was chosen
  double energy_ = 0;        ///< when it was chosen
  long steps_ = 0;
  double tried_from_ = 0;                ///< simulated time
  int attempts_ = 0;                     ///< from there
  double last_step_ = 0;                 ///< length of it
  double in_trials_ = 0, in_steps_ = 0;  ///< seconds of the whole run, before the window
  double decided_at_ = 0;                ///< in_steps_ at the last decision
};

/// What is known of the method of that name. Throws InputError for an unknown one.
const IntegratorTraits& traits_of(const std::string& name);
/// The method of that name for such a run; "auto": the automatic one. Throws InputError for an unknown name.
std::unique_ptr<Integrator> method_for(const std::string& name, const AutomaticOptions& run);
/// One that need not be registered.
std::unique_ptr<Integrator> method_of(const IntegratorInfo& info, const AutomaticOptions& run);

/// The choice for a system, without a run.
Decision advise(const SecondOrderSystem& system, const State& start, const AutomaticOptions& options);

}  // namespace stiffly
