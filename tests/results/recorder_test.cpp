// What is kept of a run: at which times, and that a resumed run keeps the same.
#include "stiffly/results/recorder.hpp"

#include <gtest/gtest.h>

#include "stiffly/integrators/registry.hpp"
#include "stiffly/results/run_report.hpp"
#include "stiffly/scene/scene.hpp"

namespace stiffly {
namespace {

/// Of steps that end at all times that are asked for.
std::vector<State> nothing_within(std::span<const double> times) {
  EXPECT_TRUE(times.empty());
  return {};
}

class RecorderTest : public testing::Test {
 protected:
  /// One second of the wave in a hundred steps.
  Record record(double records) const {
    State state = scene_.body.start;
    Recorder recorder(scene_.system(), {0, 1, records});
    const auto integrator = make_integrator("rk4");
    simulate(scene_.system(), *integrator, state, {1, 0.01},
             [&](const State& s, const SimulationSummary& summary) {
               recorder.see(s, summary, nothing_within);
               recorder.see(s, summary, nothing_within);
               return true;
             });
    return recorder.record();
  }

  const Scene scene_ = load_scene(find_scene("wave"));
};

TEST_F(RecorderTest, RecordsAtItsRateAndAtBothEnds) {
  const Record ten = record(10), all = record(0);
  ASSERT_EQ(ten.energies.size(), 11u);
  EXPECT_NEAR(ten.energies[3].time, 0.3, 1e-12);
  EXPECT_EQ(all.energies.size(), 101u) << "no more than one record per step";
  EXPECT_EQ(all.states.size(), 101u) << "a small system";
  for (const EnergySample& e : all.energies) EXPECT_NEAR(e.kinetic + e.potential, e.total, 1e-14);
  EXPECT_NEAR(all.max_kinetic_energy(), 0.5, 1e-3);
  EXPECT_NE(energy_csv(ten.energies)
                .find("t,kinetic,potential,total,weight,supports,fields,dissipated,error,"
                      "px,py,pz,lx,ly,lz\n0,0.5,0,0.5,0,0,0,0,0,0,0,0,0,0,0\n"),
            std::string::npos);
  // Ten steps of four forces between records.
  EXPECT_TRUE(counters_csv(ten.work).starts_with(
      "t,steps,rejected,force,product,tangent,factorization,solve,inner\n0,0,0,0,0,0,0,0,0\n"))
      << counters_csv(ten.work);
  ASSERT_EQ(ten.work.size(), 11u);
  for (std::size_t i = 0; i < 11; ++i) {
    EXPECT_EQ(ten.work[i].steps, static_cast<long>(10 * i));
    EXPECT_EQ(ten.work[i].counters.force, static_cast<std::int64_t>(40 * i));
  }
}

TEST_F(RecorderTest, SnapshotsAreEvenlyOverTheDuration) {
  const Record kept = record(10);
  ASSERT_EQ(kept.snapshots.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_NEAR(kept.snapshots[i].time, 0.2 * static_cast<double>(i), 1e-12);
}

TEST_F(RecorderTest, EndsWhereTheRunEnds) {
  const State &start = scene_.body.start, later(0.43, start.y);
  SimulationSummary summary;
  Recorder early(scene_.system(), {0, 1, 10});
  early.finish(start, summary);  // it failed before its first step
  EXPECT_EQ(early.record().energies.size(), 1u);
  EXPECT_EQ(early.record().snapshots.size(), 1u);
  Recorder between(scene_.system(), {0, 1, 10});
  between.see(start, summary, nothing_within);
  between.finish(later, summary);
  between.finish(later, summary);
  ASSERT_EQ(between.record().energies.size(), 2u);
  EXPECT_EQ(between.record().energies.back().time, 0.43);
  EXPECT_EQ(between.record().snapshots.back().time, 0.43);
}

}  // namespace
}  // namespace stiffly
