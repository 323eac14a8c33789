// The sparse matrices that other libraries factorise, against differences of the rates they belong to.
#include <gtest/gtest.h>

#include "integrators/problems.hpp"
#include "peers/compressed_rows.hpp"
#include "stiffly/scene/chain.hpp"

namespace stiffly {
namespace {

Eigen::MatrixXd dense(const CompressedRows& rows) {
  const auto n = static_cast<Eigen::Index>(rows.rows());
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (auto k = static_cast<std::size_t>(rows.starts[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(rows.starts[static_cast<std::size_t>(i) + 1]); ++k)
      out(i, static_cast<Eigen::Index>(rows.columns[k])) += rows.values[k];
  return out;
}

Eigen::VectorXd rate(const SecondOrderSystem& system, const State& state) {
  Vector out(state.y.size());
  system.rate(state, out);
  return Eigen::Map<const Eigen::VectorXd>(host(out).data(), static_cast<Eigen::Index>(out.size()));
}

/// ∂F/∂y by central differences.
Eigen::MatrixXd difference(const SecondOrderSystem& system, const State& state) {
  const auto size = static_cast<Eigen::Index>(state.y.size());
  Eigen::MatrixXd J(size, size);
  for (Eigen::Index j = 0; j < size; ++j) {
    constexpr double delta = 1e-6;
    State right = state, left = state;
    host(right.y)[static_cast<std::size_t>(j)] += delta;
    host(left.y)[static_cast<std::size_t>(j)] -= delta;
    J.col(j) = (rate(system, right) - rate(system, left)) / (2 * delta);
  }
  return J;
}

/// A chain that is bent, stretched and moving.
State in_motion(const ParticleSystem& system) {
  State state = system.initial_state();
  for (std::size_t i = 0; i < state.unknowns(); ++i) {
    host(state.x())[i] += 0.01 * std::sin(1.0 + 2.0 * static_cast<double>(i));
    host(state.v())[i] = std::cos(static_cast<double>(i));
  }
  return state;
}

void expect_jacobian(const SecondOrderSystem& system, const State& state) {
  Tangent tangent;
  system.tangent(state.time, state.x(), state.v(), tangent);
  FirstOrderMatrix J(tangent, system.mass());
  J.set_jacobian(tangent, system.mass());
  const Eigen::MatrixXd expected = difference(system, state);
  EXPECT_LT((dense(J.rows()) - expected).norm(), 1e-7 * expected.norm());
}

TEST(FirstOrderMatrix, IsTheJacobianOfTheRate) {
  const auto plain = make_chain_system({.particles = 5, .stiffness = 1e3});
  expect_jacobian(*plain, in_motion(*plain));
  const auto damped = make_chain_system({.particles = 5, .stiffness = 1e3, .damping = 0.5});
  expect_jacobian(*damped, in_motion(*damped));
  const test::DrivenChain driven(test::DrivenChain::Mass::diagonal);
  expect_jacobian(driven, driven.initial_state());
}

TEST(FirstOrderMatrix, OfTheResidualWorksWithAnyMass) {
  const test::DrivenChain system(test::DrivenChain::Mass::consistent);
  const State state = system.initial_state();
  Tangent tangent;
  system.tangent(state.time, state.x(), state.v(), tangent);
  FirstOrderMatrix A(tangent, system.mass());
  constexpr double sigma = 7;
  A.set_residual(tangent, system.mass(), sigma);
  // With B = diag(I, M):  ∂R/∂y + σ ∂R/∂y' = B (σ − J)
  const auto n = static_cast<Eigen::Index>(system.unknowns());
  Eigen::MatrixXd B = Eigen::MatrixXd::Identity(2 * n, 2 * n);
  B.bottomRightCorner(n, n) = system.mass().to_dense();
  const Eigen::MatrixXd expected =
      B * (sigma * Eigen::MatrixXd::Identity(2 * n, 2 * n) - difference(system, state));
  EXPECT_LT((dense(A.rows()) - expected).norm(), 1e-7 * expected.norm());
  EXPECT_THROW(A.set_jacobian(tangent, system.mass()), SimulationError);
}

TEST(FirstOrderMatrix, HasEveryDiagonalEntryAndAscendingColumns) {
  const auto system = make_chain_system({.particles = 4});
  const State state = system->initial_state();
  Tangent tangent;
  system->tangent(0, state.x(), state.v(), tangent);
  const FirstOrderMatrix matrix(tangent, system->mass());
  const CompressedRows& rows = matrix.rows();
  for (std::size_t i = 0; i + 1 < rows.starts.size(); ++i) {
    const auto first = rows.columns.begin() + rows.starts[i],
               last = rows.columns.begin() + rows.starts[i + 1];
    EXPECT_TRUE(std::is_sorted(first, last, std::less_equal<>()));
    EXPECT_TRUE(std::binary_search(first, last, static_cast<std::int64_t>(i)));
  }
}

TEST(CompressedRows, OfTheSecondOrderForm) {
  const auto system = make_chain_system({.particles = 5, .stiffness = 1e3, .damping = 0.5});
  const State state = in_motion(*system);
  Tangent tangent;
  system->tangent(0, state.x(), state.v(), tangent);
  CompressedRows rows = expanded(tangent.stiffness.pattern());
  expand(combined(tangent, 3.0, system->mass(), 5.0), rows);
  const auto n = static_cast<Eigen::Index>(system->unknowns());
  const Eigen::MatrixXd J = difference(*system, state), M = system->mass().to_dense();
  const Eigen::MatrixXd expected = -M * J.bottomLeftCorner(n, n) - 3 * M * J.bottomRightCorner(n, n) + 5 * M;
  EXPECT_LT((dense(rows) - expected).norm(), 1e-7 * expected.norm());
}

}  // namespace
}  // namespace stiffly
