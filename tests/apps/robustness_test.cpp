// The program where something is wrong: damaged files, two runs at once, signals, extreme numbers.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "apps/program.hpp"
#include "stiffly/files/file.hpp"
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

const std::string program = "'" STIFFLY_PROGRAM "' ";

constexpr const char* two_particles = R"([simulation]
duration = 0.13
step = 0.0013
integrator = "rk4"
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

bool is_file(const std::filesystem::path& path) { return std::filesystem::exists(path); }

/// Waits for a file, up to a minute.
std::string until(const std::string& file) {
  return "for i in $(seq 1200); do test -e " + file + " && break; sleep 0.05; done; ";
}

TEST(Robustness, ARunIsResumedByItsFolderAlone) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "scenes");
  folder.write("scenes/chain.toml", contents(STIFFLY_SOURCE_DIR "/scenes/chain.toml"));
  const std::string options =
      " --set count=7 --integrator bdf2 --duration 0.37 --step 0.0017 --frames 90 --vtu --set stiffness=3e4";
  ASSERT_EQ(run(folder, "run scenes/chain.toml" + options + " -o whole").code, 0);
  ASSERT_EQ(run(folder, "run scenes/chain.toml" + options + " --time-limit 1e-9 -o cut").code, 130);
  ASSERT_FALSE(is_file(folder / "cut/checkpoint.bin")) << "too early for one";
  const Result early = run(folder, "run --resume cut");
  EXPECT_EQ(early.code, 4) << early.error;
  // Killed: what is there is a checkpoint.
  shell(folder, program + "run scenes/chain.toml" + options + " -o cut & p=$!; " +
                    until("cut/checkpoint.bin") + "kill -9 $p; wait $p");
  std::filesystem::remove(folder / "scenes/chain.toml");
  std::filesystem::create_directory(folder / "elsewhere");
  const Result other = run(folder, "run --resume cut --step 0.002");
  EXPECT_EQ(other.code, 2);
  EXPECT_NE(other.error.find("simulation.step is 0.0017 there and 0.002 here"), std::string::npos)
      << other.error;
  const Result r = shell(folder, "cd elsewhere; " + program + "run --resume ../cut --step 0.0017");
  ASSERT_EQ(r.code, 0) << r.error;
  EXPECT_EQ(contents(folder / "cut/final.csv"), contents(folder / "whole/final.csv"));
  EXPECT_EQ(contents(folder / "cut/energy.csv"), contents(folder / "whole/energy.csv"));
  EXPECT_TRUE(is_file(folder / "cut/frames.pvd"));
  EXPECT_EQ(run(folder, "run --resume nowhere").code, 4);
}

TEST(Robustness, TwoRunsIntoOneFolderAreNotMixed) {
  const TemporaryFolder folder;
  folder.write("long.toml", two_particles);
  const Result r =
      shell(folder, program + "run long.toml --duration 1e5 -o out & p=$!; " + until("out/.lock") +
                        "sleep 0.1; " + program + "run long.toml -o out; c=$?; kill -9 $p; exit $c");
  EXPECT_EQ(r.code, 4);
  EXPECT_NE(r.error.find("out: the folder is in use by process "), std::string::npos) << r.error;
  EXPECT_EQ(run(folder, "run long.toml -o out").code, 0) << "the lock went with its process";
}

TEST(Robustness, StandardOutputThatIsFullIsAnError) {
  const TemporaryFolder folder;
  folder.write("a.toml", two_particles);
  for (const char* command : {"run a.toml --json", "run a.toml", "list integrators"}) {
    const Result r = shell(folder, program + command + " > /dev/full");
    EXPECT_EQ(r.code, 4) << command;
    EXPECT_NE(r.error.find("standard output cannot be written"), std::string::npos) << r.error;
  }
}

TEST(Robustness, SoManyThreadsAreRefused) {
  const TemporaryFolder folder;
  const Result r = run(folder, "run bunny --set size=small --duration 0.01 --threads 100000");
  EXPECT_EQ(r.code, 2);
  EXPECT_NE(r.error.find("threads must be from 1 to 1024"), std::string::npos) << r.error;
  const Result few = shell(
      folder, "ulimit -v 4000000; " + program + "run bunny --set size=small --duration 0.001 --threads 900");
  EXPECT_TRUE(few.code == 0 || few.code == 3) << "as many as there is room for, or no room: " << few.error;
}

