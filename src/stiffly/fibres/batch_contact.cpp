#include "stiffly/fibres/batch_contact.hpp"

namespace stiffly {

using Eigen::Vector3d;

BatchContact::BatchContact(const FibreBatch& batch) : batch_(batch) {
  for (int i = 0; i < batch.fibres(); ++i) {
    lanes_.push_back({.obstacles = batch.obstacles(i)});
    needed_ |= batch.obstacles(i) != nullptr;
  }
}

void BatchContact::place(int lane, double t, double h) {
  Lane& l = lanes_[static_cast<std::size_t>(lane)];
  if (!l.obstacles) return;
  l.shapes = l.obstacles->at(t + h / 2);
  l.h = h;
}

/// visit(section, centre in the middle of the step)
template <class Visit>
void BatchContact::for_sections(int lane, const BatchView& view, const Visit& visit) const {
  const int W = batch_.lanes();
  for (int s = 0; s < batch_.segments(lane); ++s) {
    Vector3d sum = Vector3d::Zero();
    for (int i = 0; i < batch::section_size; ++i) {
      const int entry = W * (batch::section_size * (s + 1) + i) + lane;
      sum[i % 3] += view.x[entry] + view.end_x[entry];
    }
    visit(s, Vector3d(sum / (2 * batch::corners)));
  }
}

void BatchContact::push(int lane, const BatchView& view) const {
  const Lane& l = lanes_[static_cast<std::size_t>(lane)];
  if (!l.obstacles) return;
  for_sections(lane, view, [&](int s, const Vector3d& x) {
    Vector3d f = Vector3d::Zero();
    l.obstacles->for_near(l.shapes, x, [&](const PlacedShape&, const Distance& d, double gap) {
      f += l.obstacles->law.push(gap) * d.gradient;
    });
    for (int d = 0; d < 3; ++d) view.push[batch_.lanes() * (3 * s + d) + lane] = f[d];
  });
}

// ∂f/∂x⁺ = ½ ∂f/∂x̄
void BatchContact::freeze(int lane, const BatchView& view) const {
  const Lane& l = lanes_[static_cast<std::size_t>(lane)];
  if (!l.obstacles) return;
  for_sections(lane, view, [&](int s, const Vector3d& x) {
    Eigen::Matrix3d K = Eigen::Matrix3d::Zero();
    l.obstacles->for_near(l.shapes, x, [&](const PlacedShape&, const Distance& d, double gap) {
      K += 0.5 * l.obstacles->law.tangent(gap) * d.gradient * d.gradient.transpose();
    });
    for (int d = 0; d < 9; ++d) view.push_stiffness[batch_.lanes() * (9 * s + d) + lane] = K(d / 3, d % 3);
  });
}

double BatchContact::work(int lane, const BatchView& view) const {
  const Lane& l = lanes_[static_cast<std::size_t>(lane)];
  double sum = 0;
  if (!l.obstacles) return sum;
  for_sections(lane, view, [&](int, const Vector3d& x) {
    l.obstacles->for_near(l.shapes, x, [&](const PlacedShape& shape, const Distance& d, double gap) {
      sum += l.h * l.obstacles->law.push(gap) * d.gradient.dot(shape.velocity(x));
    });
  });
  return sum;
}

}  // namespace stiffly
