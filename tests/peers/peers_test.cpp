// Every peer that was built, on problems with known answers and on broken ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "integrators/problems.hpp"
#include "peers/registry.hpp"
#include "stiffly/control/simulation.hpp"
#include "stiffly/scene/chain.hpp"
#include "stiffly/system/linear_oscillator.hpp"

namespace stiffly {

// How a parameter is shown.
void PrintTo(const PeerInfo& peer, std::ostream* out) { *out << peer.name; }

namespace {

using Moments = std::vector<double>;

/// ‖a − b‖/‖b − start‖
double relative_distance(const State& a, const State& b, const State& start) {
  Vector error(a.y), motion(b.y);
  axpy(-1.0, b.y, error);
  axpy(-1.0, start.y, motion);
  return norm(error) / norm(motion);
}

/// Of our own dopri5, tight enough to be exact here.
State reference(const SecondOrderSystem& system, const State& start, double duration) {
  State state = start;
  const auto method = make_integrator("dopri5");
  simulate(system, *method, state, {.duration = duration, .tolerance = 1e-12});
  return state;
}

/// An oscillator whose force goes wrong at t = ½.
class Broken final : public SecondOrderSystem {
 public:
  explicit Broken(bool throws) : throws_(throws) {}
  std::size_t unknowns() const override { return 1; }
  const MassMatrix& mass() const override { return sound_->mass(); }
  double potential_energy(double t, ConstVectorView x) const override {
    return sound_->potential_energy(t, x);
  }

 protected:
  void do_force(double t, ConstVectorView x, ConstVectorView v, VectorView f) const override {
    sound_->force(t, x, v, f);
    if (t < 0.5) return;
    if (throws_) throw SimulationError("the spring is broken");
    fill(std::numeric_limits<double>::quiet_NaN(), f);
  }
  void do_tangent(double t, ConstVectorView x, ConstVectorView v, Tangent& out) const override {
    sound_->tangent(t, x, v, out);
  }

 private:
  bool throws_;
  std::unique_ptr<SecondOrderSystem> sound_ = wave().system;
};

class EveryPeer : public testing::TestWithParam<PeerInfo> {
 protected:
  bool is(std::initializer_list<const char*> names) const {
    return std::any_of(names.begin(), names.end(), [&](const char* name) { return GetParam().name == name; });
  }
  bool by_tolerance() const { return GetParam().knob == Knob::tolerance; }
  /// LU of matrices with M⁻¹K: only where M is diagonal.
  bool needs_diagonal_mass() const { return is({"cvode-bdf", "arkode-dirk"}); }
  bool factorises() const {
    return is({"cvode-bdf", "arkode-dirk", "petsc-alpha2", "petsc-bdf", "petsc-rosw"});
  }
  /// For failures and counts, where accuracy does not matter.
  double coarse() const { return by_tolerance() ? 1e-4 : 1e-3; }
  /// At which a relative error of 1e-6 can be expected. The second-order methods of PETSc differ: the
  /// estimate of generalised-α is one of first order, far on the safe side; that of BDF is not.
  double tight() const {
    if (is({"odeint-rk4"})) return 1e-4;
    if (is({"odeint-verlet"})) return 2e-6;
    return is({"petsc-alpha2"}) ? 1e-8 : is({"petsc-bdf"}) ? 1e-11 : 1e-10;
  }

