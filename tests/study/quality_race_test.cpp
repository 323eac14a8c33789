// Winners by construction: candidates whose errors and times are planted.
#include "stiffly/study/quality_race.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <random>

#include "stiffly/error.hpp"
#include "study_scenes.hpp"
#include "synthetic.hpp"

namespace stiffly::test {

using namespace study;
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// Fails at once, every time.
class Failing final : public Candidate {
 public:
  const std::string& name() const override { return name_; }
  Knob knob() const override { return Knob::tolerance; }
  Trajectory run(const SecondOrderSystem&, const State&, std::span<const double>, double, double) override {
    Trajectory out;
    out.failure = "it blew up";
    return out;
  }

 private:
  std::string name_ = "failing";
};

class RaceTest : public testing::Test {
 protected:
  Synthetic& add(const std::string& name, const std::string& family, std::function<double(double)> error,
                 double seconds_per_step) {
    fakes.push_back(std::make_unique<Synthetic>(name, problem.measure, std::move(error), seconds_per_step));
    contestants.push_back({family, fakes.back().get()});
    return *fakes.back();
  }
  std::vector<RaceEntry> run(std::vector<double> bounds, double patience, double time_limit = 1e6) {
    return race(problem, contestants,
                {.bounds = std::move(bounds), .time_limit = time_limit, .patience = patience});
  }
  int runs() const {
    int out = 0;
    for (const auto& fake : fakes) out += fake->runs;
    return out;
  }

