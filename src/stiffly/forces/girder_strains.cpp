#include "stiffly/forces/girder_strains.hpp"

#include <cmath>
#include <Eigen/LU>

#include "stiffly/forces/element_strains.hpp"
#include "stiffly/forces/strain6.hpp"
#include "stiffly/linalg/polar.hpp"
#include "stiffly/linalg/symmetric_eigen.hpp"

namespace stiffly {
namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;

/// Where the girders of a joint lie in a plane or on a line, S is nothing across. A constant there, in S as
/// in X, makes both invertible and is never seen: A is nothing on that space.
struct JointShape {
  Matrix3d compliance;  ///< X⁻¹
  Matrix3d across;      ///< the constant: 0 where the girders span space
  double across_scale;  ///< over the projector to that space
};

JointShape joint_shape(const GirderJoint& joint) {
  const Matrix3d X = joint.rest * joint.bending.asDiagonal() * joint.rest.transpose();
  const SymmetricEigen<Matrix3d> eigen(X);
  const double largest = eigen.values.maxCoeff();
  JointShape out{.compliance = {}, .across = Matrix3d::Zero(), .across_scale = largest};
  for (int i = 0; i < 3; ++i)
    if (eigen.values(i) < 1e-9 * largest)
      out.across += largest * eigen.vectors.col(i) * eigen.vectors.col(i).transpose();
  out.compliance = (X + out.across).inverse();
  return out;
}

struct JointStrains {
  static constexpr int columns = 3, strains = 6;
  static constexpr bool has_rates = false;
  using Path = ElementPath<3, 6>;

  std::vector<JointShape> shapes;

  struct Frozen {
    Eigen::Matrix<double, 6, 9> directions = Eigen::Matrix<double, 6, 9>::Zero();
    Matrix6d stiffness = Matrix6d::Zero();

    Vector6d strain(const Matrix3d& da, const Matrix3d&) const { return directions * stacked(da); }
    Matrix3d stress(const Vector6d& strain) const {
      const Vector9d P = directions.transpose() * (stiffness * strain);
      return Eigen::Map<const Matrix3d>(P.data());
    }
  };

  /// S, with the constant across
  Vector6d measure(std::size_t e, const Path& p) const {
    const Matrix3d& across = shapes[e].across;
    if (across.isZero()) return to_strain(SignedSvd(p.end).stretch());
    const SymmetricEigen<Matrix3d> C(p.end.transpose() * p.end + across * across);
    return to_strain(C.of([](double value) { return std::sqrt(value); }));
  }

  /// ½ sym(X⁻¹ dS)
  Matrix6d stiffness(std::size_t e) const {
    return strain_matrix([&](const Matrix3d& dS) -> Matrix3d { return 0.5 * shapes[e].compliance * dS; });
  }

  // ½ Ā(X⁻¹ − S̄⁻¹), which does the work of ¼ tr(S X⁻¹ S) − ½ tr S (see Corotational::mean_stress for the
  // identity), and what θ adds.
  Matrix3d stress(std::size_t e, const Path& p) const {
    const Matrix3d S = from_strain(p.mean_strain());
    Matrix3d Sigma = 0.5 * (shapes[e].compliance - S.inverse());
    if (p.theta != 0.5)
      Sigma +=
          2 * Lyapunov(S).solve(from_stress((p.theta - 0.5) * stiffness(e) * (p.strain - p.start_strain)));
    return p.mean() * Sigma;
  }

  // S̄ dS + dS S̄ = AᵀdA + dAᵀA, with A = R̄S̄; the stiffness is that of the joint there.
  ElementTangent<3> freeze(std::size_t e, const Path& p, Frozen& frozen) const {
    const Matrix3d S = from_strain(p.mean_strain());
    const Matrix3d A = SignedSvd(p.mean()).rotation() * (S - shapes[e].across);
    const Lyapunov lyapunov(S);
    for (int c = 0; c < 9; ++c) {
      Matrix3d dA = Matrix3d::Zero();
      dA(c % 3, c / 3) = 1;
      const Matrix3d product = A.transpose() * dA;
      frozen.directions.col(c) = to_strain(lyapunov.solve(product + product.transpose()));
    }
    const Matrix6d D = stiffness(e);
    frozen.stiffness = (p.share + p.theta - 0.5) * D;
    Matrix9d K = -0.5 * SignedSvd(A).rotation_gradient();
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        K.block<3, 3>(3 * i, 3 * j).diagonal().array() += 0.5 * shapes[e].compliance(i, j);
    if (!shapes[e].across.isZero()) {  // nothing moves there, and it must not mix with what does
      const Matrix3d inside = Matrix3d::Identity() - shapes[e].across / shapes[e].across_scale;
      Matrix9d project = Matrix9d::Zero();
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) project.block<3, 3>(3 * i, 3 * j).diagonal().setConstant(inside(i, j));
      K = project * K * project;
    }
    ElementTangent<3> out{.stiffness = p.share * positive_part(K)};
    if (p.theta != 0.5)
      out.stiffness += (p.theta - 0.5) * frozen.directions.transpose() * D * frozen.directions;
    return out;
  }
};

/// Σ ½ x·Qx over the corners of elements, Q the same for all three coordinates: no strains, and the middle of
/// a step whatever θ is, as only there the torque is nothing.
class LinearElements final : public MixedElements {
 public:
  LinearElements(ElementAssembly elements, std::vector<MatrixXd> matrices)
      : elements_(std::move(elements)), matrices_(std::move(matrices)) {}

