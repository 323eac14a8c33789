// Runs that are taken up again end as if nothing had happened.
#include <gtest/gtest.h>

#include "stiffly/control/simulation.hpp"
#include "stiffly/error.hpp"
#include "stiffly/integrators/registry.hpp"
#include "stiffly/results/checkpoint_file.hpp"
#include "stiffly/scene/chain.hpp"
#include "temporary_folder.hpp"

namespace stiffly::test {
namespace {

/// A run with checkpoints, and the same from each of them (through a file): bit for bit.
void expect_resumable(const IntegratorInfo& info, const SimulationOptions& options) {
  const auto system = make_chain_system({.particles = 6});
  const TemporaryFolder folder;
  std::vector<Checkpoint> saved;
  SimulationOptions with = options;
  with.checkpoint_every = options.duration / 4;
  with.checkpoint = [&](const Checkpoint& c) { saved.push_back(c); };
  State whole = system->initial_state();
  const IntegratorOptions choices{.evaluator = "kiops"};
  const SimulationSummary summary = simulate(*system, *info.make(choices), whole, with);
  ASSERT_GE(saved.size(), 2u) << info.name;
  const std::string scene = R"({"kind": "chain"})";
  const State& start = saved.front().start;
  const Record record{.energies = {{}}, .work = {{}}, .states = {start}, .snapshots = {start}};
  for (const Checkpoint& checkpoint : saved) {
    write_checkpoint(folder / "checkpoint.bin", {checkpoint, scene, record, {}, false});
    const SavedRun read = read_checkpoint(folder / "checkpoint.bin", scene, checkpoint.start, 0);
    EXPECT_EQ(read.scene, scene);
    EXPECT_EQ(read.record.energies.size(), 1u);
    SimulationOptions resumed = with;
    resumed.checkpoint = [](const Checkpoint&) {};
    resumed.resume = &read.checkpoint;
    State state;
    const SimulationSummary again = simulate(*system, *info.make(choices), state, resumed);
    ASSERT_EQ(to_host(state.y), to_host(whole.y)) << info.name << " from t = " << checkpoint.state.time;
    EXPECT_EQ(again.steps, summary.steps);
    // A force that was kept from the step before has to be evaluated once more.
    EXPECT_NEAR(static_cast<double>(again.counters.force), static_cast<double>(summary.counters.force), 1)
        << info.name;
    EXPECT_EQ(again.max_energy_drift, summary.max_energy_drift);
  }
}

TEST(CheckpointTest, ConstantSteps) {
  for (const IntegratorInfo& info : integrators()) expect_resumable(info, {.duration = 0.002, .step = 1e-4});
}

TEST(CheckpointTest, ChosenSteps) {
  for (const char* name : {"exprb42", "pexprb43", "dopri5", "bdf2", "bdf4", "sdirk3", "newmark", "ros3pl",
                           "verlet", "generalized-alpha", "energy-momentum", "energy-momentum-4"})
    for (const IntegratorInfo& info : integrators())
      if (info.name == name) expect_resumable(info, {.duration = 0.2, .tolerance = 1e-3});
}

TEST(CheckpointTest, DamagedFilesAreRefused) {
  const TemporaryFolder folder;
  EXPECT_THROW(read_checkpoint(folder / "none.bin", "{}", {}, 0), FileError);
  folder.write("text.bin", "no checkpoint at all");
  EXPECT_THROW(read_checkpoint(folder / "text.bin", "{}", {}, 0), InputError);
}

}  // namespace
}  // namespace stiffly::test
