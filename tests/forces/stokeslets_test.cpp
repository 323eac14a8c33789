// Flow of points in a viscous fluid, against the equations of Stokes and against drags that are known.
#include "stiffly/forces/stokeslets.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <Eigen/Geometry>
#include <numbers>
#include <random>

#include "stiffly/error.hpp"
#include "stiffly/linalg/decompositions.hpp"
#include "stiffly/threads.hpp"

namespace stiffly {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using std::numbers::pi;

std::vector<double> random_numbers(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> out(count);
  for (double& x : out) x = normal(random);
  return out;
}

Vector3d point_of(std::span<const double> x, std::size_t i) { return Vector3d::Map(x.data() + 3 * i); }

// μ∇²u − ∇p + g φ = 0 and ∇·u = 0, with the pressure p = (g·r)(2r² + 5ε²)/(8πR⁵) of Cortez, Fauci and
// Medovikov.
TEST(Stokeslets, SolveTheEquationsOfStokes) {
  const double viscosity = 0.37, blob = 0.29, delta = 1e-3;
  const Stokeslets stokeslets(viscosity, blob);
  const std::vector<double> numbers = random_numbers(60, 3);
  for (std::size_t i = 0; i < 20; i += 2) {
    const Vector3d r = 0.5 * point_of(numbers, i), g = point_of(numbers, i + 1);
    const auto flow = [&](const Vector3d& at) -> Vector3d { return stokeslets.mobility(at) * g; };
    const auto pressure = [&](const Vector3d& at) {
      const double r2 = at.squaredNorm(), e2 = blob * blob;
      return g.dot(at) * (2 * r2 + 5 * e2) / (8 * pi * std::pow(r2 + e2, 2.5));
    };
    const double density = 15 * std::pow(blob, 4) / (8 * pi * std::pow(r.squaredNorm() + blob * blob, 3.5));
    Vector3d residual = density * g;
    double divergence = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const Vector3d step = delta * Vector3d::Unit(axis);
      residual += viscosity * (flow(r + step) - 2 * flow(r) + flow(r - step)) / (delta * delta);
      residual(axis) -= (pressure(r + step) - pressure(r - step)) / (2 * delta);
      divergence += (flow(r + step) - flow(r - step))(axis) / (2 * delta);
    }
    const double scale = density * g.norm() + g.norm() / r.squaredNorm() / r.norm();
    EXPECT_LT(residual.norm(), 1e-4 * scale);
    EXPECT_LT(std::abs(divergence), 1e-4 * flow(r).norm() / r.norm());
  }
}

// Far away, the flow of a force at a point [Oseen].
TEST(Stokeslets, AreStokesletsFromFarAway) {
  const Stokeslets stokeslets(2.3, 1e-3);
  const Vector3d r(0.3, -1.2, 0.7);
  const Matrix3d oseen =
      (Matrix3d::Identity() + r * r.transpose() / r.squaredNorm()) / (8 * pi * 2.3 * r.norm());
  EXPECT_LT((stokeslets.mobility(r) - oseen).norm(), 1e-5 * oseen.norm());
}

TEST(Stokeslets, GradientIsThatOfTheMobility) {
  const Stokeslets stokeslets(0.7, 0.4);
  const std::vector<double> numbers = random_numbers(60, 5);
  const double delta = 1e-5;
  for (std::size_t i = 0; i < 20; i += 2) {
    const Vector3d r = point_of(numbers, i), g = point_of(numbers, i + 1);
    Matrix3d difference;
    for (int axis = 0; axis < 3; ++axis) {
      const Vector3d step = delta * Vector3d::Unit(axis);
      difference.col(axis) =
          (stokeslets.mobility(r + step) - stokeslets.mobility(r - step)) * g / (2 * delta);
    }
    EXPECT_LT((stokeslets.gradient(r, g) - difference).norm(), 1e-7 * difference.norm());
  }
}

