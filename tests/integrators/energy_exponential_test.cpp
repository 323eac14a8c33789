// The energy-momentum step that follows vibrations: exact angles, and all that the plain step keeps.
#include <gtest/gtest.h>

#include <cmath>
#include <Eigen/Dense>
#include <numbers>

#include "integrators/problems.hpp"
#include "stiff_links.hpp"
#include "stiffly/linalg/decompositions.hpp"
#include "stiffly/system/fput.hpp"
#include "stiffly/system/linear_oscillator.hpp"

namespace stiffly::test {
namespace {

constexpr double pi = std::numbers::pi;

std::unique_ptr<Integrator> method(double largest_angle, double tolerance) {
  return make_integrator("energy-exponential",
                         {.newton_tolerance = tolerance, .largest_angle = largest_angle});
}

Eigen::MatrixXd random_definite(int n, double spread) {
  const Eigen::MatrixXd Q = orthogonal_factor(Eigen::MatrixXd::Random(n, n));
  Eigen::VectorXd d(n);
  for (int i = 0; i < n; ++i) d(i) = std::pow(spread, i / (n - 1.0));
  return Q * d.asDiagonal() * Q.transpose();
}

/// M x'' + K x = f by the eigenvectors of M⁻¹K: each turns by its angle α(hω),
///   x⁺ = x + sin α/ω v + (1 − cos α)/ω² (f − ω²x),   v⁺ = cos α v + sin α/ω (f − ω²x).
State turned_by_eigenvectors(const Eigen::MatrixXd& M, const Eigen::MatrixXd& K, const Eigen::VectorXd& f,
                             const State& from, double h, double largest_angle) {
  const SymmetricDecomposition mass = symmetric_decomposition(M);
  const Eigen::MatrixXd root =
      mass.vectors * mass.values.cwiseSqrt().cwiseInverse().asDiagonal();  // M⁻¹ = root rootᵀ
  const SymmetricDecomposition eigen = symmetric_decomposition(root.transpose() * K * root);
  const Eigen::MatrixXd E = root * eigen.vectors;
  const auto n = static_cast<Eigen::Index>(from.unknowns());
  const Eigen::VectorXd x = E.transpose() * M * Eigen::VectorXd::Map(host(from.x()).data(), n),
                        v = E.transpose() * M * Eigen::VectorXd::Map(host(from.v()).data(), n),
                        g = E.transpose() * f;
  Eigen::VectorXd end_x(n), end_v(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const double w = std::sqrt(eigen.values(i)), a = g(i) - w * w * x(i);
    const double alpha = h * w < largest_angle ? h * w : 2 * std::atan(h * w / 2);
    end_x(i) = x(i) + std::sin(alpha) / w * v(i) + (1 - std::cos(alpha)) / (w * w) * a;
    end_v(i) = std::cos(alpha) * v(i) + std::sin(alpha) / w * a;
  }
  const Eigen::VectorXd out_x = E * end_x, out_v = E * end_v;
  return State(from.time + h, std::vector<double>(out_x.begin(), out_x.end()),
               std::vector<double>(out_v.begin(), out_v.end()));
}

// Frequencies of 0.6 to 60, so that steps have modes on both sides of the bound, and all below it.
TEST(EnergyExponentialTest, TurnsEachModeByItsAngle) {
  std::srand(7);
  const int n = 12;
  const Eigen::MatrixXd M = random_definite(n, 3), K = random_definite(n, 1e4);
  const Eigen::VectorXd f = Eigen::VectorXd::Random(n);
  LinearOscillator system(M, K, Eigen::MatrixXd::Zero(n, n));
  system.with_constant_load(f);
  const Eigen::VectorXd x = Eigen::VectorXd::Random(n), v = 3 * Eigen::VectorXd::Random(n);
  const State start(0, std::vector<double>(x.begin(), x.end()), std::vector<double>(v.begin(), v.end()));
  for (const double h : {0.013, 0.17, 0.31})
    for (const double bound : {0.7 * pi, 3 * pi, 5 * pi, 20 * pi}) {
      const auto step = method(bound, 1e-12);
      step->start(system, start);
      State found = start, exact = start;
      for (int i = 0; i < 20; ++i) {
        found = step->step(found, h, false).state;
        exact = turned_by_eigenvectors(M, K, f, exact, h, bound);
      }
      EXPECT_LT(distance(found, exact), 1e-8) << "h = " << h << ", up to " << bound;
    }
}

struct ExponentialJourney {
  State end;
  double drift;   ///< largest change of the energy over the largest kinetic energy
  double solves;  ///< per step
};

ExponentialJourney travel(const ParticleSystem& system, const std::string& name, double h, int steps,
                          double tolerance) {
  State state = system.initial_state();
  const auto step = make_integrator(name, {.newton_tolerance = tolerance});
  step->start(system, state);
  const double energy = system.energy(state);
  double drift = 0, motion = 0;
  const Counters counted = system.counters();
  for (int i = 0; i < steps; ++i) {
    state = step->step(state, h, false).state;
    drift = std::max(drift, std::abs(system.energy(state) - energy));
    motion = std::max(motion, system.kinetic_energy(state.v()));
  }
  const Counters used = system.counters() - counted;
  return {state, drift / motion, static_cast<double>(used.solve) / steps};
}

TEST(EnergyExponentialTest, EnergyDoesNotDrift) {
  for (const double k : {1e3, 1e5, 1e7}) {
    const auto cube = spinning_cube(k), chain = falling_chain(k);
    for (const auto& [name, system] : {std::pair("cube", cube.get()), std::pair("chain", chain.get())}) {
      const ExponentialJourney r = travel(*system, "energy-exponential", 0.0073, 1000, 1e-12);
      std::printf("%-6s k = %.0e: drift %.1e\n", name, k, r.drift);
      EXPECT_LT(r.drift, 1e-10) << name << " " << k;
    }
  }
}

/// 3 × 3 × 9 particles of 10 g with springs to all neighbours, bending and turning: more unknowns than the
/// space of vibrations has vectors.
std::unique_ptr<ParticleSystem> bending_beam(double stiffness, double bending, double spin) {
  Particles p;
  std::vector<std::pair<int, int>> pairs;
  std::vector<Eigen::Vector3i> place;
  for (int i = 0; i < 81; ++i) {
    place.emplace_back(i / 27, i / 9 % 3, i % 9);
    const Eigen::Vector3d x = 0.1 * (place.back().cast<double>() - Eigen::Vector3d(1, 1, 4));
    add_particle(p, x,
                 Eigen::Vector3d(bending * (x(2) * x(2) - 0.06), 0, 0) + Eigen::Vector3d(0, spin, 0).cross(x),
                 0.01);
    for (int j = 0; j < i; ++j)
      if ((place[static_cast<std::size_t>(i)] - place[static_cast<std::size_t>(j)]).cwiseAbs().maxCoeff() ==
          1)
        pairs.emplace_back(i, j);
  }
  return springs_between(p, pairs, stiffness, 0);
}

TEST(EnergyExponentialTest, AFewVibrationsOfManyAreFollowed) {
  const auto spinning = bending_beam(1e4, 3, 2);
  const ExponentialJourney kept = travel(*spinning, "energy-exponential", 0.0093, 200, 1e-12);
  std::printf("drift %.1e\n", kept.drift);
  EXPECT_LT(kept.drift, 1e-10);

  const auto bending = bending_beam(1e4, 0.03, 0);
  const int steps = 40;
  const double h = 0.0093;
  const State exact = integrate(*bending, *make_integrator("rk4"), bending->initial_state(), steps * h, 1e-4);
  const ExponentialJourney plain = travel(*bending, "energy-momentum", h, steps, 1e-9),
                           followed = travel(*bending, "energy-exponential", h, steps, 1e-9);
  std::printf("off by %.1e (%.1f solves a step), energy-momentum %.1e (%.1f)\n",
              distance(followed.end, exact), followed.solves, distance(plain.end, exact), plain.solves);
  EXPECT_LT(distance(followed.end, exact), 0.3 * distance(plain.end, exact));
}

// Fermi, Pasta, Ulam, Tsingou: three stiff springs of ω = 100 exchange their oscillatory energies
// ½x'² + ½ω²x² through soft ones over a time of ω. That is a matter of phases, which the midpoint rule has
// not.
TEST(EnergyExponentialTest, StiffSpringsExchangeTheirEnergy) {
  constexpr double omega = 100, duration = 100;
  const Fput system(3, omega);
  const auto oscillatory = [&](const State& s) {
    Eigen::Vector3d out;
    for (std::size_t i = 3; i < 6; ++i)
      out(static_cast<Eigen::Index>(i) - 3) =
          0.5 * std::pow(host(s.v())[i], 2) + 0.5 * std::pow(omega * host(s.x())[i], 2);
    return out;
  };
  const State start = system.initial_state();
  const Eigen::Vector3d exact =
      oscillatory(integrate(system, *make_integrator("rk4"), start, duration, 2e-4));
  for (const double h : {0.019, 0.043, 0.071, 0.13}) {
    double change = 0;
    const State end = integrate(system, *method(5 * pi, 1e-10), start, duration, h, [&](const State& s) {
      change = std::max(change, std::abs(oscillatory(s).sum() / oscillatory(start).sum() - 1));
    });
    const Eigen::Vector3d found = oscillatory(end);
    std::printf("hω = %4.1f: %.3f %.3f %.3f (exact %.3f %.3f %.3f), sum within %.3f\n", h * omega, found(0),
                found(1), found(2), exact(0), exact(1), exact(2), change);
    EXPECT_LT((found - exact).cwiseAbs().maxCoeff(), h * omega < 2 * pi ? 0.01 : 0.03);
    EXPECT_LT(change, 0.05);  // of 0.024 by the exact motion
  }
}

}  // namespace
}  // namespace stiffly::test
