#include "stiffly/fibres/batch_contact.hpp"

#include <algorithm>

#include "stiffly/contact/approach_limit.hpp"
#include "stiffly/contact/local_contact.hpp"

namespace stiffly {

using Eigen::Matrix3d;
using Eigen::Vector3d;

BatchContact::BatchContact(const FibreBatch& batch) : batch_(batch) {
  for (int i = 0; i < batch.fibres(); ++i) {
    lanes_.push_back({.groups = batch.obstacles(i)});
    needed_ |= batch.obstacles(i) != nullptr;
  }
}

double BatchContact::longest_step(int lane, double t, double h) const {
  const Lane& l = lanes_[static_cast<std::size_t>(lane)];
  if (!l.groups || std::ranges::none_of(*l.groups, [](const auto& g) { return g.law.watched; })) return h;
  std::vector<double> x(3 * static_cast<std::size_t>(batch_.segments(lane)) + 3), v(x.size());
  batch_.centre_line(lane, x.data(), v.data());
  for (const FibreObstacles& group : *l.groups) {
    if (!group.law.watched) continue;
    const ApproachLimit limit(group.obstacles, t, h, group.law.range / 2);
    for (std::size_t k = 3; k < x.size(); k += 3)
      h = limit.longest_step(Vector3d::Map(x.data() + k), Vector3d::Map(v.data() + k - 3), group.radius, h);
  }
  return h;
}

Vector3d BatchContact::centre(int lane, const double* x, int section) const {
  Vector3d sum = Vector3d::Zero();
  for (int i = 0; i < batch::section_size; ++i)
    sum[i % 3] += x[batch_.lanes() * (batch::section_size * (section + 1) + i) + lane];
  return sum / batch::corners;
}

void BatchContact::place(int lane, const BatchView& view, double t, double h) {
  Lane& l = lanes_[static_cast<std::size_t>(lane)];
  if (!l.groups) return;
  l.begin.clear(), l.end.clear(), l.start.clear();
  for (const FibreObstacles& group : *l.groups) {
    l.begin.push_back(group.at(t));
    l.end.push_back(group.at(t + h));
  }
  for (int s = 0; s < batch_.segments(lane); ++s) {
    const Vector3d x = centre(lane, view.x, s);
    for (std::size_t g = 0; g < l.begin.size(); ++g)
      for (const PlacedShape& shape : l.begin[g]) l.start.push_back((*l.groups)[g].within_range(shape, x));
  }
  l.h = h;
}

template <class Visit>
void BatchContact::for_near(int lane, const BatchView& view, const Visit& visit) const {
  const Lane& l = lanes_[static_cast<std::size_t>(lane)];
  std::size_t next = 0;
  for (int s = 0; s < batch_.segments(lane); ++s) {
    const Vector3d from = centre(lane, view.x, s), to = centre(lane, view.end_x, s), v = (to - from) / l.h;
    for (std::size_t g = 0; g < l.end.size(); ++g) {
      const FibreObstacles& group = (*l.groups)[g];
      for (std::size_t o = 0; o < l.end[g].size(); ++o) {
        const std::optional<Distance>& before = l.start[next++];
        const PlacedShape &begin = l.begin[g][o], &end = l.end[g][o];
        const std::optional<Distance> after = before ? end.within(infinite, to) : group.within_range(end, to);
        if (!after) continue;
        const Vector3d obstacle = (begin.velocity(from) + end.velocity(to)) / 2;
        const Vector3d normal = before ? (before->gradient + after->gradient).normalized() : after->gradient;
        const double gap = after->value - group.radius;
        const double start =
            before ? before->value - group.radius : begin.within(infinite, from)->value - group.radius;
        const MeanPush law{group.law, true, 0.5, start};
        const double stretch = gap_over_way(gap - start, l.h * normal.dot(v - obstacle), group.law.range);
        visit(s, Near{group, v - obstacle, obstacle, normal, stretch * law.push(gap), law.tangent(gap)});
      }
    }
  }
}

void BatchContact::push(int lane, const BatchView& view) const {
  if (!lanes_[static_cast<std::size_t>(lane)].groups) return;
  const int W = batch_.lanes();
  for (int i = 0; i < 3 * batch_.segments(lane); ++i) view.push[W * i + lane] = 0;
  for_near(lane, view, [&](int s, const Near& near) {
    Vector3d f = near.push * near.normal;
    if (near.rubs()) f -= near.grip() * near.slip().direction;
    for (int d = 0; d < 3; ++d) view.push[W * (3 * s + d) + lane] += f[d];
  });
}

// ∂v̄/∂x⁺ = 1/h
void BatchContact::freeze(int lane, const BatchView& view) const {
  const Lane& l = lanes_[static_cast<std::size_t>(lane)];
  if (!l.groups) return;
  const int W = batch_.lanes();
  for (int i = 0; i < 9 * batch_.segments(lane); ++i) view.push_stiffness[W * i + lane] = 0;
  for_near(lane, view, [&](int s, const Near& near) {
    const Vector3d& n = near.normal;
    Matrix3d K = near.stiffness * n * n.transpose();
    if (near.rubs()) {
      const FrictionSlip slip = near.slip();
      K += near.grip() / (slip.scale * l.h) *
           (Matrix3d::Identity() - n * n.transpose() - slip.direction * slip.direction.transpose());
    }
    for (int d = 0; d < 9; ++d) view.push_stiffness[W * (9 * s + d) + lane] += K(d / 3, d % 3);
  });
}

BatchContact::Work BatchContact::work(int lane, const BatchView& view) const {
  const Lane& l = lanes_[static_cast<std::size_t>(lane)];
  Work out;
  if (!l.groups) return out;
  for_near(lane, view, [&](int, const Near& near) {
    out.brought += l.h * near.push * near.normal.dot(near.obstacle);
    if (near.rubs()) out.rubbed += l.h * near.grip() * near.slip().direction.dot(near.v + near.obstacle);
  });
  return out;
}

}  // namespace stiffly