TEST(Stokeslets, MobilityIsSymmetricAndPositiveDefinite) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    // Clouds much wider than the blobs, and such that all are within one.
    const double blob = std::pow(10.0, -1.5 + 0.25 * seed);
    const std::vector<double> x = random_numbers(3 * 23, seed);
    const Eigen::MatrixXd G = Stokeslets(0.013, blob).mobility_matrix(x);
    EXPECT_EQ((G - G.transpose()).norm(), 0);
    EXPECT_GT(symmetric_eigenvalues(G)(0), 0) << "blobs of " << blob;
  }
}

// All pairs in blocks give what pairs one by one give, and the same bits with any number of threads.
TEST(Stokeslets, SumsAreThoseOfThePairs) {
  const Stokeslets stokeslets(1.7, 0.13);
  const std::vector<double> sources = random_numbers(3 * 77, 1), forces = random_numbers(3 * 77, 2),
                            targets = random_numbers(3 * 701, 3);
  std::vector<double> u(targets.size()), again(targets.size());
  const int threads = thread_count();
  set_thread_count(1);
  stokeslets.velocity(sources, forces, targets, u);
  set_thread_count(3);
  stokeslets.velocity(sources, forces, targets, again);
  set_thread_count(threads);
  EXPECT_EQ(u, again);
  for (const std::size_t t : {0, 63, 64, 333, 700}) {
    Vector3d sum = Vector3d::Zero();
    for (std::size_t s = 0; s < 77; ++s)
      sum += stokeslets.mobility(point_of(targets, t) - point_of(sources, s)) * point_of(forces, s);
    EXPECT_LT((sum - point_of(u, t)).norm(), 1e-13 * (1 + sum.norm()));
  }
}

/// Forces that move points with the velocities given: one column each.
Eigen::MatrixXd drag_forces(const Stokeslets& stokeslets, std::span<const double> x,
                            const Eigen::MatrixXd& velocities) {
  const DenseCholesky G(stokeslets.mobility_matrix(x));
  Eigen::MatrixXd out(velocities.rows(), velocities.cols());
  for (Eigen::Index c = 0; c < out.cols(); ++c) out.col(c) = G.solve(velocities.col(c));
  return out;
}

// A ball of radius ⅔ε, and two of them one behind the other, which is a problem of one unknown.
TEST(Stokeslets, OneAndTwoPointsHaveTheirDrag) {
  const double mu = 0.9, blob = 0.21, apart = 0.37, R2 = apart * apart + blob * blob;
  const Stokeslets stokeslets(mu, blob);
  const std::vector<double> one = {0.3, 0.1, -4}, two = {0.3, 0.1, -4, 0.3 + apart, 0.1, -4};
  EXPECT_NEAR(drag_forces(stokeslets, one, Vector3d(0, 0, 1))(2), 4 * pi * mu * blob, 1e-14);
  Eigen::VectorXd along = Eigen::VectorXd::Zero(6);
  along(0) = along(3) = 1;
  const double both =
      1 / (4 * pi * mu * blob) + (R2 + blob * blob + apart * apart) / (8 * pi * mu * std::pow(R2, 1.5));
  EXPECT_NEAR(drag_forces(stokeslets, two, along)(0), 1 / both, 1e-14);
}

