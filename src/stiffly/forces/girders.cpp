#include "stiffly/forces/girders.hpp"

#include <fmt/format.h>

#include <cmath>

#include "stiffly/error.hpp"
#include "stiffly/linalg/polar.hpp"

namespace stiffly {
namespace {

using Eigen::Matrix3d;
using Eigen::Matrix3Xd;
using Eigen::Vector3d;

std::vector<Spring> axial_springs(std::span<const Girder> girders, std::span<const Point> rest) {
  std::vector<Spring> out;
  for (const Girder& g : girders) {
    const auto fail = [&](const std::string& what) {
      throw InputError(fmt::format("girder {}: {}", out.size(), what));
    };
    for (const int end : {g.first, g.second})
      if (end < 0 || static_cast<std::size_t>(end) >= rest.size())
        fail(fmt::format("end {} is not a particle (there are {}, counted from 0)", end, rest.size()));
    if (!(std::isfinite(g.axial) && g.bending >= 0 && g.bending <= g.axial))
      fail(fmt::format("stiffnesses must be finite and 0 <= bending <= axial, not {} and {}", g.bending,
                       g.axial));
    const auto X = [&](int particle) {
      return Vector3d::Map(rest[static_cast<std::size_t>(particle)].data());
    };
    const double length = (X(g.second) - X(g.first)).norm();
    if (!(std::isfinite(length) && length > 0))
      fail(fmt::format("particles {} and {} coincide at rest", g.first, g.second));
    out.push_back(
        {.first = g.first, .second = g.second, .stiffness = g.axial - g.bending, .rest_length = length});
  }
  return out;
}

std::vector<std::vector<int>> joints(std::span<const Girder> girders, std::size_t particles) {
  std::vector<std::vector<int>> out(particles);
  for (std::size_t i = 0; i < particles; ++i) out[i].push_back(static_cast<int>(i));
  for (const Girder& g : girders) {
    out[static_cast<std::size_t>(g.first)].push_back(g.second);
    out[static_cast<std::size_t>(g.second)].push_back(g.first);
  }
  return out;
}

/// A = Σ b e e₀ᵀ
Matrix3d covariance(const Matrix3Xd& e, const Eigen::VectorXd& bending, const Matrix3Xd& rest) {
  return e * bending.asDiagonal() * rest.transpose();
}

}  // namespace

Girders::Girders(std::span<const Girder> girders, std::span<const Point> rest)
    : along_(axial_springs(girders, rest)),
      joints_(joints(girders, rest.size()), rest.size(), "girders at particle"),
      shapes_(rest.size()) {
  springs_ = std::make_shared<Springs>(along_, rest.size());
  for (std::size_t i = 0; i < along_.size(); ++i) along_[i].stiffness = girders[i].axial;
  std::vector<std::vector<double>> bending(rest.size());
  for (const Girder& g : girders)
    for (const int end : {g.first, g.second}) bending[static_cast<std::size_t>(end)].push_back(g.bending);
  const std::span<const double> coordinates(rest.empty() ? nullptr : rest.front().data(), 3 * rest.size());
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    shapes_[i].bending =
        Eigen::VectorXd::Map(bending[i].data(), static_cast<Eigen::Index>(bending[i].size()));
    shapes_[i].rest = spokes(i, coordinates);
  }
}

Girders::Girders(const Girders& elastic, const PlasticLaw& law) : Girders(elastic) {
  springs_ = elastic.springs_->yielding(law);
}

std::unique_ptr<Force> Girders::yielding(const PlasticLaw& law) const {
  return std::unique_ptr<Force>(new Girders(*this, law));
}

Matrix3Xd Girders::spokes(std::size_t joint, std::span<const double> x) const {
  const Matrix3Xd corners = joints_.gather<Eigen::Dynamic>(joint, x);
  return corners.rightCols(corners.cols() - 1).colwise() - corners.col(0);
}

