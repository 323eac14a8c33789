// What all peers share: the system as bare arrays, the watch on time, the moments that were asked for.
#pragma once

#include <exception>
#include <utility>

#include "stiffly/control/motion_scale.hpp"
#include "stiffly/study/candidate.hpp"
#include "stiffly/study/study_clock.hpp"

namespace stiffly::study {

/// One run under way. y = (x, v) as everywhere.
class PeerRun {
 public:
  PeerRun(const SecondOrderSystem& system, const State& start, std::span<const double> moments,
          double time_limit);

  const SecondOrderSystem& system() const { return system_; }
  const State& start() const { return start_; }
  std::size_t unknowns() const { return start_.unknowns(); }
  double end() const { return moments_.empty() ? start_.time : moments_.back(); }
  double duration() const { return end() - start_.time; }
  Trajectory& result() { return result_; }

  // ---- the physics. Each call looks at the clock and throws when the time limit is over ----

  /// f(t, x, v). Whether it is finite; throws SimulationError when it has not been for many calls in a row,
  /// so that no library goes on for ever with shorter and shorter steps.
  bool force(double t, const double* x, const double* v, double* f);
  /// F(t, y) = (v, M⁻¹f), likewise.
  bool rate(double t, const double* y, double* out);
  /// K and C at (t, x, v), valid until the next call.
  const Tangent& tangent(double t, const double* x, const double* v);

  // ---- the moments ----

  bool done() const { return result_.states.size() == moments_.size(); }
  double next_moment() const { return moments_[result_.states.size()]; }
  /// After a step to `time`: records all moments up to there, each as written by at(moment, y). Throws
  /// SimulationError where steps have become so short that the run would never end.
  template <class At>
  void record_until(double time, const At& at) {
    rethrow();  // where the library took the failure of a callback for a reason to try again
    look_at_progress(time);
    std::vector<double> y(2 * unknowns());
    while (!done() && next_moment() <= time) {
      at(next_moment(), y.data());
      record(y.data());
    }
  }

  // ---- exceptions, which may not pass through C ----

  /// What `work` returns; −1 if it throws, and the exception waits for `rethrow`.
  template <class Work>
  int guard(const Work& work) noexcept {
    try {
      return work();
    } catch (...) {
      if (!error_) error_ = std::current_exception();
      return -1;
    }
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  friend class Peer;
  struct OutOfTime {};
  void look_at_clock() const;
  void look_at_progress(double time);
  /// The state at the next moment. Throws SimulationError where it is not finite.
  void record(const double* y);

  const SecondOrderSystem& system_;
  const State& start_;
  std::span<const double> moments_;
  double time_limit_;
  Stopwatch clock_ = study_watch();
  double initial_energy_;
  double last_time_;
  int not_finite_ = 0;  // calls in a row
  Tangent tangent_;
  std::exception_ptr error_;
  Trajectory result_;
};

/// A candidate of another library: `integrate` may throw whatever it likes.
class Peer : public Candidate {
 public:
  Peer(std::string name, Knob knob) : name_(std::move(name)), knob_(knob) {}
  const std::string& name() const final { return name_; }
  Knob knob() const final { return knob_; }
  Trajectory run(const SecondOrderSystem& system, const State& start, std::span<const double> moments,
                 double setting, double time_limit) final;

 private:
  /// From the start through all moments; steps, rejected steps and the library's share of the work go to
  /// run.result().
  virtual void integrate(PeerRun& run, double setting) = 0;

  std::string name_;
  Knob knob_;
};

/// The absolute errors per step that a tolerance stands for: for positions, tolerance × the largest
/// displacement from the start so far; for velocities, tolerance × the largest velocity so far, both as mass
/// weighted root mean squares over the body. In a weighted root-mean-square norm this is the measure that our
/// own step control uses. Relative errors of single entries are not looked at: positions have no natural
/// zero, and velocities pass through theirs.
class MotionTolerance {
 public:
  MotionTolerance(const PeerRun& run, double tolerance);
  /// A first step, for libraries that choose none.
  double first_step() const { return first_step_; }
  void see(double time, const double* y);
  double position() const { return position_; }
  double velocity() const { return velocity_; }
  /// Of positions: errors below are none.
  double roundoff() const { return roundoff_; }
  /// out_i ← of the entry y_i
  void write(double* out) const;

 private:
  void update();

  MotionScale scale_;
  double tolerance_;
  double first_step_;
  double root_mass_;  // √(1ᵀM1)
  double roundoff_;
  double position_ = 0, velocity_ = 0;
  State seen_;
};

}  // namespace stiffly::study
