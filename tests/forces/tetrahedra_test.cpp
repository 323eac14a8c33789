// Tetrahedra of the three materials.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

#include "forces/cases.hpp"
#include "stiffly/error.hpp"
#include "stiffly/forces/corotational.hpp"
#include "stiffly/forces/neo_hookean.hpp"
#include "stiffly/forces/saint_venant_kirchhoff.hpp"
#include "stiffly/linalg/polar.hpp"
#include "stiffly/mesh/block.hpp"
#include "stiffly/threads.hpp"

namespace stiffly::test {

using namespace mesh;
namespace {

using Eigen::Matrix3d;

const Lame moduli = Lame::from_young(100, 0.3);

/// ∂P/∂F of linear elasticity: dP = μ(dF + dFᵀ) + λ tr(dF) I.
Matrix9d linear_elasticity() {
  Matrix9d out;
  for (int i = 0; i < 9; ++i) {
    const Vector9d unit = Vector9d::Unit(i);
    const Matrix3d dF = Eigen::Map<const Matrix3d>(unit.data());
    out.col(i) =
        stacked(moduli.mu * (dF + dF.transpose()) + moduli.lambda * dF.trace() * Matrix3d::Identity());
  }
  return out;
}

template <class Material>
class MaterialTest : public testing::Test {};
using Materials = testing::Types<Corotational, SaintVenantKirchhoff, NeoHookean>;
TYPED_TEST_SUITE(MaterialTest, Materials);

TYPED_TEST(MaterialTest, IsLinearElasticityAtRest) {
  const TypeParam material{moduli};
  const Matrix9d expected = linear_elasticity();
  EXPECT_LT((material.tangent(Matrix3d::Identity()) - expected).norm(), 1e-13 * expected.norm());
}

TYPED_TEST(MaterialTest, StaysFiniteWhereTheElementIsGone) {
  const TypeParam material{moduli};
  for (const Eigen::Vector3d& stretch : {Eigen::Vector3d(0, 0, 0),
                                         {1, 0, 0},
                                         {1, 1, 0},
                                         {-1, 1, 1},
                                         {-1, -1, -1},
                                         {1, 1, 1e-300},
                                         {1, 1e-8, -1e-8}}) {
    const Matrix3d F = stretch.asDiagonal();
    EXPECT_TRUE(std::isfinite(material.energy(F)));
    EXPECT_TRUE(material.stress(F).allFinite());
    EXPECT_TRUE(material.tangent(F).allFinite());
  }
}

TEST(CorotationalTest, TheFrozenTangentIsTheRotatedLinearOne) {
  Random random(1);
  std::normal_distribution<double> normal;
  const Corotational material{moduli, true};
  for (int trial = 0; trial < 100; ++trial) {
    const Matrix3d F = Matrix3d::NullaryExpr([&](Eigen::Index) { return normal(random); });
    const Matrix3d R = SignedSvd(F).rotation();
    Matrix9d T = Matrix9d::Zero();  // F ↦ RF
    for (int j = 0; j < 3; ++j) T.block<3, 3>(3 * j, 3 * j) = R;
    const Matrix9d expected = T * linear_elasticity() * T.transpose();
    EXPECT_LT((material.tangent(F) - expected).norm(), 1e-12 * expected.norm());
  }
}

TEST(PolarTest, RotationAndStretchGiveTheMatrixBack) {
  Random random(2);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 100; ++trial) {
    Matrix3d F = Matrix3d::NullaryExpr([&](Eigen::Index) { return normal(random); });
    if (trial % 3 == 1) F.col(2) = F.col(0) - 2 * F.col(1);  // flat
    if (trial % 3 == 2) F.col(2) = F.col(1) = F.col(0);      // a line
    const SignedSvd svd(F);
    const Matrix3d R = svd.rotation();
    EXPECT_LT((R.transpose() * R - Matrix3d::Identity()).norm(), 1e-14);
    EXPECT_GT(R.determinant(), 0);
    EXPECT_LT((R * svd.stretch() - F).norm(), 1e-14 * F.norm());
    EXPECT_GE(svd.sigma(1), std::abs(svd.sigma(2)));
  }
}

TEST(TetrahedraTest, TheNumberOfThreadsDoesNotMatter) {
  const BlockMesh mesh({1, 1, 1}, {16, 16, 16});
  Particles p;
  for (const Point& X : mesh.positions) {
    p.position.push_back({X[0] + 0.1 * X[1] * X[2], 1.2 * X[1] - 0.2 * X[0] * X[0], 0.9 * X[2]});
    p.velocity.push_back({0, 0, 0});
    p.mass.push_back(1);
    p.pinned.push_back(false);
  }
  ParticleSystem system(p);
  system.add(std::make_unique<CorotationalTetrahedra>(mesh.tetrahedra, mesh.positions,
                                                      std::vector<Corotational>{{moduli}}));
  system.finish();
  const State state = system.initial_state();
  const int before = thread_count();
  std::vector<double> energies;
  std::vector<std::vector<double>> forces, tangents;
  for (const int threads : {1, 3}) {
    set_thread_count(threads);
    Vector f(state.unknowns());
    Tangent tangent;
    system.force(0, state.x(), state.v(), f);
    system.tangent(0, state.x(), state.v(), tangent);
    energies.push_back(system.potential_energy(0, state.x()));
    forces.push_back(to_host(f));
    tangents.emplace_back(tangent.stiffness.values().begin(), tangent.stiffness.values().end());
  }
  set_thread_count(before);
  EXPECT_EQ(energies[0], energies[1]);
  EXPECT_EQ(forces[0], forces[1]);
  EXPECT_EQ(tangents[0], tangents[1]);
}

TEST(TetrahedraTest, BadOnesAreNamed) {
  const std::vector<Point> rest = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const auto message = [&](std::vector<Tetrahedron> tetrahedra, std::size_t materials) -> std::string {
    try {
      CorotationalTetrahedra(tetrahedra, rest, std::vector<Corotational>(materials, {moduli}));
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message({{0, 1, 2, 3}}, 1), "accepted");
  EXPECT_NE(message({{0, 1, 2, 3}, {0, 2, 1, 3}}, 1).find("tetrahedron 1: its volume"), std::string::npos);
  EXPECT_NE(message({{0, 1, 2, 4}}, 1).find("tetrahedron 0: 4 is not a particle"), std::string::npos);
  EXPECT_NE(message({{0, 1, 2, 2}}, 1).find("particle 2 comes twice"), std::string::npos);
  EXPECT_NE(message({{0, 1, 2, 3}}, 2).find("2 materials for 1 tetrahedra"), std::string::npos);
  EXPECT_THROW(Lame::from_young(0, 0.3), InputError);
  EXPECT_THROW(Lame::from_young(1, 0.5), InputError);
}

}  // namespace
}  // namespace stiffly::test
