// Fibres of a system in batches, as something that steps through time.
#pragma once

#include "stiffly/control/stepper.hpp"
#include "stiffly/control/stepper_bytes.hpp"
#include "stiffly/fibres/fibre_contact.hpp"
#include "stiffly/fibres/system_fibres.hpp"

namespace stiffly {

struct Checkpoint;

/// The method energy-momentum for a system of fibres, each at its own steps, or an exponential one at given
/// steps. A step of this stepper is one from meeting to meeting, where all fibres are at one time and the
/// system's state is put together. It keeps books of energy itself: exact ones, whatever happens between
/// meetings.
class FibreStepper final : public Stepper {
 public:
  /// `meetings`: rising times after the start, the last one the end. Where steps are given they are equal
  /// parts of the way from one to the next, of about the given length. `contact`: how they touch; without it
  /// they do not. `chosen_because`: of `auto`, or
  /// empty. `exponential`: the method, or energy-momentum.
  FibreStepper(const ParticleSystem& system, SystemFibres fibres, const State& start, const StepPlan& plan,
               std::vector<double> meetings, const IntegratorOptions& options = {},
               const Checkpoint* resume = nullptr, std::string chosen_because = {},
               const std::optional<FibreContactLaw>& contact = {},
               const ExponentialTableau* exponential = nullptr);

  /// What it takes beside the system.
  static StepperBytes memory(const SystemFibres& fibres, bool contact,
                             const ExponentialTableau* exponential = nullptr);
  /// The exponential method of this name, where batches know it and these options leave it to them; else
  /// none.
  static const ExponentialTableau* exponential(const std::string& integrator, const StepPlan& plan,
                                               const IntegratorOptions& options);

  const IntegratorTraits& traits() const override { return traits_; }
  const State& state() const override { return state_; }
  double energy() const override { return energy_; }
  double initial_energy() const override { return initial_energy_; }
  double energy_given_up() const override { return 0; }
  std::optional<EnergyTotals> energy_totals() const override { return totals_; }
  bool done() const override { return next_ == meetings_.size(); }
  /// Where a fibre fails, `state` is that of the last meeting.
  const StepRecord& advance() override;
  /// On the straight line between meetings: of second order, as the method is, where these are the ends of a
  /// step. Velocities at its ends vibrate with what it does not resolve, and a cubic would follow them.
  std::vector<State> within(std::span<const double> times) override;
  StepperMemory save() override;
  std::span<const Decision> decisions() const override { return decisions_; }

 private:
  void gather();
  void count(const FibreWork& now);
  void resume_from(const StepperMemory& memory);

  SystemFibres fibres_;
  std::vector<double> meetings_;
  const ExponentialTableau* exponential_;
  FibreSimulation simulation_;
  std::optional<FibreContact> contact_;
  IntegratorTraits traits_;
  State start_, before_, state_;
  std::size_t next_ = 0;  ///< meeting
  FibreWork work_;        ///< up to the last one
  double energy_, initial_energy_;
  EnergyTotals totals_;
  StepRecord record_;
  std::vector<Decision> decisions_;
};

}  // namespace stiffly
