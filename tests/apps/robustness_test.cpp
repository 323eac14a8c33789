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

/// A limit on the size of files is a disk that is full, not a signal that ends the program.
TEST(Robustness, FilesThatMayNotGrowAreAnError) {
  const TemporaryFolder folder;
  folder.write("a.toml", two_particles);
  for (const std::string blocks : {"0", "8", "20"}) {
    const Result r = shell(folder, "(ulimit -f " + blocks + "; " + program +
                                       "run a.toml --frames 300 --vtu -o out > /dev/null)");
    EXPECT_EQ(r.code, 4) << blocks << ": " << r.error;
    const bool told = blocks != "0";  // otherwise the message is in no file either
    EXPECT_EQ(r.error.find("out/frames.h5: cannot be written: File too large") != std::string::npos, told)
        << r.error;
  }
  EXPECT_EQ(run(folder, "run a.toml --frames 300 --vtu -o out").code, 0) << "what was left is in the way";
}

TEST(Robustness, SoManyThreadsAreRefused) {
  const TemporaryFolder folder;
  const Result r = run(folder, "run bunny --set size=small --duration 0.01 --threads 100000");
  EXPECT_EQ(r.code, 2);
  EXPECT_NE(r.error.find("threads must be from 1 to 1024"), std::string::npos) << r.error;
#ifndef __SANITIZE_ADDRESS__  // which takes more addresses than that
  // The stacks of 900 threads are 7 GB: as many are made as leave room for the work.
  const Result few = shell(folder, "ulimit -v 4000000; " + program +
                                       "run bunny --set size=small --duration 0.001 --threads 900 -o few");
  EXPECT_EQ(few.code, 0) << few.error;
  ASSERT_EQ(run(folder, "run bunny --set size=small --duration 0.001 --threads 1 -o one").code, 0);
  EXPECT_EQ(contents(folder / "few/final.csv"), contents(folder / "one/final.csv"));
#endif
}

TEST(Robustness, DeepKeysAndLongNamesAreRefusedInShort) {
  const TemporaryFolder folder;
  std::string dots = "a";
  for (int i = 0; i < 50000; ++i) dots += ".a";
  for (const std::string& text :
       {dots + " = 1\n", "[" + dots + "]\n", "title = \"it's...\"\nx = {" + dots + " = 1}\n",
        "a = 1.5\n\n" + dots + " = 1\n", "x = {y = \"\"\"five\"\"\"\"\", " + dots + " = 1}\n"}) {
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

/// Whatever names a file: none outside of the folder is opened, however it is named.
TEST(Robustness, ASandboxHoldsEveryFileThatASceneNames) {
  const TemporaryFolder folder;
  const std::filesystem::path inside = folder / "inside";
  std::filesystem::create_directory(inside);
  std::filesystem::create_directory(folder / "outside");
  const std::string body = "OFF\n4 4 6\n0 0 0\n1 0 0\n0 1 0\n0 0 0.5\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n";
  struct Named {
    std::string name, file, content, scene;  ///< FILE stands for the file's name
  };
  const std::string simulation = "[simulation]\nduration = 1e-4\nstep = 1e-4\n";
  const std::vector<Named> all = {
      {"particles", "p.csv", "x,y,z,mass\n0,0,0,1\n1,0,0,1\n",
       "particles = 'FILE'\n" + simulation + "[[spring]]\nends = [0, 1]\nstiffness = 10\n"},
      {"springs", "s.csv", "i,j,stiffness\n0,1,70\n",
       "springs = 'FILE'\n" + simulation +
           "[[particle]]\nposition = [0, 0, 0]\nmass = 1\n[[particle]]\nposition = [1, 0, 0]\nmass = 1\n"},
      {"mesh", "m.off", body, "[model]\nkind = 'mesh'\nfile = 'FILE'\n" + simulation},
      {"obstacle", "o.off", body,
       simulation + "[contact]\nstiffness = 10\nrange = 0.01\n[[obstacle]]\nshape = 'mesh'\nfile = 'FILE'\n"
                    "[[particle]]\nposition = [3, 0, 0]\nmass = 1\n"},
      {"fibres", "f.csv", "fibre,x,y,z\n0,0,0,0\n0,0,0,-0.01\n0,0,0,-0.02\n0,0,0,-0.03\n",
       "[[fibres]]\nfile = 'FILE'\n" + simulation},
  };
  for (const Named& named : all) {
    SCOPED_TRACE(named.name);
    for (const char* where : {"inside/", "outside/"}) folder.write(where + named.file, named.content);
    std::filesystem::create_symlink(folder / "outside" / named.file, inside / ("link-" + named.file));
    const auto run_with = [&](const std::string& name, const std::string& option) {
      std::string scene = named.scene;
      scene.replace(scene.find("FILE"), 4, name);
      folder.write("inside/scene.toml", scene);
      return run(folder, "run inside/scene.toml" + option);
    };
    const std::string sandbox = " --sandbox inside", outside = (folder / "outside" / named.file).string();
    for (const std::string& name : {named.file, "../inside/" + named.file, (inside / named.file).string()}) {
      const Result r = run_with(name, sandbox);
      EXPECT_EQ(r.code, 0) << name << ": " << r.error;
    }
    for (const std::string& name : {"../outside/" + named.file, outside, "link-" + named.file}) {
      EXPECT_EQ(run_with(name, "").code, 0) << name;
      const Result r = run_with(name, sandbox);
      EXPECT_EQ(r.code, 2) << name;
      EXPECT_NE(r.error.find("which does not lie in inside (--sandbox)"), std::string::npos) << r.error;
    }
    const Result missing = run_with("../outside/none.csv", sandbox);
    EXPECT_NE(missing.error.find("(--sandbox)"), std::string::npos)
        << "tells what is there: " << missing.error;
  }
}

/// While it is read, built and first factorised, too: it ends soon, and leaves no folder that looks like a
/// run's.
TEST(Robustness, SignalsAreObeyedWhileALargeSceneIsLoaded) {
  const TemporaryFolder folder;
  for (const std::string seconds : {"0.05", "0.3", "1"}) {
    const Result r =
        shell(folder, program + "run chain --set count=700000 --integrator bdf2 -o " + seconds +
                          " & p=$!; sleep " + seconds +
                          "; kill -TERM $p; for i in $(seq 300); do kill -0 $p 2>/dev/null || break; "
                          "sleep 0.1; done; kill -9 $p 2>/dev/null && echo too late; wait $p");
    EXPECT_EQ(r.out.find("too late"), std::string::npos) << "after " << seconds << " s";
    EXPECT_TRUE(r.code == 130 || r.code == 143) << r.code << ": " << r.error;
    const bool begun = r.out.find("simulated") != std::string::npos;  // where loading takes no second
    EXPECT_TRUE(begun || !is_file(folder / (seconds + "/checkpoint.bin")));
  }
}

}  // namespace
}  // namespace stiffly

#endif
