#include "stiffly/contact/stiffness_measure.hpp"

#include <algorithm>
#include <cmath>

namespace stiffly {
namespace {

using Eigen::Vector3d;

/// Parts of the step, and of the size of all bodies together.
constexpr double other_step = 0.01, moved_far = 0.02;

}  // namespace

// Moving as one changes nothing.
bool StiffnessMeasure::serves(std::span<const double> x, double h) const {
  if (made_at_.empty() || std::abs(h - h_) > other_step * h_) return false;
  const auto count = static_cast<double>(x.size()) / 3;
  Vector3d way = Vector3d::Zero(), centre = Vector3d::Zero();
  for (std::size_t i = 0; i < x.size(); i += 3) {
    way += (Vector3d::Map(x.data() + i) - Vector3d::Map(made_at_.data() + i)) / count;
    centre += Vector3d::Map(made_at_.data() + i) / count;
  }
  double farthest = 0, size = 0;
  for (std::size_t i = 0; i < x.size(); i += 3) {
    const Vector3d before = Vector3d::Map(made_at_.data() + i);
    farthest = std::max(farthest, (Vector3d::Map(x.data() + i) - before - way).norm());
    size = std::max(size, (before - centre).norm());
  }
  return farthest <= moved_far * size;
}

// With the stiffness of the mixed iteration, which is positive semidefinite.
void StiffnessMeasure::factorize(const State& end, double h) {
  const auto x = host(end.x());
  if (serves(x, h)) return;
  if (!force_) force_ = system_.mixed_force();
  std::vector<double> strain(force_->strains());
  force_->measure(end.time, end.x(), end.v(), strain);
  Tangent tangent;
  force_->freeze({.time = end.time, .x = end.x(), .v = end.v()}, strain, tangent);
  BlockMatrix matrix(tangent.stiffness.shared_pattern());
  system_.mass().add_to(1, matrix);
  if (!tangent.damping.empty()) matrix.add(h, tangent.damping);
  matrix.add(h * h, tangent.stiffness);
  factor_.factorize(matrix);
  ++system_.counters().factorization;
  ++factors_;
  h_ = h;
  made_at_.assign(x.begin(), x.end());
}

std::vector<ImpulseColumn> StiffnessMeasure::columns(std::span<const ParticleShare> shares) {
  const std::size_t unknowns = system_.unknowns();
  std::vector<ImpulseColumn> out;
  std::vector<Vector> moved;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::vector<double> push(unknowns, 0.0);
    for (const auto& [particle, share] : shares)
      if (const std::size_t i = 3 * static_cast<std::size_t>(particle) + axis; i < unknowns) push[i] += share;
    Vector& column = moved.emplace_back(push);
    factor_.solve(column, column);
    ++system_.counters().solve;
  }
  for (std::size_t i = 0; i < unknowns; i += 3) {
    Eigen::Matrix3d block;
    for (std::size_t axis = 0; axis < 3; ++axis)
      block.col(static_cast<Eigen::Index>(axis)) = Vector3d::Map(moved[axis].data() + i);
    if (!block.isZero(0)) out.push_back({static_cast<int>(i / 3), block.cast<float>()});
  }
  return out;
}

}  // namespace stiffly
