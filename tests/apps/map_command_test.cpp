// stiffly study map, from outside.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "apps/program.hpp"
#include "temporary_folder.hpp"

#ifdef STIFFLY_PROGRAM

namespace stiffly::test {
namespace {

using nlohmann::json;

const std::string call =
    "study map chain --set count=5 --duration 0.1 --cache refs --stiffness stiffness "
    "--stiffness-values 100,1000 --integrators verlet,bdf2,exprb42+dense -o out --errors 0.001,0.1";

TEST(MapCommand, DrawsTheMapAndKeepsItsCells) {
  const TemporaryFolder folder;
  const std::string whole = call + " --amplitude 'gravity=[0,0,-{}]' --amplitude-values 1,10";
  const Result r = run(folder, whole + " --json");
  ASSERT_EQ(r.code, 0) << r.error;
  const json j = json::parse(r.out);
  ASSERT_EQ(j["results"].size(), 8u);
  EXPECT_EQ(j["results"][0]["bound"], 0.1);
  EXPECT_EQ(j["results"][1]["stiffness"], 1000);
  EXPECT_EQ(j["results"][2]["amplitude"], 10);
  for (const json& row : j["results"]) {
    EXPECT_EQ(row["status"], "won") << row;
    EXPECT_LE(row["error"], row["bound"].get<double>());
    EXPECT_GT(row["motion"], 0);
  }
  EXPECT_TRUE(j["versions"].contains("stiffly"));
  for (const char* name : {"map-chain.json", "map-chain.csv", "map-chain.png", "map-chain.svg",
                           "map-chain/100-1.json", "map-chain/1000-10.json"})
    EXPECT_TRUE(std::filesystem::exists(folder / "out" / name)) << name;

  // Finished cells are read back, and only those of the same settings.
  const std::string before = contents(folder / "out" / "map-chain" / "100-1.json");
  const Result again = run(folder, whole);
  ASSERT_EQ(again.code, 0) << again.error;
  EXPECT_EQ(again.error.find("verlet: step"), std::string::npos) << again.error;
  EXPECT_NE(again.out.find("100"), std::string::npos) << again.out;
  EXPECT_EQ(again.out.find("not run yet"), std::string::npos) << again.out;
  EXPECT_EQ(contents(folder / "out" / "map-chain" / "100-1.json"), before);
  const Result other = run(folder, whole + " --patience 3");
  EXPECT_NE(other.error.find("verlet: step"), std::string::npos) << other.error;
}

TEST(MapCommand, CellsWithoutAReferenceAreShown) {
  const TemporaryFolder folder;
  const Result r =
      run(folder,
          "study map chain --duration 0.2 --cache none --stiffness stiffness --stiffness-values 1e9 "
          "--amplitude 'gravity=[0,0,-{}]' --amplitude-values 1 --integrators verlet "
          "--errors 1e-9 --reference-limit 0.1 -o out");
  ASSERT_EQ(r.code, 0) << r.error;
  EXPECT_NE(r.out.find("no reference for chain"), std::string::npos) << r.out;
  EXPECT_NE(contents(folder / "out" / "map-chain.svg").find("no reference"), std::string::npos);
}

TEST(MapCommand, WrongOptionsAreExplained) {
  const TemporaryFolder folder;
  const std::pair<const char*, const char*> cases[] = {
      {"--amplitude bending --amplitude-values 1 --errors 0", "--errors"},
      {"--amplitude gravity=7 --amplitude-values 1", "{}"},
      {"--amplitude model.bendng --amplitude-values 1", "bending"},
      {"--amplitude bending --amplitude-values 1 --patience 1.5", "--patience"},
      {"--amplitude bending --amplitude-values 1 --peers no-such", "no-such"},
  };
  for (const auto& [options, expected] : cases) {
    const Result r = run(folder, call + " " + options);
    EXPECT_EQ(r.code, 2) << options << r.out;
    EXPECT_NE(r.error.find(expected), std::string::npos) << options << ": " << r.error;
  }
}

}  // namespace
}  // namespace stiffly::test

#endif
