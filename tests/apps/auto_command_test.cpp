// stiffly reproduce auto, from outside.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "apps/program.hpp"
#include "temporary_folder.hpp"

#ifdef STIFFLY_PROGRAM

namespace stiffly::test {
namespace {

using nlohmann::json;

TEST(AutoCommand, MeasuresARowOnceAndWritesThePage) {
  const TemporaryFolder folder;
  const std::string call = "reproduce auto --rows chain-1e-1 --seconds 0.05 --time-limit 60 -o out";
  const Result r = run(folder, call + " --integrators dopri5,ros3pl");
  ASSERT_EQ(r.code, 0) << r.error;
  const json row = json::parse(contents(folder / "out" / "auto" / "chain-1e-1-small.json"));
  EXPECT_EQ(row["scene"], "chain");
  ASSERT_TRUE(row.contains("ratios")) << row;
  EXPECT_GT(row["ratios"][0], 0);
  EXPECT_GT(row["duration"], 0);
  ASSERT_GE(row["courses"].size(), 1u);
  EXPECT_EQ(row["courses"].size(), row["ratios"].size());
  int runs = 0;
  for (const json& course : row["courses"]) {
    runs += course["runs"].get<int>();
    EXPECT_GE(course["decisions"].size(), 1u);
  }
  EXPECT_EQ(runs, 5);
  EXPECT_EQ(row["rivals"].size(), 2u);
  EXPECT_TRUE(row["versions"].contains("stiffly"));
  const std::string page = contents(folder / "out" / "auto.md");
  const std::string counted = "of " + std::to_string(row["ratios"].size()) + " (";
  EXPECT_NE(page.find(counted), std::string::npos) << page;
  EXPECT_NE(page.find("| coil | size=full | – | 1e-3 | not measured |"), std::string::npos) << page;
  EXPECT_NE(page.find("Left out: dahlquist"), std::string::npos) << page;

  const Result again = run(folder, call);
  EXPECT_EQ(again.code, 0);
  EXPECT_NE(again.out.find("done before"), std::string::npos) << again.out;
}

TEST(AutoCommand, ARowThatIsTheSameAtBothScalesIsMeasuredOnce) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "out" / "auto");
  folder.write("out/auto/coil-1e-2-small.json", R"({"unknowns": 7, "failure": "none but this"})");
  const Result r = run(folder, "reproduce auto --scale full --rows coil-1e-2 -o out");
  ASSERT_EQ(r.code, 0) << r.error;
  EXPECT_NE(r.out.find("done before"), std::string::npos) << r.out;
  const std::string page = contents(folder / "out" / "auto.md"), line = "| coil | size=full | 7 | 1e-2 |";
  EXPECT_NE(page.find(line), std::string::npos) << page;
  EXPECT_EQ(page.find(line), page.rfind(line));
  for (const std::string other : {"| bunny | size=full | – | 1e-3 |", "| coil | size=full | – | 1e-1 |"})
    EXPECT_NE(page.find(other + " not measured |"), std::string::npos) << page;
}

TEST(AutoCommand, UnknownRowsAreExplained) {
  const TemporaryFolder folder;
  const Result r = run(folder, "reproduce auto --rows chian-1e-1 -o out");
  EXPECT_EQ(r.code, 2);
  EXPECT_NE(r.error.find("did you mean 'chain-1e-1'"), std::string::npos) << r.error;
}

}  // namespace
}  // namespace stiffly::test

#endif
