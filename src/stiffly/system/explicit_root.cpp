#include "stiffly/system/explicit_root.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <Eigen/Dense>

#include "stiffly/error.hpp"
#include "stiffly/linalg/decompositions.hpp"
#include "stiffly/linalg/matrix_sqrt.hpp"
#include "stiffly/linalg/on_host.hpp"

namespace stiffly {
namespace {

Eigen::VectorXd gather(std::span<const double> from, const std::vector<std::size_t>& unknowns,
                       std::size_t offset) {
  Eigen::VectorXd out(static_cast<Eigen::Index>(unknowns.size()));
  for (std::size_t i = 0; i < unknowns.size(); ++i)
    out(static_cast<Eigen::Index>(i)) = from[offset + unknowns[i]];
  return out;
}

void scatter(const Eigen::VectorXd& from, const std::vector<std::size_t>& unknowns, std::size_t offset,
             std::span<double> to) {
  for (std::size_t i = 0; i < unknowns.size(); ++i)
    to[offset + unknowns[i]] = from(static_cast<Eigen::Index>(i));
}

class RootShiftedInverse final : public ShiftedInverse {
 public:
  RootShiftedInverse(const ExplicitRoot& root, std::unique_ptr<ShiftedInverse> inner, const Backend& backend)
      : root_(&root), inner_(std::move(inner)), y_(2 * root.unknowns(), backend), x_(y_) {}
  // (I − σTJT⁻¹)⁻¹ = T (I − σJ)⁻¹ T⁻¹
  void solve(ConstVectorView b, VectorView x) const override {
    root_->restore(b, y_);
    inner_->solve(y_, x_);
    root_->transform(x_, x);
  }
  std::unique_ptr<ShiftedInverse> release() { return std::move(inner_); }

 private:
  const ExplicitRoot* root_;
  std::unique_ptr<ShiftedInverse> inner_;
  mutable Vector y_, x_;
};

}  // namespace

ExplicitRoot::ExplicitRoot(const MassMatrix& mass, const BlockMatrix& stiffness) : n_(mass.size()) {
  const std::vector<int> component = stiffness.pattern().components();
  const auto b = static_cast<std::size_t>(stiffness.pattern().block_size());
  components_.resize(static_cast<std::size_t>(*std::max_element(component.begin(), component.end())) + 1);
  for (std::size_t row = 0; row < component.size(); ++row)
    for (std::size_t d = 0; d < b; ++d)
      components_[static_cast<std::size_t>(component[row])].unknowns.push_back(row * b + d);

  std::vector<Eigen::Index> place(n_);
  for (const Component& c : components_) {
    if (c.unknowns.size() > size_limit)
      throw InputError(
          fmt::format("the explicit root needs dense matrices of {0}×{0} for this system, beyond its limit "
                      "of {1}: choose the "
                      "reformulation square-root-free, which gives the same trajectory",
                      c.unknowns.size(), size_limit));
    for (std::size_t i = 0; i < c.unknowns.size(); ++i) place[c.unknowns[i]] = static_cast<Eigen::Index>(i);
  }
  BlockMatrix mass_values(stiffness.shared_pattern());
  mass.add_to(1.0, mass_values);
  for (Component& c : components_) {
    const auto n = static_cast<Eigen::Index>(c.unknowns.size());
    Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n, n), M = K;
    for (std::size_t u = 0; u < c.unknowns.size(); u += b) {
      const std::size_t row = c.unknowns[u] / b;
      for (std::int64_t k = stiffness.pattern().row_begin(row); k < stiffness.pattern().row_end(row); ++k)
        for (std::size_t i = 0; i < b; ++i)
          for (std::size_t j = 0; j < b; ++j) {
            const Eigen::Index column =
                place[static_cast<std::size_t>(stiffness.pattern().column(k)) * b + j];
            K(static_cast<Eigen::Index>(u + i), column) = stiffness.block(k)[i * b + j];
            M(static_cast<Eigen::Index>(u + i), column) = mass_values.block(k)[i * b + j];
          }
    }
    const auto root = c.unknowns.size() < newton_from ? sqrt_by_eigen : +[](const Eigen::MatrixXd& A) {
      return sqrt_by_newton(A).root;
    };
    c.velocity = root(M);
    c.velocity_inverse = inverse(c.velocity);
    Eigen::MatrixXd scaled = c.velocity_inverse * K * c.velocity_inverse;
    scaled = (0.5 * (scaled + scaled.transpose())).eval();
    const Eigen::MatrixXd omega = root(scaled);
    c.position = omega * c.velocity;
    c.position_inverse = c.velocity_inverse * omega.llt().solve(Eigen::MatrixXd::Identity(n, n));
  }
}

void ExplicitRoot::transform(ConstVectorView y, VectorView u) const {
  compute_on_host(y, u, [this](std::span<const double> from, std::span<double> to) {
    for (const Component& c : components_) {
      scatter(c.position * gather(from, c.unknowns, 0), c.unknowns, 0, to);
      scatter(c.velocity * gather(from, c.unknowns, n_), c.unknowns, n_, to);
    }
  });
}

void ExplicitRoot::restore(ConstVectorView u, VectorView y) const {
  compute_on_host(u, y, [this](std::span<const double> from, std::span<double> to) {
    for (const Component& c : components_) {
      scatter(c.position_inverse * gather(from, c.unknowns, 0), c.unknowns, 0, to);
      scatter(c.velocity_inverse * gather(from, c.unknowns, n_), c.unknowns, n_, to);
    }
  });
}

RootOperator::RootOperator(const ExplicitRoot& root, const LinearOperator& jacobian)
    : root_(&root), jacobian_(&jacobian), y_(jacobian.size(), jacobian.backend()), Jy_(y_) {}

void RootOperator::apply(ConstVectorView u, VectorView Ju) const {
  root_->restore(u, y_);
  jacobian_->apply(y_, Jy_);
  root_->transform(Jy_, Ju);
}

std::unique_ptr<ShiftedInverse> RootOperator::shifted_inverse(
    double sigma, std::unique_ptr<ShiftedInverse> previous) const {
  auto* mine = dynamic_cast<RootShiftedInverse*>(previous.get());
  return std::make_unique<RootShiftedInverse>(
      *root_, jacobian_->shifted_inverse(sigma, mine ? mine->release() : nullptr), backend());
}

}  // namespace stiffly
