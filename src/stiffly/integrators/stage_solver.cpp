#include "stiffly/integrators/stage_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiffly/linalg/particle_constraints.hpp"
#include "stiffly/linalg/scalar_matrix.hpp"
#include "stiffly/text.hpp"

namespace stiffly {
namespace {

constexpr int most_iterations = 200;
constexpr int most_with_linear_jacobian = 2000;  ///< it converges linearly: the stiffer, the slower
constexpr double slow = 0.3;                     ///< contraction beyond which a kept tangent is renewed
constexpr double roundoff = 4 * std::numeric_limits<double>::epsilon();
constexpr double shortest = 1.0 / 256;  ///< of a line search
constexpr double longest = 1e3;         ///< the same

}  // namespace

std::span<const NewtonKind> newton_kinds() {
  static const NewtonKind all[] = {
      {.name = "line-search",
       .summary = "tangent in every iteration, damped until the error contracts",
       .line_search = true},
      {.name = "newton", .summary = "tangent in every iteration, full steps"},
      {.name = "inexact",
       .summary = "tangent in every iteration, linear systems to η = 0.02",
       .forcing = 0.02},
      {.name = "simplified",
       .summary = "one tangent per stage, renewed where convergence is slow",
       .every_tangent = false},
      {.name = "linear-jacobian",
       .summary = "the scalar stiffness of paper 004 eq. 50, linear systems to η = 0.02",
       .every_tangent = false,
       .forcing = 0.02,
       .linear_jacobian = true}};
  return all;
}

StageSolver::StageSolver(const IntegratorOptions& options)
    : kind_(find_by_name(newton_kinds(), options.newton, "Newton method")),
      tolerance_(options.newton_tolerance),
      constraints_(options.constraints),
      matrix_(options.linear_solver) {
  if (!(std::isfinite(tolerance_) && tolerance_ > 0))
    throw InputError(fmt::format("the Newton tolerance must be positive and finite, not {}", tolerance_));
}

void StageSolver::start(const SecondOrderSystem& system, const State& state) {
  system_ = &system;
  const std::size_t n = system.unknowns();
  if (x_.size() != n)
    for (Vector* v : {&x_, &v_, &residual_, &dz_, &next_dz_, &trial_, &work_})
      *v = Vector(n, state.y.backend());
  if (kind_.linear_jacobian) system.linear_part(state, tangent_);
}

/// r = f(t, p + bz, q + cz) − M(μz + w)
void StageSolver::residual(const Stage& stage, const Vector& z, Vector& r) {
  stage.place(z, x_, v_);
  system_->force(stage.t, x_, v_, r);
  axpby(stage.mu, z, 0.0, work_);
  if (!stage.w.empty()) axpy(1.0, stage.w, work_);
  system_->mass().apply(work_, x_);
  axpy(-1.0, x_, r);
  if (constraints_) constraints_->project(r);
}

void StageSolver::refresh(const Stage& stage, const Vector& z) {
  if (kind_.linear_jacobian) {
    matrix_.assemble_scalar(*system_, tangent_, stage);
    return;
  }
  stage.place(z, x_, v_);
  system_->tangent(stage.t, x_, v_, tangent_);
  matrix_.assemble(*system_, tangent_, stage);
}

void StageSolver::solve(const Stage& stage, Vector& z) {
  ConjugateGradients::Filter filter;
  if (constraints_ && !constraints_->empty()) {
    filter = [this](VectorView x) { constraints_->project(x); };
    prescribe(*constraints_, stage, z);
  }
  const double linear = kind_.forcing > 0 ? kind_.forcing : 1e-12;
  const double motion = mass_norm(stage.q);

  residual(stage, z, residual_);
  refresh(stage, z);
  matrix_.solve(residual_, dz_, linear, filter);
  double size = mass_norm(dz_), contraction = 1;
  for (iterations_ = 1;; ++iterations_) {
    if (!std::isfinite(size))
      throw SimulationError("Newton's method met a force that is not finite: take a smaller step");
    double damping = 1, slope = 0;
    bool descending = kind_.line_search && matrix_.corrected();
    for (;; damping /= 2) {
      copy(z, trial_);
      axpy(damping, dz_, trial_);
      // What is left after this step, from how errors contract, against what velocities are.
      const double error =
          stage.c * size *
          (iterations_ == 1 ? 1 : std::min(1.0, contraction / (1 - std::min(contraction, 0.9))));
      const double scale = std::max(motion, stage.c * mass_norm(trial_));
      if (damping == 1 && error <= std::max(tolerance_, roundoff) * scale) {
        z.swap(trial_);
        return;
      }
      // Round-off: nothing contracts any more, and what is left is negligible.
      const bool negligible =
          damping == 1 && (stage.c * size <= 1e-11 * scale ||
                           (descending && stage.b * size <= roundoff * mass_norm(stage.p)));
      if (negligible && descending) {
        z.swap(trial_);
        return;
      }
      if (descending && damping > shortest) {
        // No way to measure distances, but the forces left over must do work along dz (trapezoidal rule).
        if (damping == 1) slope = dot(residual_, dz_);
        residual(stage, trial_, next_dz_);
        const double there = dot(next_dz_, dz_);
        if (!(there >= -0.9 * slope)) continue;
        // Added mass makes steps short: on to where the forces do no more work.
        if (damping == 1 && there > 0 && there < slope) {
          const double length = std::min(slope / (slope - there), longest);
          axpy(length - 1, dz_, trial_);
          residual(stage, trial_, residual_);
          if (std::abs(dot(residual_, dz_)) <= there) break;
          axpy(1 - length, dz_, trial_);
        }
        residual_.swap(next_dz_);
        break;
      }
      residual(stage, trial_, residual_);
      if (!kind_.line_search || descending) break;
      matrix_.solve(residual_, next_dz_, linear, filter);
      const double next = mass_norm(next_dz_);
      if (damping == 1 &&
          stage.c * next <= tolerance_ * scale) {  // one more step with the same matrix is the end
        z.swap(trial_);
        axpy(1.0, next_dz_, z);
        return;
      }
      if (next <= (1 - damping / 4) * size) break;
      if (negligible) {
        z.swap(trial_);
        return;
      }
      if (damping <= shortest) {  // corrections do not shrink along dz; the forces may still do work
        residual(stage, z, residual_);
        descending = true;
        damping = 2;
      }
    }
    z.swap(trial_);
    if (iterations_ == (kind_.linear_jacobian ? most_with_linear_jacobian : most_iterations))
      throw SimulationError(
          fmt::format("Newton's method did not converge in {} iterations: take a smaller step", iterations_));
    const bool renew = !kind_.linear_jacobian && (kind_.every_tangent || contraction > slow) &&
                       iterations_ > (kind_.every_tangent ? 0 : 1);
    if (renew) refresh(stage, z);
    if (renew || !kind_.line_search || descending)
      matrix_.solve(residual_, dz_, linear, filter);
    else
      dz_.swap(next_dz_);
    const double before = size;
    size = mass_norm(dz_);
    contraction = size / before;
    if (!kind_.line_search && size > 10 * before && stage.c * size > 1e-8 * motion && iterations_ > 3)
      throw SimulationError(
          fmt::format("Newton's method diverges after {} iterations: take a smaller step, or the line search",
                      iterations_));
  }
}

}  // namespace stiffly
