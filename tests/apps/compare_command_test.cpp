// stiffly compare and stiffly study on scenes, from outside.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/program.hpp"
#include "temporary_folder.hpp"

#ifdef STIFFLY_PROGRAM

namespace stiffly::test {
namespace {

using nlohmann::json;

constexpr const char* mild = "fput --set model.omega=10 --duration 2 --cache refs";

TEST(CompareCommand, RanksIntegratorsAndLeavesItsFiles) {
  const TemporaryFolder folder;
  const std::string call =
      std::string("compare ") + mild + " --integrators verlet,rk4,dopri5:tolerance,auto --error 0.01";
  const Result r = run(folder, call + " -o out --json");
  ASSERT_EQ(r.code, 0) << r.error;
  const json j = json::parse(r.out);
  EXPECT_EQ(j["results"].size(), 4u);
  for (const json& e : j["results"]) {
    EXPECT_EQ(e["status"], "met") << e;
    EXPECT_LE(e["error"], 0.01);
    EXPECT_GE(e["relative"], 1);
    EXPECT_GT(e["counters"]["force"], 0);
  }
  EXPECT_LE(j["reference"]["difference"], 0.01 / 20);
  EXPECT_GT(j["amplitude"], 0.01);
  EXPECT_TRUE(j["versions"].contains("stiffly"));
  for (const char* name : {"compare.json", "compare.csv", "compare.png", "compare.svg"})
    EXPECT_TRUE(std::filesystem::exists(folder / "out" / name)) << name;
  EXPECT_NE(contents(folder / "out" / "compare.svg").find("stiffly 0"), std::string::npos);  // the footer

  const Result again = run(folder, call);
  EXPECT_EQ(again.code, 0);
  EXPECT_NE(again.error.find("from an earlier call"), std::string::npos) << again.error;
  EXPECT_NE(again.out.find("dopri5:tolerance"), std::string::npos) << again.out;
}

// An implicit method with each of two nonlinear solvers: the same error, with fewer factors.
TEST(CompareCommand, NewtonMethodsAreComparedByName) {
  const TemporaryFolder folder;
  const Result r =
      run(folder,
          "study precision chain --duration 0.1 --coarsest 0.013 --finest 0.013 --rungs 1 --repeats 1 "
          "--integrators implicit-midpoint+line-search,implicit-midpoint+mixed --cache refs -o out --json");
  ASSERT_EQ(r.code, 0) << r.error;
  const json results = json::parse(r.out)["results"];
  ASSERT_EQ(results.size(), 2u);
  EXPECT_NEAR(results[0]["error"], results[1]["error"], 1e-5);
  const Result wrong = run(folder, "compare chain --integrators verlet+mixed");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.error.find("no Newton method"), std::string::npos) << wrong.error;
}

TEST(CompareCommand, AnInterruptKeepsWhatIsFinished) {
  const TemporaryFolder folder;
  const Result r =
      shell(folder, std::string("'" STIFFLY_PROGRAM "' compare ") + mild +
                        " --integrators verlet,forward-euler --error 1e-4 -o out 2> said & p=$!; "
                        "until grep -q 'forward-euler: step' said; do sleep 0.02; done; "
                        "kill -INT $p; wait $p");
  EXPECT_EQ(r.code, 130) << contents(folder / "said");
  EXPECT_NE(contents(folder / "said").find("interrupted"), std::string::npos);
  const json j = json::parse(contents(folder / "out" / "compare.json"));
  ASSERT_EQ(j["results"].size(), 1u);
  EXPECT_EQ(j["results"][0]["name"], "verlet");
}

TEST(CompareCommand, WrongOptionsAreExplained) {
  const TemporaryFolder folder;
  const std::pair<const char*, const char*> cases[] = {
      {"--integrators verlot", "verlet"},
      {"--integrators verlet --norm positon", "position"},
      {"--integrators verlet --norm area", "surface"},
      {"--integrators verlet --error 0", "--error"},
      {"--integrators verlet+kiops", "no evaluator"},
      {"--integrators exprb42+kiop", "kiops"},
      {"--integrators verlet:tol", "tolerance"},
      {"--integrators verlet --reference verlet", "two different methods"},
      {"--integrators verlet --set omega", "KEY=VALUE"},
  };
  for (const auto& [options, expected] : cases) {
    const Result r = run(folder, std::string("compare ") + mild + " " + options);
    EXPECT_EQ(r.code, 2) << options << r.out;
    EXPECT_NE(r.error.find(expected), std::string::npos) << options << ": " << r.error;
  }
  const Result late =
      run(folder, "compare chain --duration 0.1 --integrators verlet --error 1e-9 --reference-limit 0.2");
  EXPECT_EQ(late.code, 3);
  EXPECT_NE(late.error.find("no reference for chain"), std::string::npos) << late.error;
}

TEST(StudyCommand, WorksOnScenes) {
  const TemporaryFolder folder;
  const std::string scene = mild, plain = "fput --set model.omega=10 --duration 2";
  const std::pair<const char*, std::string> studies[] = {
      {"precision", scene + " --integrators verlet,rk4 --error 0.01 --rungs 4"},
      {"energy", plain + " --integrators verlet,backward-euler --step 0.02"},
      {"stiffness",
       plain + " --integrators exprb42+dense,verlet --key model.omega --values 10,20 --step 0.01"},
      {"scaling", "chain --integrators verlet,rk4 --key model.count --values 10,20 --step 1e-4"},
  };
  for (const auto& [name, options] : studies) {
    const Result r = run(folder, std::string("study ") + name + " " + options + " -o out --json");
    ASSERT_EQ(r.code, 0) << name << r.error;
    const json j = json::parse(r.out);
    EXPECT_EQ(j["study"], name);
    EXPECT_FALSE(j["results"].empty()) << name;
    const std::string stem = std::string(name) + "-" + j["scene"].get<std::string>();
    for (const char* ending : {".json", ".csv", ".png", ".svg"})
      EXPECT_TRUE(std::filesystem::exists(folder / "out" / (stem + ending))) << stem << ending;
  }
  // Errors at an equal error are equal; the cost of the explicit method goes with its step.
  const Result r =
      run(folder, "study stiffness " + scene +
                      " --integrators verlet --key model.omega --values 10,40 --equal-quality --error "
                      "0.02 --json -o out");
  ASSERT_EQ(r.code, 0) << r.error;
  const json rows = json::parse(r.out)["results"]["rows"];
  EXPECT_LE(rows[0]["error"], 0.02);
  EXPECT_GT(rows[1]["steps"], 1.5 * rows[0]["steps"].get<double>());
}

TEST(StudyCommand, ErrorsAtTheSameStepIfAskedFor) {
  const TemporaryFolder folder;
  const Result r =
      run(folder, std::string("study stiffness ") + mild +
                      " --integrators rk4 --key model.omega --values 5,10 --step 0.05 --error 0.01 "
                      "--with-errors --repeats 2 -o out --json");
  ASSERT_EQ(r.code, 0) << r.error;
  const json rows = json::parse(r.out)["results"]["rows"];
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_GT(rows[0]["error"].get<double>(), 0);
  EXPECT_GT(rows[1]["error"].get<double>(), 4 * rows[0]["error"].get<double>()) << "ω h is twice as large";
}

// Verlet holds below its limit however far a chain of linear springs swings, and nowhere above it;
// exponential steps hold until the links turn too far in one.
TEST(StudyCommand, AmplitudesUpToWhichMethodsHold) {
  const TemporaryFolder folder;
  const auto limit = [&](const std::string& method, const std::string& stiffness, const std::string& step) {
    const Result r =
        run(folder,
            "study amplitude chain --key model.stiffness --values " + stiffness +
                " --amplitude gravity=[0,0,-{}] --largest 10 --smallest 1e-5 --duration 0.4 --integrators " +
                method + " --step " + step + " -o out --json");
    EXPECT_EQ(r.code, 0) << r.error;
    return json::parse(r.out)["results"]["rows"][0]["limit"];
  };
  EXPECT_EQ(limit("verlet", "1e3", "1e-3"), 10);
  EXPECT_TRUE(limit("verlet", "1e3", "1e-2").is_null());
  const json turned = limit("exprb42+dense", "1e5", "0.02");
  ASSERT_FALSE(turned.is_null());
  EXPECT_GT(turned.get<double>(), 1e-5);
  EXPECT_LT(turned.get<double>(), 10);
}

TEST(StudyCommand, FailuresAreShownAsFailures) {
  const TemporaryFolder folder;
  const Result r =
      run(folder, std::string("study precision ") + mild +
                      " --integrators verlet --error 0.01 --coarsest 0.5 --finest 0.01 --rungs 2 -o out");
  ASSERT_EQ(r.code, 0) << r.error;
  EXPECT_NE(r.out.find("blew up"), std::string::npos) << r.out;
  EXPECT_NE(contents(folder / "out" / "precision-fput.csv").find("blew up"), std::string::npos);
}

}  // namespace
}  // namespace stiffly::test

#endif
