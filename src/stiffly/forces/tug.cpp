#include "stiffly/forces/tug.hpp"

#include <algorithm>

#include "stiffly/system/partition.hpp"

namespace stiffly {

/// 3s² − 2s³ between 0 and 1: its rate, which is power, is continuous too.
double Hand::smooth(double share) {
  const double s = std::clamp(share, 0.0, 1.0);
  return s * s * (3 - 2 * s);
}

void Hand::go(double t, const Hold& to) {
  from_ = {stiffness(t), point(t)};
  to_ = to;
  since_ = t;
}

void Hand::pull(double t, int particle, const Eigen::Vector3d& target, double k) {
  if (particle != particle_) {
    if (stiffness(t) > 0) return release(t);
    particle_ = particle;
    to_ = {0, target};
    since_ = t - ramp_;
  }
  if (to_.stiffness != k || to_.point != target) go(t, {k, target});
}

void Hand::release(double t) {
  if (to_.stiffness > 0) go(t, {0, to_.point});
}

std::optional<Tug::Reach> Tug::reach(const Configuration& q) const {
  const int whole = hand_->particle();
  if (whole < 0) return {};
  const double k = hand_->stiffness(q.time);
  if (k == 0) return {};
  auto here = static_cast<std::size_t>(whole);
  if (!particles_.empty()) {
    const auto found = std::ranges::lower_bound(particles_, whole);
    if (found == particles_.end() || *found != whole) return {};
    here = static_cast<std::size_t>(found - particles_.begin());
  }
  if (here >= q.free) return {};
  const Eigen::Map<const Eigen::Vector3d> x(q.x.data() + 3 * here);
  return Reach{here, k, hand_->point(q.time) - x};
}

double Tug::energy(const Configuration& q) const {
  const auto r = reach(q);
  return r ? 0.5 * r->stiffness * r->away.squaredNorm() : 0;
}

void Tug::add_force(const Configuration& q, std::span<double> f) const {
  if (const auto r = reach(q))
    Eigen::Map<Eigen::Vector3d>(f.data() + 3 * r->particle) += r->stiffness * r->away;
}

void Tug::attach(std::size_t free, const BlockPattern& pattern) {
  diagonal_.clear();
  for (std::size_t i = 0; i < free; ++i) diagonal_.push_back(pattern.find(i, static_cast<int>(i)));
}

void Tug::add_tangent(const Configuration& q, Tangent& tangent) const {
  const auto r = reach(q);
  if (!r) return;
  double* block = tangent.stiffness.block(diagonal_[r->particle]);
  for (const int entry : {0, 4, 8}) block[entry] += r->stiffness;
}

std::vector<std::unique_ptr<Force>> Tug::parts(const Partition& partition) const {
  std::vector<std::unique_ptr<Force>> out;
  for (std::size_t piece = 0; piece < partition.pieces(); ++piece) {
    auto part = std::make_unique<Tug>(hand_);
    const std::span<const int> all = partition.particles(piece);
    part->particles_.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(partition.free(piece)));
    out.push_back(std::move(part));
  }
  return out;
}

}  // namespace stiffly
