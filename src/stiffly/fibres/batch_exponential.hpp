// Exponential Rosenbrock steps of a batch of fibres.
#pragma once

#include "stiffly/fibres/batch_phi.hpp"
#include "stiffly/fibres/batch_workspace.hpp"
#include "stiffly/integrators/exponential_tableau.hpp"

namespace stiffly {

/// What such steps need beside BatchWorkspace.
struct ExponentialWorkspace {
  ExponentialWorkspace(int lanes, int sections, int parts);
  static std::size_t memory(int lanes, int sections, int parts);

  int parts;  ///< as PhiWorkspace has it
  PhiWorkspace phi;
  LineVector force, force_rate, linear, stage_force;
  LineVector stage_x, stage_v;   ///< of all particles
  std::vector<LineVector> b;     ///< (x, v) each
  std::vector<LineVector> flow;  ///< at each node, and at the end
};

/// The way of all fibres to the next meeting in given steps of ExponentialMethod, at one time all of them:
/// with the exact derivative where a step begins, moving roots included. Books of energy take the means over
/// a step for what happens in it.
class ExponentialAdvance {
 public:
  ExponentialAdvance(FibreBatch& batch, std::span<FibreProgress> progress, const FibreSteps& steps,
                     BatchWorkspace& workspace, double until);
  /// What was done for the batch as a whole.
  FibreWork run();

  /// Methods whose stages do not depend on each other, with the derivative where steps begin.
  static bool knows(const ExponentialTableau& tableau);
  static std::size_t memory(int lanes, int sections, const ExponentialTableau& tableau);

 private:
  void step(double t, double h);
  /// hF and h² ∂F/∂t.
  void linearize(double t, double h);
  /// f(t, x, v) of free particles where these are in `stage_x` and `stage_v`.
  void force_at(double t, LineVector& out);
  /// D of a stage, as forces, into b_3, b_4, …
  void add_remainder(double t, double h, int stage);
  void account(double h);
  void arrive(double t, double h);
  std::size_t size(int entries) const { return static_cast<std::size_t>(entries * batch_.lanes()); }

  FibreBatch& batch_;
  std::span<FibreProgress> progress_;
  const FibreSteps& steps_;
  const ExponentialTableau& tableau_;
  const BatchKernelTable& kernels_;
  PhiNodes nodes_;  ///< of the stages, ascending, and the end
  ExponentialWorkspace& work_;
  BatchView view_;
  BatchPhi phi_;
  double until_;
  int unknowns_;
  double amplification_;  ///< of errors of the stages
  bool driven_ = false;   ///< some root moves
  int border_ = 2;        ///< of the last b_k
};

}  // namespace stiffly
