#include "stiffly/forces/rayleigh_damping.hpp"

#include <fmt/format.h>

#include <cmath>

#include "stiffly/error.hpp"
#include "stiffly/linalg/parallel.hpp"
#include "stiffly/system/partition.hpp"

namespace stiffly {
namespace {

constexpr std::size_t particles_at_once = 512;

/// What a block row holds, as 3×3 maps.
using Block = Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>;
using ConstBlock = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>;

/// M·1, which is all of a diagonal matrix.
Eigen::VectorXd diagonal_of(const MassMatrix& mass) {
  const Vector ones(std::vector<double>(mass.size(), 1.0));
  Vector out(mass.size());
  mass.apply(ones, out);
  const std::vector<double> entries = to_host(out);
  return Eigen::VectorXd::Map(entries.data(), static_cast<Eigen::Index>(entries.size()));
}

}  // namespace

RayleighDamping::RayleighDamping(double alpha, double beta, MassMatrix mass, BlockMatrix stiffness)
    : alpha_(alpha), beta_(beta), mass_(std::move(mass)), stiffness_(std::move(stiffness)) {
  for (const double factor : {alpha, beta})
    if (!(std::isfinite(factor) && factor >= 0))
      throw InputError(
          fmt::format("Rayleigh damping: both factors must be finite and not negative, not {}", factor));
}

void RayleighDamping::add_force(const Configuration& q, std::span<double> f) const {
  const BlockPattern& pattern = stiffness_.pattern();
  for_chunks<particles_at_once>(q.free, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i)
      for (std::int64_t k = pattern.row_begin(i); k < pattern.row_end(i); ++k)
        Eigen::Map<Eigen::Vector3d>(f.data() + 3 * i) -=
            beta_ * ConstBlock(stiffness_.block(k)) *
            Eigen::Map<const Eigen::Vector3d>(q.v.data() + 3 * pattern.column(k));
  });
  if (alpha_ == 0) return;
  const Vector v(q.v.first(3 * q.free));
  Vector momentum(v.size());
  mass_.apply(v, momentum);
  for (std::size_t i = 0; i < v.size(); ++i) f[i] -= alpha_ * host(momentum)[i];
}

// αvᵀMv of the free particles and βvᵀKv of all
ForcePower RayleighDamping::power(const Configuration& q) const {
  const BlockPattern& pattern = stiffness_.pattern();
  const auto of_rows = [&](std::size_t first, std::size_t end) {
    return sum_chunks<particles_at_once>(end - first, [&](std::size_t i) {
      Eigen::Vector3d sum = Eigen::Vector3d::Zero();
      for (std::int64_t k = pattern.row_begin(first + i); k < pattern.row_end(first + i); ++k)
        sum += ConstBlock(stiffness_.block(k)) *
               Eigen::Map<const Eigen::Vector3d>(q.v.data() + 3 * pattern.column(k));
      return beta_ * sum.dot(Eigen::Map<const Eigen::Vector3d>(q.v.data() + 3 * (first + i)));
    });
  };
  ForcePower out;
  out.supports = of_rows(q.free, q.v.size() / 3);
  out.dissipated = out.supports + of_rows(0, q.free);
  if (alpha_ > 0) {
    const Vector v(q.v.first(3 * q.free));
    Vector momentum(v.size());
    mass_.apply(v, momentum);
    out.dissipated += alpha_ * dot(v, momentum);
  }
  return out;
}

void RayleighDamping::add_pairs(std::size_t free, std::vector<std::pair<int, int>>& pairs) const {
  const BlockPattern& pattern = stiffness_.pattern();
  for (std::size_t i = 0; i < free; ++i)
    for (std::int64_t k = pattern.row_begin(i); k < pattern.row_end(i); ++k)
      if (static_cast<std::size_t>(pattern.column(k)) < free) pairs.emplace_back(i, pattern.column(k));
}

void RayleighDamping::attach(std::size_t free, const BlockPattern& pattern) {
  const BlockPattern& own = stiffness_.pattern();
  positions_.assign(static_cast<std::size_t>(own.row_end(free - 1)), -1);
  for (std::size_t i = 0; i < free; ++i)
    for (std::int64_t k = own.row_begin(i); k < own.row_end(i); ++k)
      if (static_cast<std::size_t>(own.column(k)) < free)
        positions_[static_cast<std::size_t>(k)] = pattern.find(i, own.column(k));
}

void RayleighDamping::add_tangent(const Configuration&, Tangent& tangent) const {
  for_chunks<particles_at_once>(positions_.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k)
      if (positions_[k] >= 0)
        Block(tangent.damping.block(positions_[k])) +=
            beta_ * ConstBlock(stiffness_.block(static_cast<std::int64_t>(k)));
  });
  if (alpha_ > 0) mass_.add_to(alpha_, tangent.damping);
}

std::vector<std::unique_ptr<Force>> RayleighDamping::parts(const Partition& partition) const {
  std::vector<std::unique_ptr<Force>> out;
  const BlockPattern& pattern = stiffness_.pattern();
  const Eigen::VectorXd masses = alpha_ > 0 ? diagonal_of(mass_) : Eigen::VectorXd();
  for (std::size_t piece = 0; piece < partition.pieces(); ++piece) {
    const std::span<const int> particles = partition.particles(piece);
    /// visit(row, column within the piece, position in the whole)
    const auto for_blocks = [&](const auto& visit) {
      for (std::size_t i = 0; i < particles.size(); ++i) {
        const auto row = static_cast<std::size_t>(particles[i]);
        for (std::int64_t k = pattern.row_begin(row); k < pattern.row_end(row); ++k)
          if (std::ranges::binary_search(particles, pattern.column(k)))
            visit(static_cast<int>(i), partition.number(piece, pattern.column(k)), k);
      }
    };
    std::vector<std::pair<int, int>> pairs;
    for_blocks([&](int row, int column, std::int64_t) { pairs.emplace_back(row, column); });
    BlockMatrix K(BlockPattern::symmetric(particles.size(), 3, std::move(pairs)));
    for_blocks([&](int row, int column, std::int64_t k) {
      Block(K.block(K.pattern().find(static_cast<std::size_t>(row), column))) =
          ConstBlock(stiffness_.block(k));
    });
    std::vector<double> mass;
    for (std::size_t i = 0; alpha_ > 0 && i < partition.free(piece); ++i)
      for (Eigen::Index axis = 0; axis < 3; ++axis) mass.push_back(masses[3 * particles[i] + axis]);
    out.push_back(std::make_unique<RayleighDamping>(
        alpha_, beta_, mass.empty() ? MassMatrix() : MassMatrix::diagonal(mass), std::move(K)));
  }
  return out;
}

BlockMatrix stiffness_of_all_particles(std::span<Force* const> forces, std::span<const double> x) {
  const std::size_t n = x.size() / 3;
  std::vector<std::pair<int, int>> pairs;
  for (const Force* force : forces) force->add_pairs(n, pairs);
  const auto pattern = BlockPattern::symmetric(n, 3, std::move(pairs));
  Tangent tangent{BlockMatrix(pattern), BlockMatrix(pattern), BlockMatrix(pattern)};
  const std::vector<double> still(x.size(), 0.0);
  for (Force* force : forces) {
    force->attach(n, *pattern);
    force->add_tangent({.time = 0, .free = n, .x = x, .v = still}, tangent);
  }
  return tangent.stiffness;
}

}  // namespace stiffly
