#include "stiffly/fibres/hanging.hpp"

#include <fmt/format.h>

#include <cmath>
#include <Eigen/Cholesky>

#include "stiffly/error.hpp"

namespace stiffly {
namespace {

using Eigen::Vector3d;
using Block = Eigen::Matrix<double, fibre::section_size, fibre::section_size>;
using Row = Eigen::Matrix<double, fibre::section_size, 1>;

constexpr double largest_strain = 0.6;

/// K = Σ Wᵀ k n nᵀ W of all cross-sections: blocks on the diagonal, and those right of it.
struct BlockTridiagonal {
  std::vector<Block> diagonal, right;
};

std::size_t section_of(int particle) { return static_cast<std::size_t>(particle / fibre::corners); }
Eigen::Index row_of(int particle) { return 3 * (particle % fibre::corners); }

/// From the first end to the second.
Vector3d arrow(const FibreShape& shape, const Spring& s) {
  return shape.position[static_cast<std::size_t>(s.second)] -
         shape.position[static_cast<std::size_t>(s.first)];
}

BlockTridiagonal material_stiffness(const FibreShape& shape) {
  const std::size_t sections = static_cast<std::size_t>(shape.segments) + 1;
  BlockTridiagonal K{std::vector<Block>(sections, Block::Zero()),
                     std::vector<Block>(sections, Block::Zero())};
  for (const Spring& s : shape.springs) {
    const Vector3d n = arrow(shape, s).normalized();
    const Eigen::Matrix3d k = s.stiffness * n * n.transpose();
    const std::size_t a = section_of(s.first), b = section_of(s.second);
    K.diagonal[a].block<3, 3>(row_of(s.first), row_of(s.first)) += k;
    K.diagonal[b].block<3, 3>(row_of(s.second), row_of(s.second)) += k;
    if (a == b) {
      K.diagonal[a].block<3, 3>(row_of(s.first), row_of(s.second)) -= k;
      K.diagonal[a].block<3, 3>(row_of(s.second), row_of(s.first)) -= k;
    } else {
      K.right[a].block<3, 3>(row_of(s.first), row_of(s.second)) -= k;
    }
  }
  return K;
}

/// K u = f but for the first cross-section, where u = 0: elimination from the tip to the root,
/// S_i = D_i − R_i S_{i+1}⁻¹ R_iᵀ.
std::vector<Row> solve_clamped(const BlockTridiagonal& K, std::vector<Row> f) {
  const std::size_t sections = f.size();
  std::vector<Eigen::LDLT<Block>> S(sections);
  for (std::size_t i = sections; i-- > 1;) {
    Block D = K.diagonal[i];
    if (i + 1 < sections) {
      D -= K.right[i] * S[i + 1].solve(K.right[i].transpose());
      f[i] -= K.right[i] * S[i + 1].solve(f[i + 1]);
    }
    S[i].compute(D);
  }
  std::vector<Row> u(sections, Row::Zero());
  for (std::size_t i = 1; i < sections; ++i) u[i] = S[i].solve(f[i] - K.right[i - 1].transpose() * u[i - 1]);
  return u;
}

}  // namespace

void hang_as_drawn(FibreShape& shape, const Vector3d& acceleration, std::size_t number) {
  std::vector<Row> weight(static_cast<std::size_t>(shape.segments) + 1);
  for (int p = 0; p < fibre::particles(shape.segments); ++p)
    weight[section_of(p)].segment<3>(row_of(p)) = shape.mass[static_cast<std::size_t>(p)] * acceleration;
  const std::vector<Row> u = solve_clamped(material_stiffness(shape), std::move(weight));
  const auto displacement = [&](int particle) -> Vector3d {
    return u[section_of(particle)].segment<3>(row_of(particle));
  };
  for (Spring& s : shape.springs) {
    const Vector3d e = arrow(shape, s);
    const double length = e.norm(), longer = e.dot(displacement(s.second) - displacement(s.first)) / length;
    if (!(std::abs(longer) < largest_strain * length))
      throw InputError(
          fmt::format("fibre {}: too soft to hang as drawn: a spring at segment {} would be strained by "
                      "{:.0f} %; make it "
                      "stiffer, shorter, or let it point downwards",
                      number, section_of(s.first), 100 * std::abs(longer) / length));
    s.rest_length = length - longer;
  }
}

}  // namespace stiffly
