#include "stiffly/phi/kiops.hpp"

#include <gtest/gtest.h>

#include "phi/krylov_checks.hpp"

namespace stiffly::testing {
namespace {

TEST(KiopsTest, KeepsToleranceAndEstimateInManySubsteps) {
  Kiops kiops(Kiops::Options{.max_basis = 24});
  expect_honest_in_many_substeps(kiops, 2000);
}

TEST(KiopsTest, TakesAboutAsManyProductsAsRadians) {
  expect_about_as_many_products_as_radians([] { return std::make_unique<Kiops>(); });
}

TEST(KiopsTest, ReadsOutputsOnTheWayFromTheSameBasis) {
  Case c = chain(50, 1e-7, true);
  Kiops kiops;
  evaluate(kiops, c);
  const int one = evaluate(kiops, c).report.products;
  c.nodes = {0.125, 1.0 / 9 + 0.5, 1};
  const PhiResult result = evaluate(kiops, c);
  EXPECT_LE(result.report.products, one);
  EXPECT_LE(miss(c, result), 1);
}

TEST(KiopsTest, LearnsFromCallToCall) {
  Kiops kiops;
  const Case c = chain(60, 1e-4, false);
  const int first = evaluate(kiops, c).report.products, second = evaluate(kiops, c).report.products;
  EXPECT_LE(second, 1.05 * first);
  Kiops stranger;  // who comes from a problem with a tenth of the frequency
  evaluate(stranger, chain(6, 1e-4, false));
  EXPECT_LE(evaluate(stranger, c).report.products, 1.2 * second);
}

// With b_1 a million times b_0 the border would outweigh u, were it not scaled.
TEST(KiopsTest, BalancesVectorsOfUnlikeSize) {
  Random random(3);
  for (const double ratio : {1e-6, 1e6}) {
    Case c = with_matrix(skew_part(random.matrix(30)),
                         {random.vector(30), ratio * random.vector(30), random.vector(30)}, 1e-10);
    c.J.is_skew = true;
    c.step = 20 / c.radius;
    Kiops kiops;
    EXPECT_LE(miss(c, evaluate(kiops, c)), 1) << ratio;
  }
}

TEST(KiopsTest, IsExactInInvariantSpaces) {
  Kiops kiops;
  expect_exact_in_invariant_spaces(kiops);
}

TEST(KiopsTest, TakesTinyVectorsForWhatTheyAre) {
  Random random(10);
  for (const double size : {1e-290, 1e200}) {
    Case c =
        with_matrix(skew_part(random.matrix(20)), {size * random.vector(20), size * random.vector(20)}, 1e-9);
    c.J.is_skew = true;
    Kiops kiops;
    EXPECT_LE(miss(c, evaluate(kiops, c)), 1) << size;
  }
}

TEST(KiopsTest, RefusesTheEndlessAtOnce) {
  Kiops kiops(Kiops::Options{.max_products = 2000});
  const Case c = chain(1e6, 1e-3, false);
  EXPECT_THROW(evaluate(kiops, c), PhiRefusal);
  EXPECT_LE(c.J.products, 2100);
}

}  // namespace
}  // namespace stiffly::testing
