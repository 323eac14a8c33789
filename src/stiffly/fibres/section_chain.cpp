#include "stiffly/fibres/section_chain.hpp"

#include <algorithm>
#include <Eigen/Geometry>
#include <Eigen/LU>

namespace stiffly {

using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

constexpr double small_turn = 1e-3;  // rad: lengthens springs by a millionth of an arm
constexpr int corrections = 2;

Vector3d turned(const Vector3d& arm, const Vector3d& turn) {
  const double angle = turn.norm();
  return angle > 0 ? Vector3d(Eigen::AngleAxisd(angle, turn / angle) * arm) : arm;
}

}  // namespace

// A spring from corner a to corner b of the next cross-section is longer by n·(U_b + Θ_b×c_b − U_a −
// Θ_a×c_a), and n·(Θ×c) = Θ·(c×n).
template <class Visit>
void SectionChain::for_links(const SectionWay* at, const Visit& visit) const {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const Link& link = links_[i];
    const std::size_t s = i / links;
    Vector3d from_arm = link.from_arm, to_arm = link.to_arm, arrow = link.to - link.from;
    if (at) {
      to_arm = turned(link.to_arm, at->turn[s]);
      arrow += at->middle[s] + to_arm - link.to_arm;
      if (s > 0) {
        from_arm = turned(link.from_arm, at->turn[s - 1]);
        arrow -= at->middle[s - 1] + from_arm - link.from_arm;
      }
    }
    const double length = arrow.norm();
    const Vector3d n = arrow / length;
    Row from, to;
    from << -n, -from_arm.cross(n);
    to << n, to_arm.cross(n);
    visit(i, length, from, to);
  }
}

SectionChain::SectionChain(const FibreBatch& batch, int lane, double h) {
  const int W = batch.lanes();
  const BatchView& view = batch.view();
  const std::vector<double> x = batch.positions(lane);
  const std::vector<Vector3d> middle = centre_line(x);
  const double scale = h * (h + batch.dashpot_time(lane));
  for (int s = 0; s < batch.segments(lane); ++s) {
    const auto here = static_cast<std::size_t>(s);
    const auto corner = [&](int section, int c) {
      return Vector3d::Map(x.data() + 3 * (batch::corners * section + c));
    };
    for (int c = 0; c < batch::corners; ++c)
      corners_.push_back(
          {view.mass[W * (batch::corners * s + c) + lane], corner(s + 1, c) - middle[here + 1]});
    for (int slot = 0; slot < batch::between; ++slot) {
      const Vector3d from = corner(s, slot / batch::corners), to = corner(s + 1, slot % batch::corners);
      links_.push_back({scale * view.stiffness[W * (batch::section_springs * s + slot) + lane], from, to,
                        from - middle[here], to - middle[here + 1]});
    }
  }
  at_ = assemble(nullptr);
}

// Pivots S_k = D_k − C_{k+1}ᵀ S_{k+1}⁻¹ C_{k+1}
std::vector<SectionChain::Section> SectionChain::assemble(const SectionWay* at) const {
  std::vector<Section> out(corners_.size() / batch::corners);
  for (std::size_t i = 0; i < corners_.size(); ++i) {
    const std::size_t s = i / batch::corners;
    const auto& [mass, arm] = corners_[i];
    const Vector3d now = at ? turned(arm, at->turn[s]) : arm;
    out[s].own.topLeftCorner<3, 3>().diagonal().array() += mass;
    out[s].own.bottomRightCorner<3, 3>() +=
        mass * (now.squaredNorm() * Matrix3d::Identity() - now * now.transpose());
  }
  for_links(at, [&](std::size_t i, double, const Row& from, const Row& to) {
    const std::size_t s = i / links;
    const double k = links_[i].stiffness;
    out[s].own += k * to * to.transpose();
    if (s == 0) return;
    out[s].before += k * to * from.transpose();
    out[s - 1].own += k * from * from.transpose();
  });
  for (std::size_t k = out.size(); k-- > 0;) {
    Block pivot = out[k].own;
    if (k + 1 < out.size()) pivot -= out[k + 1].before.transpose() * out[k + 1].ratio;
    out[k].inverse = pivot.inverse();
    out[k].ratio = out[k].inverse * out[k].before;
  }
  return out;
}

