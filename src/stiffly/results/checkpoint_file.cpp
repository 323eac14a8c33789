#include "stiffly/results/checkpoint_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "stiffly/error.hpp"
#include "stiffly/files/archive.hpp"
#include "stiffly/files/file.hpp"

namespace stiffly {
namespace {

using SettingsJson = nlohmann::json;

constexpr std::uintmax_t largest_checkpoint = 1ull << 40;

// ---- as rows of numbers ----

double count(auto n) { return static_cast<double>(n); }  // exact below 2^53
constexpr double largest_count = 9007199254740992.0;

constexpr std::size_t counters_size = 6, summary_size = 25 + counters_size, work_size = 3 + counters_size,
                      energy_size = 14, totals_size = 3;

void append(std::vector<double>& out, const Counters& c) {
  out.insert(out.end(), {count(c.force), count(c.product), count(c.tangent), count(c.factorization),
                         count(c.solve), count(c.inner)});
}

std::vector<double> numbers(const SimulationSummary& s) {
  std::vector<double> out = {count(s.steps),        count(s.rejected_steps),     count(s.phi.products),
                             count(s.phi.solves),   count(s.phi.factorizations), count(s.phi.substeps),
                             count(s.phi.rejected), count(s.steps_at_limit)};
  append(out, s.counters);
  out.insert(out.end(),
             {s.simulated_seconds, s.wall_seconds, s.max_energy_drift, s.initial_energy, s.final_energy});
  const Touch contact = s.contact.value_or(Touch{});
  out.insert(out.end(), {count(s.contact.has_value()), count(contact.pairs), contact.deepest});
  const ProjectionReport projection = s.projection.value_or(ProjectionReport{});
  out.insert(out.end(), {count(s.projection.has_value()), count(projection.contacts),
                         count(projection.crossings), count(projection.passes), count(projection.halvings),
                         projection.deepest, projection.taken, projection.driven, projection.made});
  return out;
}

std::vector<double> numbers(std::span<const EnergySample> energies) {
  std::vector<double> out;
  for (const EnergySample& e : energies) {
    out.insert(out.end(),
               {e.time, e.kinetic, e.potential, e.total, e.weight, e.supports, e.fields, e.dissipated});
    for (const auto& momentum : {e.linear_momentum, e.angular_momentum})
      out.insert(out.end(), momentum.begin(), momentum.end());
  }
  return out;
}

std::vector<double> numbers(const EnergyTotals& totals) {
  std::vector<double> out = {totals.supports, totals.fields, totals.unresolved};
  out.insert(out.end(), totals.dissipated.begin(), totals.dissipated.end());
  return out;
}

std::vector<double> numbers(std::span<const WorkSample> work) {
  std::vector<double> out;
  for (const WorkSample& w : work) {
    out.insert(out.end(), {w.time, count(w.steps), count(w.rejected_steps)});
    append(out, w.counters);
  }
  return out;
}

std::vector<double> times(std::span<const State> states) {
  std::vector<double> out;
  for (const State& state : states) out.push_back(state.time);
  return out;
}

std::vector<double> values(std::span<const State> states) {
  std::vector<double> out;
  if (!states.empty()) out.reserve(states.size() * states.front().y.size());
  for (const State& state : states) {
    const std::vector<double> y = to_host(state.y);
    out.insert(out.end(), y.begin(), y.end());
  }
  return out;
}

// ---- and back, with a look at each ----

class CheckpointReader {
 public:
  explicit CheckpointReader(const std::filesystem::path& path)
      : file_(read_file(path, largest_checkpoint), path.string(), checkpoint_format, "checkpoint") {}

  [[noreturn]] void refuse(const std::string& name, const std::string& what) const {
    file_.refuse(name, what);
  }

  std::string text(const std::string& name) const { return file_.text(name); }

  /// Finite numbers, all of them at least `least`.
  std::vector<double> array(const std::string& name, double least = -largest) const {
    std::vector<double> out = file_.numbers(name);
    if (!std::ranges::all_of(out, [&](double value) { return value >= least && value <= largest; }))
      refuse(name, "has entries that no run saves");
    return out;
  }
  /// The same, of that size.
  std::vector<double> sized(const std::string& name, std::size_t size, double least = -largest) const {
    std::vector<double> out = array(name, least);
    if (out.size() != size) refuse(name, fmt::format("has {} entries instead of {}", out.size(), size));
    return out;
  }

