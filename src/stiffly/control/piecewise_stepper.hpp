// Independent pieces of a system, each at its own steps.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "stiffly/control/stepper.hpp"
#include "stiffly/control/stepper_bytes.hpp"
#include "stiffly/system/pieces.hpp"

namespace stiffly {

struct Checkpoint;

/// Every piece has a method, a step control and Krylov spaces of its own; between two meetings nobody waits
/// for anyone. Meetings are at equal intervals from the start, and at the end; where steps are given, an
/// interval is a whole number of them. A piece whose step goes on beyond a meeting is there by its method's
/// formula for the inside of a step, so that meetings change no steps. Pieces go on in parallel, and results
/// do not depend on the number of threads.
///
/// Where all steppers at once would take too much memory, they are parked: between meetings there is only
/// what they save, and a stepper is made again from it for the next one. It then forgets at meetings what it
/// would otherwise have kept (a factor, say), as it does at checkpoints; and between meetings states are on a
/// cubic. Whether they are depends on the system and the method alone.
///
/// A step of this stepper is one from meeting to meeting. Under a tolerance each piece holds it relative to
/// its own motion.
class PiecewiseStepper final : public Stepper {
 public:
  enum class Parking { auto_, always };
  /// `pieces` of `system`; `meet_every` s.
  PiecewiseStepper(const SecondOrderSystem& system, std::vector<Piece> pieces, std::string_view method,
                   const State& start, const StepPlan& plan, double meet_every,
                   const IntegratorOptions& options = {}, const Checkpoint* resume = nullptr,
                   Parking parking = Parking::auto_);
  ~PiecewiseStepper() override;

  const IntegratorTraits& traits() const override { return traits_; }
  const State& state() const override { return state_; }
  double energy() const override { return energy_; }
  double initial_energy() const override { return initial_energy_; }
  double energy_given_up() const override;
  bool done() const override { return state_.time >= end_; }
  /// Where pieces fail, the first one's error is thrown; `state` is then that of the last meeting.
  const StepRecord& advance() override;
  /// Cubic between the steps of each piece.
  std::vector<State> within(std::span<const double> times) override;
  StepperMemory save() override;
  /// Those of the first piece, and of the first in a step that comes to another method; each says with which
  /// methods the pieces go on.
  std::span<const Decision> decisions() const override { return decisions_; }

  std::size_t pieces() const { return members_.size(); }
  /// Whether steppers for all pieces of the system are too much.
  static bool parks(const SecondOrderSystem& system, std::string_view method);
  /// What all pieces of the system take.
  static StepperBytes memory(const SecondOrderSystem& system, std::string_view method);

 private:
  class Member;
  struct Stepping {
    std::string method;
    State start;
    StepPlan plan;
    IntegratorOptions options;
    bool parked;
  };
  double meeting(long number) const;
  void note_decisions();

  Stepping stepping_;
  std::vector<std::unique_ptr<Member>> members_;
  IntegratorTraits traits_;
  State state_;
  double start_, end_, interval_;  ///< s
  long step_count_ = 0;            ///< in an interval, where steps are given
  double step_ = 0;
  long met_ = 0;  ///< meetings since the start
  double energy_, initial_energy_;
  StepRecord record_;
  std::vector<Decision> decisions_;
  std::string methods_;  ///< that the pieces go on with, and how many of them, as text
};

}  // namespace stiffly