  std::unique_ptr<Candidate> peer_ = make_peer(GetParam().name);
};

INSTANTIATE_TEST_SUITE_P(All, EveryPeer, testing::ValuesIn(peers().begin(), peers().end()),
                         [](const auto& peer) {
                           std::string name = peer.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Peers, UnknownNamesGetTheNearestOne) {
  if (peers().empty()) GTEST_SKIP() << "none was built";
  const std::string name = peers().front().name;
  try {
    make_peer(name + "x");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean '" + name + "'"), std::string::npos)
        << error.what();
  }
}

TEST_P(EveryPeer, SaysWhatItIs) {
  EXPECT_EQ(peer_->name(), GetParam().name);
  EXPECT_EQ(peer_->knob(), GetParam().knob);
  EXPECT_FALSE(GetParam().library.empty());
  EXPECT_FALSE(GetParam().version.empty());
  EXPECT_FALSE(GetParam().summary.empty());
}

TEST_P(EveryPeer, ErrorsFallWithTheSetting) {
  const TestEquation problem = damped_spring();
  const Moments moments = {0.31, 0.77, 1.5, 2.0};
  const std::vector<double> settings =
      by_tolerance() ? std::vector{1e-4, 1e-6, 1e-8} : std::vector{2e-3, 1e-3, 5e-4};
  std::vector<double> errors;
  for (const double setting : settings) {
    const Trajectory run = peer_->run(*problem.system, problem.start, moments, setting);
    ASSERT_EQ(run.failure, "");
    ASSERT_EQ(run.states.size(), moments.size());
    double largest = 0;
    for (std::size_t i = 0; i < moments.size(); ++i) {
      EXPECT_EQ(run.states[i].time, moments[i]);
      const Eigen::VectorXd exact = problem.exact(moments[i]);
      largest = std::max({largest, std::abs(host(run.states[i].y)[0] - exact(0)) / 0.2,
                          std::abs(host(run.states[i].y)[1] - exact(1)) / 5});
    }
    errors.push_back(largest);
  }
  if (by_tolerance()) {
    EXPECT_LT(errors[1], 0.2 * errors[0]);
    EXPECT_LT(errors[2], 0.2 * errors[1]);
    EXPECT_LT(errors[2], is({"petsc-bdf"}) ? 2e-5 : 1e-6);
  } else {
    // odeint's Verlet takes old velocities for dampers, which costs an order.
    const double order = is({"odeint-verlet"}) ? 1 : 4;
    EXPECT_NEAR(test::slope(settings, errors, 1e-12), order, 0.1);
  }
}

TEST_P(EveryPeer, AgreesWithOursOnALargeMotion) {
  const auto chain = make_chain_system({.particles = 6, .stiffness = 1e3, .bending = 0.1});
  const State start = chain->initial_state();
  const State exact = reference(*chain, start, 0.3);
  const Trajectory run = peer_->run(*chain, start, Moments{0.1, 0.3}, tight());
  ASSERT_EQ(run.failure, "");
  EXPECT_LT(relative_distance(run.states[1], exact, start), 1e-6);
  EXPECT_LT(run.max_energy_drift, 1e-6 * chain->kinetic_energy(exact.v()));
}

TEST_P(EveryPeer, AgreesWithOursUnderATimeDependentForce) {
  for (const auto mass : {test::DrivenChain::Mass::diagonal, test::DrivenChain::Mass::consistent}) {
    const test::DrivenChain system(mass);
    const State start = system.initial_state();
    const Trajectory run = peer_->run(system, start, Moments{0.5}, tight());
    if (is({"petsc-rosw"})) {
      EXPECT_NE(run.failure.find("do not depend on time"), std::string::npos) << run.failure;
    } else if (needs_diagonal_mass() && mass == test::DrivenChain::Mass::consistent) {
      EXPECT_NE(run.failure.find("diagonal mass"), std::string::npos) << run.failure;
    } else {
      ASSERT_EQ(run.failure, "");
      EXPECT_LT(relative_distance(run.states[0], reference(system, start, 0.5), start),
                is({"odeint-verlet"}) ? 1e-5 : 1e-6);  // forces depend on velocities
    }
  }
}

TEST_P(EveryPeer, DoesNotStepForTheMoments) {
  const auto chain = make_chain_system({.particles = 4, .stiffness = 1e3});
  const State start = chain->initial_state();
  Moments many;
  for (int i = 1; i <= 100; ++i) many.push_back(0.1 * i / 100);
  const Trajectory often = peer_->run(*chain, start, many, coarse());
  const Trajectory once = peer_->run(*chain, start, Moments{many.back()}, coarse());
  ASSERT_EQ(often.failure, "");
  EXPECT_EQ(often.steps, once.steps);
  EXPECT_EQ(test::distance(often.states.back(), once.states.back()), 0.0);
  // What is interpolated is as good as what is stepped to.
  const State exact = reference(*chain, start, many[49]);
  EXPECT_LT(relative_distance(often.states[49], exact, start), 0.05);
}

TEST_P(EveryPeer, CountsItsWork) {
  const auto chain = make_chain_system({.particles = 4, .stiffness = 1e3});
  const State start = chain->initial_state();
  const Trajectory run = peer_->run(*chain, start, Moments{0.05}, coarse());
  ASSERT_EQ(run.failure, "");
  EXPECT_GT(run.steps, 0);
  EXPECT_GE(run.rejected_steps, 0);
  EXPECT_GT(run.seconds, 0);
  EXPECT_DOUBLE_EQ(run.simulated_seconds, 0.05);
  EXPECT_GE(run.work.force, run.steps);
  EXPECT_EQ(run.work.factorization > 0, factorises());
  EXPECT_EQ(run.work.solve > 0, factorises());
  EXPECT_EQ(run.work.product > 0, is({"cvode-bdf-gmres"}));
  EXPECT_EQ(run.work.tangent > 0, factorises() || is({"cvode-bdf-gmres"}));
  EXPECT_EQ(run.work.inner > 0, is({"cvode-bdf-gmres", "cvode-adams"}));
}

TEST_P(EveryPeer, ABodyAtRestStays) {
  const auto chain = make_chain_system({.particles = 4, .spacing = 0.0625, .gravity = {0, 0, 0}});
  const State start = chain->initial_state();
  const Trajectory run = peer_->run(*chain, start, Moments{1e-3}, coarse());
  ASSERT_EQ(run.failure, "");
  EXPECT_LT(test::distance(run.states[0], start), 1e-12);
  EXPECT_LT(run.steps, 100);  // round-off is not taken for motion
}

TEST_P(EveryPeer, FailuresAreInTheResult) {
  const State start = wave().start;
  const Moments moments = {0.25, 1.0};
  const Trajectory thrown = peer_->run(Broken(true), start, moments, coarse());
  EXPECT_EQ(thrown.failure, "the spring is broken");
  const Trajectory not_finite = peer_->run(Broken(false), start, moments, coarse());
  EXPECT_NE(not_finite.failure, "");
  for (const Trajectory& run : {thrown, not_finite}) {
    EXPECT_FALSE(run.out_of_time);
    ASSERT_EQ(run.states.size(), 1u);
    EXPECT_EQ(run.states[0].time, 0.25);
  }
  EXPECT_NE(peer_->run(*wave().system, start, moments, 0.0).failure, "");
  EXPECT_NE(peer_->run(*wave().system, start, Moments{1.0, 0.5}, coarse()).failure, "");
  EXPECT_EQ(peer_->run(*wave().system, start, moments, coarse()).failure,
            "");  // it still works after all that
}

TEST_P(EveryPeer, StopsAtTheTimeLimit) {
  const auto chain = make_chain_system();
  const Trajectory run =
      peer_->run(*chain, chain->initial_state(), Moments{1e3}, by_tolerance() ? 1e-6 : 1e-5, 0.1);
  EXPECT_TRUE(run.out_of_time);
  EXPECT_NE(run.failure, "");
  EXPECT_TRUE(run.states.empty());
  EXPECT_GE(run.seconds, 0.1);
  EXPECT_LT(run.seconds, 2);
}

}  // namespace
}  // namespace stiffly
