#include "stiffly/forces/fluid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "stiffly/error.hpp"
#include "stiffly/linalg/parallel.hpp"

namespace stiffly {
namespace {

constexpr std::size_t fluid_rows_at_once = 16;

/// matrix ← matrix + factor · dense, in its full block rows, which begin at `rows`.
void add_dense(double factor, const Eigen::MatrixXd& dense, std::span<const std::int64_t> rows,
               BlockMatrix& matrix) {
  for_chunks<fluid_rows_at_once>(rows.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i)
      for (std::size_t j = 0; j < rows.size(); ++j)
        Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(
            matrix.block(rows[i] + static_cast<std::int64_t>(j))) +=
            factor * dense.block<3, 3>(3 * static_cast<Eigen::Index>(i), 3 * static_cast<Eigen::Index>(j));
  });
}

}  // namespace

Fluid::Fluid(const Stokeslets& stokeslets, const Eigen::Vector3d& velocity, std::size_t particles)
    : stokeslets_(stokeslets), velocity_(velocity), particles_(particles) {
  if (particles > most_particles)
    throw InputError(
        fmt::format("{} particles in a fluid, of which each feels all others, are too many: {} at most",
                    particles, most_particles));
  if (!velocity.allFinite()) throw InputError("the velocity of the fluid must be finite");
}

const DenseCholesky& Fluid::factor(std::span<const double> x) const {
  if (factor_ && std::ranges::equal(x, factor_x_)) return *factor_;
  factor_.reset();
  try {
    factor_.emplace(stokeslets_.mobility_matrix(x));
  } catch (const NotPositiveDefinite&) {
    const NearestPoints near = nearest_points(x);
    throw SimulationError(
        fmt::format("the fluid cannot tell particles apart that are at one place: two are {:.3g} m from each "
                    "other, with blobs of {:.3g} m",
                    near.distance, stokeslets_.blob()));
  }
  factor_x_.assign(x.begin(), x.end());
  return *factor_;
}

Eigen::VectorXd Fluid::forces_on_fluid(const Configuration& q) const {
  Eigen::VectorXd relative = Eigen::VectorXd::Map(q.v.data(), static_cast<Eigen::Index>(q.v.size()));
  for (Eigen::Index i = 0; i < relative.size(); i += 3) relative.segment<3>(i) -= velocity_;
  return factor(q.x).solve(relative);
}

void Fluid::add_force(const Configuration& q, std::span<double> f) const {
  const Eigen::VectorXd g = forces_on_fluid(q);
  for (std::size_t i = 0; i < 3 * q.free; ++i) f[i] -= g[static_cast<Eigen::Index>(i)];
}

void Fluid::add_pairs(std::size_t free, std::vector<std::pair<int, int>>& pairs) const {
  for (int i = 0; i < static_cast<int>(free); ++i)
    for (int j = 0; j < i; ++j) pairs.emplace_back(i, j);
}

void Fluid::attach(std::size_t free, const BlockPattern& pattern) {
  rows_.clear();
  for (std::size_t i = 0; i < free; ++i) rows_.push_back(pattern.row_begin(i));
}

void Fluid::add_tangent(const Configuration& q, Tangent& tangent) const {
  const Eigen::VectorXd g = forces_on_fluid(q);
  const Eigen::MatrixXd inverse = factor(q.x).inverse();
  const auto n = 3 * static_cast<Eigen::Index>(q.free);
  add_dense(1, inverse, rows_, tangent.damping);
  const Eigen::MatrixXd K = -inverse.topRows(n) * stokeslets_.mobility_change(q.x, g).leftCols(n);
  add_dense(0.5, K + K.transpose(), rows_, tangent.stiffness);
  add_dense(0.5, K - K.transpose(), rows_, tangent.circulatory);
}

ForcePower Fluid::power(const Configuration& q) const {
  const Eigen::VectorXd work = forces_on_fluid(q).cwiseProduct(
      Eigen::VectorXd::Map(q.v.data(), static_cast<Eigen::Index>(q.v.size())));
  return {.dissipated = work.sum(),
          .supports = work.tail(work.size() - 3 * static_cast<Eigen::Index>(q.free)).sum()};
}

// G, and 9n³ of its Cholesky factor
double Fluid::effort_per_pair() const {
  return effort::pair + 18 * effort::dense_operation * static_cast<double>(particles_);
}

NearestPoints nearest_points(std::span<const double> x) {
  NearestPoints out{.distance = std::numeric_limits<double>::infinity()};
  for (std::size_t i = 0; i < x.size() / 3; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const double d =
          (Eigen::Vector3d::Map(x.data() + 3 * i) - Eigen::Vector3d::Map(x.data() + 3 * j)).norm();
      if (d < out.distance) out = {j, i, d};
    }
  return out;
}

}  // namespace stiffly