  Scene scene = mild_fput();
  std::vector<double> moments = even_moments(scene.body.start, 2, 5);
  Problem problem{&scene, moments,
                  ErrorMeasure(scene.body, Norm::position,
                               make_candidate("dopri5", Knob::tolerance)
                                   ->run(scene.system(), scene.body.start, moments, 1e-6)
                                   .states)};
  std::vector<std::unique_ptr<Synthetic>> fakes;
  std::vector<Contestant> contestants;
};

double first_order(double h) { return 0.2 * h; }
double fourth_order(double h) { return std::pow(h, 4); }

TEST_F(RaceTest, TheWinnerDependsOnTheBound) {
  add("first", "cheap", first_order, 1e-3);
  add("fourth", "accurate", fourth_order, 1e-2);
  const std::vector<RaceEntry> patient = run({0.101, 1e-4}, 1e6);
  const RaceOutcome rough = race_outcome(patient, 0.101), fine = race_outcome(patient, 1e-4);
  ASSERT_TRUE(rough.rival && fine.rival);
  EXPECT_EQ(rough.winner->name, "first");
  EXPECT_EQ(rough.rival->name, "fourth");
  EXPECT_DOUBLE_EQ(rough.winning->setting, 0.5);
  EXPECT_DOUBLE_EQ(rough.winning->seconds, 4e-3);
  EXPECT_DOUBLE_EQ(rough.ratio(), 10);
  EXPECT_EQ(fine.winner->name, "fourth");
  EXPECT_EQ(fine.rival->name, "first");
  EXPECT_DOUBLE_EQ(fine.winning->setting, 2 / 32.0 * std::sqrt(2));  // found half-way between two halvings
  EXPECT_DOUBLE_EQ(fine.rivalling->setting, 2 / 4096.0);
}

TEST_F(RaceTest, WhoCannotWinIsGivenUp) {
  const Synthetic& slow = add("first", "cheap", first_order, 1e-3);
  add("fourth", "accurate", fourth_order, 1e-2);
  const std::vector<RaceEntry> entries = run({0.1, 1e-4}, 4);
  ASSERT_TRUE(race_outcome(entries, 0.1).winner && race_outcome(entries, 1e-4).winner);
  EXPECT_EQ(race_outcome(entries, 0.1).winner->name, "first");
  EXPECT_EQ(race_outcome(entries, 1e-4).winner->name, "fourth");
  EXPECT_EQ(race_outcome(entries, 1e-4).rival, nullptr);
  // 4 × 0.32 s are 1280 steps of 1 ms: the rung of 2048 steps is the last and is cut short.
  // Before it there are 11, and later one half-way to the larger bound is added.
  EXPECT_EQ(entries[0].rungs.size(), 13u);
  EXPECT_TRUE(entries[0].rungs.back().out_of_time);
  EXPECT_EQ(slow.runs, 13 + 2);  // and the winning rung of the larger bound, repeated
}

TEST_F(RaceTest, FailingEndlessAndWrongOnesNeverWin) {
  add(
      "wrong", "a", [](double) { return 0.5; }, 1e-9);
  add(
      "endless", "b", [](double) { return 0.0; }, 1e9);
  Failing failing;
  contestants.push_back({"c", &failing});
  EXPECT_EQ(race_outcome(run({0.1, 1e-2}, 4, 10), 0.1).winner, nullptr);
  add("honest", "d", first_order, 1e-3);
  for (const double patience : {2.0, 4.0, 1e6}) {
    const std::vector<RaceEntry> entries = run({0.1, 1e-2}, patience, 10);
    for (const double bound : {0.1, 1e-2}) {
      ASSERT_NE(race_outcome(entries, bound).winner, nullptr);
      EXPECT_EQ(race_outcome(entries, bound).winner->name, "honest");
      EXPECT_EQ(race_outcome(entries, bound).rival, nullptr);
    }
    EXPECT_EQ(race_outcome(entries, 1e-9).winner, nullptr);
    EXPECT_EQ(entries[1].rungs.size(), patience > 1e5 ? 2u : 1u);  // out of time twice, or hopeless at once
  }
}

TEST_F(RaceTest, RacingNeverChangesAWinner) {
  std::mt19937 random(7);
  const auto between = [&](double low, double high) {
    return low * std::pow(high / low, std::uniform_real_distribution<>()(random));
  };
  const std::vector<double> bounds = {0.3, 0.03, 1e-3};
  int quick = 0, thorough = 0;
  std::set<std::string> winners;
  for (int round = 0; round < 30; ++round) {
    fakes.clear();
    contestants.clear();
    for (int i = 0; i < 5; ++i) {
      const double order = 1 + i % 4, constant = between(0.01, 100), limit = between(1e-3, 1);
      add(
          std::to_string(i), std::to_string(i % 3),
          [=](double h) { return h > limit ? never : constant * std::pow(h, order); }, between(1e-5, 1e-1));
    }
    const std::vector<RaceEntry> raced = run(bounds, 2);
    quick += runs();
    const std::vector<RaceEntry> all = run(bounds, 1e9);
    thorough += runs();
    for (const double bound : bounds) {
      const RaceOutcome a = race_outcome(raced, bound), b = race_outcome(all, bound);
      ASSERT_TRUE(a.winner && b.winner) << round << " " << bound;
      EXPECT_EQ(a.winner->name, b.winner->name) << round << " " << bound;
      EXPECT_EQ(a.winning->seconds, b.winning->seconds) << round << " " << bound;
      winners.insert(a.winner->name);
    }
  }
  EXPECT_LT(quick, 0.9 * (thorough - quick));
  EXPECT_GE(winners.size(), 3u);  // the fields were not all alike
}

TEST_F(RaceTest, LuckDoesNotCount) {
  RaceEntry entry{"e", "f"};
  const auto rung = [](double error, double seconds, bool out_of_time = false) {
    Measurement t;
    t.error = error;
    t.seconds = seconds;
    t.out_of_time = out_of_time;
    return t;
  };
  entry.rungs = {rung(0.01, 1), rung(0.5, 2), rung(0.09, 5), rung(0.04, 4), rung(never, 8, true)};
  ASSERT_TRUE(entry.best(0.1) && entry.best(0.05) && entry.best(0.6));
  EXPECT_EQ(entry.best(0.1)->seconds, 4);  // not the first, whose next one is off; the cheapest of the others
  EXPECT_EQ(entry.best(0.05)->seconds, 4);
  EXPECT_EQ(entry.best(0.6)->seconds, 1);
  EXPECT_EQ(entry.best(0.02), nullptr);
}

TEST_F(RaceTest, BoundsAreChecked) {
  EXPECT_THROW(run({}, 4), InputError);
  EXPECT_THROW(run({0.1, 0}, 4), InputError);
  EXPECT_THROW(run({0.1}, 1.5), InputError);
}

}  // namespace
}  // namespace stiffly::test
