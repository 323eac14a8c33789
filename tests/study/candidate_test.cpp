#include "stiffly/study/candidate.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "stiffly/control/simulation.hpp"
#include "stiffly/error.hpp"
#include "stiffly/study/reference.hpp"
#include "study_scenes.hpp"

namespace stiffly::test {

using namespace study;
namespace {

double distance(const State& a, const State& b) {
  Vector d = a.y;
  axpy(-1.0, b.y, d);
  return norm(d);
}

TEST(Candidate, MomentsDoNotChangeTheRun) {
  for (const char* name : {"exprb42", "verlet", "bdf2", "gautschi"}) {
    const Scene s = mild_fput();
    State end = s.body.start;
    const auto method = make_integrator(name);
    const SimulationSummary plain = simulate(s.system(), *method, end, {.duration = 1, .step = 0.02});
    const Trajectory run = make_candidate(name, Knob::step)
                               ->run(s.system(), s.body.start, even_moments(s.body.start, 1, 7), 0.02);
    EXPECT_EQ(run.failure, "") << name;
    ASSERT_EQ(run.states.size(), 7u) << name;
    EXPECT_EQ(run.steps, plain.steps) << name;
    EXPECT_EQ(run.work, plain.counters) << name;
    EXPECT_EQ(distance(run.states.back(), end), 0) << name;
    EXPECT_DOUBLE_EQ(run.simulated_seconds, 1) << name;
    EXPECT_GT(run.seconds, 0) << name;
  }
}

// Steps of a third of the fast period: a cubic through their ends knows nothing of what is between.
TEST(Candidate, MomentsWithinLongStepsAreAsGoodAsTheirEnds) {
  const Scene s = scene("fput");
  const std::vector<double> moments = {0.105, 0.23, 0.317, 0.5};
  const Trajectory exact = make_candidate("exprb42", Knob::step, {.phi_tolerance = 1e-12})
                               ->run(s.system(), s.body.start, moments, 1e-4);
  const Trajectory coarse = make_candidate("exprb42", Knob::step, {.phi_tolerance = 1e-12})
                                ->run(s.system(), s.body.start, moments, 0.02);
  ASSERT_EQ(exact.failure + coarse.failure, "");
  const double at_end = distance(exact.states.back(), coarse.states.back());
  for (std::size_t j = 0; j < moments.size(); ++j) {
    EXPECT_DOUBLE_EQ(coarse.states[j].time, moments[j]);
    EXPECT_LT(distance(exact.states[j], coarse.states[j]), 3 * at_end + 1e-5) << moments[j];
  }
}

TEST(Candidate, TolerancesToo) {
  const Scene s = mild_fput();
  const std::vector<double> moments = even_moments(s.body.start, 2, 3);
  const auto candidate = make_candidate("dopri5", Knob::tolerance);
  const Trajectory coarse = candidate->run(s.system(), s.body.start, moments, 1e-3),
                   fine = candidate->run(s.system(), s.body.start, moments, 1e-6),
                   finest = candidate->run(s.system(), s.body.start, moments, 1e-9);
  EXPECT_LT(coarse.steps, fine.steps);
  EXPECT_LT(fine.steps, finest.steps);
  const double error = distance(fine.states[1], finest.states[1]);
  EXPECT_LT(error, 1e-5);
  EXPECT_GT(distance(coarse.states[1], finest.states[1]), 30 * error);
}

TEST(Candidate, TroubleIsInTheResult) {
  const Scene s = scene("fput");
  const std::vector<double> moments = even_moments(s.body.start, 10, 100);
  const Trajectory blown = make_candidate("rk4", Knob::step)->run(s.system(), s.body.start, moments, 0.05);
  EXPECT_NE(blown.failure.find("blew up"), std::string::npos) << blown.failure;
  EXPECT_FALSE(blown.out_of_time);
  EXPECT_LT(blown.states.size(), moments.size());

  const Trajectory refused = make_candidate("exprb42", Knob::step, {.evaluator = "no-such"})
                                 ->run(s.system(), s.body.start, moments, 0.05);
  EXPECT_NE(refused.failure.find("no-such"), std::string::npos) << refused.failure;
  for (const Knob knob : {Knob::step, Knob::tolerance})
    EXPECT_NE(make_candidate("rk4", knob)->run(s.system(), s.body.start, moments, 0).failure, "");

  const Trajectory late =
      make_candidate("rk4", Knob::step)->run(s.system(), s.body.start, moments, 1e-6, 0.02);
  EXPECT_TRUE(late.out_of_time);
  EXPECT_LT(late.seconds, 1);
  EXPECT_GT(late.simulated_seconds, 0);
  EXPECT_NE(late.failure, "");
  EXPECT_THROW(make_candidate("rk5", Knob::step), InputError);
}

}  // namespace
}  // namespace stiffly::test
