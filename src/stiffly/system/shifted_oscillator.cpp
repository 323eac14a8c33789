#include "stiffly/system/shifted_oscillator.hpp"

#include <algorithm>
#include <cmath>

namespace stiffly {
namespace {

/// Relative residual of solves with a kept factor: below what any evaluator asks for.
constexpr double inner_tolerance = 1e-13;

}  // namespace

void ShiftedOscillator::refresh(const OscillatorJacobian& jacobian, double sigma) {
  const Tangent& tangent = jacobian.tangent();
  const bool same_pattern =
      !shifted_.empty() && shifted_.shared_pattern() == tangent.stiffness.shared_pattern();
  if (!same_pattern) shifted_ = BlockMatrix(tangent.stiffness.shared_pattern());
  shifted_.set_zero();
  jacobian.mass().add_to(1.0, shifted_);
  if (!tangent.damping.empty()) shifted_.add(sigma, tangent.damping);
  shifted_.add(sigma * sigma, tangent.stiffness);

  jacobian_ = &jacobian;
  sigma_ = sigma;
  if (solves_since_ > 0) typical_solves_ = solves_since_;
  solves_since_ = 0;
  const std::size_t n = jacobian.size() / 2;
  if (rhs_.size() != n || &rhs_.backend() != &jacobian.backend())
    rhs_ = work_ = Vector(n, jacobian.backend());

  stale_ = same_pattern && factor_.factorized() && sigma == factor_sigma_ && affordable_iterations() >= 2;
  if (!stale_) factorize();
}

void ShiftedOscillator::factorize() const {
  ++jacobian_->counters().factorization;
  factor_sigma_ = 0;
  factor_.factorize(shifted_);
  factor_sigma_ = sigma_;
  stale_ = false;
}

int ShiftedOscillator::affordable_iterations() const {
  // A factorisation of L with ℓ entries over n columns takes about ℓ²/n operations at some ten times the rate
  // of the 4ℓ of a solve, which waits for memory.
  const double entries = factor_.factor_entries();
  const double solves_per_factor = entries / static_cast<double>(shifted_.unknowns()) / 40.0;
  return static_cast<int>(std::min(20.0, 1.0 + solves_per_factor / std::max(1, typical_solves_)));
}

void ShiftedOscillator::solve(ConstVectorView b, VectorView x) const {
  const std::size_t n = rhs_.size();
  const ConstVectorView a = b.part(0, n);
  ++jacobian_->counters().solve;
  jacobian_->counters().look();
  ++solves_since_;
  // M b − σK a
  ++jacobian_->counters().product;
  jacobian_->tangent().stiffness.apply(a, work_);
  jacobian_->mass().apply(b.part(n, n), rhs_);
  axpy(-sigma_, work_, rhs_);

  const VectorView v = x.part(n, n);
  const BlockMatrix& circulatory = jacobian_->tangent().circulatory;
  if (circulatory.empty()) {
    solve_symmetric(rhs_, v);
  } else {
    circulatory.apply(a, work_);
    axpy(-sigma_, work_, rhs_);
    correct(circulatory, v);
  }
  const VectorView position = x.part(0, n);
  copy(a, position);
  axpy(sigma_, v, position);
}

void ShiftedOscillator::solve_symmetric(ConstVectorView rhs, VectorView v) const {
  if (stale_ && !iterate(rhs, v)) factorize();
  if (!stale_) factor_.solve(rhs, v);
}

// (S + σ²A)v = rhs with the small antisymmetric part A of K: corrections δ ← −S⁻¹σ²Aδ until they are gone.
void ShiftedOscillator::correct(const BlockMatrix& circulatory, VectorView v) const {
  solve_symmetric(rhs_, v);
  Vector correction(v);
  const double size = norm(v);
  for (double before = size;;) {
    circulatory.apply(correction, work_);
    scale(-sigma_ * sigma_, work_);
    solve_symmetric(work_, correction);
    axpy(1.0, correction, v);
    const double now = norm(correction);
    if (now <= inner_tolerance * size) return;
    if (!(now < 0.9 * before))
      throw SimulationError(
          "the antisymmetric part of the stiffness (dashpots, follower forces) is too large for this step: "
          "take a smaller one");
    before = now;
  }
}

bool ShiftedOscillator::iterate(ConstVectorView rhs, VectorView v) const {
  factor_.solve(rhs, v);
  const ConjugateGradientResult result =
      iteration_.solve([this](ConstVectorView x, VectorView y) { shifted_.apply(x, y); },
                       [this](ConstVectorView r, VectorView z) { factor_.solve(r, z); }, rhs, v,
                       {.relative = inner_tolerance, .max_iterations = affordable_iterations()});
  jacobian_->counters().inner += result.iterations;
  return result.converged;
}

}  // namespace stiffly
