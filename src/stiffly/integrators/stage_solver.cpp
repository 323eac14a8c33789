#include "stiffly/integrators/stage_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiffly/integrators/memory_reader.hpp"
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
      {.name = "mixed",
       .summary = "strains as unknowns beside positions, on a factor that is kept",
       .line_search = true,
       .mixed = true},
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
      matrix_(options.linear_solver),
      mixed_(options) {
  if (!(std::isfinite(tolerance_) && tolerance_ > 0))
    throw InputError(fmt::format("the Newton tolerance must be positive and finite, not {}", tolerance_));
}

void StageSolver::start(const SecondOrderSystem& system, const State& state) {
  system_ = &system;
  const std::size_t n = system.unknowns();
  if (x_.size() != n)
    for (Vector* v : {&x_, &v_, &residual_, &dz_, &next_dz_, &trial_, &work_})
      *v = Vector(n, state.y.backend());
  barriers_ = system.has_barriers();
  // Barriers have no strains; a factor is kept all the same.
  every_tangent_ = kind_.every_tangent && !(kind_.mixed && barriers_);
  begin_step(state);
  if (kind_.linear_jacobian) system.linear_part(state, tangent_);
  if (kind_.mixed) {
    mixed_.start(system, state.y.backend());
    mixed_.measure(state.time, state.x(), state.v(), strain_);
  }
}

void StageSolver::begin_step(const State& state) {
  if (!barriers_) return;
  clear_time_ = state.time;
  clear_ = Vector(state.x());
}

void StageSolver::save(IntegratorMemory& memory) {
  if (!kind_.mixed) return;
  mixed_.save(memory);
  if (!strain_.empty()) memory.vectors.emplace_back(strain_);
}

