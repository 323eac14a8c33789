// The energy-momentum step that follows vibrations: exact angles, and all that the plain step keeps.
#include <gtest/gtest.h>

#include <cmath>
#include <Eigen/Dense>
#include <numbers>

#include "integrators/problems.hpp"
#include "stiff_links.hpp"
#include "stiffly/integrators/resolved_modes.hpp"
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

/// K v = ω² M v, with vᵀMv = 1 for each column v.
SymmetricDecomposition modes_of(const Eigen::MatrixXd& M, const Eigen::MatrixXd& K) {
  const SymmetricDecomposition mass = symmetric_decomposition(M);
  const Eigen::MatrixXd root =
      mass.vectors * mass.values.cwiseSqrt().cwiseInverse().asDiagonal();  // M⁻¹ = root rootᵀ
  SymmetricDecomposition out = symmetric_decomposition(root.transpose() * K * root);
  out.vectors = root * out.vectors;
  return out;
}

/// M x'' + K x = f by the eigenvectors of M⁻¹K: each turns by its angle α(hω),
///   x⁺ = x + sin α/ω v + (1 − cos α)/ω² (f − ω²x),   v⁺ = cos α v + sin α/ω (f − ω²x).
State turned_by_eigenvectors(const Eigen::MatrixXd& M, const Eigen::MatrixXd& K, const Eigen::VectorXd& f,
                             const State& from, double h, double largest_angle) {
  const SymmetricDecomposition eigen = modes_of(M, K);
  const Eigen::MatrixXd& E = eigen.vectors;
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

/// A system of more unknowns than the space of vibrations holds, of which v and f set four in motion.
class FewModesOfMany {
 public:
  FewModesOfMany() {
    for (const double wanted : {0.5, 2.1, 4.6, 7.4}) {  // hω, of which the next one there is
      Eigen::Index i = 0;
      while (h * std::sqrt(eigen.values(i)) < wanted) ++i;
      angles.push_back(h * std::sqrt(eigen.values(i)));
      modes.push_back(eigen.vectors.col(i));
      x += 0.3 / wanted * modes.back();
      v += (1 + 0.2 * wanted) * modes.back();
      load += M * modes.back() * wanted;
    }
    system.with_constant_load(load);
  }
  State start() const {
    return State(0, std::vector<double>(x.begin(), x.end()), std::vector<double>(v.begin(), v.end()));
  }

  static constexpr int n = 96;
  static constexpr double h = 0.31;
  const Eigen::MatrixXd M = random_definite(n, 3), K = random_definite(n, 1e7);
  const SymmetricDecomposition eigen = modes_of(M, K);
  std::vector<double> angles;
  std::vector<Eigen::VectorXd> modes;
  Eigen::VectorXd x = Eigen::VectorXd::Zero(n), v = x, load = x;
  LinearOscillator system{M, K, Eigen::MatrixXd::Zero(n, n)};
};

// The space finds them, and turns them as the eigenvectors of the whole matrix say, but for what it neglects:
// a thousandth of the velocities in each step.
TEST(EnergyExponentialTest, TurnsTheFewModesThatMoveByTheirAngles) {
  std::srand(11);
  const FewModesOfMany p;
  const int steps = 20;
  const auto after = [&](Integrator& step) {
    State found = p.start();
    step.start(p.system, found);
    for (int i = 0; i < steps; ++i) found = step.step(found, p.h, false).state;
    return found;
  };
  State exact = p.start();
  for (int i = 0; i < steps; ++i) exact = turned_by_eigenvectors(p.M, p.K, p.load, exact, p.h, 5 * pi);
  const double followed = distance(after(*method(5 * pi, 1e-12)), exact),
               plain =
                   distance(after(*make_integrator("energy-momentum", {.newton_tolerance = 1e-12})), exact),
               neglected = steps * 1e-3 * p.h * p.v.norm();
  std::printf("off by %.1e of %.1e, energy-momentum by %.1e\n", followed, neglected, plain);
  EXPECT_LT(followed, neglected);
  EXPECT_GT(plain, 4 * neglected);
}

// The inertia that the space adds, and the inverse of the matrix with it, against dense ones.
TEST(EnergyExponentialTest, TheSpaceAddsTheInertiaOfItsModes) {
  std::srand(12);
  const FewModesOfMany p;
  const State start = p.start();
  Tangent tangent;
  p.system.tangent(0, start.x(), start.v(), tangent);
  for (double& value : tangent.stiffness.values()) value *= 0.5;
  const Eigen::MatrixXd S = p.M + p.h * p.h / 4 * p.K;
  const Eigen::MatrixXd S_inverse = inverse(S);
  const auto dense = [](ConstVectorView y) {
    return Eigen::VectorXd::Map(host(y).data(), FewModesOfMany::n);
  };
  const auto vector = [](const Eigen::VectorXd& y) {
    return Vector(std::vector<double>(y.begin(), y.end()));
  };
  ResolvedModes space(5 * pi);
  space.begin({.mass = &p.system.mass(),
               .half_stiffness = &tangent.stiffness,
               .h = p.h,
               .solve = [&](ConstVectorView r, VectorView y) { copy(vector(S_inverse * dense(r)), y); }});
  space.cover(start.v(), vector(p.load - p.K * p.x));
  ASSERT_LT(space.size(), p.n);

  const Vector still(static_cast<std::size_t>(p.n));
  const auto inertia = [&](const Eigen::VectorXd& z) {
    Vector y(static_cast<std::size_t>(p.n));
    space.add_inertia(vector(z), still, y);
    return Eigen::VectorXd(dense(y));
  };
  for (std::size_t i = 0; i < p.modes.size(); ++i) {
    const double F = p.angles[i] / 2 / std::tan(p.angles[i] / 2);
    const Eigen::VectorXd exact = (F * F - 1) * p.M * p.modes[i];
    EXPECT_LT((inertia(p.modes[i]) - exact).norm(), 0.02 * exact.norm()) << p.angles[i];
  }
  const Eigen::VectorXd r = Eigen::VectorXd::Random(p.n);
  Vector y = vector(S_inverse * r);
  space.correct(y);
  EXPECT_LT((S * dense(y) + inertia(dense(y)) - r).norm(), 1e-8 * r.norm());
}

struct ExponentialJourney {
  State end;
  double drift;   ///< largest change of the energy over the largest kinetic energy
  double solves;  ///< per step
};

ExponentialJourney travel(const ParticleSystem& system, const std::string& name, double h, int steps,
                          double tolerance, double largest_angle = IntegratorOptions().largest_angle) {
  State state = system.initial_state();
  const auto step = make_integrator(name, {.newton_tolerance = tolerance, .largest_angle = largest_angle});
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
      const ExponentialJourney r = travel(*system, "energy-exponential", 0.0073, 1000, 1e-13);
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

  // Up to an angle at which all that should be followed converge. At 5π the space is full before, and which
  // modes count as converged is a matter of rounding: 0.15 to 0.72 of the error were seen there.
  const auto bending = bending_beam(1e4, 0.03, 0);
  const int steps = 40;
  for (const double h : {0.0093, 0.0092}) {
    const State exact =
        integrate(*bending, *make_integrator("rk4"), bending->initial_state(), steps * h, 1e-4);
    const ExponentialJourney plain = travel(*bending, "energy-momentum", h, steps, 1e-9),
                             followed = travel(*bending, "energy-exponential", h, steps, 1e-9, 5);
    std::printf("off by %.1e (%.1f solves a step), energy-momentum %.1e (%.1f)\n",
                distance(followed.end, exact), followed.solves, distance(plain.end, exact), plain.solves);
    EXPECT_LT(distance(followed.end, exact), 0.5 * distance(plain.end, exact));
  }
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
