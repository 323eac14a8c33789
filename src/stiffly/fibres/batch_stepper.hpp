// Energy-momentum steps of the fibres of a batch, each at steps of its own.
#pragma once

#include "stiffly/fibres/batch_progress.hpp"
#include "stiffly/fibres/batch_workspace.hpp"

namespace stiffly {

/// The method of EnergyMomentum with its estimate and the library's step control, for each fibre of a batch
/// by itself: its own length of step, its own factor, its own end of the iteration. A lane that has finished
/// a step begins the next one at once. So what a fibre does depends on nothing but itself: not on the fibres
/// beside it, nor on how many lanes there are (but for rounding). Steps of one length for the batch would
/// have been those of its worst fibre.
///
/// Fibres meet at the times given to `advance`; until then steps are equal parts of what is left, unless the
/// error says otherwise. Factors are forgotten there: what is saved is enough to go on bit for bit.
class BatchStepper {
 public:
  /// Throws InputError for numbers that make no sense.
  BatchStepper(FibreBatch batch, const FibreSteps& steps);

  const FibreBatch& batch() const { return batch_; }
  double time() const { return time_; }
  double time_of(int lane) const { return progress_[static_cast<std::size_t>(lane)].time; }
  /// All fibres that are not there yet to `until`. Throws SimulationError, naming the fibre, where one cannot
  /// get there.
  void advance(double until, BatchWorkspace& workspace);
  /// As FibreBatch::displace, where the fibre is now: it starts anew from there.
  double displace(int lane, const SectionWay& way, const SectionWay& faster);
  /// Keeps what there is; a lane goes back to it.
  void keep();
  void go_back(int lane);
  /// The lane does not go on before then, unless it goes back.
  void wait(int lane, double until) { progress_[static_cast<std::size_t>(lane)].time = until; }

  /// Of one lane, so far.
  const FibreWork& work(int lane) const { return progress_[static_cast<std::size_t>(lane)].work; }
  double& owed(int lane) { return progress_[static_cast<std::size_t>(lane)].owed; }
  FibreWork total_work() const;
  const FibreEnergy& energy(int lane) const { return progress_[static_cast<std::size_t>(lane)].energy; }

  /// All that it takes to go on with a lane.
  std::vector<double> save(int lane) const;
  /// How many numbers that is, of a lane in a batch with so many cross-sections.
  static std::size_t saved_size(int sections) {
    return FibreProgress::saved_numbers + FibreBatch::saved_size(sections);
  }
  /// Of all lanes. Throws InputError where the numbers are not such as are saved.
  void restore(std::span<const std::vector<double>> lanes);

  /// Bytes that it keeps of so many fibres.
  static std::size_t memory(int lanes, int sections, int fibres) {
    return sizeof(BatchStepper) + FibreBatch::memory(lanes, sections, fibres) +
           static_cast<std::size_t>(fibres) * sizeof(FibreProgress);
  }

 private:
  void check_exponential() const;
  void choose_first_step(int lane, const double* force);

  FibreBatch batch_;
  FibreSteps steps_;
  double time_ = 0;
  std::vector<FibreProgress> progress_;
  FibreWork batch_work_;
  struct {
    double time = 0;
    LineVector numbers;
    std::vector<FibreProgress> progress;
  } kept_;
};

}  // namespace stiffly
