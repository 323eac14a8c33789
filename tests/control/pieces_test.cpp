// Unconnected bodies integrated each for itself, against all in one.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "random_vector.hpp"
#include "stiffly/control/methods.hpp"
#include "stiffly/control/piecewise_stepper.hpp"
#include "stiffly/control/simulation.hpp"
#include "stiffly/error.hpp"
#include "stiffly/forces/air_drag.hpp"
#include "stiffly/forces/corotational.hpp"
#include "stiffly/forces/girders.hpp"
#include "stiffly/forces/gravity.hpp"
#include "stiffly/forces/rayleigh_damping.hpp"
#include "stiffly/forces/springs.hpp"
#include "stiffly/forces/weighted_springs.hpp"
#include "stiffly/integrators/memory_reader.hpp"
#include "stiffly/threads.hpp"

namespace stiffly {
namespace {

/// Swings along x.
class Shake final : public Motion {
 public:
  void place(double t, std::span<const double> start, std::span<double> x,
             std::span<double> v) const override {
    for (std::size_t i = 0; i < start.size(); i += 3) {
      x[i] = start[i] + 0.03 * (1 - std::cos(3 * t));
      v[i] = 0.09 * std::sin(3 * t);
      for (std::size_t d = 1; d < 3; ++d) x[i + d] = start[i + d], v[i + d] = 0;
    }
  }
};

/// A chain of four particles on a support that shakes, a tetrahedron on two particles that stand still, and
/// two particles on a weighted spring in free fall. Particles of the bodies alternate.
std::unique_ptr<ParticleSystem> three_bodies() {
  Particles p;
  const auto add = [&](std::array<double, 3> x, double mass, bool pinned) {
    p.position.push_back(x);
    p.velocity.push_back({0, pinned ? 0 : 0.02 * mass, 0});
    p.mass.push_back(mass);
    p.pinned.push_back(pinned);
    return static_cast<int>(p.size()) - 1;
  };
  const int hook = add({0, 0, 0}, 1, true), corner = add({3, 0, 0}, 1, true);
  std::vector<int> chain = {hook}, drop;
  std::array<int, 4> block = {corner, 0, 0, 0};
  for (int i = 1; i <= 3; ++i) {
    chain.push_back(add({0.31 * i, 0, 0.02 * i}, 0.2, false));
    block[static_cast<std::size_t>(i)] =
        add({3.0 + (i == 1), i == 2 ? 1.1 : 0, i == 3 ? 0.9 : 0}, 0.7, false);
    if (i < 3) drop.push_back(add({7, 0.4 * i, 0}, 0.3, false));
  }
  auto system = std::make_unique<ParticleSystem>(p);
  const auto inner = [&](int i) { return system->rank()[static_cast<std::size_t>(i)]; };
  std::vector<Spring> links;
  for (std::size_t i = 0; i + 1 < chain.size(); ++i)
    links.push_back({inner(chain[i]), inner(chain[i + 1]), 900, 0.31, 0.2});
  system->add(std::make_unique<Springs>(links, p.size()));
  std::vector<Point> rest;
  for (const int i : system->order()) rest.push_back(p.position[static_cast<std::size_t>(i)]);
  std::array<int, 4> corners;
  for (std::size_t i = 0; i < 4; ++i) corners[i] = inner(block[i]);
  system->add(std::make_unique<CorotationalTetrahedra>(
      std::vector<Tetrahedron>{corners}, rest, std::vector<Corotational>{{Lame::from_young(300, 0.3)}}));
  system->add(std::make_unique<WeightedSprings>(
      std::vector<WeightedSpring>{{{{inner(drop[0])}, {1.0}}, {{inner(drop[1])}, {1.0}}, {40, 0.3, 0, {}}}},
      p.size()));
  std::vector<Force*> elastic;
  for (const auto& force : system->forces()) elastic.push_back(force.get());
  std::vector<double> x;
  for (const Point& point : rest) x.insert(x.end(), point.begin(), point.end());
  system->add(
      std::make_unique<RayleighDamping>(0.1, 1e-3, system->mass(), stiffness_of_all_particles(elastic, x)));
  const std::vector<double> masses(system->masses().begin(), system->masses().end());
  system->add(std::make_unique<Gravity>(Eigen::Vector3d(0, 0.1, -9.81), masses));
  system->add(std::make_unique<AirDrag>(masses, Eigen::Vector3d(0.4, 0, 0)));
  system->prescribe(std::vector<int>{hook}, std::make_shared<Shake>());
  system->finish();
  return system;
}

double distance(const State& a, const State& b) {
  double out = 0;
  for (std::size_t i = 0; i < a.unknowns(); ++i)
    out = std::max(out, std::abs(a.x().data()[i] - b.x().data()[i]));
  return out;
}

TEST(Pieces, AreThoseThatNothingConnects) {
  const auto system = three_bodies();
  const std::vector<Piece> pieces = pieces_of(*system);
  ASSERT_EQ(pieces.size(), 3u);
  std::size_t free = 0;
  for (const Piece& piece : pieces) free += piece.particles.size();
  EXPECT_EQ(free, system->free_particles());
  EXPECT_EQ(pieces[0].system->particles(), 4u) << "its support belongs to the chain, and to nobody else";
  EXPECT_EQ(pieces[2].system->particles(), 2u);
  EXPECT_EQ(pieces[1].system->describe(4), "particle 6 (y)") << "it is called as in the whole";
}

TEST(Pieces, HaveTheForcesOfTheWhole) {
  const auto system = three_bodies();
  const std::vector<Piece> pieces = pieces_of(*system);
  for (const double t : {0.0, 0.7}) {
    const State state(t, random_vector(2 * system->unknowns(), 3));
    Vector f(system->unknowns());
    system->force(t, state.x(), state.v(), f);
    State whole = state, joined = state;
    std::copy_n(f.data(), f.size(), whole.y.data());
    double energy = 0;
    for (const Piece& piece : pieces) {
      State part = piece.part_of(state);
      energy += piece.system->energy(part);
      Vector own(part.unknowns());
      piece.system->force(t, part.x(), part.v(), own);
      std::copy_n(own.data(), own.size(), part.y.data());
      piece.put(part, joined);
    }
    EXPECT_NEAR(energy, system->energy(state), 1e-12 * energy);
    EXPECT_LT(distance(joined, whole), 1e-12);
    EXPECT_GT(norm(f), 1);
  }
}

struct Ending {
  State state;
  SimulationSummary summary;
};

Ending run_apart(const std::string& method, const StepPlan& plan, double meet_every,
                 const IntegratorOptions& options = {}) {
  const auto system = three_bodies();
  const State start = system->initial_state();
  PiecewiseStepper stepper(*system, pieces_of(*system), method, start, plan, meet_every, options);
  Ending run;
  run.summary = simulate(stepper, start, {plan.duration, plan.step, plan.tolerance});
  run.state = stepper.state();
  return run;
}

State run_joint(const std::string& method, const StepPlan& plan, const IntegratorOptions& options = {}) {
  const auto system = three_bodies();
  const State start = system->initial_state();
  const auto stepper = make_stepper(method, *system, start, plan, options);
  while (!stepper->done()) stepper->advance();
  return stepper->state();
}

class PiecesBy : public testing::TestWithParam<std::string> {};

// Up to the tolerances within a step, which the pieces hold each for itself.
TEST_P(PiecesBy, WithGivenStepsAreTheJointRun) {
  IntegratorOptions exact;
  exact.phi_tolerance = 1e-11;
  exact.newton_tolerance = 1e-13;
  const StepPlan plan{.duration = 0.91, .step = 0.007};
  const Ending apart = run_apart(GetParam(), plan, 0.05, exact);
  EXPECT_EQ(apart.state.time, 0.91);
  EXPECT_EQ(apart.summary.steps, 3 * 130);
  EXPECT_GT(apart.summary.counters.force, 0);
  EXPECT_LT(distance(apart.state, run_joint(GetParam(), plan, exact)), 1e-7);
}

// What the chain needs, the others need not.
TEST_P(PiecesBy, UnderAToleranceAreTheJointRunToIt) {
  const StepPlan plan{.duration = 0.93, .tolerance = 1e-4};
  const Ending apart = run_apart(GetParam(), plan, 0.05);
  EXPECT_EQ(apart.state.time, 0.93);
  const State fine = run_joint("dopri5", {.duration = 0.93, .tolerance = 1e-9});
  EXPECT_LT(distance(apart.state, fine), 5e-4 * 4) << "of a motion of 4 m";
  EXPECT_LT(distance(run_joint(GetParam(), plan), fine), 5e-4 * 4);
}

TEST_P(PiecesBy, AreTheSameForAnyNumberOfThreads) {
  const int threads = thread_count();
  const StepPlan plan{.duration = 0.5, .tolerance = 1e-3};
  set_thread_count(1);
  const Ending one = run_apart(GetParam(), plan, 0.09);
  set_thread_count(3);
  const Ending three = run_apart(GetParam(), plan, 0.09);
  set_thread_count(threads);
  EXPECT_EQ(to_host(one.state.y), to_host(three.state.y));
  EXPECT_EQ(one.summary.counters, three.summary.counters);
}

// A stepper that is made again at every meeting goes the same way, to the tolerance.
TEST_P(PiecesBy, MayBeParked) {
  const auto system = three_bodies();
  const State start = system->initial_state();
  for (const double tolerance : {0.0, 1e-5}) {
    const StepPlan plan{.duration = 0.6, .step = 0.002, .tolerance = tolerance};
    PiecewiseStepper awake(*system, pieces_of(*system), GetParam(), start, plan, 0.1),
        parked(*system, pieces_of(*system), GetParam(), start, plan, 0.1, {}, nullptr,
               PiecewiseStepper::Parking::always);
    long steps = 0, parked_steps = 0;
    while (!awake.done()) steps += awake.advance().steps;
    while (!parked.done()) parked_steps += parked.advance().steps;
    EXPECT_EQ(parked.state().time, awake.state().time);
    EXPECT_LT(distance(parked.state(), awake.state()), tolerance > 0 ? 3e-4 : 1e-6);
    if (tolerance == 0) {
      EXPECT_EQ(parked_steps, steps);
    }
  }
}

TEST_P(PiecesBy, GoOnFromACheckpointBitForBit) {
  const auto system = three_bodies();
  const State start = system->initial_state();
  using enum PiecewiseStepper::Parking;
  for (const auto& [tolerance, parking] :
       {std::pair(0.0, auto_), std::pair(1e-3, auto_), std::pair(1e-3, always)}) {
    std::vector<Checkpoint> saved;
    SimulationOptions options{0.6, 0.007, tolerance};
    options.checkpoint_every = 0.15;
    options.checkpoint = [&](const Checkpoint& now) { saved.push_back(now); };
    PiecewiseStepper whole(*system, pieces_of(*system), GetParam(), start, options.plan(), 0.02, {}, nullptr,
                           parking);
    simulate(whole, start, options);
    ASSERT_GE(saved.size(), 2u);
    const Checkpoint from = saved[1];
    options.resume = &from;
    PiecewiseStepper resumed(*system, pieces_of(*system), GetParam(), start, options.plan(), 0.02, {}, &from,
                             parking);
    simulate(resumed, start, options);
    EXPECT_EQ(to_host(resumed.state().y), to_host(whole.state().y)) << tolerance;

    Checkpoint cut = from;
    cut.stepper.method.numbers.pop_back();
    EXPECT_THROW(
        PiecewiseStepper(*system, pieces_of(*system), GetParam(), start, options.plan(), 0.02, {}, &cut),
        DamagedMemory);
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, PiecesBy,
                         testing::Values("exprb42", "ros3pl", "tr-bdf2", "bdf2", "energy-momentum", "dopri5",
                                         "verlet"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase(name, '-');
                           return name;
                         });

// Between meetings states are where the joint run is.
TEST(Pieces, AreKnownBetweenMeetings) {
  const auto system = three_bodies();
  const State start = system->initial_state();
  const StepPlan plan{.duration = 0.7, .tolerance = 1e-6};
  PiecewiseStepper stepper(*system, pieces_of(*system), "dopri5", start, plan, 0.2);
  for (double time = 0.11; !stepper.done(); time += 0.2) {
    stepper.advance();
    if (time > stepper.state().time) break;
    const std::vector<State> there = stepper.within(std::vector<double>{time - 0.04, time});
    EXPECT_EQ(there[1].time, time);
    EXPECT_LT(distance(there[1], run_joint("dopri5", {.duration = time, .tolerance = 1e-9})), 1e-4) << time;
  }
}

TEST(Pieces, SayWhichForceCannotBeDivided) {
  Particles p;
  for (int i = 0; i < 4; ++i) p.position.push_back({1.0 * i, 0, 0});
  p.velocity.resize(4), p.mass.assign(4, 1), p.pinned.resize(4);
  ParticleSystem system(p);
  system.add(std::make_unique<Girders>(std::vector<Girder>{{0, 1, 9, 1}, {2, 3, 9, 1}}, p.position));
  system.finish();
  try {
    pieces_of(system);
    FAIL() << "it was divided";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("\"girders\""), std::string::npos) << error.what();
  }
}

// A blow-up names the particle, and the state is that of the last meeting.
TEST(Pieces, SayWhoBlewUp) {
  const auto system = three_bodies();
  const State start = system->initial_state();
  PiecewiseStepper stepper(*system, pieces_of(*system), "verlet", start, {.duration = 5, .step = 0.07}, 0.14);
  try {
    while (!stepper.done()) stepper.advance();
    FAIL() << "steps beyond the limit of stability are stable";
  } catch (const BlowUp& error) {
    EXPECT_EQ(error.state.time, stepper.state().time);
    EXPECT_NE(std::string(error.what()).find("particle "), std::string::npos) << error.what();
  }
}

TEST(Pieces, TheTimeOfTheWholeIsTheirs) {
  const auto system = three_bodies();
  const State start = system->initial_state();
  PiecewiseStepper stepper(*system, pieces_of(*system), "verlet", start, {.duration = 5, .step = 1e-4}, 5);
  std::atomic<int> looks = 0;  // a clock that runs only when it is looked at
  const TimeLimit limit(system->counters(), 37, [&] { return static_cast<double>(looks++); });
  EXPECT_THROW(stepper.advance(), OutOfTime);
  EXPECT_LT(looks, 100);
}

TEST(Pieces, ChoicesSayHowManyOfThemGoOnWithWhat) {
  const auto system = three_bodies();
  const State start = system->initial_state();
  const StepPlan plan{.duration = 0.3, .tolerance = 1e-3};
  for (const auto parking : {PiecewiseStepper::Parking::auto_, PiecewiseStepper::Parking::always}) {
    PiecewiseStepper stepper(*system, pieces_of(*system), "auto", start, plan, 0.07, {}, nullptr, parking);
    EXPECT_TRUE(stepper.decisions().empty());
    while (!stepper.done()) stepper.advance();
    ASSERT_FALSE(stepper.decisions().empty());
    const std::string& reason = stepper.decisions().front().reason;
    EXPECT_NE(reason.find("of 3 pieces with " + stepper.decisions().front().integrator), std::string::npos)
        << reason;
  }
}

}  // namespace
}  // namespace stiffly
