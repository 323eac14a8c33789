// How centre lines give way to what pushes them, their stiffness against stretching included.
#pragma once

#include <algorithm>
#include <Eigen/LU>

#include "stiffly/contact/contact_sweeps.hpp"

namespace stiffly {

/// A = M + hC + h²K of lines of nodes, the first of each held: K is the stiffness k t tᵀ of their segments
/// along themselves, and C that of the dashpots beside it. It is block-tridiagonal with blocks of 3 × 3, and
/// factorised for each contact anew, which takes a microsecond.
class LineMeasure final : public ImpulseResponse {
 public:
  /// Nodes of line i from first_node[i] to first_node[i + 1]; of each node 1/m, and (h² + h·dashpot time)
  /// times the stiffness of the segment that ends there. All must outlive it; so must positions of the nodes.
  LineMeasure(std::span<const std::size_t> first_node, std::span<const double> inverse_mass,
              std::span<const double> stiffness, std::span<const double> x)
      : first_node_(first_node), inverse_mass_(inverse_mass), stiffness_(stiffness), x_(x) {}

  bool concurrent() const override { return true; }
  std::vector<ImpulseColumn> columns(std::span<const ParticleShare> shares) const override {
    std::vector<ImpulseColumn> out;
    std::size_t done = 0;  // a line's nodes are looked for once
    for (const ParticleShare& share : shares) {
      const auto node = static_cast<std::size_t>(share.particle);
      const auto line =
          static_cast<std::size_t>(std::ranges::upper_bound(first_node_, node) - first_node_.begin());
      if (line == done) continue;
      done = line;
      solve(first_node_[line - 1], first_node_[line], shares, out);
    }
    return out;
  }

 private:
  using Block = Eigen::Matrix3d;

  /// k t tᵀ of the segment that ends at a node.
  Block along(std::size_t node) const {
    const auto at = [&](std::size_t i) { return Eigen::Vector3d::Map(x_.data() + 3 * i); };
    const Eigen::Vector3d t = (at(node) - at(node - 1)).normalized();
    return stiffness_[node] * t * t.transpose();
  }

  /// A y = Jᵀ by block elimination from the tip to the root, whose neighbours' blocks are what is left.
  void solve(std::size_t begin, std::size_t end, std::span<const ParticleShare> shares,
             std::vector<ImpulseColumn>& out) const {
    const std::size_t free = end - begin - 1;
    std::vector<Block> inverse(free), right(free, Block::Zero());
    for (const auto& [particle, share] : shares)
      if (const auto node = static_cast<std::size_t>(particle); node > begin && node < end)
        right[node - begin - 1].diagonal().array() += share;
    Block beyond = Block::Zero();  // the segment to the next node
    for (std::size_t k = free; k-- > 0;) {
      const std::size_t node = begin + 1 + k;
      Block pivot = along(node) + beyond;
      pivot.diagonal().array() += 1 / inverse_mass_[node];
      if (k + 1 < free) {
        const Block coupling = beyond * inverse[k + 1];
        pivot -= coupling * beyond;
        right[k] += coupling * right[k + 1];
      }
      inverse[k] = pivot.inverse();
      beyond = along(node);
    }
    Block before = Block::Zero();
    for (std::size_t k = 0; k < free; ++k) {
      if (k > 0) right[k] += along(begin + 1 + k) * before;
      before = inverse[k] * right[k];
      out.push_back({static_cast<int>(begin + 1 + k), before});
    }
  }

  std::span<const std::size_t> first_node_;
  std::span<const double> inverse_mass_, stiffness_, x_;
};

}  // namespace stiffly
