#include "stiffly/fibres/section_chain.hpp"

#include <algorithm>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <limits>
#include <utility>

namespace stiffly {

using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

constexpr double small_turn = 1e-3;  // rad: lengthens springs by a millionth of an arm
constexpr int corrections = 2;

Matrix3d rotation(const Vector3d& turn) {
  const double angle = turn.norm();
  return angle > 0 ? Eigen::AngleAxisd(angle, turn / angle).toRotationMatrix() : Matrix3d::Identity();
}

}  // namespace

SectionChain::Arms SectionChain::arms(const SectionWay* at, std::size_t place) const {
  Arms out = places_[place].arms;
  if (at && place > 0) {
    const Matrix3d R = rotation(at->turn[place - 1]);
    for (Vector3d& arm : out) arm = R * arm;
  }
  return out;
}

// A spring from corner a to corner b of the next cross-section is longer by n·(U_b + Θ_b×c_b − U_a −
// Θ_a×c_a), and n·(Θ×c) = Θ·(c×n).
template <class Visit>
void SectionChain::for_links(const SectionWay* at, const Visit& visit) const {
  Arms before = arms(at, 0);
  for (std::size_t s = 0; s < sections(); ++s) {
    const Arms here = arms(at, s + 1);
    Vector3d step = places_[s + 1].step;
    if (at) step += at->middle[s];
    if (at && s > 0) step -= at->middle[s - 1];
    for (std::size_t i = 0; i < batch::between; ++i) {
      const Vector3d &from_arm = before[i / batch::corners], &to_arm = here[i % batch::corners];
      const Vector3d arrow = step + to_arm - from_arm;
      const double length = arrow.norm();
      const Vector3d n = arrow / length;
      Row from, to;
      from << -n, n.cross(from_arm);
      to << n, to_arm.cross(n);
      visit(s, i, length, from, to);
    }
    before = here;
  }
}

SectionChain::SectionChain(const FibreBatch& batch, int lane, double h)
    : places_(static_cast<std::size_t>(batch.segments(lane)) + 1) {
  const int W = batch.lanes();
  const BatchView& view = batch.view();
  const std::vector<double> x = batch.positions(lane);
  const std::vector<Vector3d> middle = centre_line(x);
  const double scale = h * (h + batch.dashpot_time(lane));
  for (std::size_t p = 0; p < places_.size(); ++p) {
    Place& here = places_[p];
    const int before = static_cast<int>(p) - 1;
    for (std::size_t c = 0; c < batch::corners; ++c)
      here.arms[c] = Vector3d::Map(x.data() + 3 * (batch::corners * p + c)) - middle[p];
    if (p == 0) continue;
    here.step = middle[p] - middle[p - 1];
    for (int c = 0; c < batch::corners; ++c)
      here.mass[static_cast<std::size_t>(c)] = view.mass[W * (batch::corners * before + c) + lane];
    for (int slot = 0; slot < batch::between; ++slot)
      here.stiffness[static_cast<std::size_t>(slot)] =
          scale * view.stiffness[W * (batch::section_springs * before + slot) + lane];
  }
  at_ = assemble(nullptr);
}

// Pivots S_k = D_k − C_{k+1}ᵀ S_{k+1}⁻¹ C_{k+1}
std::vector<SectionChain::Section> SectionChain::assemble(const SectionWay* at) const {
  std::vector<Section> out(places_.size() - 1);
  for (std::size_t s = 0; s < out.size(); ++s) {
    const Arms now = arms(at, s + 1);
    for (std::size_t c = 0; c < batch::corners; ++c) {
      const double mass = places_[s + 1].mass[c];
      out[s].own.topLeftCorner<3, 3>().diagonal().array() += mass;
      out[s].own.bottomRightCorner<3, 3>() +=
          mass * (now[c].squaredNorm() * Matrix3d::Identity() - now[c] * now[c].transpose());
    }
  }
  for_links(at, [&](std::size_t s, std::size_t i, double, const Row& from, const Row& to) {
    const double k = places_[s + 1].stiffness[i];
    const Row pull = k * to, pull_before = k * from;
    out[s].own.noalias() += pull * to.transpose();
    if (s == 0) return;
    out[s].before.noalias() += pull * from.transpose();
    out[s - 1].own.noalias() += pull_before * from.transpose();
  });
  for (std::size_t k = out.size(); k-- > 0;) {
    Block pivot = out[k].own;
    if (k + 1 < out.size()) pivot.noalias() -= out[k + 1].before.transpose() * out[k + 1].ratio;
    out[k].inverse = pivot.inverse();
    out[k].ratio.noalias() = out[k].inverse * out[k].before;
  }
  return out;
}

template <class Entry>
void SectionChain::solve(std::span<const Section> A, std::vector<Entry>& y) {
  for (std::size_t k = A.size(); k-- > 1;) y[k - 1].noalias() -= A[k].ratio.transpose() * y[k];
  for (std::size_t k = 0; k < A.size(); ++k) {
    y[k] = A[k].inverse * y[k];
    if (k > 0) y[k].noalias() -= A[k].ratio * y[k - 1];
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
  std::vector<std::array<double, batch::between>> length(at_.size());  // as K has it
  for_links(nullptr, [&](std::size_t s, std::size_t i, double, const Row& back, const Row& forth) {
    length[s][i] = forth.dot(change(s)) + (s > 0 ? back.dot(change(s - 1)) : 0);
  });
  for_links(&from,
            [&](std::size_t s, std::size_t i, double now, const Row&, const Row&) { length[s][i] += now; });
  double before = std::numeric_limits<double>::infinity();
  SectionWay last = to;
  for (int correction = 0;; ++correction) {
    std::vector<Row> y(at_.size(), Row::Zero());
    double energy = 0;  // of springs that are not so long
    for_links(&to, [&](std::size_t s, std::size_t i, double now, const Row& back, const Row& forth) {
      const double pull = places_[s + 1].stiffness[i] * (now - length[s][i]);
      energy += pull * (now - length[s][i]);
      y[s] -= pull * forth;
      if (s > 0) y[s - 1] -= pull * back;
    });
    if (!(energy < before)) {  // it has gone astray
      to = std::move(last);
      return;
    }
    if (correction == corrections) return;
    before = energy;
    last = to;
    solve<Row>(assemble(&to), y);
    for (std::size_t k = 0; k < at_.size(); ++k) {
      to.middle[k] += y[k].head<3>();
      to.turn[k] += y[k].tail<3>();
    }
  }
}

}  // namespace stiffly
