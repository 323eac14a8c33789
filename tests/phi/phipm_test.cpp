#include "stiffly/phi/phipm.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "phi/krylov_checks.hpp"
#include "stiffly/linalg/decompositions.hpp"

namespace stiffly::testing {
namespace {

VectorXd eigen(const Vector& x) {
  return Eigen::Map<const VectorXd>(host(x).data(), static_cast<Index>(x.size()));
}

// ---- the Arnoldi process ----

struct ArnoldiTest : ::testing::TestWithParam<int> {
  static Case make(std::uint64_t seed) {
    Random random(seed);
    const MatrixXd K = stiffness(random, 15, 100);
    Matrices matrices = oscillator(K, 0.1 * K, VectorXd::Ones(15), K);
    Case c = with_matrix(matrices.J, {random.vector(30)});
    c.J.metric = std::move(matrices.metric);
    return c;
  }
  /// V by its columns, read through combinations.
  static MatrixXd basis(const Arnoldi& arnoldi, std::size_t n) {
    MatrixXd V(n, arnoldi.size() + 1);
    for (int j = 0; j <= arnoldi.size(); ++j) {
      const VectorXd unit = VectorXd::Unit(arnoldi.size() + 1, j);
      Vector column(n);
      arnoldi.add_combination({unit.data(), static_cast<std::size_t>(unit.size())}, column);
      V.col(j) = eigen(column);
    }
    return V;
  }
};

TEST_P(ArnoldiTest, KeepsItsRelationAndItsOrthogonality) {
  const Case c = make(1);
  Arnoldi arnoldi;
  arnoldi.begin(c.J, GetParam(), c.b[0]);
  arnoldi.grow(5);
  arnoldi.grow(12);  // a basis may be continued
  const MatrixXd V = basis(arnoldi, 30);
  EXPECT_LE((c.J.matrix * V.leftCols(12) - V * arnoldi.H()).norm(), 1e-12 * c.J.matrix.norm() * V.norm());
  const MatrixXd gram = V.transpose() * *c.J.metric * V;
  for (Index i = 0; i < 13; ++i)
    for (Index j = 0; j <= i; ++j)
      if (i - j <= 1 || GetParam() == Arnoldi::full) {
        EXPECT_NEAR(gram(i, j), i == j, 1e-11) << i << " " << j;
      }
  EXPECT_NEAR(arnoldi.start_norm() * V(3, 0), eigen(c.b[0])(3), 1e-12);
}

TEST_P(ArnoldiTest, TakesOneProductPerVectorAndOneMore) {
  const Case c = make(2);
  Arnoldi arnoldi;
  arnoldi.begin(c.J, GetParam(), c.b[0]);
  arnoldi.grow(10);
  EXPECT_EQ(arnoldi.products(), 11);
  EXPECT_EQ(c.J.products, 11);
  arnoldi.grow(14);
  EXPECT_EQ(arnoldi.products(), 15);
}

TEST_P(ArnoldiTest, CompressesOrthogonally) {
  const Case c = make(3);
  Arnoldi arnoldi;
  arnoldi.begin(c.J, GetParam(), c.b[0], 9);
  arnoldi.grow(12);
  const MatrixXd small = arnoldi.compression(8);
  ASSERT_EQ(small.rows(), 8);
  // An orthonormal basis of the same space, made another way.
  const MatrixXd R = c.J.metric->llt().matrixU();
  const MatrixXd Q = orthogonal_factor(R * basis(arnoldi, 30).leftCols(8)).leftCols(8);
  const MatrixXd expected = Q.transpose() * (R * c.J.matrix * inverse(R)) * Q;
  EXPECT_NEAR(spectral_norm(small), spectral_norm(expected), 1e-8 * spectral_norm(expected));
  EXPECT_NEAR(small.trace(), expected.trace(), 1e-8 * spectral_norm(expected));
}

INSTANTIATE_TEST_SUITE_P(Lengths, ArnoldiTest, ::testing::Values(2, Arnoldi::full),
                         [](const auto& p) { return p.param == 2 ? "two" : "full"; });

TEST(ArnoldiTest, EndsInAnInvariantSpace) {
  Random random(5);
  const MatrixXd Q = random.orthogonal(12);
  VectorXd lambda = VectorXd::LinSpaced(12, -3, 2);
  const Case c = with_matrix(Q * lambda.asDiagonal() * Q.transpose(), {Q.col(1) + Q.col(4) - Q.col(7)});
  Arnoldi arnoldi;
  arnoldi.begin(c.J, Arnoldi::full, c.b[0]);
  EXPECT_EQ(arnoldi.grow(10), 3);
  EXPECT_TRUE(arnoldi.breakdown());
}

// ---- the evaluator ----

struct PhipmTest : ::testing::TestWithParam<Phipm::Options> {
  /// The two kinds with little room: substeps and incomplete orthogonality in earnest, though matrices are
  /// small.
  Phipm::Options cramped(int basis) const {
    Phipm::Options options = GetParam();
    options.max_basis = basis;
    return options;
  }
};

TEST_P(PhipmTest, KeepsToleranceAndEstimateInManySubsteps) {
  Phipm phipm(cramped(24));
  expect_honest_in_many_substeps(phipm, 1000);
}

TEST_P(PhipmTest, TakesAboutAsManyProductsAsRadians) {
  expect_about_as_many_products_as_radians([] { return std::make_unique<Phipm>(GetParam()); });
}

TEST_P(PhipmTest, LearnsFromCallToCall) {
  Phipm phipm(GetParam());
  const Case c = chain(60, 1e-4, false);
  const int first = evaluate(phipm, c).report.products, second = evaluate(phipm, c).report.products;
  EXPECT_LE(second, first);
}

TEST_P(PhipmTest, EndsSubstepsAtTheNodes) {
  Case c = chain(50, 1e-7, true);
  c.nodes = {0.125, 1.0 / 9 + 0.5, 1};
  Phipm phipm(GetParam());
  const PhiResult result = evaluate(phipm, c);
  EXPECT_LE(miss(c, result), 1);
  EXPECT_GE(result.report.substeps, 3);
  EXPECT_EQ(result.report.basis_sizes.size(), static_cast<std::size_t>(result.report.substeps));
}

TEST_P(PhipmTest, DoesNotMultiplyZeroVectors) {
  Random random(8);
  const VectorXd v = random.vector(30);
  const MatrixXd J = skew_part(random.matrix(30));
  Case first = with_matrix(J, {VectorXd(), v}, 1e-6),
       third = with_matrix(J, {VectorXd(), VectorXd(), VectorXd(), v}, 1e-6);
  for (Case* c : {&first, &third}) {
    c->nodes = {1};
    c->step = 1 / c->radius;
    c->J.is_skew = true;
  }
  Phipm phipm(GetParam());
  EXPECT_LE(evaluate(phipm, third).report.products, evaluate(phipm, first).report.products);
  EXPECT_LE(miss(third, evaluate(phipm, third)), 1);
}

TEST_P(PhipmTest, IsExactInInvariantSpaces) {
  Phipm phipm(GetParam());
  expect_exact_in_invariant_spaces(phipm);
}

TEST_P(PhipmTest, TakesTinyVectorsForWhatTheyAre) {
  Random random(10);
  for (const double size : {1e-290, 1e200}) {
    Case c =
        with_matrix(skew_part(random.matrix(20)), {size * random.vector(20), size * random.vector(20)}, 1e-9);
    c.J.is_skew = true;
    Phipm phipm(GetParam());
    EXPECT_LE(miss(c, evaluate(phipm, c)), 1) << size;
  }
}

// Half of the digits of w_4 = (hJ)⁴u cancel in the sum of eq. 25 when substeps are long: they must be kept
// short.
TEST_P(PhipmTest, SurvivesTheCancellationOfTheRecurrence) {
  Random random(12);
  const Index n = 40;
  Case c = with_matrix(skew_part(random.matrix(n)), std::vector<VectorXd>(5), 1e-10);
  for (Vector& b : c.b) b = vector(random.vector(n));
  c.J.is_skew = true;
  c.step = 150 / c.radius;
  Phipm phipm(GetParam());
  EXPECT_LE(miss(c, evaluate(phipm, c)), 1);
}

TEST_P(PhipmTest, RefusesTheEndlessAtOnce) {
  Phipm::Options options = GetParam();
  options.max_products = 2000;
  const Case c = chain(1e6, 1e-3, false);
  EXPECT_THROW(evaluate(*std::make_unique<Phipm>(options), c), PhiRefusal);
  EXPECT_LE(c.J.products, 2100);
}

INSTANTIATE_TEST_SUITE_P(Kinds, PhipmTest, ::testing::Values(Phipm::full(), Phipm::simul_iom2()),
                         [](const auto& p) { return p.param.name; });

}  // namespace
}  // namespace stiffly::testing
