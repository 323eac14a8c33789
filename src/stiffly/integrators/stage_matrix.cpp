#include "stiffly/integrators/stage_matrix.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "stiffly/text.hpp"

namespace stiffly {

std::span<const LinearSolverInfo> linear_solvers() {
  static const std::vector<LinearSolverInfo> all = [] {
    std::vector<LinearSolverInfo> out = {{"cholesky", "sparse factorisation, symbolic analysis kept"}};
    for (const PreconditionerInfo& p : preconditioners())
      out.push_back({"cg-" + p.name, "conjugate gradients, preconditioned by " + p.summary});
    return out;
  }();
  return all;
}

StageMatrix::StageMatrix(const std::string& solver) {
  find_by_name(linear_solvers(), solver, "linear solver");
  if (solver != "cholesky") preconditioner_ = make_preconditioner(solver.substr(3));
}

void StageMatrix::assemble(const SecondOrderSystem& system, const Tangent& tangent, const Stage& stage) {
  begin(system, tangent, stage);
  if (!tangent.damping.empty()) matrix_.add(stage.c, tangent.damping);
  matrix_.add(stage.b, tangent.stiffness);
  // Directions of negative stiffness at a large step: mass is added until the matrix is positive definite.
  // The solution is the same, the way to it slower. (The papers raise the diagonal; in proportion to the
  // mass, the stiff directions stay as they are and the soft ones are not slowed down by them.)
  double raise = 0;
  for (;;) try {
      prepare();
      corrected_ = raise > 0;
      return;
    } catch (const NotPositiveDefinite& error) {
      const double next = raise == 0 ? 0.5 : 4 * raise;
      if (next > 1e12 || !std::isfinite(stage.mu)) throw not_positive_definite(system, error);
      system.mass().add_to((next - raise) * stage.mu, matrix_);
      raise = next;
    }
}

void StageMatrix::assemble_scalar(const SecondOrderSystem& system, const Tangent& tangent,
                                  const Stage& stage) {
  begin(system, tangent, stage);
  scalar_.emplace(tangent.stiffness.shared_pattern());
  scalar_->add_means(1.0, matrix_);
  if (!tangent.damping.empty()) scalar_->add_traces(stage.c, tangent.damping);
  scalar_->add_traces(stage.b, tangent.stiffness);
}

// A column of the factor costs its entries squared to make and four times its entries to solve with, but the
// former at the speed of dense blocks; the assembly is worth some solves more.
double StageMatrix::factor_cost() const {
  if (preconditioner_ || scalar_) return 1;
  return 4 + factor_.factor_entries() / (16 * static_cast<double>(matrix_.unknowns()));
}

void StageMatrix::solve(ConstVectorView r, VectorView z, double relative,
                        const ConjugateGradients::Filter& filter) {
  ++system_->counters().solve;
  system_->counters().look();
  std::int64_t products = 0;
  const auto apply = [&](ConstVectorView x, VectorView y) {
    system_->counters().look(++products);
    scalar_ ? scalar_->apply(x, y) : matrix_.apply(x, y);
  };
  if (!preconditioner_ && !scalar_ && !filter) {
    factor_.solve(r, z);
    return;
  }
  fill(0.0, z);
  const auto precondition = [this](ConstVectorView x, VectorView y) {
    if (scalar_)
      scalar_->precondition(x, y);
    else if (preconditioner_)
      preconditioner_->apply(x, y);
    else
      factor_.solve(x, y);
  };
  const auto result = iteration_.solve(apply, precondition, r, z, {.relative = relative}, filter);
  system_->counters().inner += result.iterations;
  if (!result.converged && result.residual > 1e-6)
    throw SimulationError(fmt::format(
        "conjugate gradients stopped at a residual of {:.1e} after {} iterations{}; take a smaller "
        "step or the linear solver cholesky",
        result.residual, result.iterations, result.indefinite ? " (the matrix is indefinite)" : ""));
}

/// S = μM
void StageMatrix::begin(const SecondOrderSystem& system, const Tangent& tangent, const Stage& stage) {
  system_ = &system;
  if (matrix_.empty() || matrix_.shared_pattern() != tangent.stiffness.shared_pattern())
    matrix_ = BlockMatrix(tangent.stiffness.shared_pattern());
  matrix_.set_zero();
  system.mass().add_to(stage.mu, matrix_);
}

void StageMatrix::prepare() {
  if (preconditioner_) {
    preconditioner_->prepare(matrix_);
  } else {
    ++system_->counters().factorization;
    factor_.factorize(matrix_);
  }
}

}  // namespace stiffly
