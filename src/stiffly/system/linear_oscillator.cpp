#include "stiffly/system/linear_oscillator.hpp"

#include <fmt/format.h>

#include <cmath>

#include "stiffly/error.hpp"
#include "stiffly/linalg/decompositions.hpp"

namespace stiffly {
namespace {

using ConstMap = Eigen::Map<const Eigen::VectorXd>;
using Map = Eigen::Map<Eigen::VectorXd>;

ConstMap map(ConstVectorView x) { return {host(x).data(), static_cast<Eigen::Index>(x.size())}; }
Map map(VectorView x) { return {host(x).data(), static_cast<Eigen::Index>(x.size())}; }

std::shared_ptr<const BlockPattern> full_pattern(Eigen::Index n) {
  std::vector<std::pair<int, int>> pairs;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) pairs.emplace_back(i, j);
  return BlockPattern::symmetric(static_cast<std::size_t>(n), 1, std::move(pairs));
}

BlockMatrix from_dense(const std::shared_ptr<const BlockPattern>& pattern, const Eigen::MatrixXd& dense) {
  BlockMatrix out(pattern);
  for (std::size_t i = 0; i < pattern->rows(); ++i)
    for (std::int64_t k = pattern->row_begin(i); k < pattern->row_end(i); ++k)
      *out.block(k) = dense(static_cast<Eigen::Index>(i), pattern->column(k));
  return out;
}

/// One unknown: m x'' + c x' + k x = load.
TestEquation scalar(std::string name, double m, double c, double k, double load, double x, double v,
                    double duration, std::function<Eigen::VectorXd(double)> exact) {
  const auto one = [](double value) { return Eigen::MatrixXd::Constant(1, 1, value); };
  auto system = std::make_unique<LinearOscillator>(one(m), one(k), one(c));
  system->with_constant_load(Eigen::VectorXd::Constant(1, load));
  return {std::move(name), std::move(system), State(0.0, std::span(&x, 1), std::span(&v, 1)), duration,
          std::move(exact)};
}

}  // namespace

LinearOscillator::LinearOscillator(const Eigen::MatrixXd& mass, Eigen::MatrixXd stiffness,
                                   Eigen::MatrixXd damping, Load load)
    : stiffness_(std::move(stiffness)),
      damping_(std::move(damping)),
      load_(std::move(load)),
      constant_load_(!load_),
      pattern_(full_pattern(stiffness_.rows())) {
  if (mass.isDiagonal(0)) {
    const Eigen::VectorXd d = mass.diagonal();
    mass_ = MassMatrix::diagonal(std::span(d.data(), static_cast<std::size_t>(d.size())));
  } else {
    mass_ = MassMatrix::sparse(from_dense(pattern_, mass));
  }
}

LinearOscillator& LinearOscillator::with_constant_load(Eigen::VectorXd load) {
  load_ = [load = std::move(load)](double) { return load; };
  constant_load_ = true;
  return *this;
}

bool LinearOscillator::passive() const {
  return constant_load_ && symmetric_eigenvalues(damping_).minCoeff() >= 0;
}

double LinearOscillator::potential_energy(double t, ConstVectorView x) const {
  const double elastic = 0.5 * map(x).dot(stiffness_ * map(x));
  return load_ ? elastic + field_energy(t, x) : elastic;
}

double LinearOscillator::field_energy(double t, ConstVectorView x) const {
  return load_ ? 0.0 - load_(t).dot(map(x)) : 0.0;
}

std::vector<std::string> LinearOscillator::dissipators() const {
  return conservative() ? std::vector<std::string>{} : std::vector<std::string>{"damping"};
}

// vᵀCv
EnergyFlow LinearOscillator::energy_flow(const State& state) const {
  EnergyFlow out = SecondOrderSystem::energy_flow(state);
  if (!conservative()) out.dissipated = {map(state.v()).dot(damping_ * map(state.v()))};
  return out;
}

void LinearOscillator::do_force(double t, ConstVectorView x, ConstVectorView v, VectorView f) const {
  map(f) = -(stiffness_ * map(x)) - damping_ * map(v);
  if (load_) map(f) += load_(t);
}

void LinearOscillator::do_tangent(double, ConstVectorView, ConstVectorView, Tangent& out) const {
  out.stiffness = from_dense(pattern_, stiffness_);
  out.damping = conservative() ? BlockMatrix{} : from_dense(pattern_, damping_);
}

TestEquation dahlquist(double lambda) {
  if (!(std::isfinite(lambda) && lambda != 0))
    throw InputError(fmt::format("dahlquist: lambda must be finite and not 0, not {}", lambda));
  return scalar("dahlquist", 1, -lambda, 0, 0, 1 / lambda, 1, 1.0, [lambda](double t) {
    return Eigen::Vector2d(std::exp(lambda * t) / lambda, std::exp(lambda * t));
  });
}

TestEquation overdamped() {
  const double root = std::sqrt(15.0);
  const double slow = 0.5 * (-5 + root), fast = 0.5 * (-5 - root);
  return scalar("overdamped", 1, 5, 2.5, 0, 0, 1, 10.0, [=](double t) {
    const double a = std::exp(slow * t) / root, b = std::exp(fast * t) / root;
    return Eigen::Vector2d(a - b, slow * a - fast * b);
  });
}

TestEquation damped_spring() {
  constexpr double m = 0.1, k = 100, rest = -1, d = 1, g = -10, z0 = -1, v0 = -5;
  const double equilibrium = rest + m * g / k;
  const double decay = d / (2 * m), frequency = std::sqrt(k / m - decay * decay);
  const double a = z0 - equilibrium, b = (v0 + decay * a) / frequency;
  return scalar("damped-spring", m, d, k, k * rest + m * g, z0, v0, 2.0, [=](double t) {
    const double e = std::exp(-decay * t), c = std::cos(frequency * t), s = std::sin(frequency * t);
    const double z = e * (a * c + b * s);
    return Eigen::Vector2d(equilibrium + z, -decay * z + e * frequency * (b * c - a * s));
  });
}

TestEquation wave() {
  const double omega = std::sqrt(5.0);
  return scalar("wave", 1, 0, 5, 0, 0, 1, 10.0, [omega](double t) {
    return Eigen::Vector2d(std::sin(omega * t) / omega, std::cos(omega * t));
  });
}

}  // namespace stiffly
