// The method that is chosen by trying.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "stiffly/control/automatic_stepper.hpp"
#include "stiffly/control/methods.hpp"
#include "stiffly/control/simulation.hpp"
#include "stiffly/effort.hpp"
#include "stiffly/error.hpp"
#include "stiffly/integrators/registry.hpp"
#include "stiffly/scene/chain.hpp"
#include "stiffly/scene/spring_system.hpp"
#include "stiffly/system/linear_oscillator.hpp"

namespace stiffly::test {
namespace {

TEST(Automatic, TakesTheFasterOne) {
  const auto chain = make_chain_system();
  const Decision choice = advise(*chain, chain->initial_state(), {.duration = 0.5, .tolerance = 1e-4},
                                 {.candidates = {"forward-euler", "dopri5"}});
  EXPECT_EQ(choice.integrator, "dopri5") << "first order at 1e-4 takes thousands of times as many steps";
  ASSERT_EQ(choice.trials.size(), 2u);
  EXPECT_EQ(choice.trials[0].integrator, "dopri5");
  EXPECT_LT(choice.trials[0].cost, choice.trials[1].cost);
  EXPECT_EQ(choice.reason.rfind("dopri5: ", 0), 0u) << choice.reason;
}

TEST(Automatic, AtAGivenStepTakesTheMostAccurateOne) {
  const auto chain = make_chain_system({.particles = 6});
  const Decision choice = advise(*chain, chain->initial_state(), {.duration = 0.1, .step = 1e-5},
                                 {.candidates = {"symplectic-euler", "rk4", "verlet"}});
  EXPECT_EQ(choice.integrator, "rk4");
}

TEST(Automatic, ARunKeepsItsTolerance) {
  const auto chain = make_chain_system();
  const SimulationOptions options{.duration = 0.3, .tolerance = 1e-3};
  State reference = chain->initial_state(), state = reference;
  const Vector start(state.x());
  simulate(*chain, *make_integrator("dopri5"), reference, {.duration = 0.3, .tolerance = 1e-9});
  AutomaticStepper stepper(*chain, state, options.plan(), {});
  simulate(stepper, state, options);
  state = stepper.state();
  EXPECT_FALSE(stepper.decisions().empty());
  Vector error(state.x()), moved(reference.x());
  axpy(-1.0, reference.x(), error);
  axpy(-1.0, start, moved);
  EXPECT_LT(norm(error), 0.01 * norm(moved)) << stepper.decisions().front().reason;
}

/// Nothing moves but by rounding, so that every error is large by that motion.
TEST(Automatic, ABodyAtRestStaysThere) {
  Particles p;
  p.position = {{0.1, 0.2, 0.3}, {1.117, 0.27, 0.31}, {1.317, 0.97, 0.11}, {0.4, 0.7, 1.9}};
  p.velocity.assign(4, {0, 0, 0});
  p.mass = {1, 0.9, 1.3, 0.7};
  p.pinned = {true, false, false, false};
  std::vector<Spring> springs;
  for (int i = 0; i < 4; ++i)
    for (int j = i + 1; j < 4; ++j) {
      const auto &a = p.position[static_cast<std::size_t>(i)], &b = p.position[static_cast<std::size_t>(j)];
      // All but exactly as long as the springs are.
      springs.push_back({i, j, 1e7, std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) * (1 + 1e-16)});
    }
  const auto system = make_spring_system(p, springs, {0, 0, 0});
  const State start = system->initial_state();
  for (const SimulationOptions& options : {SimulationOptions{.duration = 1.3, .tolerance = 1e-3},
                                           SimulationOptions{.duration = 1.3, .step = 0.013}}) {
    AutomaticStepper stepper(*system, start, options.plan(), {});
    simulate(stepper, start, options);
    EXPECT_EQ(stepper.state().time, 1.3);
    Vector moved(stepper.state().x());
    axpy(-1.0, start.x(), moved);
    EXPECT_LT(norm(moved), 1e-9);
  }
}

/// Forces that suddenly take long, by the clock of a choice: a planted change of the regime.
class Tiring final : public SecondOrderSystem {
 public:
  explicit Tiring(double from, double tangent = 0, TestEquation inner = wave())
      : from_(from), tangent_(tangent), inner_(std::move(inner)) {}
  std::size_t unknowns() const override { return inner_.system->unknowns(); }
  const MassMatrix& mass() const override { return inner_.system->mass(); }
  double potential_energy(double t, ConstVectorView x) const override {
    return inner_.system->potential_energy(t, x);
  }
  bool passive() const override { return !conservative(); }  // otherwise costs decide, not the energy
  const State& start() const { return inner_.start; }
  bool conservative() const override { return inner_.system->conservative(); }

