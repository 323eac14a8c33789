// run.json, final.csv and energy.csv have what the contract says.
#include "stiffly/results/results.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "stiffly/integrators/registry.hpp"
#include "stiffly/scene/scene.hpp"

namespace stiffly {
namespace {

TEST(RunJson, HasTheKeysOfTheContract) {
  RunReport report;
  report.status = "done";
  report.integrator = "exprb42";
  report.evaluator = "auto";
  report.summary.counters.force = 7;
  const auto json = nlohmann::json::parse(run_json(report));
  for (const char* key :
       {"integrator", "evaluator", "unknowns", "steps", "rejected_steps", "simulated_seconds", "wall_seconds",
        "peak_memory_bytes", "energy", "counters", "scene", "versions", "hardware", "status"})
    EXPECT_TRUE(json.contains(key)) << key;
  for (const char* key : {"initial", "final", "max_drift"}) EXPECT_TRUE(json["energy"].contains(key)) << key;
  for (const char* key : {"force", "product", "tangent", "factorization", "solve"})
    EXPECT_TRUE(json["counters"].contains(key)) << key;
  EXPECT_EQ(json["counters"]["force"], 7);
}

TEST(RunJson, StaysJsonWithNumbersThatAreNot) {
  RunReport report;
  report.error = "bad \xff bytes \"quoted\"";
  report.summary.final_energy = std::nan("");
  const auto json = nlohmann::json::parse(run_json(report));
  EXPECT_TRUE(json["energy"]["final"].is_null());
  EXPECT_TRUE(json["evaluator"].is_null());
}

TEST(StateCsv, GivesNumbersBackExactly) {
  const std::vector<std::array<double, 3>> x = {{1.0 / 3, -2e-300, 0.1}}, v = {{1e300, 5e-324, -0.0}};
  std::istringstream text(state_csv(x, v));
  std::string line, cell;
  std::getline(text, line);
  EXPECT_EQ(line, "particle,x,y,z,vx,vy,vz");
  std::getline(text, line);
  std::istringstream cells(line);
  std::getline(cells, cell, ',');
  EXPECT_EQ(cell, "0");
  for (const auto& part : {x[0], v[0]})
    for (const double expected : part) {
      std::getline(cells, cell, ',');
      EXPECT_EQ(std::strtod(cell.c_str(), nullptr), expected);
    }
}

TEST(RecorderTest, RecordsAtTheFrameRateAndAtBothEnds) {
  const Scene scene = load_scene(find_scene("wave"));
  const auto record = [&](double frames) {
    State state = scene.body.start;
    Recorder recorder(scene.system(), {0, 1, frames});
    const auto integrator = make_integrator("rk4");
    simulate(scene.system(), *integrator, state, {1, 0.01},
             [&](const State& s, const SimulationSummary& summary) {
               recorder.record(s, summary);
               return true;
             });
    return recorder;
  };
  const Recorder ten = record(10), all = record(0);
  ASSERT_EQ(ten.energies().size(), 11u);
  EXPECT_NEAR(ten.energies()[3].time, 0.3, 1e-12);
  EXPECT_EQ(all.energies().size(), 101u) << "no more than one record per step";
  ASSERT_EQ(all.moments().size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(all.moments()[i].time, 0.2 * static_cast<double>(i), 1e-12);
  for (const EnergySample& e : all.energies()) EXPECT_NEAR(e.kinetic + e.potential, e.total, 1e-14);
  EXPECT_NE(energy_csv(ten.energies()).find("t,kinetic,potential,total\n0,0.5,0,0.5\n"), std::string::npos);
  // Ten steps of four forces between records.
  EXPECT_TRUE(counters_csv(ten.work())
                  .starts_with("t,steps,rejected,force,product,tangent,factorization,solve,inner\n"
                               "0,0,0,0,0,0,0,0,0\n"))
      << counters_csv(ten.work());
  ASSERT_EQ(ten.work().size(), 11u);
  for (std::size_t i = 0; i < 11; ++i) {
    EXPECT_EQ(ten.work()[i].steps, static_cast<long>(10 * i));
    EXPECT_EQ(ten.work()[i].counters.force, static_cast<std::int64_t>(40 * i));
  }
  Recorder again(scene.system(), {0, 1, 10});
  again.restore(ten.save());
  EXPECT_EQ(again.save(), ten.save());
  EXPECT_EQ(counters_csv(again.work()), counters_csv(ten.work()));
}

}  // namespace
}  // namespace stiffly
