#include "stiffly/contact/approach_limit.hpp"

#include <algorithm>

#include "stiffly/limits.hpp"

namespace stiffly {
namespace {

using Eigen::Vector3d;

constexpr int times_ahead = 8;   ///< at which it is seen how fast an obstacle gets
constexpr int most_looks = 256;  ///< at its way

}  // namespace

ApproachLimit::ApproachLimit(std::span<const Obstacle> obstacles, double time, double h, double margin)
    : time_(time), margin_(margin) {
  for (const Obstacle& obstacle : obstacles) {
    Placed& placed = placed_.emplace_back(Placed{&obstacle, obstacle.at(time), {}});
    for (int k = 1; k <= times_ahead && obstacle.moves(); ++k)
      placed.later.push_back(obstacle.at(time + h * k / times_ahead));
  }
}

double ApproachLimit::longest_step(const Vector3d& x, const Vector3d& v, double radius, double h) const {
  for (const Placed& placed : placed_) {
    if (placed.obstacle->moves()) {
      h = look_ahead(placed, x, v, radius, h);
      continue;
    }
    const std::optional<Distance> d = placed.now.within(radius + margin_ + v.norm() * h, x);
    if (!d) continue;
    const double approach = -d->gradient.dot(v);
    if (approach > 0) h = std::min(h, std::max(d->value - radius - margin_, margin_) / approach);
  }
  return h;
}

// Gaps change by no more than things move against each other: so far one may go without a look.
double ApproachLimit::look_ahead(const Placed& placed, const Vector3d& x, const Vector3d& v, double radius,
                                 double h) const {
  double speed = (v - placed.now.velocity(x)).norm();
  for (const PlacedShape& then : placed.later) speed = std::max(speed, (v - then.velocity(x)).norm());
  const std::optional<Distance> now = placed.now.within(radius + margin_ + speed * h, x);
  if (!now || speed == 0) return h;
  const double gap = now->value - radius, least = std::min(margin_, gap - margin_);
  double seen = 0, room = gap - least;  // up to when, and how much nearer it may come from there
  for (int i = 0; i < most_looks; ++i) {
    const double next = seen + std::max(room, margin_ / 2) / speed;
    if (next >= h) return h;
    const std::optional<Distance> d = placed.obstacle->at(time_ + next).within(infinite, x + next * v);
    room = (d ? d->value : infinite) - radius - least;
    if (room < 0) return seen > 0 ? seen : next;
    seen = next;
  }
  return seen;
}

}  // namespace stiffly
