#include "stiffly/results/checkpoint_file.hpp"

#include <fmt/format.h>

#include "stiffly/error.hpp"
#include "stiffly/files/hdf5.hpp"

namespace stiffly {
namespace {

constexpr const char* format = "stiffly checkpoint 3";

std::vector<double> numbers(const SimulationSummary& s) {
  const auto count = [](auto n) { return static_cast<double>(n); };  // exact below 2^53
  const Counters& c = s.counters;
  return {count(s.steps),        count(s.rejected_steps), s.simulated_seconds,    s.wall_seconds,
          s.initial_energy,      s.final_energy,          s.max_energy_drift,     count(c.force),
          count(c.product),      count(c.tangent),        count(c.factorization), count(c.solve),
          count(c.inner),        count(s.phi.products),   count(s.phi.solves),    count(s.phi.factorizations),
          count(s.phi.substeps), count(s.phi.rejected)};
}

SimulationSummary summary(std::span<const double> n) {
  SimulationSummary s;
  const auto whole = [&](std::size_t i) { return static_cast<std::int64_t>(n[i]); };
  const auto small = [&](std::size_t i) { return static_cast<int>(n[i]); };
  s.steps = whole(0);
  s.rejected_steps = whole(1);
  s.simulated_seconds = n[2];
  s.wall_seconds = n[3];
  s.initial_energy = n[4];
  s.final_energy = n[5];
  s.max_energy_drift = n[6];
  s.counters = {whole(7), whole(8), whole(9), whole(10), whole(11), whole(12)};
  s.phi.products = small(13);
  s.phi.solves = small(14);
  s.phi.factorizations = small(15);
  s.phi.substeps = small(16);
  s.phi.rejected = small(17);
  return s;
}
constexpr std::size_t summary_size = 18;

void write_state(Hdf5Writer& file, const std::string& name, const State& state) {
  file.write(name + "/time", std::span(&state.time, 1));
  file.write(name + "/y", to_host(state.y));
}

State read_state(const Hdf5Reader& file, const std::string& name) {
  return State(file.numbers(name + "/time").at(0),
               Vector(std::span<const double>(file.numbers(name + "/y"))));
}

}  // namespace

void write_checkpoint(const std::filesystem::path& path, const SavedRun& run) {
  const Checkpoint& c = run.checkpoint;
  Hdf5Writer file(path);
  file.write("format", std::string(format));
  file.write("scene", run.scene);
  write_state(file, "start", c.start);
  write_state(file, "state", c.state);
  file.write("integrator/numbers", c.stepper.method.numbers);
  for (std::size_t i = 0; i < c.stepper.method.vectors.size(); ++i)
    file.write(fmt::format("integrator/vector{}", i), to_host(c.stepper.method.vectors[i]));
  file.write("summary", numbers(c.summary));
  file.write("control", c.stepper.control);
  file.write("record", run.record);
  file.finish();
}

SavedRun read_checkpoint(const std::filesystem::path& path) {
  const Hdf5Reader file(path);
  if (!file.has("format") || file.text("format") != format)
    throw InputError(fmt::format("{}: no checkpoint of this version of the program", path.string()));
  SavedRun run;
  Checkpoint& c = run.checkpoint;
  run.scene = file.text("scene");
  c.start = read_state(file, "start");
  c.state = read_state(file, "state");
  c.stepper.method.numbers = file.numbers("integrator/numbers");
  for (std::size_t i = 0; file.has(fmt::format("integrator/vector{}", i)); ++i)
    c.stepper.method.vectors.emplace_back(
        std::span<const double>(file.numbers(fmt::format("integrator/vector{}", i))));
  const std::vector<double> sums = file.numbers("summary");
  c.stepper.control = file.numbers("control");
  run.record = file.numbers("record");
  if (sums.size() != summary_size || c.state.y.size() != c.start.y.size())
    throw InputError(fmt::format("{}: the checkpoint is damaged", path.string()));
  c.summary = summary(sums);
  return run;
}

}  // namespace stiffly