  /// Whole numbers from 0 on, at these places of each row.
  void check_counts(const std::string& name, std::span<const double> entries, std::size_t row,
                    std::size_t first, std::size_t end, double most = largest_count) const {
    for (std::size_t i = 0; i < entries.size(); ++i)
      if (const std::size_t column = i % row; column >= first && column < end)
        if (!(entries[i] >= 0 && entries[i] <= most && entries[i] == std::floor(entries[i])))
          refuse(name, fmt::format("has {} where a count is expected", entries[i]));
  }

  /// Times of a record: rising from the start to the checkpoint.
  void check_times(const std::string& name, std::span<const double> given, double start, double now) const {
    const bool rising = std::ranges::adjacent_find(given, std::greater_equal<>()) == given.end();
    if (!rising || (!given.empty() && !(given.front() >= start && given.back() <= now)))
      refuse(name, "has times that do not rise from the start to the checkpoint");
  }

  State state(const std::string& name, std::size_t entries) const {
    State out(sized(name + "/time", 1)[0], Vector(std::span<const double>(sized(name + "/y", entries))));
    if (const std::string history = name + "/history"; file_.has(history))
      out.history = std::make_shared<const std::vector<double>>(array(history));
    return out;
  }

  IntegratorMemory method() const {
    IntegratorMemory out{array("integrator/numbers"), {}};
    const std::vector<double> vectors = sized("integrator/vectors", 1, 0);
    check_counts("integrator/vectors", vectors, 1, 0, 1);
    for (std::size_t i = 0; count(i) < vectors[0]; ++i)
      out.vectors.emplace_back(std::span<const double>(array(fmt::format("integrator/vector{}", i))));
    return out;
  }

  SavedRequest request() const {
    SavedRequest out;
    out.source.path = text("source/path");
    out.source.text = text("source/text");
    const SettingsJson overrides = SettingsJson::parse(text("source/overrides"), nullptr, false);
    if (!overrides.is_array()) refuse("source/overrides", "is no list");
    for (const SettingsJson& o : overrides) {
      const auto is_text = [](const SettingsJson& word) { return word.is_string(); };
      if (!o.is_array() || o.size() != 3 || !std::all_of(o.begin(), o.end(), is_text))
        refuse("source/overrides", "has an entry that is no key with its value");
      out.source.overrides.push_back(
          {o[0].get<std::string>(), o[1].get<std::string>(), o[2].get<std::string>()});
    }
    out.vtu = sized("vtu", 1, 0)[0] != 0;
    return out;
  }

  SimulationSummary summary() const {
    const std::vector<double> n = sized("summary", summary_size);
    check_counts("summary", n, summary_size, 0, 8 + counters_size);
    check_counts("summary", n, summary_size, 2, 7, std::numeric_limits<int>::max());
    check_counts("summary", n, summary_size, 19, 21);
    check_counts("summary", n, summary_size, 22, 27);
    SimulationSummary s;
    const auto whole = [&](std::size_t i) { return static_cast<long>(n[i]); };
    const auto small = [&](std::size_t i) { return static_cast<int>(n[i]); };
    s.steps = whole(0);
    s.rejected_steps = whole(1);
    s.phi.products = small(2);
    s.phi.solves = small(3);
    s.phi.factorizations = small(4);
    s.phi.substeps = small(5);
    s.phi.rejected = small(6);
    s.steps_at_limit = whole(7);
    s.counters = counters(n, 8);
    s.simulated_seconds = n[14];
    s.wall_seconds = n[15];
    s.max_energy_drift = n[16];
    s.initial_energy = n[17];
    s.final_energy = n[18];
    if (n[19] != 0) s.contact = Touch{whole(20), n[21]};
    if (n[22] != 0)
      s.projection = ProjectionReport{whole(23), whole(24), whole(25), whole(26), n[27], n[28], n[29], n[30]};
    return s;
  }

  /// None where they were not counted.
  std::vector<double> contact_time(std::size_t points) const {
    std::vector<double> out = array("contact_time", 0);
    if (!out.empty() && out.size() != points)
      refuse("contact_time", fmt::format("has {} entries instead of {}", out.size(), points));
    return out;
  }

