#include "stiffly/integrators/mixed_iteration.hpp"

#include <algorithm>
#include <cmath>

#include "stiffly/limits.hpp"

namespace stiffly {
namespace {

constexpr int most_factors = 4;
constexpr int most_renewals = 15;  ///< before a factor is kept again
constexpr int most_on_one_factor = 40;
constexpr double slow_contraction = 0.5;  ///< contraction beyond which a factor is renewed
constexpr double distrust = 3;            ///< of the contraction seen
constexpr double diverging = 1e3;         ///< growth of the corrections from the first one
constexpr double negligible = 1e-11;      ///< of the velocities, where nothing contracts for round-off
constexpr double rounding = 4 * epsilon;

}  // namespace

MixedIteration::MixedIteration(const IntegratorOptions& options)
    : constraints_(options.constraints), matrix_(options.linear_solver) {}

void MixedIteration::start(const SecondOrderSystem& system, const Backend& backend) {
  system_ = &system;
  force_ = system.mixed_force();
  const std::size_t n = system.unknowns();
  for (Vector* v : {&x_, &v_, &residual_, &dz_, &dv_, &work_}) *v = Vector(n, backend);
  gap_.assign(strains(), 0.0);
  restart();
}

void MixedIteration::restart() {
  forget();
  patience_ = renewals_ = 0;
}

void MixedIteration::measure(double t, ConstVectorView x, ConstVectorView v,
                             std::vector<double>& strain) const {
  strain.resize(strains());
  force_->measure(t, x, v, strain);
}

void MixedIteration::place(const Stage& stage, const Vector& z, ForcePath& path) {
  stage.place(z, x_, v_);
  path.time = stage.t;
  path.x = x_;
  path.v = v_;
}

ConjugateGradients::Filter MixedIteration::filter() const {
  if (!constraints_ || constraints_->empty()) return {};
  return [this](VectorView x) { constraints_->project(x); };
}

// K is taken where the step begins, as if it stayed there.
bool MixedIteration::solve_following(const Stage& stage, ForcePath path, double tolerance, Vector& z,
                                     std::vector<double>& strain) {
  if (constraints_) prescribe(*constraints_, stage, z);
  forget();
  ForcePath start = path;
  start.time = stage.t;
  start.x = path.start_x;
  start.v = stage.q;
  force_->freeze(start, path.start_strain, tangent_);
  try {
    matrix_.assemble(*system_, tangent_, stage);
  } catch (const SimulationError&) {
    return false;
  }
  force_->force(start, path.start_strain, gap_, residual_);
  modes_->begin({.mass = &system_->mass(),
                 .half_stiffness = &tangent_.stiffness,
                 .h = 2 * stage.c,
                 .solve = [this](ConstVectorView r, VectorView x) {
                   const ConjugateGradients::Filter free = filter();
                   Vector b(r);
                   if (free) free(b);
                   matrix_.solve(b, x, 1e-12, free);
                 }});
  modes_->cover(stage.q, residual_);
  iterations_ = 0;
  return iterate(stage, path, tolerance, z, strain) == Outcome::converged;
}

void MixedIteration::finish(ConstVectorView v, const Vector& z, VectorView end) const {
  if (modes_) modes_->finish(v, z, end);
}

bool MixedIteration::solve(const Stage& stage, ForcePath path, double tolerance, Vector& z,
                           std::vector<double>& strain) {
  if (constraints_) prescribe(*constraints_, stage, z);
  const Vector first_z = z;
  const std::vector<double> first_strain = strain;
  const Shift shift{stage.b, stage.c, stage.mu};
  iterations_ = 0;
  bool fresh = false;
  if (renewals_ > 0) {
    --renewals_;
    forget();
  }
  for (int factors = 0; factors <= most_factors; ++factors) {
    if (!shift_ || !shift_->serves(shift)) {
      place(stage, z, path);
      force_->freeze(path, strain, tangent_);
      try {
        matrix_.assemble(*system_, tangent_, stage);
      } catch (const SimulationError&) {  // the iteration has gone astray: the caller has other ways
        return false;
      }
      shift_ = shift;
      fresh = true;
    }
    const int before = iterations_;
    const Outcome outcome = iterate(stage, path, tolerance, z, strain);
    if (outcome == Outcome::converged) {
      judge_factor(iterations_ - before, fresh);
      return true;
    }
    forget();
    if (!fresh) {  // what turns too fast for a kept factor will go on doing so
      patience_ = std::min(2 * patience_ + 1, most_renewals);
      renewals_ = patience_;
    }
    if (outcome == Outcome::diverged) {
      if (fresh) return false;
      z = first_z;
      strain = first_strain;
    }
  }
  return false;
}

MixedIteration::Outcome MixedIteration::iterate(const Stage& stage, ForcePath& path, double tolerance,
                                                Vector& z, std::vector<double>& strain) {
  const ConjugateGradients::Filter free = filter();
  const MassMatrix& M = system_->mass();
  const double motion = M.norm(stage.q, work_);
  const double c = std::abs(stage.c);  // negative in steps back in time
  const double floor = rounding * c / stage.b * M.norm(stage.p, work_);
  double first = 0, last = 0, before_last = 0;
  for (int n = 1; n <= most_on_one_factor; ++n) {
    ++iterations_;
    place(stage, z, path);
    force_->force(path, strain, gap_, residual_);
    axpby(stage.mu, z, 0.0, work_);
    if (!stage.w.empty()) axpy(1.0, stage.w, work_);
    M.apply(work_, dv_);
    if (modes_) modes_->add_inertia(z, stage.q, dv_);
    axpy(-1.0, dv_, residual_);
    if (free) free(residual_);
    matrix_.solve(residual_, dz_, 1e-12, free);
    if (modes_) modes_->correct(dz_);
    const double size = M.norm(dz_, work_);
    if (n == 1) first = size;
    if (!std::isfinite(size) || size > diverging * first) return Outcome::diverged;

    axpy(1.0, dz_, z);
    copy(dz_, dv_);
    scale(stage.c, dv_);
    scale(stage.b, dz_);
    force_->follow(dz_, dv_, gap_, strain);

    // What is left, from how corrections contract (with some distrust), against what velocities are.
    const double contraction = n == 1 ? 1 : size / last;
    const double left =
        c * size * (contraction < 0.75 ? std::min(1.0, distrust * contraction / (1 - contraction)) : 1);
    const double velocity = std::max(motion, c * M.norm(z, work_));
    if (left <= std::max(tolerance * velocity, floor)) return Outcome::converged;
    if (n > 1 && contraction > slow_contraction && c * size <= negligible * velocity)
      return Outcome::converged;
    if (n > 2 && contraction > slow_contraction && size > slow_contraction * slow_contraction * before_last)
      return Outcome::slow;
    before_last = last;
    last = size;
  }
  return Outcome::slow;
}

void MixedIteration::judge_factor(int iterations, bool fresh) {
  if (fresh) {
    fresh_iterations_ = iterations;
    wasted_ = 0;
    return;
  }
  patience_ = 0;
  wasted_ += std::max(0, iterations - fresh_iterations_);
  if (wasted_ > matrix_.factor_cost()) forget();
}

}  // namespace stiffly
