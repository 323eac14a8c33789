#include "stiffly/integrators/resolved_modes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stiffly/linalg/decompositions.hpp"

namespace stiffly {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t most_vectors = 60;
constexpr double negligible_mode = 1e-3;  ///< of the velocities, in vibrations that are not followed
constexpr double converged = 0.01;        ///< residual of a mode, relative to it
constexpr double inside = 1e-10;          ///< part of a vector beyond which it is new
constexpr double heaviest_inertia = 1e4;  ///< |F| at hω = 2π, 4π, …

/// F = Θ⁻¹ = (hω/2) cot(α/2) for α = hω
double inverse_filter(double angle) {
  if (angle < 1e-4) return 1 - angle * angle / 12;
  return std::clamp(angle / 2 / std::tan(angle / 2), -heaviest_inertia, heaviest_inertia);
}

void add_to(const std::vector<Vector>& basis, const VectorXd& c, VectorView y) {
  multi_axpy({c.data(), basis.size()}, basis, y);
}

}  // namespace

ResolvedModes::ResolvedModes(double largest_angle) : largest_angle_(largest_angle) {
  if (!(std::isfinite(largest_angle) && largest_angle > 0))
    throw InputError(fmt::format("the largest angle must be positive and finite, not {}", largest_angle));
}

void ResolvedModes::begin(Setting setting) {
  setting_ = std::move(setting);
  basis_.clear();
  solved_.clear();
  stiffness_.resize(0, 0);
  compliance_.resize(0, 0);
  squared_.resize(0, 0);
  const MassMatrix& M = *setting_.mass;
  if (work_.size() != M.size() || &work_.backend() != &M.backend())
    work_ = sum_ = Vector(M.size(), M.backend());
}

VectorXd ResolvedModes::project(ConstVectorView x) const {
  VectorXd out(size());
  multi_dot(basis_, x, {out.data(), basis_.size()});
  return out;
}

VectorXd ResolvedModes::coordinates(ConstVectorView x) const {
  setting_.mass->apply(x, work_);
  return project(work_);
}

void ResolvedModes::adopt(Vector x) {
  const MassMatrix& M = *setting_.mass;
  const double before = M.norm(x, work_);
  for (int pass = 0; pass < 2; ++pass) add_to(basis_, -coordinates(x), x);
  const double size = M.norm(x, work_);
  if (!(size > inside * before)) return;
  scale(1 / size, x);

  Vector y(x.size(), x.backend());
  M.apply(x, work_);
  setting_.solve(work_, y);
  basis_.push_back(std::move(x));
  solved_.push_back(std::move(y));
  const Eigen::Index m = stiffness_.rows();
  stiffness_.conservativeResize(m + 1, m + 1);
  compliance_.conservativeResize(m + 1, m + 1);
  setting_.half_stiffness->apply(basis_.back(), work_);
  stiffness_.col(m) = 2 * project(work_);
  stiffness_.row(m) = stiffness_.col(m).transpose();
  compliance_.col(m) = coordinates(solved_.back());
  compliance_.row(m) = compliance_.col(m).transpose();
  squared_.conservativeResize(m + 1, m + 1);
  M.apply(solved_.back(), work_);
  VectorXd c(m + 1);
  multi_dot(solved_, work_, {c.data(), solved_.size()});
  squared_.col(m) = c;
  squared_.row(m) = c.transpose();
}

void ResolvedModes::take_everything() {
  const MassMatrix& M = *setting_.mass;
  std::vector<double> unit(M.size(), 0.0);
  for (double& entry : unit) {
    entry = 1;
    adopt(Vector(unit, M.backend()));
    entry = 0;
  }
  resolve();
}

double ResolvedModes::residual(const VectorXd& mode) const {
  const double sigma = mode.dot(compliance_ * mode);
  return std::sqrt(std::max(0.0, mode.dot(squared_ * mode) - sigma * sigma)) / sigma;
}