 protected:
  void do_force(double t, ConstVectorView x, ConstVectorView v, VectorView f) const override {
    add_effort(t < from_ ? 50e-6 : 2e-3);
    inner_.system->force(t, x, v, f);
  }
  void do_tangent(double t, ConstVectorView x, ConstVectorView v, Tangent& out) const override {
    add_effort(tangent_);
    inner_.system->tangent(t, x, v, out);
  }

 private:
  double from_, tangent_;
  TestEquation inner_;
};

/// Of a whole run.
std::vector<Decision> decisions_of(const Tiring& system, const SimulationOptions& options,
                                   const std::vector<std::string>& candidates) {
  AutomaticStepper stepper(system, system.start(), options.plan(), {.candidates = candidates});
  simulate(stepper, system.start(), options);
  return {stepper.decisions().begin(), stepper.decisions().end()};
}

TEST(Automatic, DecidesAgainWhenTheCostChanges) {
  const Tiring system(300);
  const std::vector<Decision> decisions =
      decisions_of(system, {.duration = 330, .tolerance = 1e-4}, {"dopri5", "rk4"});
  ASSERT_GE(decisions.size(), 2u);
  EXPECT_EQ(decisions.front().time, 0);
  EXPECT_GT(decisions.back().time, 300);
}

TEST(Automatic, DoesNotTryTheLikesOfAHopelessOne) {
  const Tiring system(1e9, 0.1);
  const Decision choice = advise(system, system.start(), {.duration = 100, .tolerance = 1e-4},
                                 {.candidates = {"dopri5", "tr-bdf2", "bdf2", "rk4"}});
  EXPECT_EQ(choice.integrator, "dopri5");
  for (const TrialResult& t : choice.trials) {
    const bool tried = t.failure.find("of the same kind") == std::string::npos;
    EXPECT_EQ(tried, t.integrator != "bdf2") << t.integrator << ": " << t.failure;
  }
}

/// One step is all that the time allows, and it is far too long: what it says about the next one counts.
TEST(Automatic, ARejectedStepTellsTheCostOfTheNextOne) {
  const Tiring system(1e9, 0.1);
  const StepPlan plan{.duration = 100, .tolerance = 1e-4};
  RunSoFar run(system, system.start(), plan);
  run.scale.first_step(plan.tolerance, plan.duration);
  Trial trial(system, make_integrator("ros3pl"), run, plan, 0.2);
  trial.go_on({.usual = 0.05, .while_open = 0.05, .step = 1, .long_step = 1}, 1);
  const TrialResult brief = trial.result();
  EXPECT_EQ(brief.failure, "");
  EXPECT_LT(brief.step, 0.15);
  EXPECT_NEAR(brief.cost * brief.step, 0.1, 0.01);
  trial.go_on({.usual = 10, .while_open = 10, .step = 1, .long_step = 1}, 1000);
  EXPECT_GT(trial.result().cost, brief.cost / 3);
  EXPECT_LT(trial.result().cost, brief.cost * 3);
}

/// A slow oscillator beside a very fast one, where a tangent takes so many seconds.
Tiring slow_beside_fast(double tangent) {
  const Eigen::MatrixXd stiffness = Eigen::Vector2d(0.01, 1e10).asDiagonal();
  return Tiring(0, tangent,
                {"two",
                 std::make_unique<LinearOscillator>(Eigen::MatrixXd::Identity(2, 2), stiffness,
                                                    Eigen::MatrixXd::Zero(2, 2)),
                 State(0, std::array{1.0, 0.0}, std::array{0.0, 0.0}),
                 100,
                 {}});
}

TEST(Automatic, TriesAgainWhatTookTooLong) {
  const Tiring system = slow_beside_fast(3);
  const std::vector<Decision> decisions =
      decisions_of(system, {.duration = 100, .tolerance = 1e-2}, {"dopri5", "ros3pl"});
  ASSERT_GE(decisions.size(), 2u);
  EXPECT_EQ(decisions.front().integrator, "dopri5");
  const TrialResult& given_up = decisions.front().trials.back();
  EXPECT_NE(given_up.failure.find("longer than a trial may"), std::string::npos) << given_up.failure;
  EXPECT_EQ(decisions.back().integrator, "ros3pl");
}

TEST(Automatic, DoesNotTryWhatCostsMoreThanAStepThatTakesLong) {
  const Tiring system = slow_beside_fast(1);
  const Decision choice = advise(system, system.start(), {.duration = 100, .tolerance = 1e-2},
                                 {.candidates = {"dopri5", "ros3pl", "tr-bdf2"}});
  EXPECT_EQ(choice.integrator, "ros3pl");
  const auto left = std::ranges::find(choice.trials, "tr-bdf2", &TrialResult::integrator);
  ASSERT_NE(left, choice.trials.end());
  EXPECT_EQ(left->failure.rfind("a step of ros3pl, which is of the same kind", 0), 0u) << left->failure;
}

/// A method that damps is trusted at first where its trial costs twice as much as the best, but not for long.
TEST(Automatic, TrustEnds) {
  const Tiring system(0, 0.02);
  const std::vector<Decision> decisions =
      decisions_of(system, {.duration = 300, .tolerance = 1e-2}, {"dopri5", "ros3pl"});
  ASSERT_GE(decisions.size(), 2u);
  EXPECT_EQ(decisions[0].integrator, "ros3pl");
  EXPECT_EQ(decisions[0].trials[1].integrator, "dopri5");
  EXPECT_LT(1.5 * decisions[0].trials[1].cost, decisions[0].trials[0].cost);
  EXPECT_EQ(decisions[1].integrator, "dopri5");
  EXPECT_LT(decisions[1].time, 30);
}

/// A slow oscillator, and a fast one whose trace an explicit method that is not stable at any step amplifies
/// for as long as the trial lasts and beyond before anything is to be seen. A trace of damping that nobody
/// accounts for: a system that keeps its energy, or has books, would not let it.
TEST(Automatic, LeavesAMethodThatMakesEnergy) {
  Eigen::MatrixXd stiffness = Eigen::MatrixXd::Zero(2, 2);
  stiffness.diagonal() << 1, 1e4;
  const Tiring system(0, 0.3,
                      {"two",
                       std::make_unique<LinearOscillator>(Eigen::MatrixXd::Identity(2, 2), stiffness,
                                                          1e-9 * Eigen::MatrixXd::Identity(2, 2)),
                       State(0, std::array{1.0, 1e-250}, std::array{0.0, 0.0}),
                       300,
                       {}});
  const State& start = system.start();
  const SimulationOptions options{.duration = 300, .tolerance = 0.1};
  AutomaticStepper method(system, start, options.plan(), {.candidates = {"explicit-midpoint", "pexprb43"}});
  simulate(method, start, options);
  ASSERT_GE(method.decisions().size(), 2u);
  EXPECT_EQ(method.decisions().front().integrator, "explicit-midpoint");
  EXPECT_EQ(method.decisions().back().integrator, "pexprb43");
  const auto& attempts = method.decisions().back().trials;
  const auto left = std::ranges::find(attempts, "explicit-midpoint", &TrialResult::integrator);
  ASSERT_NE(left, attempts.end());
  EXPECT_NE(left->failure.find("energy out of nothing"), std::string::npos) << left->failure;
}

/// Whichever it is: the first candidate's limit of stability is kept, too.
TEST(Automatic, AnExplicitMethodMakesTheStepsItMakesAlone) {
  const auto chain = make_chain_system();
  const SimulationOptions run{.duration = 0.1, .tolerance = 0.1};
  const State start = chain->initial_state();
  State alone = start;
  const SimulationSummary by_itself = simulate(*chain, *make_integrator("verlet"), alone, run);
  AutomaticStepper method(*chain, start, run.plan(), {.candidates = {"verlet"}});
  const SimulationSummary automatic = simulate(method, start, run);
  EXPECT_EQ(automatic.rejected_steps, by_itself.rejected_steps);
  EXPECT_NEAR(static_cast<double>(automatic.steps), static_cast<double>(by_itself.steps),
              0.05 * static_cast<double>(by_itself.steps));
}

/// Where every step is dear, those of the trial are the run's first ones: none is made twice.
TEST(Automatic, TakesOverTheStepsOfTheTrial) {
  const auto chain = make_chain_system({.particles = 6});
  const SimulationOptions run{.duration = 0.1, .tolerance = 1e-2};
  const State start = chain->initial_state();
  State alone = start;
  const Counters before = chain->counters();
  simulate(*chain, *make_integrator("ros3pl"), alone, run);
  const Counters of_one = chain->counters() - before;
  const Counters again = chain->counters();
  AutomaticStepper method(*chain, start, run.plan(), {.candidates = {"ros3pl"}});
  std::vector<double> times;
  simulate(method, start, run, [&](const State& state, const SimulationSummary&) {
    times.push_back(state.time);
    return true;
  });
  EXPECT_EQ(chain->counters() - again, of_one);
  EXPECT_EQ(to_host(method.state().y), to_host(alone.y));
  EXPECT_GT(times.size(), 5u);
  EXPECT_TRUE(std::ranges::is_sorted(times));
  EXPECT_EQ(method.decisions().size(), 1u);
  EXPECT_NEAR(method.decisions()[0].seconds, 0, 1e-9) << "nothing was wasted";
}

/// A checkpoint between two steps of a trial.
TEST(Automatic, GoesOnFromTheMiddleOfATrial) {
  const auto chain = make_chain_system({.particles = 6});
  const AutomaticOptions options{.candidates = {"ros3pl"}};
  const State start = chain->initial_state();
  std::vector<Checkpoint> saved;
  SimulationOptions run{.duration = 0.1, .tolerance = 1e-2};
  run.checkpoint_every = 0.003;
  run.checkpoint = [&](const Checkpoint& c) { saved.push_back(c); };
  AutomaticStepper method(*chain, start, run.plan(), options);
  simulate(method, start, run);
  ASSERT_GT(saved.size(), 3u);
  const Checkpoint first = saved.front();
  SimulationOptions on = run;
  on.resume = &first;
  AutomaticStepper again(*chain, start, run.plan(), options, first.state, first.stepper);
  simulate(again, start, on);
  EXPECT_EQ(to_host(again.state().y), to_host(method.state().y));
}

/// Tangents that never come back by themselves, but for the first, which tells an explicit method its limit.
class Stuck final : public SecondOrderSystem {
 public:
  std::size_t unknowns() const override { return 1; }
  const MassMatrix& mass() const override { return inner_.system->mass(); }
  double potential_energy(double t, ConstVectorView x) const override {
    return inner_.system->potential_energy(t, x);
  }
  const State& start() const { return inner_.start; }

