// Cantilevers of tetrahedra against the theories of beams.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <Eigen/Dense>
#include <numbers>
#include <numeric>

#include "forces/cases.hpp"
#include "stiffly/error.hpp"
#include "stiffly/forces/corotational.hpp"
#include "stiffly/forces/force_field.hpp"
#include "stiffly/linalg/decompositions.hpp"
#include "stiffly/linalg/dense.hpp"
#include "stiffly/mesh/block.hpp"
#include "stiffly/mesh/thin_part.hpp"
#include "stiffly/system/masses.hpp"

namespace stiffly::test {

using namespace mesh;
namespace {

constexpr double young = 1e6, density = 1000;

/// A beam along x, clamped at x = 0.
struct Beam {
  double length, width, height;  ///< along x, y, z
  double poisson;
  BlockMesh mesh;
  std::vector<Point> rest;  ///< inner order
  std::vector<Tetrahedron> tetrahedra;
  std::unique_ptr<ParticleSystem> system;

  Beam(const Point& size, const std::array<int, 3>& cells, double poisson_ratio)
      : length(size[0]), width(size[1]), height(size[2]), poisson(poisson_ratio), mesh(size, cells) {
    Particles p;
    p.position = mesh.positions;
    p.velocity.assign(p.size(), {0, 0, 0});
    p.mass = lumped_masses(mesh.tetrahedra, mesh.positions, std::vector<double>{density});
    for (const Point& x : p.position) p.pinned.push_back(x[0] == 0);
    system = std::make_unique<ParticleSystem>(p);
    for (const int particle : system->order())
      rest.push_back(mesh.positions[static_cast<std::size_t>(particle)]);
    for (Tetrahedron t : mesh.tetrahedra) {
      for (int& corner : t) corner = rank(corner);
      tetrahedra.push_back(t);
    }
    system->add(std::make_unique<CorotationalTetrahedra>(
        tetrahedra, rest, std::vector<Corotational>{{Lame::from_young(young, poisson)}}));
  }
  int rank(int particle) const { return system->rank()[static_cast<std::size_t>(particle)]; }
  double area() const { return width * height; }
  double second_moment() const { return width * std::pow(height, 3) / 12; }  ///< for bending along z
};

/// Angular frequencies of a clamped beam by Timoshenko's theory, bending along z: the zeros of the
/// determinant of the conditions w = ψ = 0 at the clamped and no moment, no shear at the free end.
/// [Timoshenko 1921]
std::vector<double> timoshenko_frequencies(const Beam& beam, int count) {
  const double nu = beam.poisson, shear_factor = 10 * (1 + nu) / (12 + 11 * nu);  // Cowper 1966
  const double EI = young * beam.second_moment(), kGA = shear_factor * young / (2 * (1 + nu)) * beam.area();
  const double rhoA = density * beam.area(), rhoI = density * beam.second_moment(), L = beam.length;
  // State (w, ψ, M, Q) along the beam: w' = ψ + Q/kGA, ψ' = M/EI, M' = −Q − ρIω²ψ, Q' = −ρAω²w.
  const auto condition = [&](double omega) {
    Eigen::Matrix4d A = Eigen::Matrix4d::Zero();
    A(0, 1) = 1, A(0, 3) = 1 / kGA, A(1, 2) = 1 / EI;
    A(2, 3) = -1, A(2, 1) = -rhoI * omega * omega, A(3, 0) = -rhoA * omega * omega;
    const Eigen::Matrix4d T = exponential(L * A);
    return T(2, 2) * T(3, 3) - T(2, 3) * T(3, 2);
  };
  std::vector<double> out;
  const double first = 3.516 * std::sqrt(EI / rhoA) / (L * L), increment = first / 50;
  for (double low = increment; static_cast<int>(out.size()) < count; low += increment) {
    double a = low, b = low + increment;
    if (condition(a) * condition(b) > 0) continue;
    for (int i = 0; i < 50; ++i) {
      const double middle = 0.5 * (a + b);
      (condition(a) * condition(middle) > 0 ? a : b) = middle;
    }
    out.push_back(a);
  }
  return out;
}

struct Mode {
  double frequency;
  Eigen::VectorXd shape;
};

/// The lowest modes K u = ω² M u: Lanczos on K⁻¹M in the inner product of M, orthogonalised in full.
std::vector<Mode> lowest_modes(const BlockMatrix& K, const MassMatrix& M, int steps, int count) {
  SparseCholesky factor;
  factor.factorize(K);
  const std::size_t n = K.unknowns();
  const auto size = static_cast<Eigen::Index>(n);
  Eigen::MatrixXd V(size, steps), MV(size, steps);
  Eigen::VectorXd alpha(steps), beta(steps);
  Random random(1);
  std::normal_distribution<double> normal;
  Vector v(n), Mv(n), w(n);
  for (double& entry : host(v)) entry = normal(random);
  M.apply(v, Mv);
  scale(1 / std::sqrt(dot(v, Mv)), v);
  for (int k = 0; k < steps; ++k) {
    M.apply(v, Mv);
    V.col(k) = map(v);
    MV.col(k) = map(Mv);
    factor.solve(Mv, w);
    Eigen::VectorXd next = map(w);
    alpha(k) = next.dot(MV.col(k));
    for (int pass = 0; pass < 2; ++pass) next -= V.leftCols(k + 1) * (MV.leftCols(k + 1).transpose() * next);
    v = Vector(std::span<const double>(next.data(), n));
    M.apply(v, Mv);
    beta(k) = std::sqrt(dot(v, Mv));
    scale(1 / beta(k), v);
  }
  Eigen::MatrixXd tridiagonal = alpha.asDiagonal();
  tridiagonal.diagonal(1) = tridiagonal.diagonal(-1) = beta.head(steps - 1);
  const SymmetricDecomposition small = symmetric_decomposition(tridiagonal);
  std::vector<Mode> out;
  for (int i = 0; i < count; ++i)
    out.push_back({1 / std::sqrt(small.values(steps - 1 - i)), V * small.vectors.col(steps - 1 - i)});
  return out;
}

/// The lowest frequencies of modes that bend along z.
std::vector<double> bending_frequencies(Beam& beam, std::size_t count) {
  CoupledMass mass = consistent_mass(beam.tetrahedra, beam.rest, std::vector<double>{density},
                                     beam.system->free_particles());
  beam.system->set_mass(mass.matrix, mass.pairs);
  beam.system->finish();
  const State start = beam.system->initial_state();
  Tangent tangent;
  beam.system->tangent(0, start.x(), start.v(), tangent);
  std::vector<double> out;
  for (const Mode& mode : lowest_modes(tangent.stiffness, beam.system->mass(), 40, 12)) {
    const auto u = Eigen::Map<const Eigen::Matrix3Xd>(mode.shape.data(), 3, mode.shape.size() / 3);
    if (u.row(2).squaredNorm() > 0.7 * u.squaredNorm() && out.size() < count) out.push_back(mode.frequency);
  }
  return out;
}

TEST(BeamTest, BendingFrequenciesConvergeFromAboveToTimoshenkos) {
  std::vector<double> before;
  for (const int n : {2, 4, 8}) {
    Beam beam({1, 0.06, 0.1}, {10 * n, std::max(1, n / 2), n}, 0.3);
    const std::vector<double> expected = timoshenko_frequencies(beam, 3),
                              found = bending_frequencies(beam, 3);
    ASSERT_EQ(found.size(), 3);
    for (std::size_t i = 0; i < 3; ++i) {
      const double error = found[i] / expected[i] - 1;
      EXPECT_GT(error, 0);
      EXPECT_LT(found[i], n == 2 ? INFINITY : before[i]);
      EXPECT_LT(error, n == 8 ? 0.05 : INFINITY);
    }
    before = found;
  }
}

/// Tip of the elastica, clamped horizontally, under the dead load P at its end: EI θ'' = −P cos θ, by
/// shooting for the angle at the tip. [Bisshopp and Drucker 1945]
struct Tip {
  double angle;        ///< rad
  double along, down;  ///< place of the tip and its deflection, over the length
};
Tip elastica(double load) {  // PL²/EI
  // From the tip, where the moment is 0, inwards by the midpoint rule: dθ/ds = −m, dm/ds = P cos θ.
  Tip out{};
  const auto clamp_angle = [&](double tip_angle) {
    constexpr int steps = 4000;
    constexpr double h = 1.0 / steps;
    double angle = tip_angle, moment = 0;
    out = {tip_angle, 0, 0};
    for (int i = 0; i < steps; ++i) {
      const double middle = angle - 0.5 * h * moment;
      angle -= h * (moment + 0.5 * h * load * std::cos(angle));
      moment += h * load * std::cos(middle);
      out.along += h * std::cos(middle);
      out.down += h * std::sin(middle);
    }
    return angle;
  };
  double low = 0, high = std::numbers::pi / 2;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (clamp_angle(middle) < 0 ? low : high) = middle;
  }
  return out;
}

TEST(BeamTest, TheElasticaIsTheKnownOne) {  // table of Bisshopp and Drucker, as given by Mattiasson 1981
  for (const auto& [load, down, back] :
       {std::array{1.0, 0.30172, 0.05643}, {2.0, 0.49346, 0.16064}, {5.0, 0.71379, 0.38763}}) {
    EXPECT_NEAR(elastica(load).down, down, 2e-5);
    EXPECT_NEAR(1 - elastica(load).along, back, 2e-5);
  }
}

/// Newton's method for f(x) = 0.
void solve_equilibrium(const ParticleSystem& system, State& state, double tolerance) {
  const std::size_t n = state.unknowns();
  Vector f(n);
  Tangent tangent;
  SparseCholesky factor;
  for (int iteration = 0; iteration < 20; ++iteration) {
    system.force(0, state.x(), state.v(), f);
    if (norm(f) < tolerance) return;
    system.tangent(0, state.x(), state.v(), tangent);
    factor.factorize(tangent.stiffness);
    factor.solve(f, f);
    axpy(1, f, state.x());
  }
  FAIL() << "no equilibrium in 20 iterations";
}

TEST(BeamTest, LargeTipDeflectionsAreThoseOfTheElastica) {
  for (const double load : {1.0, 2.0, 5.0}) {
    Beam beam({1, 0.2, 0.1}, {64, 1, 8}, 0.0);  // too wide to give way sideways
    std::vector<double> share(beam.rest.size(), 0.0);
    for (std::size_t i = 0; i < share.size(); ++i)
      if (beam.rest[i][0] == beam.length) share[i] = 1;
    const double tips = std::accumulate(share.begin(), share.end(), 0.0);
    const double P = load * young * beam.second_moment() / (beam.length * beam.length);
    beam.system->add(std::make_unique<ForceField>(Eigen::Vector3d(0, 0, -P / tips), share));
    beam.system->finish();

    // Newton starts from sections turned as in a slightly bent beam: θ = θ_tip s(2 − s).
    const Tip expected = elastica(load);
    State state = beam.system->initial_state();
    for (std::size_t i = 0; i < beam.system->free_particles(); ++i) {
      const Point& X = beam.rest[i];
      const auto angle = [&](double s) { return expected.angle * s * (2 - s); };
      Eigen::Vector3d x(0, X[1], 0.5 * beam.height);
      constexpr int steps = 100;
      for (int k = 0; k < steps; ++k) {
        const double theta = angle(X[0] * (k + 0.5) / steps);
        x += X[0] / steps * Eigen::Vector3d(std::cos(theta), 0, -std::sin(theta));
      }
      x += (X[2] - 0.5 * beam.height) * Eigen::Vector3d(std::sin(angle(X[0])), 0, std::cos(angle(X[0])));
      Eigen::Vector3d::Map(host(state.x()).data() + 3 * i) = x;
    }
    solve_equilibrium(*beam.system, state, 1e-8 * P);

    Eigen::Vector3d tip = Eigen::Vector3d::Zero();
    for (std::size_t i = 0; i < beam.system->free_particles(); ++i)
      tip += share[i] / tips * Eigen::Vector3d::Map(host(state.x()).data() + 3 * i);
    const double down = 0.5 * beam.height - tip(2);
    EXPECT_NEAR(down, expected.down, 0.05 * expected.down);
    EXPECT_NEAR(beam.length - tip(0), 1 - expected.along, 0.1 * (1 - expected.along));
  }
}

// What users are told of few elements across: sag under a weight that bends the beam by little, against
// ρgAl⁴/8EI + ρgl²/2κG.
TEST(BeamTest, FewTetrahedraSagTooLittleByAsMuchAsIsSaid) {
  for (const int n : {1, 2, 3, 4, 5, 8}) {
    Beam beam({1, 0.2, 0.2}, {5 * n, n, n}, 0.0);
    constexpr double weight = 0.1;  // N/kg
    std::vector<double> share(beam.rest.size(), 0.0);
    const std::vector<double> mass = lumped_masses(beam.tetrahedra, beam.rest, std::vector<double>{density});
    for (std::size_t i = 0; i < beam.system->free_particles(); ++i) share[i] = mass[i];
    beam.system->add(std::make_unique<ForceField>(Eigen::Vector3d(0, 0, -weight), share));
    beam.system->finish();
    State state = beam.system->initial_state();
    const State start = state;
    solve_equilibrium(*beam.system, state, 1e-6 * weight * density * beam.area());
    double sag = 0, tips = 0;
    for (std::size_t i = 0; i < beam.system->free_particles(); ++i) {
      if (beam.rest[i][0] != beam.length) continue;
      sag += host(start.x())[3 * i + 2] - host(state.x())[3 * i + 2];
      ++tips;
    }
    const double bending = weight * density * beam.area() / (8 * young * beam.second_moment()),
                 shear = weight * density / (2 * 5.0 / 6 * young / 2);
    EXPECT_NEAR(1 - sag / tips / (bending + shear), missing_sag(n), 0.03) << n << " across";
  }
}

}  // namespace
}  // namespace stiffly::test