double Girders::energy(const Configuration& q) const {
  return springs_->energy(q) + joints_.sum([&](std::size_t i) {
    const auto& [rest, bending] = shapes_[i];
    const Matrix3Xd e = spokes(i, q.x);
    const Matrix3d R = SignedSvd(covariance(e, bending, rest)).rotation();
    return 0.25 * (e - R * rest).colwise().squaredNorm().dot(bending);
  });
}

// With F = b/2 (e − R e₀): F pulls the joint, −F the other end.
void Girders::add_force(const Configuration& q, std::span<double> f) const {
  springs_->add_force(q, f);
  joints_.for_each([&](std::size_t i) {
    const auto& [rest, bending] = shapes_[i];
    const Matrix3Xd e = spokes(i, q.x);
    const Matrix3d R = SignedSvd(covariance(e, bending, rest)).rotation();
    Matrix3Xd forces(3, e.cols() + 1);
    forces.rightCols(e.cols()) = -0.5 * (e - R * rest) * bending.asDiagonal();
    forces.col(0) = -forces.rightCols(e.cols()).rowwise().sum();
    joints_.add_force(i, forces, f);
  });
}

void Girders::add_pairs(std::size_t free, std::vector<std::pair<int, int>>& pairs) const {
  joints_.add_pairs(free, pairs);
}

void Girders::attach(std::size_t free, const BlockPattern& pattern) {
  springs_->attach(free, pattern);
  joints_.attach(free, pattern);
}

// ∂F_j/∂e_k = b_j/2 (δ_jk I − b_k Σ_cd e₀_j,c e₀_k,d (∂R/∂A)_cd) with 3×3 blocks (c, d) of ∂R/∂A; then e_j =
// x_j − x_i.
void Girders::add_tangent(const Configuration& q, Tangent& tangent) const {
  springs_->add_tangent(q, tangent);
  joints_.for_each([&](std::size_t i) {
    const auto& [rest, bending] = shapes_[i];
    const Matrix3Xd e = spokes(i, q.x);
    const Eigen::Index n = e.cols();
    if (n == 0) return;
    const Matrix9d dR = SignedSvd(covariance(e, bending, rest)).rotation_gradient();
    const auto B = [&rest = rest, &bending = bending](Eigen::Index j) {  // ∂A/∂e_j
      Eigen::Matrix<double, 9, 3> out;
      for (Eigen::Index c = 0; c < 3; ++c)
        out.middleRows<3>(3 * c) = bending(j) * rest(c, j) * Matrix3d::Identity();
      return out;
    };
    Eigen::MatrixXd H(3 * n, 3 * n);
    for (Eigen::Index k = 0; k < n; ++k) {
      const Eigen::Matrix<double, 9, 3> turn = dR * B(k);
      for (Eigen::Index j = 0; j < n; ++j) H.block<3, 3>(3 * j, 3 * k) = -0.5 * B(j).transpose() * turn;
      H.block<3, 3>(3 * k, 3 * k) += 0.5 * bending(k) * Matrix3d::Identity();
    }

    Eigen::MatrixXd K = Eigen::MatrixXd::Zero(3 * n + 3, 3 * n + 3);
    K.bottomRightCorner(3 * n, 3 * n) = H;
    for (Eigen::Index j = 0; j < n; ++j) K.topRightCorner(3, 3 * n) -= H.middleRows(3 * j, 3);
    K.bottomLeftCorner(3 * n, 3) = K.topRightCorner(3, 3 * n).transpose();
    for (Eigen::Index j = 1; j <= n; ++j) K.topLeftCorner(3, 3) -= K.block<3, 3>(0, 3 * j);
    joints_.add_matrix(i, K, tangent.stiffness);
  });
}

std::unique_ptr<MixedElements> Girders::mixed_elements(std::size_t free, const BlockPattern& pattern) const {
  std::vector<std::unique_ptr<MixedElements>> parts;
  parts.push_back(springs_->mixed_elements(free, pattern));
  parts.push_back(joint_strains(shapes_, joints_, joints_.size(), free, pattern));
  return sum_of_elements(std::move(parts));
}

}  // namespace stiffly
