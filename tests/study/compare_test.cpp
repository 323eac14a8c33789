// The harness is tested by what it must notice: a wrong coefficient, a slow method, one that blows up.
#include "stiffly/study/compare.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <thread>

#include "stiffly/error.hpp"
#include "stiffly/integrators/explicit_runge_kutta.hpp"
#include "stiffly/study/comparison_text.hpp"
#include "study_scenes.hpp"
#include "synthetic.hpp"

namespace stiffly::test {

using namespace study;
namespace {

/// Another candidate, but every run takes longer.
class Slow final : public Candidate {
 public:
  Slow(std::unique_ptr<Candidate> other, double delay)
      : name_("slow " + other->name()), other_(std::move(other)), delay_(delay) {}
  const std::string& name() const override { return name_; }
  Knob knob() const override { return other_->knob(); }
  Trajectory run(const SecondOrderSystem& system, const State& start, std::span<const double> moments,
                 double setting, double time_limit) override {
    std::this_thread::sleep_for(std::chrono::duration<double>(delay_));
    Trajectory out = other_->run(system, start, moments, setting, time_limit);
    out.seconds += delay_;
    return out;
  }

 private:
  std::string name_;
  std::unique_ptr<Candidate> other_;
  double delay_;
};

class CompareTest : public testing::Test {
 protected:
  Scene scene = mild_fput();
  std::vector<double> moments = even_moments(scene.body.start, 2, 5);
  Reference reference = [&] {
    const auto first = make_candidate("dopri5", Knob::tolerance),
               second = make_candidate("verlet", Knob::step);
    Candidate* const both[] = {first.get(), second.get()};
    return find_reference(scene, moments, both, {.agreement = 1e-5});
  }();
  Problem problem{&scene, moments, ErrorMeasure(scene.body, Norm::position, reference.states())};
};

TEST_F(CompareTest, FindsTheStepOfAKnownErrorCurve) {
  Synthetic candidate("p2", problem.measure, [](double h) { return 30 * h * h; });
  const ComparisonEntry e = compare_one(problem, candidate, {.bound = 0.01, .repeats = 4});
  const double exact = std::sqrt(0.01 / 30);
  EXPECT_EQ(e.verdict, Verdict::pass);
  EXPECT_LE(e.chosen.setting, exact);
  EXPECT_GT(e.chosen.setting, exact / 1.1);
  EXPECT_NEAR(e.chosen.error, 30 * std::pow(e.chosen.setting, 2), 1e-9);
  EXPECT_EQ(e.chosen.work.force, e.chosen.steps);
  EXPECT_EQ(candidate.runs,
            static_cast<int>(e.trials.size()) + 3 +
                2);  // the search's own run is one of the four; half and quarter
  EXPECT_EQ(e.fastest.setting, e.chosen.setting);  // the step, which is not cheaper
}

/// One whose runs are changed afterwards.
class Altered final : public Synthetic {
 public:
  using Change = std::function<void(Trajectory& run, double h, double time_limit)>;
  Altered(std::string name, const ErrorMeasure& measure, Change change)
      : Synthetic(std::move(name), measure, [](double h) { return 0.05 * h; }), change_(std::move(change)) {}
  Trajectory run(const SecondOrderSystem& system, const State& start, std::span<const double> moments,
                 double h, double time_limit) override {
    Trajectory out = Synthetic::run(system, start, moments, h, time_limit);
    change_(out, h, time_limit);
    return out;
  }

