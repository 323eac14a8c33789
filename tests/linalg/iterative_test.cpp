// Conjugate gradients, their preconditioners and their filter.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

#include "random_vector.hpp"
#include "stiffly/error.hpp"
#include "stiffly/linalg/conjugate_gradients.hpp"
#include "stiffly/linalg/particle_constraints.hpp"
#include "stiffly/linalg/preconditioner.hpp"
#include "stiffly/linalg/scalar_matrix.hpp"
#include "stiffly/scene/coil.hpp"

namespace stiffly::test {
namespace {

/// M + h²K of the small coil.
struct CoilMatrix {
  std::unique_ptr<ParticleSystem> system = make_coil_system(small_coil());
  BlockMatrix matrix;

  explicit CoilMatrix(double h = 1e-3) {
    const State state = system->initial_state();
    Tangent tangent;
    system->tangent(0, state.x(), state.v(), tangent);
    matrix = BlockMatrix(tangent.stiffness.shared_pattern());
    system->mass().add_to(1.0, matrix);
    matrix.add(h * h, tangent.stiffness);
  }
  ConjugateGradients::Map apply() const {
    return [this](ConstVectorView x, VectorView y) { matrix.apply(x, y); };
  }
};

TEST(PreconditionerTest, AllAreSymmetricAndSpeedUpTheIteration) {
  const CoilMatrix coil;
  const std::size_t n = coil.matrix.unknowns();
  const Vector b = random_vector(n, 1), r = random_vector(n, 2), s = random_vector(n, 3);
  std::map<std::string, int> iterations;
  for (const PreconditionerInfo& info : preconditioners()) {
    const auto preconditioner = info.make();
    preconditioner->prepare(coil.matrix);
    const auto apply = [&](ConstVectorView x, VectorView y) { preconditioner->apply(x, y); };
    Vector Pr(n), Ps(n);
    apply(r, Pr);
    apply(s, Ps);
    EXPECT_NEAR(dot(s, Pr), dot(r, Ps), 1e-10 * norm(r) * norm(Ps)) << info.name;
    EXPECT_GT(dot(r, Pr), 0) << info.name;

    Vector x(n), Ax(n);
    ConjugateGradients cg;
    const auto result = cg.solve(coil.apply(), apply, b, x, {.relative = 1e-8});
    EXPECT_TRUE(result.converged) << info.name;
    coil.matrix.apply(x, Ax);
    axpy(-1.0, b, Ax);
    EXPECT_LE(norm(Ax), 2e-8 * norm(b)) << info.name;
    iterations[info.name] = result.iterations;
    std::printf("%-10s %d iterations\n", info.name.c_str(), result.iterations);
  }
  EXPECT_LE(iterations["block"], iterations["none"]);
  EXPECT_LT(iterations["ssor"], 0.7 * iterations["block"]);
  EXPECT_LT(iterations["ic"], 0.7 * iterations["block"]);
}

TEST(PreconditionerTest, IncompleteCholeskyIsCompleteWhereNothingFillsIn) {
  std::vector<std::pair<int, int>> chain;
  for (int i = 0; i + 1 < 20; ++i) chain.emplace_back(i, i + 1);
  BlockMatrix A(BlockPattern::symmetric(20, 3, chain));
  std::mt19937 generator(4);
  std::normal_distribution<double> normal;
  for (std::size_t i = 0; i < 20; ++i)
    for (std::int64_t k = A.pattern().row_begin(i); k < A.pattern().row_end(i); ++k) {
      const auto j = static_cast<std::size_t>(A.pattern().column(k));
      if (j < i) continue;
      Eigen::Matrix<double, 3, 3, Eigen::RowMajor> block =
          Eigen::Matrix3d::NullaryExpr([&] { return normal(generator); });
      if (j == i) block = (block * block.transpose() + 20 * Eigen::Matrix3d::Identity()).eval();
      std::copy(block.data(), block.data() + 9, A.block(k));
      block.transposeInPlace();
      std::copy(block.data(), block.data() + 9, A.block(A.pattern().find(j, static_cast<int>(i))));
    }
  const auto ic = make_preconditioner("ic");
  ic->prepare(A);
  const Vector b = random_vector(60, 5);
  Vector x(60), Ax(60);
  ic->apply(b, x);
  A.apply(x, Ax);
  axpy(-1.0, b, Ax);
  EXPECT_LT(norm(Ax), 1e-12 * norm(b));
}

TEST(PreconditionerTest, UnknownNamesAreRefusedWithTheNearest) {
  try {
    make_preconditioner("sor");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("ssor"), std::string::npos) << error.what();
  }
}

TEST(FilteredTest, KeepsConstrainedDirectionsAndConvergesAsFast) {
  const CoilMatrix coil;
  const std::size_t n = coil.matrix.unknowns();
  ParticleConstraints constraints;
  constraints.fix(3);
  constraints.keep_on_line(10, {1, 2, 3});
  constraints.keep_in_plane(20, {0, 1, 1}, 0.5);
  constraints.keep_in_plane(20, {1, 0, 0}, -0.25);
  const auto preconditioner = make_preconditioner("block");
  preconditioner->prepare(coil.matrix);
  const auto apply = [&](ConstVectorView x, VectorView y) { preconditioner->apply(x, y); };
  const Vector b = random_vector(n, 1);
  ConjugateGradients cg;
  Vector free(n), x(n);
  const int unconstrained = cg.solve(coil.apply(), apply, b, free, {.relative = 1e-9}).iterations;
  constraints.prescribe(x);
  const Vector prescribed(x);
  const auto result =
      cg.solve(coil.apply(), apply, b, x, {.relative = 1e-9}, [&](VectorView v) { constraints.project(v); });
  EXPECT_TRUE(result.converged);
  EXPECT_LE(result.iterations, 1.2 * unconstrained);
  std::printf("%d iterations with constraints, %d without\n", result.iterations, unconstrained);

  // Constrained parts are those prescribed, and the residual is orthogonal to all that is free.
  Vector change(x);
  axpy(-1.0, prescribed, change);
  Vector projected(change);
  constraints.project(projected);
  axpy(-1.0, change, projected);
  EXPECT_LE(norm(projected), 1e-15 * norm(x));
  const auto v = host(x);
  EXPECT_NEAR((v[61] + v[62]) / std::sqrt(2.0), 0.5, 1e-14);
  EXPECT_NEAR(v[60], -0.25, 1e-14);
  Vector residual(n);
  coil.matrix.apply(x, residual);
  axpy(-1.0, b, residual);
  constraints.project(residual);
  EXPECT_LE(norm(residual), 2e-9 * norm(b));
}

TEST(FilteredTest, ContradictionsAreNamed) {
  ParticleConstraints constraints;
  constraints.keep_in_plane(7, {0, 0, 1}, 1.0);
  EXPECT_NO_THROW(constraints.keep_in_plane(7, {0, 0, -2}, -1.0)) << "the same said twice";
  try {
    constraints.fix(7, {0, 0, 2});
    FAIL() << "moves at 1 m/s and at 2 m/s";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("particle 7"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("contradict"), std::string::npos) << error.what();
  }
  EXPECT_THROW(constraints.keep_in_plane(8, {0, 0, 0}), InputError);
  EXPECT_THROW(constraints.keep_on_line(8, {0, 0, 0}), InputError);
}

// For springs at rest the traces give Σ k (x_i − x_j), which is at least as stiff as the tangent in every
// direction.
TEST(ScalarMatrixTest, IsTheLinearJacobianOfANetworkAtRest) {
  const auto system = make_coil_system(small_coil());
  const State state = system->initial_state();
  Tangent tangent;
  system->tangent(0, state.x(), state.v(), tangent);
  ScalarMatrix S(tangent.stiffness.shared_pattern());
  S.add_traces(1.0, tangent.stiffness);
  const std::size_t n = system->unknowns();
  for (unsigned seed = 0; seed < 5; ++seed) {
    const Vector x = random_vector(n, seed);
    Vector Sx(n), Kx(n);
    S.apply(x, Sx);
    tangent.stiffness.apply(x, Kx);
    EXPECT_GE(dot(x, Sx), dot(x, Kx));
  }
  // All blocks scalar: a translation of the free part feels only the springs to the held foot.
  std::vector<double> ones(n, 0.0);
  for (std::size_t i = 0; i < n; i += 3) ones[i] = 1;
  const Vector along_x{std::span<const double>(ones)};
  Vector Sx(n);
  S.apply(along_x, Sx);
  for (std::size_t i = 0; i < n; i += 3) {
    EXPECT_EQ(host(Sx)[i + 1], 0);
    EXPECT_EQ(host(Sx)[i + 2], 0);
  }
}

}  // namespace
}  // namespace stiffly::test