void StageSolver::restore(MemoryReader& memory) {
  if (!kind_.mixed) return;
  mixed_.restore(memory);
  if (!strain_.empty()) strain_ = to_host(memory.vector(strain_.size()));
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

void StageSolver::try_length(const Vector& z, double length) {
  copy(z, trial_);
  axpy(length, dz_, trial_);
}

void StageSolver::solve(const Stage& stage, Vector& z) {
  ConjugateGradients::Filter filter;
  if (constraints_ && !constraints_->empty()) {
    filter = [this](VectorView x) { constraints_->project(x); };
    prescribe(*constraints_, stage, z);
  }
  if (barriers_) begin_clear(stage, filter, z);
  if (kind_.mixed && !barriers_) {
    Vector guess = z;
    std::vector<double> strain = strain_;
    if (mixed_.solve(stage, {}, tolerance_, guess, strain)) {
      z.swap(guess);
      strain_.swap(strain);
      iterations_ = mixed_.iterations();
      return;
    }
  }
  Progress progress{.stage = stage,
                    .filter = filter,
                    .motion = mass_norm(stage.q),
                    .linear = kind_.forcing > 0 ? kind_.forcing : 1e-12};
  newton(progress, z);
  if (barriers_) {
    clear_time_ = stage.t;
    stage.place(z, clear_, v_);
  }
  if (kind_.mixed) {
    stage.place(z, x_, v_);
    mixed_.measure(stage.t, x_, v_, strain_);
  }
}

// Scripts do not give way. So they go on from where they were, as far as is clear, and what they push goes
// along: with τ what is left until the time of the stage,
//   S dz = r + τ ∂f/∂t.
void StageSolver::begin_clear(const Stage& stage, const ConjugateGradients::Filter& filter, Vector& z) {
  constexpr double difference = 1e-3;  // of what scripts may go by themselves
  constexpr double hopeless = 1e-9;    // of what is left of their way
  Stage now = stage;
  now.t = clear_time_;
  trial_.swap(z);
  copy(clear_, z);
  axpby(-1 / stage.b, stage.p, 1 / stage.b, z);
  for (int advances = 0; !go_clear(now, z, stage.t); ++advances) {
    now.place(z, x_, v_);
    const double alone = system_->clear_share(now.t, x_, stage.t, x_);
    if (alone == 1) return;
    Stage ahead = now;
    ahead.t += difference * alone * (stage.t - now.t);
    if (advances == most_iterations || alone < hopeless)
      throw SimulationError(
          fmt::format("what follows a script meets things that do not give way before t = {:.6g} s, and a "
                      "barrier lets nothing through: take a smaller step, or another way for it",
                      stage.t));
    residual(now, z, residual_);
    residual(ahead, z, next_dz_);
    const double rest = (stage.t - now.t) / (ahead.t - now.t);
    axpby(rest, next_dz_, 1 - rest, residual_);
    refresh(now, z);
    matrix_.solve(residual_, dz_, 1e-12, filter);
    try_length(z, 1);
  }
}

// Scripts are where they are at a time, and not on the straight way from there to where they are later: a way
// that is cut short is looked at once more.
bool StageSolver::go_clear(Stage& now, Vector& z, double end) {
  constexpr double shorter = 0.9;
  double time = end;
  for (;;) {
    now.place(z, x_, v_);
    now.place(trial_, work_, v_);
    const double clear = system_->clear_share(now.t, x_, time, work_);
    if (clear == 1) break;
    axpby(1 - shorter * clear, z, shorter * clear, trial_);
    time = now.t + shorter * clear * (time - now.t);
  }
  z.swap(trial_);
  now.t = time;
  return time == end;
}

double StageSolver::keep_clear(const Stage& stage, const Vector& z) {
  stage.place(z, x_, v_);
  stage.place(trial_, work_, v_);
  const double share = system_->clear_share(stage.t, x_, stage.t, work_);
  if (share < 1) axpby(1 - share, z, share, trial_);
  return share;
}

void StageSolver::newton(Progress& progress, Vector& z) {
  const Stage& stage = progress.stage;
  residual(stage, z, residual_);
  refresh(stage, z);
  matrix_.solve(residual_, dz_, progress.linear, progress.filter);
  progress.size = mass_norm(dz_);
  for (iterations_ = 1;; ++iterations_) {
    if (!std::isfinite(progress.size))
      throw SimulationError("Newton's method met a force that is not finite: take a smaller step");
    bool held = false;
    if (barriers_) {
      try_length(z, 1);
      if (const double share = keep_clear(stage, z); share < 1) {
        scale(share, dz_);
        progress.size *= share;
        held = true;
      }
    }
    const bool solved = take_step(progress, z);
    if (barriers_) held = keep_clear(stage, z) < 1 || held;
    z.swap(trial_);
    if (solved && !held) return;
    if (held) {  // what is left of it is not known
      residual(stage, z, residual_);
      progress.descending = true;
    }
    if (iterations_ == (kind_.linear_jacobian ? most_with_linear_jacobian : most_iterations))
      throw SimulationError(
          fmt::format("Newton's method did not converge in {} iterations: take a smaller step", iterations_));
    next_correction(progress, z);
  }
}

bool StageSolver::take_step(Progress& progress, const Vector& z) {
  const auto& [stage, filter, motion, linear, size, contraction, descending] = progress;
  progress.descending = kind_.line_search && matrix_.corrected();
  try_length(z, 1);
  // What is left after this step, from how errors contract, against what velocities are.
  const double left =
      stage.c * size * (iterations_ == 1 ? 1 : std::min(1.0, contraction / (1 - std::min(contraction, 0.9))));
  const double velocity = std::max(motion, stage.c * mass_norm(trial_));
  if (left <= std::max(tolerance_, roundoff) * velocity) return true;
  if (!kind_.line_search) {
    residual(stage, trial_, residual_);
    return false;
  }
  // Round-off: nothing contracts any more, and what is left is negligible.
  const bool negligible = stage.c * size <= 1e-11 * velocity;
  if (!descending) {
    const Length length = search_by_corrections(progress, z, velocity, negligible);
    if (length != Length::none) return length == Length::solved;
    // Corrections do not shrink along dz; the forces may still do work.
    residual(stage, z, residual_);
    progress.descending = true;
    try_length(z, 1);
  }
  if (negligible || stage.b * size <= roundoff * mass_norm(stage.p)) return true;
  search_by_work(progress, z);
  return false;
}

/// The natural monotonicity test: the next correction, with the same matrix, is shorter.
StageSolver::Length StageSolver::search_by_corrections(const Progress& progress, const Vector& z,
                                                       double velocity, bool negligible) {
  for (double length = 1;; length /= 2) {
    if (length < 1) try_length(z, length);
    residual(progress.stage, trial_, residual_);
    matrix_.solve(residual_, next_dz_, progress.linear, progress.filter);
    const double next = mass_norm(next_dz_);
    if (length == 1 && progress.stage.c * next <= tolerance_ * velocity) {
      axpy(1.0, next_dz_, trial_);  // one more step with the same matrix is the end
      return Length::solved;
    }
    if (next <= (1 - length / 4) * progress.size) return Length::accepted;
    if (length == 1 && negligible) return Length::solved;
    if (length <= shortest) return Length::none;
  }
}

/// No way to measure distances, but the forces left over must do work along dz (trapezoidal rule).
void StageSolver::search_by_work(const Progress& progress, const Vector& z) {
  const Stage& stage = progress.stage;
  const double slope = dot(residual_, dz_);
  for (double length = 1; length > shortest; length /= 2) {
    if (length < 1) try_length(z, length);
    residual(stage, trial_, next_dz_);
    const double there = dot(next_dz_, dz_);
    if (!(there >= -0.9 * slope)) continue;
    // Added mass makes steps short: on to where the forces do no more work.
    if (length == 1 && there > 0 && there < slope) {
      const double further = std::min(slope / (slope - there), longest);
      axpy(further - 1, dz_, trial_);
      residual(stage, trial_, residual_);
      if (std::abs(dot(residual_, dz_)) <= there) return;
      axpy(1 - further, dz_, trial_);
    }
    residual_.swap(next_dz_);
    return;
  }
  try_length(z, shortest);
  residual(stage, trial_, residual_);
}

void StageSolver::next_correction(Progress& progress, const Vector& z) {
  const bool renew = !kind_.linear_jacobian && (every_tangent_ || progress.descending ||
                                                (progress.contraction > slow && iterations_ > 1));
  if (renew) refresh(progress.stage, z);
  if (renew || !kind_.line_search || progress.descending)
    matrix_.solve(residual_, dz_, progress.linear, progress.filter);
  else
    dz_.swap(next_dz_);
  const double before = progress.size, c = progress.stage.c;
  progress.size = mass_norm(dz_);
  progress.contraction = progress.size / before;
  if (!kind_.line_search && progress.size > 10 * before && c * progress.size > 1e-8 * progress.motion &&
      iterations_ > 3)
    throw SimulationError(
        fmt::format("Newton's method diverges after {} iterations: take a smaller step, or the line search",
                    iterations_));
}

}  // namespace stiffly
