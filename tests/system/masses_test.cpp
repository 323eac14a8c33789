// Masses of tetrahedra: they add up, and consistent ones integrate quadratic functions exactly.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <numeric>

#include "stiffly/error.hpp"
#include "stiffly/mesh/block.hpp"
#include "stiffly/system/masses.hpp"

namespace stiffly {

using namespace mesh;
namespace {

const BlockMesh block({2, 1, 0.5}, {3, 2, 2});

TEST(BlockMeshTest, FillsTheBoxWithTetrahedraThatFit) {
  EXPECT_EQ(block.positions.size(), 4 * 3 * 3);
  EXPECT_EQ(block.tetrahedra.size(), 6 * 12);
  double volume = 0;
  for (const Tetrahedron& t : block.tetrahedra) {
    EXPECT_GT(signed_volume(t, block.positions), 0);
    volume += signed_volume(t, block.positions);
  }
  EXPECT_NEAR(volume, 1, 1e-14);
  EXPECT_EQ(surface_of(block.tetrahedra).size(), 2 * 2 * (3 * 2 + 3 * 2 + 2 * 2));
  EXPECT_EQ(block.positions[static_cast<std::size_t>(block.at(3, 0, 2))], (Point{2, 0, 0.5}));
  EXPECT_THROW(BlockMesh({1, 1, 1}, {1, 0, 1}), InputError);
  EXPECT_THROW(BlockMesh({1, -1, 1}, {1, 1, 1}), InputError);
}

TEST(MassesTest, AddUpToTheBody) {
  const std::vector<double> density = {3};
  const std::vector<double> lumped = lumped_masses(block.tetrahedra, block.positions, density);
  EXPECT_NEAR(std::accumulate(lumped.begin(), lumped.end(), 0.0), 3, 1e-14);
  const std::size_t n = block.positions.size();
  const Eigen::MatrixXd M = consistent_mass(block.tetrahedra, block.positions, density, n).matrix.to_dense();
  EXPECT_EQ(M.rows(), static_cast<Eigen::Index>(3 * n));
  for (std::size_t i = 0; i < n; ++i)  // the sum of a row is the lumped mass
    EXPECT_NEAR(M.row(static_cast<Eigen::Index>(3 * i)).sum(), lumped[i], 1e-14);
  const MassMatrix diagonal = lumped_mass(block.tetrahedra, block.positions, density, n - 7);
  EXPECT_TRUE(diagonal.is_diagonal());
  ASSERT_EQ(diagonal.size(), 3 * (n - 7));
  EXPECT_NEAR(diagonal.to_dense()(4, 4), lumped[1], 1e-15);
}

// ½ ∫ρ|v|² of the velocities v = Ω × x: linear, so the consistent mass has it exactly.
TEST(MassesTest, ConsistentOnesHaveTheRotationalEnergyExactly) {
  const std::size_t n = block.positions.size();
  const Eigen::MatrixXd M =
      consistent_mass(block.tetrahedra, block.positions, std::vector<double>{3}, n).matrix.to_dense();
  Eigen::VectorXd v(static_cast<Eigen::Index>(3 * n));
  for (std::size_t i = 0; i < n; ++i)
    v.segment<3>(static_cast<Eigen::Index>(3 * i)) =
        Eigen::Vector3d(-block.positions[i][1], block.positions[i][0], 0);
  EXPECT_NEAR(0.5 * v.dot(M * v), 0.5 * 3 * (4.0 / 3 + 1.0 / 3), 1e-13);
}

TEST(MassesTest, EachTetrahedronMayHaveItsDensity) {
  std::vector<double> density(block.tetrahedra.size());
  double expected = 0;
  for (std::size_t e = 0; e < density.size(); ++e) {
    density[e] = 1.0 + 0.1 * static_cast<double>(e);
    expected += density[e] * signed_volume(block.tetrahedra[e], block.positions);
  }
  const std::vector<double> lumped = lumped_masses(block.tetrahedra, block.positions, density);
  EXPECT_NEAR(std::accumulate(lumped.begin(), lumped.end(), 0.0), expected, 1e-13);
}

TEST(MassesTest, FreeParticlesKeepTheirPartOfTheMatrix) {
  const std::size_t n = block.positions.size(), free = n - 7;
  const auto size = static_cast<Eigen::Index>(3 * free);
  const std::vector<double> density = {3};
  const Eigen::MatrixXd all =
      consistent_mass(block.tetrahedra, block.positions, density, n).matrix.to_dense();
  const CoupledMass part = consistent_mass(block.tetrahedra, block.positions, density, free);
  EXPECT_LT((part.matrix.to_dense() - all.topLeftCorner(size, size)).norm(), 1e-15);
  for (const auto& [a, b] : part.pairs) EXPECT_LT(static_cast<std::size_t>(std::max(a, b)), free);
}

// An iteration that takes "not a number" for nothing would call it converged.
TEST(MassesTest, TheNormOfWhatIsNotANumberIsNone) {
  const MassMatrix mass = MassMatrix::diagonal(std::vector<double>{1.3, 0.7});
  const Vector x(std::vector<double>{0.3, std::nan("")});
  Vector work(2);
  EXPECT_TRUE(std::isnan(mass.norm(x, work)));
}

TEST(MassesTest, BadOnesAreNamed) {
  const auto message = [](std::vector<double> densities) -> std::string {
    try {
      lumped_masses(block.tetrahedra, block.positions, densities);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_NE(message({1, 2}).find("2 densities for 72 tetrahedra"), std::string::npos);
  std::vector<double> densities(72, 1.0);
  densities[5] = -1;
  EXPECT_NE(message(densities).find("tetrahedron 5: volume and density"), std::string::npos);
}

}  // namespace
}  // namespace stiffly
