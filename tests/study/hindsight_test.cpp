// Methods of planted cost: what the race must notice.
#include "stiffly/study/hindsight.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "stiffly/error.hpp"
#include "study_scenes.hpp"

namespace stiffly::test {

using namespace study;
namespace {

/// Says how long it took, and moves the body uniformly, off by an error.
class Planted final : public Candidate {
 public:
  /// `cost` in seconds per simulated second.
  Planted(std::string name, double cost, double error = 0)
      : name_(std::move(name)), cost_(cost), error_(error) {}
  const std::string& name() const override { return name_; }
  Knob knob() const override { return Knob::tolerance; }
  Trajectory run(const SecondOrderSystem&, const State& start, std::span<const double> moments, double,
                 double time_limit) override {
    limits.push_back(time_limit);
    Trajectory out;
    const double duration = moments.back() - start.time;
    out.seconds = cost_ * duration * (limits.size() == fast_run ? fast_share : 1);
    out.seconds += 9 * cost_ * std::max(0.0, duration - dear_from);
    out.simulated_seconds = duration;
    out.failure = failure;
    const bool fast = limits.size() == fast_run && !chooses_in_the_fast_run.empty();
    if (chooses.size())
      out.decisions = {{0, fast ? chooses_in_the_fast_run : chooses, "planted", {}, out.seconds / 10}};
    if (out.seconds > time_limit) {
      out.out_of_time = true;
      out.failure = "out of time";
      out.seconds = time_limit;
      return out;
    }
    for (const double moment : moments) {
      std::vector<double> y = to_host(start.y);
      y[0] += moment + error_ * moments.back();
      State state = start;
      state.time = moment;
      state.y = Vector(std::span<const double>(y));
      out.states.push_back(std::move(state));
    }
    return out;
  }

  std::vector<double> limits;  ///< of all its runs
  std::string failure, chooses, chooses_in_the_fast_run;
  std::size_t fast_run = 0;  ///< number of the run that takes …
  double fast_share = 0.9;   ///< … that share of the others' time
  double dear_from = 1e9;    ///< s of simulated time, from which it takes ten times as long

 private:
  std::string name_;
  double cost_, error_;
};

class HindsightTest : public testing::Test {
 protected:
  Hindsight race(std::vector<Candidate*> rivals) { return hindsight(scene, automatic, rivals, options); }

