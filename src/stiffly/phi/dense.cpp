#include "stiffly/phi/dense.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <Eigen/Dense>
#include <numeric>
#include <optional>

#include "stiffly/effort.hpp"
#include "stiffly/limits.hpp"
#include "stiffly/linalg/decompositions.hpp"
#include "stiffly/linalg/dense.hpp"

namespace stiffly {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Index sets of the independent blocks: connected components of the pattern of A.
std::vector<std::vector<Index>> independent_blocks(const MatrixXd& A) {
  const Index n = A.rows();
  std::vector<Index> parent(static_cast<std::size_t>(n));
  std::iota(parent.begin(), parent.end(), Index{0});
  const auto root = [&](Index i) {
    while (parent[static_cast<std::size_t>(i)] != i)
      i = parent[static_cast<std::size_t>(i)] =
          parent[static_cast<std::size_t>(parent[static_cast<std::size_t>(i)])];
    return i;
  };
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i)
      if (A(i, j) != 0) parent[static_cast<std::size_t>(root(i))] = root(j);
  std::vector<std::vector<Index>> blocks;
  std::vector<Index> number(static_cast<std::size_t>(n), -1);
  for (Index i = 0; i < n; ++i) {
    Index& block = number[static_cast<std::size_t>(root(i))];
    if (block < 0) {
      block = static_cast<Index>(blocks.size());
      blocks.emplace_back();
    }
    blocks[static_cast<std::size_t>(block)].push_back(i);
  }
  return blocks;
}

/// ‖A‖₂ by power iteration on AᵀA, with a margin; never above the Frobenius norm.
double spectral_norm(const MatrixXd& A) {
  const double frobenius = A.norm();
  if (A.rows() == 1 || frobenius == 0) return frobenius;
  VectorXd x = VectorXd::LinSpaced(A.cols(), 1, 2), y;
  for (Index i = 1; i < x.size(); i += 2) x(i) = -x(i);
  double norm = 0;
  for (int k = 0; k < 8; ++k) {
    x /= x.norm();
    y.noalias() = A * x;
    norm = std::max(norm, y.norm());
    x.noalias() = A.transpose() * y;
    if (x.norm() == 0) break;
  }
  return std::min(frobenius, std::max(1.2 * norm, frobenius / std::sqrt(static_cast<double>(A.rows()))));
}

/// The [13/13] Padé approximant of e^A, exact to round-off for ‖A‖ ≤ 5.37 [Higham 2005, Alg. 2.3].
MatrixXd pade13(const MatrixXd& A) {
  constexpr double c[] = {64764752532480000.,
                          32382376266240000.,
                          7771770303897600.,
                          1187353796428800.,
                          129060195264000.,
                          10559470521600.,
                          670442572800.,
                          33522128640.,
                          1323241920.,
                          40840800.,
                          960960.,
                          16380.,
                          182.,
                          1.};
  const Index n = A.rows();
  MatrixXd A2(n, n), A4(n, n), A6(n, n), U(n, n), V(n, n), W(n, n);
  A2.noalias() = A * A;
  A4.noalias() = A2 * A2;
  A6.noalias() = A4 * A2;
  W.noalias() = A6 * (c[13] * A6 + c[11] * A4 + c[9] * A2);
  W += c[7] * A6 + c[5] * A4 + c[3] * A2;
  W.diagonal().array() += c[1];
  U.noalias() = A * W;
  V.noalias() = A6 * (c[12] * A6 + c[10] * A4 + c[8] * A2);
  V += c[6] * A6 + c[4] * A4 + c[2] * A2;
  V.diagonal().array() += c[0];
  return solve(V - U, V + U);
}

/// The longest Δ of which all gaps between nodes are small multiples, or 0.
double common_measure(std::span<const double> nodes) {
  double measure = nodes[0];
  for (std::size_t i = 1; i < nodes.size(); ++i)
    for (double gap = nodes[i] - nodes[i - 1]; gap > 1e-12 * nodes.back();) {  // Euclid
      if (gap > measure) std::swap(gap, measure);
      const double rest = measure - gap * std::round(measure / gap);
      measure = gap;
      gap = std::abs(rest);
    }
  return nodes.back() / measure < 64 ? nodes.back() / std::round(nodes.back() / measure) : 0;
}

/// w and its error for one block, at every node, in columns.
struct Outputs {
  MatrixXd values, errors;
};

/// exp(tÃ) in steps of one length: squared up to that length, then applied to vectors, because 2^j products
/// with a vector cost less than j squarings while 2^j < n.
class Propagator {
 public:
  /// Ã is m + p square; only its first m rows carry errors.
  Propagator(const MatrixXd& A, double norm, Index m, double length, double repeats) : m_(m) {
    int squarings =
        std::max(0, static_cast<int>(std::ceil(std::log2(std::max(norm * length, 1e-300) / 4.0))));
    while (squarings > 0 && steps_ * repeats * 2 <= static_cast<double>(m)) --squarings, steps_ *= 2;
    exponential_ = pade13(length / steps_ * std::ldexp(1.0, -squarings) * A);
    for (int i = 0; i < squarings; ++i) exponential_ = exponential_ * exponential_;
    squares_ = exponential_.topRows(m).cwiseAbs2();
    // The same error in every step adds up, noise would grow by the root only.
    noise_ = epsilon * (8 + norm * length / steps_) * std::sqrt(steps_ * repeats);
  }
  /// The error travels with the flow; each step adds ε-noise to all summands of Mv, by random signs. (Entry
  /// by entry: blind to the scaling of unknowns, which balancing and metrics change by orders of magnitude.)
  void advance(VectorXd& v, VectorXd& error, std::uint64_t& state) const {
    for (int i = 0; i < steps_; ++i) {
      noise_of_step_ = noise_ * (squares_ * v.cwiseAbs2()).cwiseSqrt();
      v = exponential_ * v;
      error = exponential_.topLeftCorner(m_, m_) * error;
      for (Index k = 0; k < m_; ++k) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        error(k) += (state >> 63) != 0 ? noise_of_step_(k) : -noise_of_step_(k);
      }
    }
  }
  /// Signs may have cancelled: never less than the noise of the last step.
  VectorXd estimate(const VectorXd& error) const {
    return error.cwiseAbs().cwiseMax(noise_of_step_).cwiseProduct(error.cwiseSign());
  }

 private:
  Index m_;
  int steps_ = 1;
  MatrixXd exponential_, squares_;
  double noise_;
  mutable VectorXd noise_of_step_;
};

