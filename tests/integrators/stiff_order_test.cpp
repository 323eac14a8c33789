// Order that does not depend on stiffness (paper 002, Theorem 3.1).
#include <gtest/gtest.h>

#include <cstdio>

#include "integrators/problems.hpp"

namespace stiffly::test {
namespace {

/// x'' + Ax = g(x, t) with a known smooth solution x*(t) whatever the stiffness s:
///   A = diag(a_i) on the soft half, s·diag(a_i) on the stiff half; soft x*_i = sin(t + i)/2, stiff x*_i =
///   cos(t + i)/(s a_i), g(x, t) = G(x) − G(x*) + x*'' + Ax*,  G_i(x) = sin(Σ_j b_ij x_j) with a full matrix
///   b.
/// Ax*, x* and all their derivatives are bounded in s: the solution stays on the slow manifold.
class SmoothStiff final : public SecondOrderSystem {
 public:
  explicit SmoothStiff(double s) : a_(n), mass_(MassMatrix::diagonal(std::vector<double>(n, 1.0))) {
    std::vector<std::pair<int, int>> pairs;
    for (int i = 0; i < n; ++i) {
      a_(i) = (i < n / 2 ? 1.0 : 50.0 * s) * (1 + 0.5 * i);
      for (int j = 0; j < n; ++j) {
        b_(i, j) = std::cos(3.0 * i + 7.0 * j + 1);
        pairs.emplace_back(i, j);
      }
    }
    pattern_ = BlockPattern::symmetric(n, 1, pairs);
  }

  Eigen::VectorXd position(double t) const {
    return Eigen::VectorXd::NullaryExpr(n, [&](Eigen::Index i) {
      return i < n / 2 ? 0.5 * std::sin(t + static_cast<double>(i))
                       : std::cos(t + static_cast<double>(i)) / a_(i);
    });
  }
  Eigen::VectorXd velocity(double t) const {
    return Eigen::VectorXd::NullaryExpr(n, [&](Eigen::Index i) {
      return i < n / 2 ? 0.5 * std::cos(t + static_cast<double>(i))
                       : -std::sin(t + static_cast<double>(i)) / a_(i);
    });
  }
  State initial_state() const {
    const Eigen::VectorXd x = position(0), v = velocity(0);
    return State(0.0, std::span(x.data(), n), std::span(v.data(), n));
  }
  /// ‖(√A(x − x*), v − v*)‖, the error of the theorem.
  double error(const State& state) const {
    const Eigen::Map<const Eigen::VectorXd> x(host(state.x()).data(), n), v(host(state.v()).data(), n);
    return std::hypot((a_.cwiseSqrt().asDiagonal() * (x - position(state.time))).norm(),
                      (v - velocity(state.time)).norm());
  }

  std::size_t unknowns() const override { return n; }
  const MassMatrix& mass() const override { return mass_; }
  bool autonomous() const override { return false; }
  double potential_energy(double, ConstVectorView) const override { return 0; }
  void linear_part(const State&, Tangent& out) const override {
    out.stiffness = BlockMatrix(pattern_);
    out.stiffness.add_diagonal(1.0, std::span(a_.data(), n));
  }

 protected:
  void do_force(double t, ConstVectorView x, ConstVectorView, VectorView f) const override {
    const Eigen::Map<const Eigen::VectorXd> q(host(x).data(), n);
    const Eigen::VectorXd exact = position(t);
    Eigen::Map<Eigen::VectorXd>(host(f).data(), n) = -(a_.asDiagonal() * (q - exact)) +
                                                     (b_ * q).array().sin().matrix() -
                                                     (b_ * exact).array().sin().matrix() - exact;
  }
  void do_tangent(double t, ConstVectorView x, ConstVectorView, Tangent& out) const override {
    linear_part(State(t, Vector(x)), out);
    const Eigen::Map<const Eigen::VectorXd> q(host(x).data(), n);
    const Eigen::VectorXd slope = (b_ * q).array().cos();
    // ∂g/∂x = diag(cos(bx)) b: not symmetric, so its parts go where they belong.
    const Eigen::MatrixXd dg = slope.asDiagonal() * b_;
    out.circulatory = BlockMatrix(pattern_);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        const auto k = pattern_->find(static_cast<std::size_t>(i), j);
        *out.stiffness.block(k) -= 0.5 * (dg(i, j) + dg(j, i));
        *out.circulatory.block(k) = -0.5 * (dg(i, j) - dg(j, i));
      }
  }
  void do_force_rate(double t, ConstVectorView, ConstVectorView, VectorView out) const override {
    const Eigen::VectorXd exact = position(t), rate = velocity(t);
    Eigen::Map<Eigen::VectorXd>(host(out).data(), n) =
        a_.asDiagonal() * rate - (b_ * exact).array().cos().matrix().asDiagonal() * (b_ * rate) - rate;
  }

 private:
  static constexpr int n = 8;
  Eigen::VectorXd a_;
  Eigen::MatrixXd b_ = Eigen::MatrixXd::Zero(n, n);
  MassMatrix mass_;
  std::shared_ptr<const BlockPattern> pattern_;
};

struct Row {
  std::vector<double> errors;
  double slope;
};

Row measure(const std::string& name, double s) {
  const SmoothStiff system(s);
  Row row;
  std::vector<double> steps;
  for (double h = uneven_step(2.0, 0.2); h > 0.02; h /= 2) {
    const auto method = make_integrator(name, {.evaluator = "dense", .phi_tolerance = 1e-11});
    steps.push_back(h);
    row.errors.push_back(system.error(integrate(system, *method, system.initial_state(), 2.0, h)));
  }
  row.slope = slope(steps, row.errors, 1e-11);
  return row;
}

TEST(StiffOrderTest, Pexprb43DoesNotSeeTheStiffness) {
  const std::vector<double> stiffness = {1, 1e2, 1e4, 1e6};
  for (const std::string name :
       {"pexprb43", "exprb42", "epirk4s3a", "exprb53s3", "gautschi", "gautschi-hl", "exprk4s5"}) {
    std::vector<Row> rows;
    for (const double s : stiffness) {
      rows.push_back(measure(name, s));
      std::printf("%-12s stiffness x %-8g", name.c_str(), s);
      for (const double e : rows.back().errors) std::printf(" %9.2e", e);
      std::printf("  slope %.2f\n", rows.back().slope);
    }
    if (name != "pexprb43") continue;  // the others are shown, whatever they do
    for (const Row& row : rows) {
      EXPECT_GE(row.slope, 3.7);
      for (std::size_t i = 0; i < row.errors.size(); ++i) {
        EXPECT_LT(row.errors[i], 2 * rows[0].errors[i]) << "step " << i;
        EXPECT_GT(row.errors[i], rows[0].errors[i] / 2) << "step " << i;
      }
    }
  }
}

}  // namespace
}  // namespace stiffly::test
