// The work of supports by the balance of momentum, against the forces that links pull at them with.
#include "stiffly/system/support_balance.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <Eigen/Geometry>

#include "random_vector.hpp"
#include "stiffly/forces/air_drag.hpp"
#include "stiffly/forces/gravity.hpp"
#include "stiffly/forces/springs.hpp"
#include "stiffly/system/mean_dissipation.hpp"
#include "stiffly/system/rigid_motion.hpp"

namespace stiffly {
namespace {

/// Shifts and turns at once, neither at a constant rate.
std::shared_ptr<const Motion> reel() {
  return std::make_shared<KeyframeMotion>(std::vector<Keyframe>{{0.0, {0, 0, 0}, {0, 0, 0}},
                                                                {0.7, {0.3, -0.1, 0.2}, {0.4, 1.1, -0.3}},
                                                                {1.9, {-0.2, 0.5, 0.1}, {1.7, 0.2, 0.9}}},
                                          Eigen::Vector3d(0.2, 0.1, -0.4));
}

/// Three free particles on two supports, springs with dampers, weight and drag.
std::unique_ptr<ParticleSystem> swinging(const std::shared_ptr<const Motion>& motion, bool both) {
  Particles p;
  p.position = {{0, 0, 0}, {0.4, 0.1, 0}, {0.7, 0.2, -0.1}, {0.9, -0.3, 0.2}, {0.1, 0.5, 0}};
  p.velocity.assign(5, {0, 0, 0});
  p.mass = {1, 0.3, 0.7, 0.2, 1};
  p.pinned = {true, false, false, false, true};
  auto system = std::make_unique<ParticleSystem>(p);
  const auto inner = [&](int i) { return system->rank()[static_cast<std::size_t>(i)]; };
  std::vector<Spring> springs;
  for (const auto& [a, b] : {std::pair{0, 1}, {1, 2}, {2, 3}, {4, 2}, {4, 1}})
    springs.push_back({inner(a), inner(b), 37.0, 0.45, 0.6});
  system->add(std::make_unique<Springs>(springs, p.size()));
  const std::vector<double> masses(system->masses().begin(), system->masses().end());
  system->add(std::make_unique<Gravity>(Eigen::Vector3d(0.3, 0, -9.81), masses));
  system->add(std::make_unique<AirDrag>(masses, Eigen::Vector3d(0.4, 0, 0)));
  system->prescribe(both ? std::vector<int>{0, 4} : std::vector<int>{0}, motion);
  system->finish();
  return system;
}

TEST(RigidVelocityTest, IsThatOfEveryParticle) {
  const auto motion = reel();
  for (const double t : {0.13, 0.7, 1.31}) {
    const auto rigid = rigid_velocity(*motion, t);
    ASSERT_TRUE(rigid);
    const std::array<double, 3> start = {0.7, -1.3, 0.45};
    std::array<double, 3> x, v;
    motion->place(t, start, x, v);
    EXPECT_LT((rigid->at(Eigen::Vector3d::Map(x.data())) - Eigen::Vector3d::Map(v.data())).norm(), 1e-12);
  }
}

class Stretching final : public Motion {
 public:
  void place(double t, std::span<const double> start, std::span<double> x,
             std::span<double> v) const override {
    for (std::size_t i = 0; i < start.size(); ++i) x[i] = (1 + t) * start[i], v[i] = start[i];
  }
};

TEST(RigidVelocityTest, AMotionThatStretchesHasNone) {
  EXPECT_FALSE(rigid_velocity(Stretching(), 0.3));
  EXPECT_FALSE(SupportBalance(*swinging(std::make_shared<Stretching>(), true)).at(State(0.3, Vector(18))));
}

/// d/dt of what is carried along, and the rate, make the power of the forces at the supports: at any state.
TEST(SupportBalanceTest, MakesThePowerOfTheSupports) {
  const auto system = swinging(reel(), true);
  const SupportBalance balance(*system);
  for (const unsigned seed : {1u, 2u, 3u}) {
    const double t = 0.2 + 0.43 * seed, delta = 1e-5;
    const State now(t, random_vector(2 * system->unknowns(), seed));
    // Along the true motion: two small steps of Heun each way.
    const auto moved = [&](double h) {
      Vector k1(now.y.size()), k2(k1);
      system->rate(now, k1);
      State guess(t + h, now.y), out(t + h, now.y);
      axpy(h, k1, guess.y);
      system->rate(guess, k2);
      axpy(h / 2, k1, out.y);
      axpy(h / 2, k2, out.y);
      return balance.at(out)->carried;
    };
    const double change = (moved(delta) - moved(-delta)) / (2 * delta);
    const double power = system->energy_flow(now).supports;
    EXPECT_NEAR(balance.at(now)->rate + change, power, 1e-6 * (1 + std::abs(power)));
    EXPECT_GT(std::abs(power), 1e-2);
  }
}

TEST(SupportBalanceTest, DoesNotHoldWhereASupportStandsStill) {
  const auto system = swinging(reel(), false);
  EXPECT_FALSE(SupportBalance(*system).at(system->initial_state()));
}

/// A stiff damped link that turns by a large angle in a step and keeps its length: nothing is taken.
TEST(MeanDissipationTest, ALinkThatOnlyTurnsTakesNothing) {
  Particles p;
  p.position = {{0, 0, 0}, {1.3, 0, 0}};
  p.velocity.assign(2, {0, 0, 0});
  p.mass = {1, 1};
  p.pinned = {true, false};
  ParticleSystem system(p);
  system.add(
      std::make_unique<Springs>(std::vector<Spring>{{system.rank()[0], system.rank()[1], 1e6, 1.3, 1e3}}, 2));
  system.finish();
  const auto turned = [](double t, double length) {
    const double x[] = {length * std::cos(t), length * std::sin(t), 0};
    const double v[] = {-length * std::sin(t), length * std::cos(t), 0};
    return State(t, x, v);
  };
  EXPECT_NEAR(mean_dissipation(system, turned(0.2, 1.3), turned(0.9, 1.3)).at(0), 0, 1e-9);
  // As it also grows, by the mean rate: (l₁² − l₀²)/2h over the length of the mean arm, which is shorter.
  const double rate = (1.4 * 1.4 - 1.3 * 1.3) / (2 * 0.1),
               arm = std::sqrt(1.3 * 1.3 + 1.4 * 1.4 + 2 * 1.3 * 1.4 * std::cos(0.1)) / 2;
  EXPECT_NEAR(mean_dissipation(system, turned(0.2, 1.3), turned(0.3, 1.4)).at(0),
              1e3 * rate * rate / (arm * arm), 1e-6);
}

}  // namespace
}  // namespace stiffly