// Slender-body theory of a cylinder of length L and radius a [Batchelor 1970; Cox 1970]: with l = ln(L/a) +
// ln 2, drag 2πμL/(l − 3/2) along and 4πμL/(l − 1/2) across, torque πμL³/3/(l − 11/6) about an axis across.
// The flow of a line of blobs with ε = √e a is, on the line, that of the cylinder on its surface: the
// integrals of both along a long line are 4 ln(L/a) − 2 along and 2 ln(L/a) + 1 across.
TEST(Stokeslets, RodsHaveTheDragOfSlenderBodyTheory) {
  const double mu = 1.3, length = 0.7;
  for (const double slenderness : {150.0, 400.0}) {
    const double radius = length / slenderness, blob = std::sqrt(std::numbers::e) * radius;
    const auto n = static_cast<Eigen::Index>(length / blob);
    std::vector<double> x;
    Eigen::MatrixXd motions = Eigen::MatrixXd::Zero(3 * n, 3);
    for (Eigen::Index i = 0; i < n; ++i) {
      const double s = length * ((static_cast<double>(i) + 0.5) / static_cast<double>(n) - 0.5);
      x.insert(x.end(), {s, 0, 0});
      motions(3 * i, 0) = 1;
      motions(3 * i + 1, 1) = 1;
      motions(3 * i + 1, 2) = s;
    }
    const Eigen::MatrixXd g = drag_forces(Stokeslets(mu, blob), x, motions);
    double along = 0, across = 0, torque = 0;
    for (Eigen::Index i = 0; i < n; ++i) {
      along += g(3 * i, 0);
      across += g(3 * i + 1, 1);
      torque += x[static_cast<std::size_t>(3 * i)] * g(3 * i + 1, 2);
    }
    const double l = std::log(slenderness) + std::log(2);
    const double theory_along = 2 * pi * mu * length / (l - 1.5);
    const double theory_across = 4 * pi * mu * length / (l - 0.5);
    const double theory_torque = pi * mu * std::pow(length, 3) / 3 / (l - 11.0 / 6);
    std::printf("L/a = %.0f, %d points: along %+.2f %%, across %+.2f %%, turning %+.2f %%\n", slenderness,
                static_cast<int>(n), 100 * (along / theory_along - 1), 100 * (across / theory_across - 1),
                100 * (torque / theory_torque - 1));
    EXPECT_NEAR(along, theory_along, 0.05 * theory_along);
    EXPECT_NEAR(across, theory_across, 0.05 * theory_across);
    EXPECT_NEAR(torque, theory_torque, 0.05 * theory_torque);
  }
}

// Drag 6πμr and torque 8πμr³ of a ball [Stokes 1851]. Blobs are so large that the flow of one at its own
// place is the mean flow that the patch of surface it stands for has in its middle: 2/ε = 8/(3b) for a disk
// of radius b, the mean of 3/b in its plane, twice, and 2/b across.
TEST(Stokeslets, BallsHaveStokesDrag) {
  const double mu = 0.8, radius = 0.31;
  constexpr int n = 250;
  std::vector<double> x;
  Eigen::MatrixXd motions = Eigen::MatrixXd::Zero(3 * n, 2);
  for (int i = 0; i < n; ++i) {
    const double z = 1 - (2 * i + 1.0) / n, angle = pi * (1 + std::sqrt(5.0)) * i, r = std::sqrt(1 - z * z);
    const Vector3d at = radius * Vector3d(r * std::cos(angle), r * std::sin(angle), z);
    x.insert(x.end(), at.begin(), at.end());
    motions.col(0).segment<3>(3 * i) = Vector3d::UnitY();
    motions.col(1).segment<3>(3 * i) = Vector3d::UnitY().cross(at);
  }
  const double disk = 2 * radius / std::sqrt(n);
  const Eigen::MatrixXd g = drag_forces(Stokeslets(mu, 0.75 * disk), x, motions);
  Vector3d force = Vector3d::Zero(), torque = Vector3d::Zero();
  for (int i = 0; i < n; ++i) {
    force += g.col(0).segment<3>(3 * i);
    torque += point_of(x, static_cast<std::size_t>(i)).cross(Vector3d(g.col(1).segment<3>(3 * i)));
  }
  std::printf("drag %+.2f %%, torque %+.2f %%\n", 100 * (force.y() / (6 * pi * mu * radius) - 1),
              100 * (torque.y() / (8 * pi * mu * std::pow(radius, 3)) - 1));
  EXPECT_NEAR(force.y(), 6 * pi * mu * radius, 0.05 * 6 * pi * mu * radius);
  EXPECT_NEAR(torque.y(), 8 * pi * mu * std::pow(radius, 3), 0.05 * 8 * pi * mu * std::pow(radius, 3));
}

TEST(Stokeslets, RefuseWhatIsNoFluid) {
  EXPECT_THROW(Stokeslets(0, 1), InputError);
  EXPECT_THROW(Stokeslets(-1, 1), InputError);
  EXPECT_THROW(Stokeslets(1, 0), InputError);
  EXPECT_THROW(Stokeslets(1, std::nan("")), InputError);
}

}  // namespace
}  // namespace stiffly