void ResolvedModes::resolve() {
  const double h = setting_.h;
  const SymmetricDecomposition found = symmetric_decomposition(stiffness_);
  if (!found.converged) throw SimulationError("the vibrations that a step follows could not be found");
  modes_ = found.vectors;
  angles_ = h * found.values.cwiseMax(0.0).cwiseSqrt();
  VectorXd F(angles_.size());
  followed_.resize(angles_.size());
  for (Eigen::Index i = 0; i < F.size(); ++i) {
    followed_(i) = angles_(i) < largest_angle_ && residual(modes_.col(i)) < converged;
    F(i) = followed_(i) ? inverse_filter(angles_(i)) : 1;
  }
  F_ = modes_ * F.asDiagonal() * modes_.transpose();

  // With E = F² − I: (S + MV E VᵀM)⁻¹ = S⁻¹ − S⁻¹MV (I + E G)⁻¹E VᵀM S⁻¹, G = VᵀM S⁻¹ MV, in terms of modes.
  const VectorXd E = F.cwiseAbs2().array() - 1;
  const MatrixXd EG = E.asDiagonal() * (modes_.transpose() * compliance_ * modes_);
  const MatrixXd inner =
      solve(MatrixXd::Identity(E.size(), E.size()) + EG, E.asDiagonal() * modes_.transpose());
  correction_ = modes_ * inner;
}

// Velocities after a step from v by forces f, as the midpoint rule sees them: hf on slow modes, and less the
// faster they are.
double ResolvedModes::neglected(const VectorXd& v, const VectorXd& f) const {
  const VectorXd v_mode = modes_.transpose() * v, f_mode = modes_.transpose() * f;
  double all = 0, missed = 0;
  for (Eigen::Index i = 0; i < v.size(); ++i) {
    const double z = angles_(i);
    const double velocity = std::hypot(v_mode(i), setting_.h * f_mode(i) / (1 + z * z / 4));
    all = std::hypot(all, velocity);
    if (z < largest_angle_ && !followed_(i)) missed = std::hypot(missed, velocity);
  }
  return all > 0 ? missed / all : 0;
}

// Starts with S⁻¹Mv and S⁻¹f, smooth whatever v and f are, and goes on with S⁻¹M times all that are there, in
// turn.
void ResolvedModes::cover(ConstVectorView v, ConstVectorView f) {
  const MassMatrix& M = *setting_.mass;
  if (M.size() <= most_vectors) return take_everything();
  Vector start(M.size(), M.backend()), Mv(start);
  M.apply(v, Mv);
  for (const ConstVectorView r : {static_cast<ConstVectorView>(Mv), f}) {
    setting_.solve(r, start);
    adopt(start);
  }
  std::size_t next = 0;  // whose product with S⁻¹M comes next
  while (next < basis_.size()) {
    resolve();
    if (basis_.size() == most_vectors || neglected(project(Mv), project(f)) <= negligible_mode) return;
    const std::size_t wanted =
        std::min(most_vectors, basis_.size() + std::max<std::size_t>(2, basis_.size() / 6));
    while (next < basis_.size() && basis_.size() < wanted) adopt(solved_[next++]);
  }
  if (!basis_.empty()) resolve();
}

void ResolvedModes::add_inertia(ConstVectorView z, ConstVectorView v, VectorView y) const {
  if (basis_.empty()) return;
  const VectorXd Fz = F_ * coordinates(z), Fv = F_ * coordinates(v);
  const VectorXd c = F_ * Fz - coordinates(z) + (2 / setting_.h) * (F_ * Fv - Fv);
  fill(0.0, sum_);
  add_to(basis_, c, sum_);
  setting_.mass->apply(sum_, work_);
  axpy(1.0, work_, y);
}

void ResolvedModes::correct(VectorView y) const {
  if (basis_.empty()) return;
  add_to(solved_, -(correction_ * coordinates(y)), y);
}

void ResolvedModes::finish(ConstVectorView v, ConstVectorView z, VectorView end) const {
  if (basis_.empty()) return;
  copy(z, sum_);
  axpby(2.0, v, setting_.h, sum_);
  const VectorXd c = coordinates(sum_);
  add_to(basis_, F_ * c - c, end);
}

}  // namespace stiffly