/// `B` holds b_0 … b_p of the block, A is its part of hJ.
Outputs propagate(const MatrixXd& A, const MatrixXd& B, std::span<const double> nodes) {
  const Index m = A.rows(), p = B.cols() - 1;
  add_effort(effort::cubic(m + p, 9));
  const VectorXd d = balancing(A), inverse = d.cwiseInverse();
  MatrixXd augmented = MatrixXd::Zero(m + p, m + p);
  augmented.topLeftCorner(m, m) = inverse.asDiagonal() * A * d.asDiagonal();
  const double norm = spectral_norm(augmented.topLeftCorner(m, m));
  // The columns b_p … b_1 over η, so that they do not decide the number of squarings; v starts as (b_0, η
  // e_p).
  const MatrixXd balanced_b = inverse.asDiagonal() * B;
  const double eta = p > 0 ? balanced_b.rightCols(p).norm() : 0;
  if (eta > 0)
    for (Index k = 0; k < p; ++k) augmented.col(m + k).head(m) = balanced_b.col(p - k) / eta;
  for (Index k = 0; k + 1 < p; ++k) augmented(m + k, m + k + 1) = 1;
  VectorXd v = VectorXd::Zero(m + p), error = VectorXd::Zero(m);
  v.head(m) = balanced_b.col(0);
  if (p > 0) v(m + p - 1) = eta;

  const auto count = static_cast<Index>(nodes.size());
  Outputs out{MatrixXd(m, count), MatrixXd(m, count)};
  std::uint64_t state = 1;
  const double measure = common_measure(nodes), bound = std::max(norm, 1.0);
  std::optional<Propagator> propagator;
  if (measure > 0) propagator.emplace(augmented, bound, m, measure, std::round(nodes.back() / measure));
  double t = 0;
  for (Index i = 0; i < count; ++i) {
    const double gap = nodes[static_cast<std::size_t>(i)] - t;
    int repeats = 1;
    if (measure > 0)
      repeats = static_cast<int>(std::round(gap / measure));
    else
      propagator.emplace(augmented, bound, m, gap, 1);
    for (int r = 0; r < repeats; ++r) propagator->advance(v, error, state);
    t = nodes[static_cast<std::size_t>(i)];
    out.values.col(i) = d.cwiseProduct(v.head(m));
    out.errors.col(i) = d.cwiseProduct(propagator->estimate(error));
  }
  return out;
}

}  // namespace

PhiResult DenseEvaluator::attempt(const Task& task) {
  const std::size_t n = task.jacobian.size();
  if (n > options_.max_size)
    throw PhiRefusal(
        fmt::format("dense: {} unknowns are too many to write the matrix out (at most {}); use kiops, "
                    "rational or auto",
                    n, options_.max_size));
  PhiResult result;
  MatrixXd A = to_dense(task.jacobian);
  A *= task.step;
  if (!A.allFinite()) throw PhiRefusal("dense: the matrix times the step is not finite");
  MatrixXd B = MatrixXd::Zero(static_cast<Index>(n), static_cast<Index>(task.b.size()));
  for (std::size_t j = 0; j < task.b.size(); ++j)
    if (!task.b[j].empty())
      task.b[j].backend().download(n, task.b[j].data(), B.col(static_cast<Index>(j)).data());

  std::vector<VectorXd> values(task.nodes.size(), VectorXd::Zero(static_cast<Index>(n))), errors = values;
  for (const auto& block : independent_blocks(A)) {
    const bool whole = block.size() == n;
    const MatrixXd b = whole ? std::move(B) : MatrixXd(B(block, Eigen::all));
    if (b.isZero(0)) continue;
    const Outputs out = whole ? propagate(A, b, task.nodes) : propagate(A(block, block), b, task.nodes);
    for (std::size_t i = 0; i < task.nodes.size(); ++i) {
      values[i](block) = out.values.col(static_cast<Index>(i));
      errors[i](block) = out.errors.col(static_cast<Index>(i));
    }
    result.report.largest_basis = std::max(result.report.largest_basis, static_cast<int>(block.size()));
  }

  result.report.products = static_cast<int>(n);
  const Backend& backend = task.jacobian.backend();
  for (std::size_t i = 0; i < task.nodes.size(); ++i) {
    result.values.emplace_back(std::span<const double>(values[i].data(), n), backend);
    const double size = metric_norm(task.jacobian, result.values[i]);
    const double error =
        3 * metric_norm(task.jacobian, Vector(std::span<const double>(errors[i].data(), n), backend));
    if (!task.jacobian.euclidean()) result.report.products += 2;
    // A second attempt would give the same: refuse at once.
    if (std::isfinite(error) && error > std::max(task.relative * size, task.absolute))
      throw PhiRefusal(
          fmt::format("dense: round-off alone is {:.1e} of the result where {:.1e} was asked for; loosen the "
                      "tolerance or take a smaller step",
                      error / size, task.relative));
    result.report.error_estimates.push_back(error);
  }
  return result;
}

}  // namespace stiffly