 protected:
  void do_force(double t, ConstVectorView x, ConstVectorView v, VectorView f) const override {
    inner_.system->force(t, x, v, f);
  }
  void do_tangent(double t, ConstVectorView x, ConstVectorView v, Tangent& out) const override {
    inner_.system->tangent(t, x, v, out);
    while (asked_) {
      add_effort(1e-4);
      counters().look();
    }
    asked_ = true;
  }

 private:
  mutable bool asked_ = false;
  TestEquation inner_ = wave();
};

/// The clock of a choice is the work itself: nothing of it may depend on the machine's time.
TEST(Automatic, ChoosesTheSameEveryTime) {
  for (const double stiffness : {3e3, 7e6}) {
    const auto chain = make_chain_system({.particles = 9, .stiffness = stiffness});
    const auto choose = [&] {
      return advise(*chain, chain->initial_state(), {.duration = 0.7, .tolerance = 3e-3}, {});
    };
    const Decision first = choose();
    for (int i = 0; i < 3; ++i) {
      const Decision again = choose();
      ASSERT_EQ(again.trials.size(), first.trials.size());
      EXPECT_EQ(again.reason, first.reason);
      for (std::size_t k = 0; k < first.trials.size(); ++k) {
        EXPECT_EQ(again.trials[k].integrator, first.trials[k].integrator);
        const double cost = first.trials[k].cost;  // up to the rounding of a clock that has gone on
        EXPECT_TRUE(again.trials[k].cost == cost || std::abs(again.trials[k].cost - cost) < 1e-9 * cost)
            << first.trials[k].integrator;
      }
    }
  }
}

TEST(Automatic, APendulumIsAdvisedTheSameTwentyTimes) {
  Particles p;
  p.position = {{0, 0, 0}, {1.3 * std::sin(1.1), 0, -1.3 * std::cos(1.1)}};
  p.velocity.assign(2, {0, 0, 0});
  p.mass = {1, 0.9};
  p.pinned = {true, false};
  const auto system = make_spring_system(p, {{0, 1, 1e7, 1.3}}, {0, 0, -9.81});
  const auto advice = [&] {
    return advise(*system, system->initial_state(), {.duration = 5, .tolerance = 1e-2}, {}).reason;
  };
  const std::string first = advice();
  for (int i = 1; i < 20; ++i) EXPECT_EQ(advice(), first);
}

TEST(Automatic, AStepThatDoesNotEndIsGivenUp) {
  const Stuck system;
  const Decision choice = advise(system, system.start(), {.duration = 10, .tolerance = 1e-3},
                                 {.candidates = {"dopri5", "ros3pl"}});
  EXPECT_EQ(choice.integrator, "dopri5");
  EXPECT_NE(choice.trials.back().failure.find("longer than a trial may"), std::string::npos)
      << choice.trials.back().failure;
}

TEST(Automatic, SaysSoWhereNothingWorks) {
  const auto chain = make_chain_system();
  AutomaticStepper method(*chain, chain->initial_state(), {.duration = 100, .step = 10},
                          {.candidates = {"rk4", "verlet"}});
  try {
    method.advance();
    FAIL() << "a step of 10 s went well";
  } catch (const SimulationError& error) {
    EXPECT_NE(std::string(error.what()).find("none of the methods tried"), std::string::npos) << error.what();
  }
}

TEST(Automatic, UnknownCandidatesAreRefused) {
  const auto chain = make_chain_system({.particles = 3});
  const State start = chain->initial_state();
  const StepPlan plan{.duration = 1, .tolerance = 1e-3};
  EXPECT_THROW(AutomaticStepper(*chain, start, plan, {.candidates = {"exprb24"}}), InputError);
  EXPECT_THROW(make_stepper("exprb24", *chain, start, plan), InputError);
}

TEST(Automatic, GoesOnWithTheMethodItHad) {
  const auto chain = make_chain_system({.particles = 6});
  const AutomaticOptions options{.candidates = {"bdf2", "dopri5"}};
  const State start = chain->initial_state();
  std::vector<Checkpoint> saved;
  SimulationOptions run{.duration = 0.4, .tolerance = 1e-3};
  run.checkpoint_every = 0.15;
  run.checkpoint = [&](const Checkpoint& c) { saved.push_back(c); };
  AutomaticStepper method(*chain, start, run.plan(), options);
  simulate(method, start, run);
  ASSERT_FALSE(saved.empty());
  SimulationOptions on = run;
  on.checkpoint = [](const Checkpoint&) {};
  on.resume = &saved.back();
  AutomaticStepper again(*chain, start, run.plan(), options, saved.back().state, saved.back().stepper);
  simulate(again, start, on);
  EXPECT_EQ(again.traits().name, method.traits().name);
  if (method.decisions().size() == 1) {
    EXPECT_EQ(to_host(again.state().y), to_host(method.state().y));
  }
}

TEST(Automatic, DamagedMemoryIsRefused) {
  const auto chain = make_chain_system({.particles = 6});
  const State start = chain->initial_state();
  const StepPlan plan{.duration = 0.4, .tolerance = 1e-3};
  const AutomaticOptions options{.candidates = {"bdf2", "dopri5"}};
  AutomaticStepper method(*chain, start, plan, options);
  for (int i = 0; i < 3; ++i) method.advance();
  const StepperMemory good = method.save();
  const auto resume = [&](const StepperMemory& memory) {
    AutomaticStepper(*chain, start, plan, options, method.state(), memory);
  };
  EXPECT_NO_THROW(resume(good));
  for (const double choice : {-1.0, 2.0, 1e300, std::nan("")}) {
    StepperMemory damaged = good;
    damaged.control[0] = choice;
    EXPECT_THROW(resume(damaged), InputError) << choice;
  }
  for (std::size_t size = 0; size < good.control.size(); ++size) {
    StepperMemory damaged = good;
    damaged.control.resize(size);
    EXPECT_THROW(resume(damaged), InputError) << size << " numbers";
  }
  StepperMemory damaged = good;
  damaged.control.back() = std::nan("");
  EXPECT_THROW(resume(damaged), InputError);
}

}  // namespace
}  // namespace stiffly::test
