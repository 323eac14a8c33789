// Many runs in one process: neither memory nor open files grow. `bench/soak ROUNDS` makes more of them.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "stiffly/results/scene_run.hpp"
#include "temporary_folder.hpp"

namespace stiffly {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

/// MB of this process in memory, without what the allocator keeps for later.
double resident() {
  malloc_trim(0);
  std::ifstream in("/proc/self/statm");
  double all = 0, pages = 0;
  in >> all >> pages;
  return pages * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

std::ptrdiff_t handles() {
  return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator{});
}

/// Simulated seconds.
double round_of_runs(const fs::path& folder) {
  double seconds = 0;
  const auto run = [&](const char* scene, std::vector<Override> changes) {
    const Scene loaded = load_scene(find_scene(scene), changes);
    const double half = loaded.simulation.duration / 2;
    RunObserver until_half;
    until_half.step = [&](const State&, const SimulationSummary& s) { return s.simulated_seconds < half; };
    RunOptions options{.folder = folder / "out", .checkpoint_seconds = 0};
    SceneRun(load_scene(find_scene(scene), changes), options).simulate(until_half);
    options.resume = options.folder;
    seconds += SceneRun(load_scene(find_scene(scene), changes), options).simulate().summary.simulated_seconds;
  };
  run("chain", {{"count", "7"}, {"step", "0.0017"}, {"duration", "0.17"}, {"integrator", "bdf2"}});
  run("chain", {{"count", "5"}, {"tolerance", "3e-3"}, {"duration", "0.13"}, {"integrator", "auto"}});
  run("fput", {{"duration", "91"}, {"step", "0.07"}});
  run("damped-spring", {{"duration", "53"}, {"step", "0.07"}});
  run("coil", {{"duration", "0.011"}, {"integrator", "energy-momentum"}});
  return seconds;
}

TEST(Soak, LongNeitherMemoryNorHandlesGrow) {
  const char* asked = std::getenv("STIFFLY_SOAK_ROUNDS");
  const int rounds = asked ? std::max(8, std::atoi(asked)) : 40;
  const TemporaryFolder folder;
  double simulated = 0, memory_at_half = 0;
  std::ptrdiff_t handles_at_half = 0;
  fmt::print("{:>8} {:>12} {:>10} {:>8}\n", "round", "simulated s", "memory MB", "handles");
  for (int round = 1; round <= rounds; ++round) {
    simulated += round_of_runs(folder.path());
    if (round % (rounds / 8) != 0 && round != rounds / 2 && round != rounds) continue;
    fmt::print("{:>8} {:>12.1f} {:>10.2f} {:>8}\n", round, simulated, resident(), handles());
    std::fflush(stdout);
    if (round == rounds / 2) memory_at_half = resident(), handles_at_half = handles();
  }
  EXPECT_EQ(handles(), handles_at_half);
  // What a leak of one small object in every run would come to is more.
  EXPECT_LT(resident(), memory_at_half + 1.0);
}

}  // namespace
}  // namespace stiffly