  Record record(const State& start, const State& now, std::size_t dissipators, std::size_t timed) const {
    Record out;
    const std::vector<double> totals = sized("record/totals", totals_size + dissipators);
    out.totals = {totals[0], totals[1], {totals.begin() + totals_size, totals.end()}, totals[2]};
    const std::vector<double> energies = array("record/energies"), work = array("record/work");
    if (energies.empty() || energies.size() % energy_size != 0)
      refuse("record/energies", fmt::format("has {} entries, not rows of {}", energies.size(), energy_size));
    const std::size_t rows = energies.size() / energy_size;
    if (work.size() != rows * work_size)
      refuse("record/work", fmt::format("has {} entries for {} records", work.size(), rows));
    check_counts("record/work", work, work_size, 1, work_size);
    std::vector<double> record_times;
    for (std::size_t i = 0; i < rows; ++i) {
      const double* e = energies.data() + i * energy_size;
      const double* w = work.data() + i * work_size;
      out.energies.push_back(
          {e[0], e[1], e[2], e[3], e[4], e[5], e[6], e[7], {e[8], e[9], e[10]}, {e[11], e[12], e[13]}});
      out.work.push_back(
          {w[0], static_cast<long>(w[1]), static_cast<long>(w[2]), counters(work, i * work_size + 3)});
      if (w[0] != e[0]) refuse("record/work", "has times that differ from those of 'record/energies'");
      record_times.push_back(e[0]);
    }
    check_times("record/energies", record_times, start.time, now.time);
    const bool small = now.unknowns() <= small_system;
    out.states = states("record/states", small ? record_times : std::vector<double>{}, now.y.size());
    const std::vector<double> snapshot_times = array("record/snapshot_times");
    if (snapshot_times.empty()) refuse("record/snapshot_times", "is empty");
    // A snapshot's own time may be some ulps after that of the step which ended there.
    check_times("record/snapshot_times", snapshot_times, start.time,
                now.time + 1e-6 * (now.time - start.time));
    out.snapshots = states("record/snapshots", snapshot_times, now.y.size());
    const std::vector<double> touched = sized("record/contact_times", timed * snapshot_times.size(), 0);
    for (auto row = touched.begin(); row != touched.end(); row += static_cast<std::ptrdiff_t>(timed))
      out.contact_times.emplace_back(row, row + static_cast<std::ptrdiff_t>(timed));
    return out;
  }

 private:
  static constexpr double largest = std::numeric_limits<double>::max();

  static Counters counters(std::span<const double> n, std::size_t at) {
    const auto whole = [&](std::size_t i) { return static_cast<std::int64_t>(n[at + i]); };
    return {whole(0), whole(1), whole(2), whole(3), whole(4), whole(5)};
  }

  std::vector<State> states(const std::string& name, std::span<const double> at, std::size_t entries) const {
    const std::vector<double> all = sized(name, at.size() * entries);
    std::vector<State> out;
    for (std::size_t i = 0; i < at.size(); ++i)
      out.emplace_back(at[i], Vector(std::span(all).subspan(i * entries, entries)));
    return out;
  }

