// Newton's method for implicit stages, in several variants.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "stiffly/integrators/integrator.hpp"
#include "stiffly/integrators/mixed_iteration.hpp"
#include "stiffly/integrators/stage_matrix.hpp"

namespace stiffly {

class MemoryReader;

/// How Newton's method is made, by name: see newton_kinds().
struct NewtonKind {
  std::string name = {};
  std::string summary = {};
  /// A new tangent in every iteration; else only where convergence is slow, or a barrier holds it back.
  bool every_tangent = true;
  bool line_search = false;      ///< shorter steps until the natural monotonicity test is passed
  double forcing = 0;            ///< η of an inexact solve; 0: solved to round-off
  bool mixed = false;            ///< strains as unknowns first; Newton's method where that does not converge
  bool linear_jacobian = false;  ///< the scalar approximation of paper 004 eq. 50 instead of the tangent
};
std::span<const NewtonKind> newton_kinds();

/// Solves stages by Newton's method [Deuflhard 2004], and keeps what serves from one to the next.
class StageSolver {
 public:
  explicit StageSolver(const IntegratorOptions& options);

  /// Binds to a system; the linear Jacobian is that of `state`, and strains are.
  void start(const SecondOrderSystem& system, const State& state);
  /// A step begins at `state`: what solves that follow reach without contact, they reach from there.
  void begin_step(const State& state);
  /// z in: the start value; z out: the solution. Throws SimulationError where there is no convergence.
  void solve(const Stage& stage, Vector& z);
  /// Iterations of the last solve: what step control by Newton's method looks at.
  int iterations() const { return iterations_; }

  /// Adds to an integrator's memory what the next solve begins with, and drops what else was learnt.
  void save(IntegratorMemory& memory);
  void restore(MemoryReader& memory);

 private:
  /// What an iteration knows of the stage and of the correction dz_ that is to be made.
  struct Progress {
    const Stage& stage;
    ConjugateGradients::Filter filter;
    double motion;            ///< ‖q‖
    double linear;            ///< relative residual of linear systems
    double size = 0;          ///< ‖dz‖
    double contraction = 1;   ///< of the last corrections
    bool descending = false;  ///< lengths are judged by the work of the forces
  };
  enum class Length { accepted, solved, none };

  void newton(Progress& progress, Vector& z);
  /// trial_ ← z + some length of dz_, with its residual_. True: it is the solution.
  bool take_step(Progress& progress, const Vector& z);
  Length search_by_corrections(const Progress& progress, const Vector& z, double velocity, bool negligible);
  void search_by_work(const Progress& progress, const Vector& z);
  void next_correction(Progress& progress, const Vector& z);

  /// Of systems with barriers: how much of the way from z to trial_ is clear, and trial_ ends there.
  double keep_clear(const Stage& stage, const Vector& z);
  /// z ← what the iteration begins with: the start value, as far as there is a way to it without contact.
  void begin_clear(const Stage& stage, const ConjugateGradients::Filter& filter, Vector& z);
  /// z goes towards trial_, and the time of `now` towards `end`, as far as is clear. Whether it got there.
  bool go_clear(Stage& now, Vector& z, double end);

  void residual(const Stage& stage, const Vector& z, Vector& r);
  void refresh(const Stage& stage, const Vector& z);
  void try_length(const Vector& z, double length);
  double mass_norm(const Vector& x) { return system_->mass().norm(x, work_); }

  const NewtonKind& kind_;
  double tolerance_;
  std::shared_ptr<const ParticleConstraints> constraints_;
  const SecondOrderSystem* system_ = nullptr;
  Tangent tangent_;
  StageMatrix matrix_;
  MixedIteration mixed_;
  std::vector<double> strain_;  // of the last stage
  int iterations_ = 0;
  bool barriers_ = false;
  bool every_tangent_ = true;  ///< as of the kind, unless there are barriers
  double clear_time_ = 0;
  Vector clear_;  ///< positions at that time which the last solve got to, of systems with barriers
  Vector x_, v_, residual_, dz_, next_dz_, trial_, work_;
};

}  // namespace stiffly
