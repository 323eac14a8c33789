// Particles that follow a motion.
#include <gtest/gtest.h>

#include <cmath>
#include <Eigen/Dense>
#include <numbers>

#include "stiffly/error.hpp"
#include "stiffly/forces/springs.hpp"
#include "stiffly/integrators/registry.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly {
namespace {

using Eigen::Vector3d;

struct Placement {
  Vector3d x, v;
};

Placement place(const Motion& motion, double t, const Vector3d& start) {
  Placement out;
  motion.place(t, {start.data(), 3}, {out.x.data(), 3}, {out.v.data(), 3});
  return out;
}

const std::vector<Keyframe> keyframes = {{0.5, {1, 0, 0}, {0, 0, 0}},
                                         {1.0, {0, 2, 0}, {0, 0, 1}},
                                         {1.2, {0, 2, 1}, {0.5, 0, 7}},
                                         {3.0, {-1, 2, 0}, {0, 0.001, 0}}};

TEST(KeyframeMotionTest, PassesThroughItsKeyframesAndRestsOutside) {
  const Vector3d pivot(0.1, 0.2, 0.3), start(1, 2, 3);
  const KeyframeMotion motion(keyframes, pivot);
  for (const Keyframe& k : keyframes) {
    const double angle = k.rotation.norm();
    const Eigen::Matrix3d R(
        Eigen::AngleAxisd(angle, angle > 0 ? (k.rotation / angle).eval() : Vector3d::UnitX()));
    const Vector3d expected = pivot + k.shift + R * (start - pivot);
    EXPECT_LT((place(motion, k.time, start).x - expected).norm(), 1e-14);
  }
  for (const double t : {0.0, 0.5})
    EXPECT_LT((place(motion, t, start).x - start - Vector3d(1, 0, 0)).norm(), 1e-15);
  for (const double t : {0.0, 0.5, 3.0, 9.0}) EXPECT_LT(place(motion, t, start).v.norm(), 1e-14);
}

TEST(KeyframeMotionTest, VelocityIsTheDerivativeAndItselfSmooth) {
  const KeyframeMotion motion(keyframes, {0.1, 0.2, 0.3});
  const Vector3d start(1, 2, 3);
  constexpr double h = 1e-4;
  for (int i = 0; i < 350; ++i) {
    const double t = 0.01 * i + 0.003;
    const auto x = [&](double s) { return place(motion, t + s * h, start).x; };
    const Vector3d difference = (8 * (x(1) - x(-1)) - (x(2) - x(-2))) / (12 * h);
    EXPECT_LT((difference - place(motion, t, start).v).norm(), 1e-8) << "at " << t;
  }
  // The acceleration is the same from both sides of the inner keyframes.
  for (const double t : {1.0, 1.2}) {
    const auto v = [&](double s) { return place(motion, t + s * 1e-6, start).v; };
    EXPECT_LT(((v(1) - v(0)) - (v(0) - v(-1))).norm(), 1e-3 * (v(1) - v(0)).norm());
  }
}

TEST(KeyframeMotionTest, BadKeyframesAreNamed) {
  EXPECT_THROW(KeyframeMotion({}, Vector3d::Zero()), InputError);
  const auto message = [](Keyframe second) -> std::string {
    try {
      KeyframeMotion({{}, second}, Vector3d::Zero());
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message({.time = 1}), "accepted");
  EXPECT_NE(message({.time = 0}).find("keyframe 1: its time"), std::string::npos);
  EXPECT_NE(message({.time = 1, .shift = {0, NAN, 0}}).find("keyframe 1: all values"), std::string::npos);
}

/// x = start + (0, 0, sin t)
class Shaking final : public Motion {
 public:
  void place(double t, std::span<const double> start, std::span<double> x,
             std::span<double> v) const override {
    for (std::size_t i = 0; i < start.size(); ++i) {
      x[i] = start[i] + (i % 3 == 2 ? std::sin(t) : 0);
      v[i] = i % 3 == 2 ? std::cos(t) : 0;
    }
  }
};

/// Two particles above each other with a spring and a dashpot; the first is pinned.
Particles pair_of_particles() {
  Particles p;
  p.position = {{0, 0, 0}, {0, 0, 1}};
  p.velocity = {{0, 0, 0}, {0, 0, 0.3}};
  p.mass = {1, 2};
  p.pinned = {true, false};
  return p;
}

TEST(PrescribedTest, ForcesSeeTheMotionAndItsRate) {
  ParticleSystem system(pair_of_particles());
  system.add(std::make_unique<Springs>(std::vector<Spring>{{0, 1, 100, 1.0, 5}}, 2));
  EXPECT_TRUE(system.autonomous());
  system.prescribe(std::vector<int>{0}, std::make_shared<Shaking>());
  system.finish();
  EXPECT_FALSE(system.autonomous());
  State state = system.initial_state();
  Vector f(3);
  for (const double t : {0.0, 0.4, 2.0}) {
    state.time = t;
    system.force(t, state.x(), state.v(), f);
    EXPECT_NEAR(host(f)[2], 100 * std::sin(t) + 5 * (std::cos(t) - 0.3), 1e-12);
    system.force_rate(t, state.x(), state.v(), f);
    EXPECT_NEAR(host(f)[2], 100 * std::cos(t) - 5 * std::sin(t), 1e-6);
    EXPECT_NEAR(system.potential_energy(t, state.x()), 50 * std::pow(std::sin(t), 2), 1e-12);
    EXPECT_DOUBLE_EQ(system.positions(state)[0][2], std::sin(t));
    EXPECT_DOUBLE_EQ(system.velocities(state)[0][2], std::cos(t));
    EXPECT_DOUBLE_EQ(system.positions(state)[1][2], 1);
  }
}

// The motion enters the equations through time only: an exponential method keeps its order if ∂f/∂t is right.
TEST(PrescribedTest, ExponentialMethodsKeepTheirOrder) {
  ParticleSystem system(pair_of_particles());
  system.add(std::make_unique<Springs>(std::vector<Spring>{{0, 1, 100, 1.0, 1, SpringLaw::cubic}}, 2));
  system.prescribe(std::vector<int>{0}, std::make_shared<Shaking>());
  system.finish();
  const auto end = [&](const std::string& name, int steps) {
    const auto method = make_integrator(name, {.evaluator = "dense", .phi_tolerance = 1e-12});
    State state = system.initial_state();
    method->start(system, state);
    for (int i = 0; i < steps; ++i) state = method->step(state, 1.0 / steps, false).state;
    return state.y;
  };
  const Vector exact = end("rk4", 4000);
  const auto error = [&](int steps) {
    Vector difference = end("exprb42", steps);
    axpy(-1, exact, difference);
    return norm(difference);
  };
  EXPECT_NEAR(std::log2(error(20) / error(40)), 4, 0.3);
}

TEST(PrescribedTest, OnlyPinnedParticlesFollowAndOnlyOneMotion) {
  ParticleSystem system(pair_of_particles());
  const auto message = [&](int particle) -> std::string {
    try {
      system.prescribe(std::vector<int>{particle}, std::make_shared<Shaking>());
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message(0), "accepted");
  EXPECT_NE(message(0).find("particle 0 cannot follow two motions"), std::string::npos);
  EXPECT_NE(message(1).find("particle 1 cannot follow a motion: it is not pinned"), std::string::npos);
  EXPECT_NE(message(2).find("does not exist"), std::string::npos);
}

}  // namespace
}  // namespace stiffly