  ArchiveReader file_;
};

/// "simulation.step is 0.01 there and 0.02 here"; empty where the settings are the same.
std::string first_difference(const std::string& saved, const std::string& now) {
  // Settings lie a few levels deep; what lies deeper is left out, as it is compared and shown by recursion.
  const auto shallow = [](int depth, SettingsJson::parse_event_t, const SettingsJson&) { return depth < 20; };
  SettingsJson there = SettingsJson::parse(saved, shallow, false), here = SettingsJson::parse(now);
  if (!there.is_object()) return "its settings cannot be read";
  for (SettingsJson* settings : {&there, &here}) settings->erase("file");
  const SettingsJson changes = SettingsJson::diff(there, here);
  if (changes.empty()) return {};
  const auto at = SettingsJson::json_pointer(changes[0]["path"].get<std::string>());
  const auto value = [&](const SettingsJson& in) { return in.contains(at) ? in[at].dump() : "not set"; };
  std::string key = at.to_string().substr(1);
  std::ranges::replace(key, '/', '.');
  return fmt::format("{} is {} there and {} here", key, value(there), value(here));
}

}  // namespace

void write_checkpoint(const std::filesystem::path& path, const RunToSave& run) {
  const Checkpoint& c = run.checkpoint;
  ArchiveWriter file(checkpoint_format);
  std::size_t numbers_of_states = c.start.y.size() + c.state.y.size() + c.stepper.method.numbers.size();
  for (const State* state : {&c.start, &c.state})
    if (state->history) numbers_of_states += state->history->size();
  for (const Vector& v : c.stepper.method.vectors) numbers_of_states += v.size();
  for (const auto* states : {&run.record.states, &run.record.snapshots})
    for (const State& state : *states) numbers_of_states += state.y.size();
  numbers_of_states += (1 + run.record.contact_times.size()) * run.contact_time.size();
  constexpr std::size_t all_else = 1 << 20;
  file.reserve(numbers_of_states * sizeof(double) + all_else);
  file.write("scene", run.scene);
  SettingsJson overrides = SettingsJson::array();
  for (const Override& o : run.source.overrides) overrides.push_back({o.key, o.value, o.option});
  const bool loaded = !run.source.path.empty();
  file.write("source/path", loaded ? std::filesystem::absolute(run.source.path).string() : std::string());
  file.write("source/text", run.source.text);
  file.write("source/overrides", overrides.dump(-1, ' ', false, SettingsJson::error_handler_t::replace));
  const double vtu = run.vtu ? 1 : 0;
  file.write("vtu", std::span(&vtu, 1));
  for (const auto& [name, state] : {std::pair{"start", &c.start}, std::pair{"state", &c.state}}) {
    file.write(fmt::format("{}/time", name), std::span(&state->time, 1));
    file.write(fmt::format("{}/y", name), to_host(state->y));
    if (state->history) file.write(fmt::format("{}/history", name), *state->history);
  }
  file.write("integrator/numbers", c.stepper.method.numbers);
  const double vectors = count(c.stepper.method.vectors.size());
  file.write("integrator/vectors", std::span(&vectors, 1));
  for (std::size_t i = 0; i < c.stepper.method.vectors.size(); ++i)
    file.write(fmt::format("integrator/vector{}", i), to_host(c.stepper.method.vectors[i]));
  file.write("summary", numbers(c.summary));
  file.write("control", c.stepper.control);
  file.write("record/energies", numbers(run.record.energies));
  file.write("record/work", numbers(run.record.work));
  file.write("record/totals", numbers(run.record.totals));
  file.write("record/states", values(run.record.states));
  file.write("record/snapshot_times", times(run.record.snapshots));
  file.write("record/snapshots", values(run.record.snapshots));
  file.write("contact_time", run.contact_time);
  std::vector<double> touched;
  for (const std::vector<double>& row : run.record.contact_times)
    touched.insert(touched.end(), row.begin(), row.end());
  file.write("record/contact_times", touched);
  write_file(path, file.finish());
}

SavedRun read_checkpoint(const std::filesystem::path& path, const std::string& scene, const State& start,
                         std::size_t dissipators, std::size_t obstacle_points) {
  const CheckpointReader file(path);
  SavedRun run;
  run.scene = file.text("scene");
  if (const std::string difference = first_difference(run.scene, scene); !difference.empty())
    throw InputError(fmt::format(
        "{}: the checkpoint is of another scene or of other settings: {}. A run is resumed with the "
        "scene and the options it was started with",
        path.string(), difference));
  Checkpoint& c = run.checkpoint;
  c.start = file.state("start", start.y.size());
  c.state = file.state("state", start.y.size());
  c.stepper = {file.method(), file.array("control")};
  c.summary = file.summary();
  if (c.start.time != start.time) file.refuse("start/time", "is not the time at which the scene starts");
  if (to_host(c.start.y) != to_host(start.y))
    file.refuse("start/y", "is not the state in which the scene starts");
  if (!(c.state.time > c.start.time) || c.summary.simulated_seconds != c.state.time - c.start.time)
    file.refuse("state/time", "does not fit the simulated time in 'summary'");
  run.contact_time = file.contact_time(obstacle_points);
  run.record = file.record(c.start, c.state, dissipators, run.contact_time.size());
  const SavedRequest request = file.request();
  run.source = request.source;
  run.vtu = request.vtu;
  return run;
}

SavedRequest read_request(const std::filesystem::path& path) {
  SavedRequest out = CheckpointReader(path).request();
  if (out.source.path.empty())
    throw InputError(fmt::format("{}: the scene was made by a program: only that can go on", path.string()));
  return out;
}

}  // namespace stiffly