  std::size_t strains() const override { return 0; }
  void measure(const Configuration&, std::span<double>) const override {}
  void follow(std::span<const double>, std::span<const double>, std::span<const double>,
              std::span<double>) const override {}
  void freeze(const ParticlePath& path, std::span<const double>, Tangent& out) override {
    const double share = path.is_step() ? 0.5 : 1;
    elements_.for_each([&](std::size_t e) {
      elements_.add_blocks(
          e, [&](auto a, auto b) -> Matrix3d { return share * matrices_[e](a, b) * Matrix3d::Identity(); },
          out.stiffness);
    });
  }
  void add_force(const ParticlePath& path, std::span<const double>, std::span<double>,
                 std::span<double> f) const override {
    elements_.for_each([&](std::size_t e) {
      Eigen::Matrix3Xd x = elements_.gather<Eigen::Dynamic>(e, path.end.x);
      if (path.is_step()) x = 0.5 * (x + elements_.gather<Eigen::Dynamic>(e, path.start));
      elements_.add_force(e, (-x * matrices_[e]).eval(), f);
    });
  }

 private:
  ElementAssembly elements_;
  std::vector<MatrixXd> matrices_;
};

class SumOfElements final : public MixedElements {
 public:
  explicit SumOfElements(std::vector<std::unique_ptr<MixedElements>> parts) : parts_(std::move(parts)) {}

  std::size_t strains() const override {
    std::size_t sum = 0;
    for (const auto& part : parts_) sum += part->strains();
    return sum;
  }
  void measure(const Configuration& q, std::span<double> strain) const override {
    for_each([&](MixedElements& part, auto own) { part.measure(q, own(strain)); });
  }
  void freeze(const ParticlePath& path, std::span<const double> strain, Tangent& out) override {
    for_each([&](MixedElements& part, auto own) { part.freeze(own(path), own(strain), out); });
  }
  void add_force(const ParticlePath& path, std::span<const double> strain, std::span<double> gap,
                 std::span<double> f) const override {
    for_each([&](MixedElements& part, auto own) { part.add_force(own(path), own(strain), own(gap), f); });
  }
  void follow(std::span<const double> dx, std::span<const double> dv, std::span<const double> gap,
              std::span<double> strain) const override {
    for_each([&](MixedElements& part, auto own) { part.follow(dx, dv, own(gap), own(strain)); });
  }

 private:
  /// What belongs to a part: of strains, and of paths.
  struct Own {
    std::size_t first, count;
    std::span<double> operator()(std::span<double> all) const { return all.subspan(first, count); }
    std::span<const double> operator()(std::span<const double> all) const {
      return all.subspan(first, count);
    }
    ParticlePath operator()(ParticlePath path) const {
      if (path.is_step()) path.start_strain = path.start_strain.subspan(first, count);
      return path;
    }
  };
  template <class Body>
  void for_each(const Body& body) const {
    Own own{0, 0};
    for (const auto& part : parts_) {
      own = {own.first + own.count, part->strains()};
      body(*part, own);
    }
  }

  std::vector<std::unique_ptr<MixedElements>> parts_;
};

}  // namespace

std::unique_ptr<MixedElements> sum_of_elements(std::vector<std::unique_ptr<MixedElements>> parts) {
  return std::make_unique<SumOfElements>(std::move(parts));
}

std::unique_ptr<MixedElements> joint_strains(std::span<const GirderJoint> shapes,
                                             const ElementAssembly& joints, std::size_t particles,
                                             std::size_t free, const BlockPattern& pattern) {
  std::vector<std::vector<int>> corners;
  std::vector<double> coefficients;  // of A
  std::vector<MatrixXd> linear;
  JointStrains law;
  for (std::size_t e = 0; e < shapes.size(); ++e) {
    const auto& [rest, bending] = shapes[e];
    if (!(bending.sum() > 0)) continue;
    const auto ends = joints.corners(e);
    corners.emplace_back(ends.begin(), ends.end());
    law.shapes.push_back(joint_shape(shapes[e]));
    Eigen::Matrix3Xd c(3, rest.cols() + 1);
    c.rightCols(rest.cols()) = rest * bending.asDiagonal();
    c.col(0) = -c.rightCols(rest.cols()).rowwise().sum();
    coefficients.insert(coefficients.end(), c.data(), c.data() + c.size());

    MatrixXd Q = MatrixXd::Zero(c.cols(), c.cols());
    for (Eigen::Index j = 0; j < rest.cols(); ++j) {  // e − A X⁻¹e₀ by the corners
      Eigen::VectorXd r = -c.transpose() * law.shapes.back().compliance * rest.col(j);
      r(0) -= 1;
      r(j + 1) += 1;
      Q += 0.5 * bending(j) * r * r.transpose();
    }
    linear.push_back(std::move(Q));
  }
  ElementAssembly elements(corners, particles, "girders at particle");
  elements.attach(free, pattern);
  std::vector<std::unique_ptr<MixedElements>> parts;
  parts.push_back(std::make_unique<LinearElements>(elements, std::move(linear)));
  parts.push_back(std::make_unique<ElementStrains<JointStrains>>(std::move(law), std::move(elements),
                                                                 std::move(coefficients), free));
  return sum_of_elements(std::move(parts));
}

}  // namespace stiffly