template <class Entry>
void SectionChain::solve(std::span<const Section> A, std::vector<Entry>& y) {
  for (std::size_t k = A.size(); k-- > 1;) y[k - 1] -= A[k].ratio.transpose() * y[k];
  for (std::size_t k = 0; k < A.size(); ++k) {
    y[k] = A[k].inverse * y[k];
    if (k > 0) y[k] -= A[k].ratio * y[k - 1];
  }
}

std::vector<Matrix3d> SectionChain::ways(std::span<const double> shares) const {
  using Columns = Eigen::Matrix<double, 6, 3>;
  std::vector<Columns> y(at_.size(), Columns::Zero());
  for (std::size_t k = 0; k < at_.size(); ++k) y[k].topRows<3>().diagonal().array() += shares[k];
  solve<Columns>(at_, y);
  std::vector<Matrix3d> out;
  for (const Columns& way : y) out.push_back(way.topRows<3>());
  return out;
}

// A_θθ θ = −A_θu u
std::vector<Vector3d> SectionChain::turns(std::span<const Vector3d> ways) const {
  std::vector<Matrix3d> pivot(at_.size()), link(at_.size());
  std::vector<Vector3d> out(at_.size());
  for (std::size_t k = at_.size(); k-- > 0;) {
    const Section& here = at_[k];
    pivot[k] = here.own.bottomRightCorner<3, 3>();
    link[k] = here.before.bottomRightCorner<3, 3>();
    out[k] = -here.own.bottomLeftCorner<3, 3>() * ways[k];
    if (k > 0) out[k] -= here.before.bottomLeftCorner<3, 3>() * ways[k - 1];
    if (k + 1 == at_.size()) continue;
    out[k] -= at_[k + 1].before.topRightCorner<3, 3>().transpose() * ways[k + 1];
    const Matrix3d onwards = link[k + 1].transpose() * pivot[k + 1].inverse();
    pivot[k] -= onwards * link[k + 1];
    out[k] -= onwards * out[k + 1];
  }
  for (std::size_t k = 0; k < at_.size(); ++k) {
    if (k > 0) out[k] -= link[k] * out[k - 1];
    out[k] = pivot[k].inverse() * out[k];
  }
  return out;
}

void SectionChain::settle(const SectionWay& from, SectionWay& to) const {
  double most = 0;
  for (std::size_t k = 0; k < at_.size(); ++k) most = std::max(most, (to.turn[k] - from.turn[k]).norm());
  if (most < small_turn) return;
  const auto change = [&](std::size_t k) {
    Row out;
    out << to.middle[k] - from.middle[k], to.turn[k] - from.turn[k];
    return out;
  };
  std::vector<double> length(links_.size());  // as K has it
  for_links(nullptr, [&](std::size_t i, double, const Row& back, const Row& forth) {
    const std::size_t s = i / links;
    length[i] = forth.dot(change(s)) + (s > 0 ? back.dot(change(s - 1)) : 0);
  });
  for_links(&from, [&](std::size_t i, double now, const Row&, const Row&) { length[i] += now; });
  for (int correction = 0; correction < corrections; ++correction) {
    std::vector<Row> y(at_.size(), Row::Zero());
    for_links(&to, [&](std::size_t i, double now, const Row& back, const Row& forth) {
      const std::size_t s = i / links;
      const double pull = links_[i].stiffness * (now - length[i]);
      y[s] -= pull * forth;
      if (s > 0) y[s - 1] -= pull * back;
    });
    solve<Row>(assemble(&to), y);
    for (std::size_t k = 0; k < at_.size(); ++k) {
      to.middle[k] += y[k].head<3>();
      to.turn[k] += y[k].tail<3>();
    }
  }
}

}  // namespace stiffly
