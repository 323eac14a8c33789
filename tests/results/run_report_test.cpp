// run.json, final.csv and energy.csv have what the contract says.
#include "stiffly/results/run_report.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

namespace stiffly {
namespace {

TEST(RunJson, HasTheKeysOfTheContract) {
  RunReport report;
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

TEST(RunJson, NamesTheStatus) {
  RunReport report;
  for (const auto& [status, name] :
       {std::pair{RunStatus::done, "done"}, std::pair{RunStatus::failed, "failed"},
        std::pair{RunStatus::interrupted, "interrupted"}}) {
    report.status = status;
    EXPECT_EQ(nlohmann::json::parse(run_json(report))["status"], name);
  }
}

}  // namespace
}  // namespace stiffly
