#include "stiffly/system/oscillator_jacobian.hpp"

#include <algorithm>
#include <cmath>
#include <Eigen/Eigenvalues>

#include "stiffly/system/shifted_oscillator.hpp"

namespace stiffly {

OscillatorJacobian::OscillatorJacobian(const MassMatrix& mass, const Tangent& tangent, double metric_shift,
                                       WorkMeter& counters)
    : mass_(&mass),
      tangent_(&tangent),
      metric_shift_(metric_shift),
      counters_(&counters),
      n_(mass.size()),
      Kx_(n_, mass.backend()),
      work_(n_, mass.backend()) {}

void OscillatorJacobian::stiffness(ConstVectorView x, VectorView Kx) const {
  counters_->look(++counters_->product);
  tangent_->stiffness.apply(x, Kx);
}

// Jy = (v, −M⁻¹(Kx + Cv))
void OscillatorJacobian::rate_from(ConstVectorView y, ConstVectorView Kx, VectorView Jy) const {
  const ConstVectorView v = y.part(n_, n_);
  const VectorView acceleration = Jy.part(n_, n_);
  copy(v, Jy.part(0, n_));
  axpby(-1.0, Kx, 0.0, acceleration);
  if (!tangent_->circulatory.empty()) {
    tangent_->circulatory.apply(y.part(0, n_), work_);
    axpy(-1.0, work_, acceleration);
  }
  if (!tangent_->damping.empty()) {
    tangent_->damping.apply(v, work_);
    axpy(-1.0, work_, acceleration);
  }
  mass_->solve(acceleration, acceleration);
}

// Gy = ((K + σM)x, Mv)
void OscillatorJacobian::metric_from(ConstVectorView y, ConstVectorView Kx, VectorView Gy) const {
  const VectorView Gx = Gy.part(0, n_);
  mass_->apply(y.part(0, n_), Gx);
  axpby(1.0, Kx, metric_shift_ * metric_shift_, Gx);
  mass_->apply(y.part(n_, n_), Gy.part(n_, n_));
}

void OscillatorJacobian::apply(ConstVectorView y, VectorView Jy) const {
  stiffness(y.part(0, n_), Kx_);
  rate_from(y, Kx_, Jy);
}

void OscillatorJacobian::apply_metric(ConstVectorView y, VectorView Gy) const {
  stiffness(y.part(0, n_), Kx_);
  metric_from(y, Kx_, Gy);
}

void OscillatorJacobian::apply_both(ConstVectorView y, VectorView Jy, VectorView Gy) const {
  stiffness(y.part(0, n_), Kx_);
  rate_from(y, Kx_, Jy);
  metric_from(y, Kx_, Gy);
}

std::optional<double> OscillatorJacobian::spectral_bound() const {
  if (spectral_bound_) return spectral_bound_;
  // Lanczos on M⁻¹K in the M inner product: θ_max + |residual| bounds the largest eigenvalue in practice.
  constexpr int most = 24;
  std::vector<double> start(n_);
  std::uint64_t seed = 0x9E3779B97F4A7C15u;  // a rough, reproducible vector
  for (double& s : start) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    s = static_cast<double>(seed >> 11) * 0x1p-52 - 1.0;
  }
  Vector q(std::span<const double>(start), backend()), previous(n_, backend()), Mq(previous), Kq(previous);
  mass_->apply(q, Mq);
  scale(1 / std::sqrt(dot(q, Mq)), q);
  std::vector<double> alpha, beta;
  for (int k = 0; k < most; ++k) {
    stiffness(q, Kq);
    alpha.push_back(dot(q, Kq));
    mass_->solve(Kq, Kq);
    axpy(-alpha.back(), q, Kq);
    if (k > 0) axpy(-beta.back(), previous, Kq);
    mass_->apply(Kq, Mq);
    const double b = std::sqrt(std::max(0.0, dot(Kq, Mq)));
    beta.push_back(b);
    if (b <= 1e-12 * std::abs(alpha.front()) || !std::isfinite(b)) break;
    previous.swap(q);
    q.swap(Kq);
    scale(1 / b, q);
  }
  const auto m = static_cast<Eigen::Index>(alpha.size());
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen;
  const Eigen::Map<Eigen::VectorXd> diagonal(alpha.data(), m), sub(beta.data(), m);
  eigen.computeFromTridiagonal(diagonal, sub.head(m - 1));
  const double residual = beta.back() * std::abs(eigen.eigenvectors()(m - 1, m - 1));
  const double stiff = std::max(0.0, eigen.eigenvalues()(m - 1) + residual);

  // With damping |λ| ≤ ½(c + √(c² + 4k)); c by the norm of M⁻¹C seen on a few power iterations.
  double c = 0;
  if (!tangent_->damping.empty()) {
    for (int k = 0; k < 12; ++k) {
      tangent_->damping.apply(q, Kq);
      mass_->solve(Kq, Kq);
      const double size = norm(Kq) / norm(q);
      c = std::max(c, size);
      if (!(size > 0)) break;
      q.swap(Kq);
      scale(1 / norm(q), q);
    }
    c *= 1.2;
  }
  spectral_bound_ = 0.5 * (c + std::sqrt(c * c + 4 * stiff));
  return spectral_bound_;
}

std::unique_ptr<ShiftedInverse> OscillatorJacobian::shifted_inverse(
    double sigma, std::unique_ptr<ShiftedInverse> previous) const {
  auto* mine = dynamic_cast<ShiftedOscillator*>(previous.get());
  if (!mine) {
    previous = std::make_unique<ShiftedOscillator>();
    mine = static_cast<ShiftedOscillator*>(previous.get());
  }
  mine->refresh(*this, sigma);
  return previous;
}

}  // namespace stiffly
