// Vectors of a backend that is not the host: operations, computations on the host, and what is refused.
#include <gtest/gtest.h>

#include "guarded_backend.hpp"
#include "random_vector.hpp"
#include "stiffly/linalg/conjugate_gradients.hpp"
#include "stiffly/linalg/dense.hpp"
#include "stiffly/linalg/particle_constraints.hpp"
#include "stiffly/linalg/preconditioner.hpp"
#include "stiffly/linalg/scalar_matrix.hpp"
#include "stiffly/linalg/sparse_cholesky.hpp"

namespace stiffly::test {
namespace {

constexpr std::size_t n = 21;

/// A positive definite matrix on a ring of n/block rows.
BlockMatrix ring(int block) {
  const auto rows = n / static_cast<std::size_t>(block);
  std::vector<std::pair<int, int>> pairs;
  for (int i = 0; i < static_cast<int>(rows); ++i) pairs.emplace_back(i, (i + 1) % static_cast<int>(rows));
  BlockMatrix matrix(BlockPattern::symmetric(rows, block, pairs));
  for (std::size_t i = 0; i < rows; ++i)
    for (std::int64_t k = matrix.pattern().row_begin(i); k < matrix.pattern().row_end(i); ++k)
      for (int e = 0; e < block; ++e)
        matrix.block(k)[e * block + e] = matrix.pattern().column(k) == static_cast<int>(i) ? 4.7 : -1.3;
  return matrix;
}

/// y ← compute(x) on the host and on the guarded backend.
void expect_same(const std::function<void(ConstVectorView, VectorView)>& compute) {
  const Vector x = random_vector(n, 7);
  Vector y(n), elsewhere(n, guarded_backend());
  compute(x, y);
  compute(guarded(x), elsewhere);
  EXPECT_EQ(to_host(elsewhere), to_host(y));
  EXPECT_GT(norm(y), 0);
}

TEST(BackendTest, Operations) {
  const Vector x = random_vector(n, 1), y = random_vector(n, 2);
  const Vector gx = guarded(x), gy = guarded(y);
  EXPECT_EQ(dot(gx, gy), dot(x, y));
  EXPECT_TRUE(same(gx, guarded(x)));
  EXPECT_FALSE(same(gx, gy));
  expect_same([](ConstVectorView a, VectorView b) {
    fill(0.3, b);
    axpby(0.7, a, -1.1, b);
    multiply(a, b, b);
    scale(1.9, b);
    const std::vector<Vector> basis = {Vector(a), Vector(b), Vector(a)};
    std::vector<double> products(3);
    multi_dot(basis, a, products);
    multi_axpy(products, basis, b);
  });
  const Vector part = guarded(Vector(x).part(3, 5));
  EXPECT_TRUE(same(gx.part(3, 5), part));
}

TEST(BackendTest, SameMeansTheSameBits) {
  const double values[] = {0.1, std::nan(""), 0.0};
  const double others[] = {0.1, std::nan(""), -0.0};
  EXPECT_TRUE(same(Vector(std::span(values)), Vector(std::span(values))));
  EXPECT_FALSE(same(Vector(std::span(values)), Vector(std::span(others))));
}

TEST(BackendTest, MatricesAndSolvers) {
  for (const int block : {1, 3}) {
    const BlockMatrix matrix = ring(block);
    expect_same([&](ConstVectorView x, VectorView y) { matrix.apply(x, y); });
    SparseCholesky factor;
    factor.factorize(matrix);
    expect_same([&](ConstVectorView x, VectorView y) { factor.solve(x, y); });
    ScalarMatrix scalar(matrix.shared_pattern());
    scalar.add_means(1, matrix);
    expect_same([&](ConstVectorView x, VectorView y) { scalar.apply(x, y); });
    expect_same([&](ConstVectorView x, VectorView y) { scalar.precondition(x, y); });
    for (const PreconditionerInfo& info : preconditioners()) {
      const auto preconditioner = info.make();
      preconditioner->prepare(matrix);
      expect_same([&](ConstVectorView x, VectorView y) { preconditioner->apply(x, y); });
      ConjugateGradients iteration;
      expect_same([&](ConstVectorView x, VectorView y) {
        fill(0.0, y);
        iteration.solve([&](ConstVectorView a, VectorView b) { matrix.apply(a, b); },
                        [&](ConstVectorView a, VectorView b) { preconditioner->apply(a, b); }, x, y, {});
      });
    }
  }
  ParticleConstraints constraints;
  constraints.fix(2, {0.1, 0.2, 0.3});
  constraints.keep_in_plane(4, {1, 2, 3}, 0.7);
  expect_same([&](ConstVectorView x, VectorView y) {
    copy(x, y);
    constraints.prescribe(y);
  });
  const DenseOperator dense(Eigen::MatrixXd::Random(n, n));
  EXPECT_EQ(to_dense(GuardedOperator(dense)), dense.matrix());
}

/// What `attempt` throws, in words.
template <class Attempt>
std::string refusal(const Attempt& attempt) {
  try {
    attempt();
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing";
}

TEST(BackendTest, EntriesElsewhereAreRefused) {
  const Vector x(n, guarded_backend());
  const std::string said = refusal([&] { host(x); });
  EXPECT_NE(said.find("'guarded'"), std::string::npos) << said;
  EXPECT_NE(said.find("to_host"), std::string::npos) << said;
}

TEST(BackendTest, MixedBackendsAreRefused) {
  const Vector here = random_vector(n, 3), there = guarded(here);
  Vector y(n);
  const BlockMatrix matrix = ring(3);
  const std::vector<Vector> basis = {here, there};
  std::vector<double> out(2);
  for (const std::string& said :
       {refusal([&] { copy(there, y); }), refusal([&] { axpy(1.0, there, y); }),
        refusal([&] { dot(here, there); }), refusal([&] { multiply(here, there, y); }),
        refusal([&] { same(here, there); }), refusal([&] { multi_dot(basis, here, out); }),
        refusal([&] { matrix.apply(there, y); })})
    EXPECT_NE(said.find("'guarded'"), std::string::npos) << said;
}

// The guard itself: without it nothing above would mean anything.
TEST(BackendDeathTest, DirectAccessEndsTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        const Vector x(n, guarded_backend());
        const volatile double entry = x.data()[3];
        static_cast<void>(entry);
      },
      "touched past the backend");
}

}  // namespace
}  // namespace stiffly::test
