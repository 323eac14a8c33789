// Bodies that begin in each other are put apart, and moved no more than that takes.
#include "stiffly/contact/put_apart.hpp"

#include <gtest/gtest.h>

#include "contact/bodies.hpp"

namespace stiffly {
namespace {

using Eigen::Vector3d;

/// Rods of four nodes, each the middle of three particles of different masses.
struct Heap {
  ContactBodies bodies;
  std::vector<double> x, inverse_mass;

  Heap(int count, double radius, std::mt19937& random) {
    std::uniform_real_distribution<double> mass(0.3, 1.7);
    for (int rod = 0; rod < count; ++rod) {
      const Vector3d start = test::random_point(random, 0.14), along = test::random_point(random, 0.07);
      for (int k = 0; k < 4; ++k) {
        const int node = static_cast<int>(bodies.nodes.size());
        ContactNode particles;
        for (int p = 0; p < 3; ++p) {
          particles.particles.push_back(static_cast<int>(inverse_mass.size()));
          inverse_mass.push_back(1 / mass(random));
          const Vector3d place = start + k * along + test::random_point(random, 0.003);
          x.insert(x.end(), place.begin(), place.end());
        }
        bodies.nodes.push_back(particles);
        bodies.body.push_back(rod);
        if (k > 0) bodies.elements.push_back({{node - 1, node, -1}, radius});
      }
    }
  }
  Vector3d centre_of_mass() const {
    Vector3d sum = Vector3d::Zero();
    double all = 0;
    for (std::size_t i = 0; i < inverse_mass.size(); ++i)
      if (inverse_mass[i] > 0) {
        sum += Vector3d::Map(x.data() + 3 * i) / inverse_mass[i];
        all += 1 / inverse_mass[i];
      }
    return sum / all;
  }
  /// By comparing all with all.
  std::pair<double, int> deepest_overlap() const {
    std::vector<double> nodes;
    bodies.gather(x, nodes);
    const NearPairs pairs(bodies.elements);
    std::pair<double, int> out = {0, 0};
    const int count = static_cast<int>(bodies.elements.size());
    for (int i = 0; i < count; ++i)
      for (int j = i + 1; j < count; ++j)
        if (i / 3 != j / 3)
          if (const double depth = -pairs.gap(i, j, nodes); depth > 0)
            out = {std::max(out.first, depth), out.second + 1};
    return out;
  }
};

TEST(PutApart, LeavesNoOverlapAndMovesNoCentreOfMass) {
  std::mt19937 random(71);
  Heap rods(37, 0.011, random);
  const auto [deepest, overlaps] = rods.deepest_overlap();
  ASSERT_GT(overlaps, 10);
  ASSERT_GT(deepest, 0.01);
  const Vector3d before = rods.centre_of_mass();
  put_apart(rods.bodies, rods.inverse_mass, 1.1e-4, rods.x);
  EXPECT_EQ(rods.deepest_overlap().second, 0);
  EXPECT_LT((rods.centre_of_mass() - before).norm(), 1e-14);
}

TEST(PutApart, LeavesWhatIsHeldAndWhatTouchesNothing) {
  std::mt19937 random(73);
  Heap rods(2, 0.02, random);
  for (std::size_t p = 0; p < 12; ++p) {  // the second beside the first, which is held
    rods.inverse_mass[p] = 0;
    for (std::size_t a = 0; a < 3; ++a)
      rods.x[36 + 3 * p + a] = rods.x[3 * p + a] + (p < 6 ? 0.017 : p < 9 ? 0.3 : 0.9);
  }
  const std::vector<double> before = rods.x;
  ASSERT_GT(rods.deepest_overlap().first, 0.005);
  put_apart(rods.bodies, rods.inverse_mass, 1e-4, rods.x);
  EXPECT_EQ(rods.deepest_overlap().second, 0);
  EXPECT_TRUE(std::equal(before.begin(), before.begin() + 36, rods.x.begin())) << "held";
  EXPECT_TRUE(std::equal(before.end() - 9, before.end(), rods.x.end() - 9)) << "touches nothing";
}

}  // namespace
}  // namespace stiffly
