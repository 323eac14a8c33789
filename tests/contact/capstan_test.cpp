// A rope pulled over a drum: Euler's and Eytelwein's law.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "stiffly/contact/obstacle_repulsion.hpp"
#include "stiffly/control/methods.hpp"
#include "stiffly/forces/gravity.hpp"
#include "stiffly/forces/springs.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly {
namespace {

using Eigen::Vector3d;

/// At a steady speed, downwards.
class Haul final : public Motion {
 public:
  explicit Haul(double speed) : speed_(speed) {}
  void place(double t, std::span<const double> start, std::span<double> x,
             std::span<double> v) const override {
    for (std::size_t i = 0; i < start.size(); ++i) {
      v[i] = i % 3 == 2 ? -speed_ : 0;
      x[i] = start[i] + t * v[i];
    }
  }

 private:
  double speed_;
};

struct Tensions {
  double held = 0, hauled = 0;  ///< N, means over the last part of the run
};

/// A chain over half a drum, a load at one end; the other is hauled down at a speed far above v₀.
Tensions haul(double friction, ContactResponse response, const char* method) {
  constexpr int on_drum = 37, tail = 5, count = on_drum + 2 * tail;
  constexpr double drum = 0.1, radius = 0.001, stiffness = 3e4, load = 2.1, speed = 0.17, mass = 0.7e-3;
  const RepulsionLaw law{3e4, 0.0007};
  const double around = drum + radius + 0.8 * law.range;
  const double angle = std::numbers::pi / (on_drum - 1), link = 2 * around * std::sin(angle / 2);
  Particles p;
  for (int i = 0; i < count; ++i) {
    const int k = std::clamp(i - tail, 0, on_drum - 1),
              below = std::max({0, tail - i, i - tail - on_drum + 1});
    const double a = std::numbers::pi - k * angle;
    p.position.push_back({around * std::cos(a), 0, around * std::sin(a) - below * link});
    p.velocity.push_back({speed * std::sin(a), 0, -speed * std::cos(a)});
    p.mass.push_back(mass);
    p.pinned.push_back(i == count - 1);
  }
  ParticleSystem system(p);
  const int last = count - 1;
  system.prescribe(std::span(&last, 1), std::make_shared<Haul>(speed));
  std::vector<Spring> springs;
  for (int i = 0; i < last; ++i) springs.push_back({i, i + 1, stiffness, link - load / stiffness});
  std::vector<double> loads(p.size(), 0.0);
  loads[0] = load;
  system.add(std::make_unique<Springs>(springs, p.size()));
  system.add(std::make_unique<Gravity>(Vector3d(0, 0, -1), loads));
  system.add(std::make_unique<ObstacleRepulsion>(
      std::vector<Obstacle>{Obstacle(capsule({0, -1, 0}, {0, 1, 0}, drum))},
      std::vector<double>(p.size(), radius), law, FrictionLaw{friction, 1e-3}, response));
  system.finish();
  const double duration = 0.18;
  const auto stepper =
      make_stepper(method, system, system.initial_state(), {.duration = duration, .step = 0.0007});
  Tensions out;
  double seen = 0;
  while (!stepper->done()) {
    stepper->advance();
    if (stepper->state().time < duration / 2) continue;
    const auto x = system.positions(stepper->state());
    const auto tension = [&](std::size_t i) {
      return stiffness *
             ((Vector3d::Map(x[i].data()) - Vector3d::Map(x[i + 1].data())).norm() - springs[i].rest_length);
    };
    ++seen;
    out.held += tension(0);
    out.hauled += tension(static_cast<std::size_t>(last) - 1);
  }
  return {out.held / seen, out.hauled / seen};
}

// Over the angle φ, friction multiplies the pull by e^{μφ}.
TEST(Capstan, MultipliesThePull) {
  for (const double friction : {0.13, 0.41})
    for (const ContactResponse response : {ContactResponse::mixed, ContactResponse::repulsion}) {
      const Tensions t = haul(friction, response, "backward-euler");
      const double theory = std::exp(friction * std::numbers::pi);
      RecordProperty(std::to_string(friction), std::to_string(t.hauled / t.held / theory));
      EXPECT_NEAR(t.hauled / t.held, theory, 0.05 * theory) << friction;
      EXPECT_NEAR(t.held, 2.1, 0.02 * 2.1) << friction;
    }
}

}  // namespace
}  // namespace stiffly
