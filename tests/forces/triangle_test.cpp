// The triangle test of every force: force = −∇energy and tangent = −∇force, at random states.
#include <gtest/gtest.h>

#include <cmath>

#include "forces/cases.hpp"

namespace stiffly::test {
namespace {

class TriangleTest : public testing::TestWithParam<std::size_t> {};

/// What makes a state nearly degenerate: all particles close together (collapsed springs, tiny elements), in
/// a plane (flat elements), or mirrored, so that the rest shape is turned inside out.
struct Deformation {
  std::string name;
  Eigen::Vector3d scale;
  bool from_rest;  ///< of the rest shape, slightly disturbed, rather than of other random points
};
const std::array<Deformation, 5> deformations = {{{"random", {1, 1, 1}, false},
                                                  {"near rest", {1, 1, 1}, true},
                                                  {"squeezed", {1e-3, 1e-3, 1e-3}, false},
                                                  {"flat", {1, 1, 1e-3}, true},
                                                  {"inverted", {1, 1, -0.8}, true}}};

/// d/ds of `function` at 0, to fourth order in `delta`.
template <class Function>
Eigen::VectorXd difference(double delta, const Function& function) {
  return (8 * (function(delta) - function(-delta)) - (function(2 * delta) - function(-2 * delta))) /
         (12 * delta);
}

TEST_P(TriangleTest, HoldsAtRandomStates) {
  std::mt19937 random(static_cast<unsigned>(17 + GetParam()));
  std::normal_distribution<double> normal;
  const auto disturbance = [&] {
    return Eigen::Vector3d::NullaryExpr([&](Eigen::Index) { return normal(random); }).eval();
  };
  for (int trial = 0; trial < 100; ++trial) {
    const Deformation& deformation = deformations[static_cast<std::size_t>(trial) % deformations.size()];
    const Points rest = random_points(random);
    Particles p;
    for (int i = 0; i < particles; ++i) {
      const Eigen::Vector3d x =
          deformation.from_rest ? rest[static_cast<std::size_t>(i)] + 0.05 * disturbance() : disturbance();
      p.position.push_back(to_array(deformation.scale.cwiseProduct(x)));
      p.velocity.push_back(to_array(disturbance()));
      p.mass.push_back(1.0 + i);
      p.pinned.push_back(i >= particles - 2);  // the last: the user's order is the inner one
    }
    ParticleSystem system(p);
    system.add(cases()[GetParam()].make({rest, p.mass, system.free_particles()}, random));
    system.finish();
    State state = system.initial_state();
    const double time = 0.3;
    const auto n = static_cast<Eigen::Index>(state.unknowns());

    Vector f(state.unknowns());
    system.force(time, state.x(), state.v(), f);
    const Eigen::VectorXd force = map(f);
    Tangent tangent;
    system.tangent(time, state.x(), state.v(), tangent);
    Eigen::MatrixXd K = tangent.stiffness.to_dense();
    EXPECT_LT((K - K.transpose()).norm(), 1e-12 * (1 + K.norm()));
    if (!tangent.circulatory.empty()) {
      const Eigen::MatrixXd skew = tangent.circulatory.to_dense();
      EXPECT_LT((skew + skew.transpose()).norm(), 1e-12 * (1 + skew.norm()));
      K += skew;
    }
    const Eigen::MatrixXd C =
        tangent.damping.empty() ? Eigen::MatrixXd::Zero(n, n) : tangent.damping.to_dense();

    Eigen::VectorXd gradient(n);
    Eigen::MatrixXd dfdx(n, n), dfdv(n, n);
    const auto shifted = [&](VectorView part, Eigen::Index i, double shift, const auto& measure) {
      double& entry = host(part)[static_cast<std::size_t>(i)];
      const double before = std::exchange(entry, entry + shift);
      const Eigen::VectorXd out = measure();
      entry = before;
      return out;
    };
    const auto energy_now = [&] {
      return Eigen::VectorXd::Constant(1, system.potential_energy(time, state.x())).eval();
    };
    const auto force_now = [&]() -> Eigen::VectorXd {
      system.force(time, state.x(), state.v(), f);
      return map(f);
    };
    // Forces that yield have a kink, across which there is nothing to compare.
    const auto kinked = [&](Eigen::Index i, double reach) {
      if (!system.plastic_work()) return false;
      const auto stiffness = [&]() -> Eigen::VectorXd {
        Tangent there;
        system.tangent(time, state.x(), state.v(), there);
        return there.stiffness.to_dense().reshaped();
      };
      return (shifted(state.x(), i, reach, stiffness) - shifted(state.x(), i, -reach, stiffness)).norm() >
             1e-2 * K.norm();
    };
    const double delta = 1e-4 * deformation.scale.cwiseAbs().minCoeff();
    for (Eigen::Index i = 0; i < n; ++i) {
      gradient.segment<1>(i) =
          difference(delta, [&](double s) { return shifted(state.x(), i, s, energy_now); });
      dfdx.col(i) = kinked(i, 2 * delta)
                        ? (-K.col(i)).eval()
                        : difference(delta, [&](double s) { return shifted(state.x(), i, s, force_now); });
      dfdv.col(i) = difference(1e-3, [&](double s) { return shifted(state.v(), i, s, force_now); });
    }
    const std::string where = deformation.name + " state, trial " + std::to_string(trial);
    if (system.conservative()) {
      const double round_off = 1e-14 * std::abs(system.potential_energy(time, state.x())) / delta;
      EXPECT_LT((force + gradient).norm(), 1e-6 * (1 + force.norm()) + round_off) << "force, " << where;
    }
    EXPECT_LT((K + dfdx).norm(), 1e-5 * (1 + K.norm())) << "stiffness, " << where;
    EXPECT_LT((C + dfdv).norm(), 1e-7 * (1 + C.norm())) << "damping, " << where;
  }
}

INSTANTIATE_TEST_SUITE_P(Forces, TriangleTest, testing::Range(std::size_t{0}, cases().size()),
                         [](const auto& index) { return cases()[index.param].name; });

}  // namespace
}  // namespace stiffly::test