 private:
  Change change_;
};

TEST_F(CompareTest, ShorterStepsThanTheLargestCountWhereTheyAreCheaper) {
  // The work in a step grows with its length, as that of Krylov methods does.
  Altered candidate("krylov", problem.measure,
                    [](Trajectory& run, double h, double) { run.seconds *= 1 + 1e4 * h * h; });
  const ComparisonEntry e = compare_one(problem, candidate, {.bound = 0.01});
  EXPECT_EQ(e.verdict, Verdict::pass);
  EXPECT_GT(e.chosen.setting, 0.18);
  // (1 + 1e4 h²)/h is least at h = 0.01.
  EXPECT_GT(e.fastest.setting, 0.005);
  EXPECT_LT(e.fastest.setting, 0.02);
  EXPECT_LT(e.fastest.seconds, 0.2 * e.chosen.seconds);
  EXPECT_DOUBLE_EQ(e.cost(), e.fastest.seconds_per_simulated());
  const Comparison c{.scene = "s", .norm = "position", .entries = {e}};
  EXPECT_NE(comparison_table(c).find("shorter steps are cheaper"), std::string::npos);
}

TEST_F(CompareTest, RunsOfTheSearchCountWhereTheyAreCheaper) {
  // Steps that divide the duration need one factor, all others a second one for the last step.
  const double duration = problem.duration();
  Altered candidate("one factor", problem.measure, [&](Trajectory& run, double h, double) {
    const double steps = std::log2(duration / h);
    if (std::abs(steps - std::round(steps)) > 1e-9) run.seconds *= 20;
  });
  const ComparisonEntry e = compare_one(problem, candidate, {.bound = 0.01});
  const double divides = duration / std::exp2(std::ceil(std::log2(duration / 0.2)));
  EXPECT_GT(e.chosen.setting, divides);
  EXPECT_NEAR(e.fastest.setting, divides, 1e-12);
}

/// Half the largest step is as dear as its count says; a quarter costs next to nothing.
class Resonant : public Synthetic {
 public:
  explicit Resonant(const ErrorMeasure& measure)
      : Synthetic("resonant", measure, [](double h) { return 0.05 * h; }) {}
  Trajectory run(const SecondOrderSystem& system, const State& start, std::span<const double> moments,
                 double h, double time_limit) override {
    const double patience = h > 0.06 ? time_limit : std::numeric_limits<double>::infinity();
    Trajectory out = Synthetic::run(system, start, moments, h, patience);
    if (h < 0.06) out.seconds *= 0.05;
    return out;
  }
};

TEST_F(CompareTest, AQuarterOfTheStepIsTriedWhereHalfOfItIsDearer) {
  Resonant candidate(problem.measure);
  const ComparisonEntry e = compare_one(problem, candidate, {.bound = 0.01});
  EXPECT_GT(e.chosen.setting, 0.18);
  EXPECT_NEAR(e.fastest.setting, e.chosen.setting / 4, 1e-12);
}

TEST_F(CompareTest, AStepThatNeverEndsSaysNothingOfShorterOnes) {
  // Steps beyond a length take longer than anybody waits.
  Altered candidate("endless", problem.measure, [](Trajectory& run, double h, double time_limit) {
    if (h <= 0.05) return;
    run.states.clear();
    run.simulated_seconds = 0;
    run.seconds = time_limit;
    run.out_of_time = true;
    run.failure = "out of time";
  });
  const ComparisonEntry e = compare_one(problem, candidate, {.bound = 0.01, .time_limit = 1});
  EXPECT_EQ(e.verdict, Verdict::pass);
  EXPECT_LE(e.chosen.setting, 0.05);
  EXPECT_GT(e.chosen.setting, 0.04);
}

TEST_F(CompareTest, WhatIsFinishedWhenItIsStoppedIsTheResult) {
  Synthetic first("first", problem.measure, [](double h) { return h; }), second = first;
  std::vector<Candidate*> both = {&first, &second};
  const auto until_the_second = [&] { return second.runs == 2; };
  const Comparison c = compare(problem, reference, both, {.bound = 0.1, .stopped = until_the_second});
  EXPECT_TRUE(c.interrupted);
  ASSERT_EQ(c.entries.size(), 1u);
  EXPECT_EQ(c.entries[0].verdict, Verdict::pass);
  EXPECT_EQ(second.runs, 2);
}

TEST_F(CompareTest, OutOfTimeIsReportedByItsCost) {
  Synthetic candidate("expensive", problem.measure, [](double h) { return 30 * h * h; });
  // 1 ms per step, 20 ms allowed: about 20 steps of the 110 that the bound takes.
  const ComparisonEntry e = compare_one(problem, candidate, {.bound = 0.01, .time_limit = 0.02});
  EXPECT_EQ(e.verdict, Verdict::out_of_time);
  EXPECT_NEAR(e.chosen.seconds_per_simulated(), 1e-3 / e.chosen.setting, 0.03 * 1e-3 / e.chosen.setting);
  EXPECT_GT(e.best_error, 0.01);
  EXPECT_LT(e.best_error, 1);
  // What it costs at least is known from the finest run that came to its end: the one that was cut off may be
  // finer than need be.
  EXPECT_NEAR(e.cost(), 1e-3 / e.best_setting, 0.03 * 1e-3 / e.best_setting);
  EXPECT_LT(e.cost(), e.chosen.seconds_per_simulated());
  const Comparison c{.scene = "s", .norm = "position", .entries = {e}};
  EXPECT_NE(comparison_table(c).find("out of time at"), std::string::npos) << comparison_table(c);
  const auto json = nlohmann::json::parse(comparison_json(c));
  EXPECT_EQ(json["results"][0]["status"], "out of time");
  EXPECT_TRUE(json["results"][0]["seconds"].is_null());
  EXPECT_GT(json["results"][0]["seconds_per_simulated_second"], 0);
}

TEST_F(CompareTest, RealMethodsMeetTheBoundAndAreRanked) {
  const auto verlet = make_candidate("verlet", Knob::step), rk4 = make_candidate("rk4", Knob::step),
             adaptive = make_candidate("dopri5", Knob::tolerance);
  Slow slow(make_candidate("verlet", Knob::step), 0.05);
  Candidate* const all[] = {&slow, verlet.get(), rk4.get(), adaptive.get()};
  const Comparison c = compare(problem, reference, all, {.bound = 0.01, .repeats = 2});
  for (const ComparisonEntry& e : c.entries) {
    EXPECT_EQ(e.verdict, Verdict::pass) << e.name;
    EXPECT_LE(e.chosen.error, 0.01) << e.name;
    // and no step that is a quarter longer does
    for (const Measurement& t : e.trials)
      if (e.knob == Knob::step && t.setting > 1.25 * e.chosen.setting && t.setting < 2 * e.chosen.setting) {
        EXPECT_GT(t.error, 0.01) << e.name;
      }
  }
  EXPECT_EQ(c.entries[0].chosen.setting, c.entries[1].chosen.setting);
  EXPECT_EQ(c.entries[0].chosen.work, c.entries[1].chosen.work);
  EXPECT_GE(c.entries[0].chosen.seconds, c.entries[1].chosen.seconds + 0.04);
  EXPECT_GT(c.amplitude, 0.01);

  const std::string table = comparison_table(c);
  EXPECT_LT(table.rfind("\nrk4"), table.rfind("\nslow verlet")) << table;
  const auto json = nlohmann::json::parse(comparison_json(c));
  EXPECT_GT(json["results"][0]["relative"], json["results"][1]["relative"]);
  EXPECT_EQ(json["results"][3]["knob"], "tolerance");
  EXPECT_EQ(comparison_chart(c).series.size(), 4u);
  EXPECT_EQ(comparison_chart(c).guides.size(), 1u) << "the bound";
}

TEST_F(CompareTest, AWrongCoefficientShowsAsAnErrorThatStays) {
  static const ButcherTableau wrong = [] {
    ButcherTableau t = explicit_tableaus()[2];
    t.b[1] *= 1.06;  // Σb = 1.02
    return t;
  }();
  const auto planted = make_candidate(
      IntegratorInfo{{.name = "planted", .order = 4},
                     [](const IntegratorOptions&) { return std::make_unique<ExplicitRungeKutta>(wrong); }},
      Knob::step);
  const auto right = make_candidate("rk4", Knob::step);
  const std::vector<double> steps = ladder(0.05, 0.0025, 4);
  const std::vector<Measurement> good = work_precision(problem, *right, steps, 10),
                                 bad = work_precision(problem, *planted, steps, 10);
  EXPECT_LT(good.back().error, 1e-2 * good.front().error);
  EXPECT_GT(bad.back().error, 0.5 * bad.front().error);
  EXPECT_EQ(compare_one(problem, *right, {.bound = 1e-3}).verdict, Verdict::pass);
  const ComparisonEntry e = compare_one(problem, *planted, {.bound = 1e-3, .time_limit = 0.2});
  EXPECT_NE(e.verdict, Verdict::pass);
  EXPECT_GT(e.best_error, 1e-3);
}

TEST_F(CompareTest, BlowUpsAndRefusalsAreFailuresNotExceptions) {
  const auto refused = make_candidate("exprb42", Knob::step, {.evaluator = "no-such"});
  const ComparisonEntry e = compare_one(problem, *refused, {.bound = 0.01});
  EXPECT_EQ(e.verdict, Verdict::fail);
  EXPECT_TRUE(std::isinf(e.best_error));
  const Comparison c{.scene = "s", .norm = "position", .entries = {e}};
  EXPECT_NE(comparison_table(c).find("no-such"), std::string::npos);
  EXPECT_TRUE(nlohmann::json::parse(comparison_json(c))["results"][0]["relative"].is_null());

  const auto explosive = make_candidate("verlet", Knob::step);
  const Measurement t = attempt(problem, *explosive, 0.4, 10);  // beyond 2/ω
  EXPECT_TRUE(std::isinf(t.error));
  EXPECT_NE(t.failure.find("blew up"), std::string::npos) << t.failure;
}

TEST_F(CompareTest, ABoundNeedsAReferenceThatKnowsIt) {
  Candidate* const none[] = {nullptr};
  EXPECT_THROW(compare(problem, reference, {none, 0}, {.bound = 1e-7}), InputError);
  EXPECT_THROW(compare(problem, reference, {none, 0}, {.bound = 0}), InputError);
}

}  // namespace
}  // namespace stiffly::test
