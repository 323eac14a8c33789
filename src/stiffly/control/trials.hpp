// All candidates for a run, tried from one state, the promising ones for longer.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stiffly/control/automatic_stepper.hpp"
#include "stiffly/control/trial.hpp"
#include "stiffly/effort.hpp"

namespace stiffly {

/// Where the run stands.
struct TrialConditions {
  const SecondOrderSystem& system;
  const RunSoFar& from;
  double first_step;  ///< s, that a run would begin with
  double step;        ///< s, that it makes now, where that says something of others; else 0
  double computed;    ///< s, in its steps so far
  struct InUse {
    std::size_t candidate;
    double cost, step;
  };
  /// Its cost is known, without a trial and better: a trial would begin with short steps, and resolve what
  /// long ones pass over.
  std::optional<InUse> in_use;
  std::vector<double> run_cost;  ///< by candidate: what it cost when it was in use, s per s; 0: it was not
  std::vector<std::string> excluded;  ///< by candidate: why it is not tried; empty: it may be
};

/// The trials that one decision rests on. They take a small part of the time that it is for.
class Trials {
 public:
  Trials(const AutomaticOptions& options, const StepPlan& plan, TrialConditions conditions);

  /// Tries every candidate that has a chance, and then for longer those that are close and those whose steps
  /// still grow.
  void hold();

  const std::vector<std::size_t>& ranking() const { return ranking_; }  ///< candidates, the best first
  const TrialResult& result(std::size_t candidate) const { return results_[candidate]; }
  /// None for one that was not tried.
  Trial* trial(std::size_t candidate) const { return trials_[candidate].get(); }
  /// Its cost, with what it promises, or at a given step its error; infinite where it failed.
  double worth(std::size_t candidate) const;
  bool in_use(std::size_t candidate) const;
  double seconds() const { return effort_seconds() - begin_; }  ///< since it began

 private:
  void try_all();
  void try_longer();
  void go_on(std::size_t candidate, const Trial::Allowance& seconds);
  TrialResult by_error(std::size_t candidate) const;
  std::string pointless(std::size_t candidate) const;
  bool open(std::size_t candidate) const;
  void sort();
  double wasted() const { return seconds() - of_the_best_; }
  double ahead() const;
  double stake() const;
  double enough() const;
  Trial::Allowance allowance() const;
  bool by_cost() const { return plan_.tolerance > 0; }

  const AutomaticOptions& options_;
  StepPlan plan_;
  TrialConditions conditions_;
  double begin_;
  std::vector<std::size_t> ranking_;
  std::vector<TrialResult> results_;
  std::vector<std::unique_ptr<Trial>> trials_;
  double best_;             ///< cost so far
  bool held_ = false;       ///< the best so far is held to the fastest vibration
  double of_the_best_ = 0;  ///< s that its trial took: if it stays that, the run takes them over
};

}  // namespace stiffly
