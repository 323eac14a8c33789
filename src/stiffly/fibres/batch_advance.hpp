// The way of a batch of fibres from one meeting to the next.
#pragma once

#include <initializer_list>

#include "stiffly/fibres/batch_contact.hpp"
#include "stiffly/fibres/batch_estimate.hpp"
#include "stiffly/fibres/batch_iteration.hpp"
#include "stiffly/fibres/batch_progress.hpp"
#include "stiffly/fibres/batch_workspace.hpp"
#include "stiffly/fibres/lanes_set.hpp"

namespace stiffly {

/// The way of all fibres to the next meeting.
class BatchAdvance {
 public:
  BatchAdvance(FibreBatch& batch, std::span<FibreProgress> progress, const FibreSteps& steps,
               BatchWorkspace& workspace, double until);
  /// What was done for the batch as a whole.
  FibreWork run();

 private:
  /// A step is made as one part, or as several where that does not converge.
  struct Part {
    double length;
    int halvings;
  };
  struct Lane {
    double h = 0;            ///< of the step
    double clear_way = 0;    ///< steps from here come upon no obstacle unseen
    bool whole_way = false;  ///< the step is all that is left
    bool compared = false;   ///< the first step: one of h, and then two of h/2, which count
    int leg = 0;             ///< which of these
    double time = 0;         ///< where the next part begins
    double half_time = 0;
    std::vector<Part> parts;  ///< to be made, the next one last
    int foreseen = 0;         ///< halvings that a step begins with: one less than the last one needed
    int deepest = 0;          ///< halvings of the present step
    bool clamped = false;     ///< the factor is one without pressure
    FibreEnergy energy = {};  ///< over the present step
    FibreIteration iteration;
  };

  bool controlled() const { return steps_.tolerance > 0; }
  FibreProgress& progress(int i) { return progress_[static_cast<std::size_t>(i)]; }
  Lane& lane(int i) { return lanes_[static_cast<std::size_t>(i)]; }

  /// Before the first step from where a lane is.
  void look_around(int i);
  void begin_step(int i);
  void begin_leg(int i);
  void begin_part(int i);
  void halve(int i);
  void end_leg(int i);
  void fail_part(int i);
  void reject(int i);
  void accept(int i);
  /// Whether the step's error is small enough; if so, its end joins the states kept.
  bool judge(int i, const StepNorms& norms);
  [[noreturn]] void give_up(int i, double h) const;

  // What is done for all lanes that ask for it, in this order.
  void renew_factors();
  void iterate();
  void take_parts();
  void keep_states();
  void judge_steps();
  void restore_steps();
  void save_steps();
  void start_parts();

  void copy(int count, const double* from, double* to, const LaneSet& lanes) const {
    kernels_.copy(count, from, to, lanes.data());
  }

  FibreBatch& batch_;
  std::span<FibreProgress> progress_;
  const FibreSteps& steps_;
  const BatchKernelTable& kernels_;
  BatchWorkspace& work_;
  BatchView view_;
  BatchContact contact_;
  double until_, tolerance_;
  FibreWork done_;
  int unknowns_, springs_;
  double* free_x_;  ///< positions without the roots
  std::vector<Lane> lanes_;
  LaneSet active_, fresh_, clamped_, taken_, ended_, kept_whole_, kept_half_, restored_, saved_, started_,
      restarted_;
  std::vector<LaneSet> past_slots_;  ///< lanes whose newest state goes there
};

}  // namespace stiffly