TEST(Robustness, DeepKeysAndLongNamesAreRefusedInShort) {
  const TemporaryFolder folder;
  std::string dots = "a";
  for (int i = 0; i < 50000; ++i) dots += ".a";
  for (const std::string& text :
       {dots + " = 1\n", "[" + dots + "]\n", "title = \"it's...\"\nx = {" + dots + " = 1}\n",
        "a = 1.5\n\n" + dots + " = 1\n"}) {
    folder.write("deep.toml", text);
    const Result r = run(folder, "run deep.toml");
    EXPECT_EQ(r.code, 2);
    EXPECT_NE(r.error.find("a key has more than 100 dots"), std::string::npos) << r.error.substr(0, 300);
  }
  folder.write("fine.toml",
               "title = \"" + std::string(500, '.') + "\" # " + std::string(500, '.') + "\n" +
                   "[model]\nkind = 'chain'\n[simulation]\nduration = 0.01\ngravity = [0.0, 0.0, -1.0]\n");
  EXPECT_EQ(run(folder, "run fine.toml").code, 0) << run(folder, "run fine.toml").error;
  folder.write("key.toml", std::string(5000000, 'k') + " = 1\n");
  EXPECT_LT(run(folder, "run key.toml").error.size(), 300u);
  folder.write("secret.csv",
               "the first line of a file that is none of the program's business, and rather long\n");
  folder.write("table.toml", "particles = 'secret.csv'\n[simulation]\nduration = 1\n");
  const Result r = run(folder, "run table.toml");
  EXPECT_EQ(r.code, 2);
  EXPECT_EQ(r.error.find("business"), std::string::npos) << r.error;
}

TEST(Robustness, LengthsBeyondReasonAreRefused) {
  const TemporaryFolder folder;
  folder.write("a.toml", std::string(two_particles) + "rest_length = 1e12\n");
  const Result r = run(folder, "run a.toml");
  EXPECT_EQ(r.code, 2);
  EXPECT_NE(r.error.find("a.toml:15: spring 0 is 0.1 m long at the start and 1000000000000 m at rest"),
            std::string::npos)
      << r.error;
  folder.write("b.toml", std::string(two_particles) + "rest_length = 1e7\n");
  EXPECT_NE(run(folder, "run b.toml --set stiffness=1e300").code, 0);
  const Result infinite = run(folder, "run b.toml --set stiffness=1e300");
  EXPECT_NE(infinite.error.find("the energy at the start is inf"), std::string::npos) << infinite.error;
}

/// What blows up within an evaluator is a failed simulation, with its time and its last good state.
TEST(Robustness, BlowUpsWithinAnEvaluatorAreFailures) {
  const TemporaryFolder folder;
  folder.write("a.toml", std::string(two_particles) + "law = 'cubic'\n");
  int failed = 0;
  for (const char* integrator : {"exprb42", "pexprb43", "epirk4s3", "gautschi"})
    for (const char* velocity : {"[1e60, 1e60, 0]", "[3e150, 1, 2]", "[1e100, 0, 1e99]"}) {
      const Result r = run(folder, std::string("run a.toml -o out --integrator ") + integrator +
                                       " --set 'particle.1.velocity=" + velocity + "'");
      EXPECT_TRUE(r.code == 0 || r.code == 3) << integrator << velocity << ": " << r.code << " " << r.error;
      if (r.code != 3) continue;
      ++failed;
      EXPECT_NE(r.error.find("t = "), std::string::npos) << r.error;
      EXPECT_TRUE(is_file(folder / "out/run.json"));
      EXPECT_TRUE(is_file(folder / "out/last_good.csv"));
    }
  EXPECT_GT(failed, 0);
}

/// One step of this takes a million products.
TEST(Robustness, SignalsAreObeyedWithinAStep) {
  const TemporaryFolder folder;
  for (const std::string signal : {"TERM", "INT"}) {
    const Result r =
        shell(folder, program +
                          "run bunny --step 53 --duration 1e2 --integrator exprb42 --evaluator kiops "
                          "--phi-tolerance 1e-12 -o " +
                          signal + " & p=$!; " + until(signal + "/frames.h5") + "sleep 0.3; kill -" + signal +
                          " $p; for i in $(seq 600); do kill -0 $p 2>/dev/null || break; sleep 0.1; "
                          "done; kill -9 $p 2>/dev/null; wait $p");
    EXPECT_EQ(r.code, 130) << r.error;
    EXPECT_NE(r.error.find("interrupted at t = 0 s"), std::string::npos) << r.error;
    ASSERT_TRUE(is_file(folder / (signal + "/run.json")));
    EXPECT_EQ(json::parse(contents(folder / (signal + "/run.json")))["status"], "interrupted");
  }
}

}  // namespace
}  // namespace stiffly

#endif
