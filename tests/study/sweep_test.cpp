#include "stiffly/study/sweep.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "stiffly/study/energy_history.hpp"
#include "study_scenes.hpp"

namespace stiffly::test {

using namespace study;
namespace {

TEST(Sweep, MeasuresEveryCandidateAtEveryValue) {
  Candidates candidates;
  candidates.push_back(make_candidate("verlet", Knob::step));
  candidates.push_back(make_candidate("rk4", Knob::step));
  const double values[] = {10, 20, 40};
  const auto station = [](double count) -> SweepStation {
    const auto s =
        std::make_shared<Scene>(scene("chain", {{"model.count", std::to_string(static_cast<int>(count))}}));
    return {s->system().unknowns(), [s](Candidate& c) { return measure_cost(*s, 1e-3, c, 1e-4, 10, 2); }};
  };
  const std::vector<SweepRow> rows = sweep(values, station, candidates);
  ASSERT_EQ(rows.size(), 6u);
  EXPECT_EQ(rows[1].candidate, "rk4");
  EXPECT_EQ(rows[4].value, 40);
  EXPECT_GT(rows[4].unknowns, rows[2].unknowns);
  for (const SweepRow& row : rows) {
    EXPECT_EQ(row.trial.steps, 10);
    EXPECT_EQ(row.trial.failure, "");
    EXPECT_TRUE(std::isnan(row.trial.error));
    EXPECT_GT(row.seconds_per_step(), 0);
  }
  EXPECT_EQ(rows[1].trial.work.force, 40);
}

TEST(Sweep, FitsExponents) {
  const double x[] = {1, 10, 100, 1000}, y[] = {3, 3 * std::pow(10, 1.5), 3e3, 0};
  EXPECT_NEAR(fitted_exponent(x, y), 1.5, 1e-12);
  EXPECT_TRUE(std::isnan(fitted_exponent({x, 1}, {y, 1})));
}

TEST(EnergyHistory, SeesWhoLosesEnergy) {
  const Scene s = mild_fput();
  const EnergyCurve kept = energy_history(s, 5, *make_candidate("verlet", Knob::step), 0.01, 10),
                    lost = energy_history(s, 5, *make_candidate("backward-euler", Knob::step), 0.01, 10),
                    blown = energy_history(s, 5, *make_candidate("verlet", Knob::step), 0.5, 10);
  EXPECT_EQ(kept.times.size(), kept.energies.size());
  EXPECT_LE(kept.times.size(), 401u);
  EXPECT_GE(kept.times.size(), 200u);
  EXPECT_DOUBLE_EQ(kept.times.back(), 5);
  EXPECT_NEAR(kept.energies.back(), kept.energies.front(), 0.01 * kept.energies.front());
  EXPECT_LT(lost.energies.back(), 0.9 * lost.energies.front());
  EXPECT_NE(blown.trial.failure, "");
  EXPECT_LT(blown.times.back(), 5);
}

}  // namespace
}  // namespace stiffly::test