  Scene scene = mild_fput();  // 100 s
  Planted automatic{"auto", 0.02};
  HindsightOptions options{.tolerance = 1e-2, .seconds = 10, .time_limit = 60};
};

TEST_F(HindsightTest, RatioIsToTheFastest) {
  Planted slow("slow", 0.03), fast("fast", 0.01), middle("middle", 0.016);
  const Hindsight h = race({&slow, &middle, &fast});
  ASSERT_EQ(h.courses.size(), 1u);
  EXPECT_GE(h.courses[0].seconds, options.seconds);
  EXPECT_LE(h.courses[0].seconds, 1.5 * options.seconds);
  EXPECT_NEAR(h.duration, h.courses[0].seconds / 0.02, 1e-9);
  ASSERT_TRUE(h.best.has_value());
  EXPECT_EQ(h.rivals[*h.best].name, "fast");
  EXPECT_NEAR(h.ratios()[0], 2, 1e-9);
  EXPECT_TRUE(h.rivals[0].slower);
  EXPECT_FALSE(h.rivals[1].slower);
  EXPECT_FALSE(h.doubtful);
}

TEST_F(HindsightTest, RivalsAreStoppedBehindTheFastest) {
  Planted fast("fast", 0.01), slow("slow", 0.0106), last("last", 0.0104);
  const Hindsight h = race({&fast, &slow, &last});
  const double seconds = h.courses[0].seconds;
  EXPECT_NEAR(fast.limits.at(0), 1.05 * seconds, 1e-9);
  EXPECT_EQ(fast.limits.size(), 3u) << "the best one runs again";
  EXPECT_NEAR(slow.limits.at(0), 1.05 * seconds / 2, 1e-9);
  EXPECT_TRUE(h.rivals[1].slower);
  EXPECT_NEAR(h.rivals[1].seconds, slow.limits[0], 1e-9);
  EXPECT_FALSE(h.rivals[2].slower);
  EXPECT_EQ(last.limits.size(), 1u);
}

TEST_F(HindsightTest, TheFastestRunsCountUnlessTheirChoicesDiffer) {
  Planted rival("rival", 0.016);
  rival.fast_run = 3;
  EXPECT_NEAR(race({&rival}).ratios()[0], 0.02 / (0.9 * 0.016), 1e-9);
  const std::size_t runs = automatic.limits.size();
  automatic = Planted("auto", 0.02);
  automatic.fast_run = runs;  // its last one
  rival = Planted("rival", 0.01);
  const Hindsight h = race({&rival});
  ASSERT_EQ(h.courses.size(), 1u);
  EXPECT_EQ(h.courses[0].runs, 3);
  ASSERT_EQ(h.ratios().size(), 1u);
  EXPECT_NEAR(h.ratios()[0], 1.8, 1e-9);
  // The same times, but by different ways.
  automatic = Planted("auto", 0.02);
  automatic.fast_run = runs;
  automatic.chooses = "rival";
  automatic.chooses_in_the_fast_run = "another";
  const Hindsight other = race({&rival});
  ASSERT_EQ(other.courses.size(), 2u);
  EXPECT_EQ(other.courses[0].choices, "rival");
  EXPECT_EQ(other.courses[0].runs, 2);
  EXPECT_EQ(other.courses[1].choices, "another");
  EXPECT_NEAR(other.ratios()[0], 2, 1e-9);
  EXPECT_NEAR(other.ratios()[1], 1.8, 1e-9);
}

/// The machine is slower for a while, in which the automatic method chooses another way.
TEST_F(HindsightTest, EveryCourseIsComparedWithTheRunNextToIt) {
  Planted rival("rival", 0.018);
  rival.fast_run = 2;
  rival.fast_share = 0.5;
  race({&rival});
  const std::size_t runs = automatic.limits.size();
  rival = Planted("rival", 0.018);
  rival.fast_run = 2;
  rival.fast_share = 0.5;
  automatic = Planted("auto", 0.02);
  automatic.fast_run = runs - 1;
  automatic.fast_share = 0.5;
  automatic.chooses = "rival";
  automatic.chooses_in_the_fast_run = "another";
  const Hindsight h = race({&rival});
  ASSERT_EQ(h.ratios().size(), 2u);
  EXPECT_NEAR(h.ratios()[0], 0.02 / 0.018, 1e-9);
  EXPECT_NEAR(h.ratios()[1], 0.02 / 0.018, 1e-9);
}

/// A machine that was slow while the one that is chosen ran alone.
TEST_F(HindsightTest, WhereNobodyComesInTheChosenOneRunsAgain) {
  Planted rival("rival", 0.025);
  rival.fast_run = 2;
  rival.fast_share = 0.6;
  const Hindsight h = race({&rival});
  ASSERT_TRUE(h.best.has_value());
  EXPECT_NEAR(h.ratios()[0], 0.02 / 0.015, 1e-9);
}

/// Ten times as much from some moment on.
TEST_F(HindsightTest, WhereCostsRiseSteeplyTheDurationIsStillNotFarTooLong) {
  automatic.dear_from = 200;
  const Hindsight h = race({});
  EXPECT_GE(h.courses[0].seconds, options.seconds);
  EXPECT_LE(h.courses[0].seconds, 2 * options.seconds);
}

TEST_F(HindsightTest, AFailureIsNotTheBest) {
  Planted broken("broken", 0.001), sound("sound", 0.016);
  broken.failure = "it blew up";
  const Hindsight h = race({&broken, &sound});
  EXPECT_EQ(h.rivals[0].failure, "it blew up");
  EXPECT_FALSE(h.rivals[0].slower);
  ASSERT_TRUE(h.best.has_value());
  EXPECT_EQ(h.rivals[*h.best].name, "sound");
  EXPECT_NEAR(h.ratios()[0], 1.25, 1e-9);
}

TEST_F(HindsightTest, WhereNobodyComesInTheRatioIsABound) {
  Planted slow("slow", 0.04);
  const Hindsight h = race({&slow});
  EXPECT_FALSE(h.best.has_value());
  EXPECT_NEAR(h.ratios()[0], 1 / 1.05, 1e-12);
}

TEST_F(HindsightTest, TheChosenOneGoesFirst) {
  Planted first("first", 0.016), chosen("chosen", 0.015);
  automatic.chooses = "chosen";
  const Hindsight h = race({&first, &chosen});
  EXPECT_EQ(h.rivals[0].name, "chosen");
  EXPECT_EQ(h.rivals[1].name, "first");
  EXPECT_NEAR(h.courses[0].share_of_trials(), 0.1, 1e-9);
}

TEST_F(HindsightTest, AFastOneThatIsWrongDoesNotCount) {
  Planted wrong("wrong", 0.01, 0.5), right("right", 0.0163);
  const Hindsight alone = race({&wrong});
  EXPECT_TRUE(alone.rivals[0].astray);
  EXPECT_NEAR(alone.rivals[0].difference, 0.5, 0.01);
  EXPECT_FALSE(alone.best.has_value());
  EXPECT_FALSE(alone.doubtful);
  // Nor does it set the pace.
  const Hindsight h = race({&wrong, &right});
  ASSERT_TRUE(h.best.has_value());
  EXPECT_EQ(h.rivals[*h.best].name, "right");
  EXPECT_NEAR(h.ratios()[0], 0.02 / 0.0163, 1e-9);
  // Where two agree it may as well be the automatic run that is off.
  Planted other("other", 0.0103, 0.5);
  EXPECT_TRUE(race({&wrong, &other}).doubtful);
}

/// A chaotic motion: the very method that was chosen is as far away as that.
TEST_F(HindsightTest, WhatIsAsCloseAsTheSameMethodCounts) {
  Planted same("same", 0.019, 0.3), other("other", 0.016, 0.5), wrong("wrong", 0.01, 0.9);
  automatic.chooses = "same";
  const Hindsight h = race({&wrong, &other, &same});
  EXPECT_EQ(h.rivals[0].name, "same");
  EXPECT_FALSE(h.rivals[0].astray);
  EXPECT_TRUE(h.rivals[1].astray);
  ASSERT_TRUE(h.best.has_value());
  EXPECT_EQ(h.rivals[*h.best].name, "other");
}

TEST_F(HindsightTest, RunsThatCannotBeMeasuredSaySo) {
  const auto message = [&] {
    try {
      race({});
    } catch (const SimulationError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  automatic = Planted("auto", 1e-9);
  EXPECT_NE(message().find("a thousand times"), std::string::npos) << message();
  automatic = Planted("auto", 0.02);
  automatic.failure = "it blew up";
  EXPECT_NE(message().find("with auto: it blew up"), std::string::npos) << message();
}

TEST_F(HindsightTest, DurationsThatTakeTooLongAreShortened) {
  automatic = Planted("auto", 1e3);  // the first attempt, of 1 s, is out of time
  const Hindsight h = race({});
  EXPECT_GE(h.courses[0].seconds, options.seconds);
  EXPECT_LE(h.courses[0].seconds, options.time_limit);
}

TEST(HindsightTally, CountsRowsWithinABound) {
  HindsightTally tally;
  for (const double ratio : {0.95, 1.25, 1.26, 1.9}) tally.add(ratio);
  EXPECT_EQ(tally.rows, 4);
  EXPECT_EQ(tally.within, 2);
  EXPECT_EQ(tally.worst, 1.9);
}

}  // namespace
}  // namespace stiffly::test
