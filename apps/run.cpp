// stiffly run: simulates a scene and writes its results.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "commands.hpp"
#include "frame_output.hpp"
#include "interrupt.hpp"
#include "overrides.hpp"
#include "progress.hpp"
#include "stiffly/control/automatic_integrator.hpp"
#include "stiffly/error.hpp"
#include "stiffly/files/file.hpp"
#include "stiffly/files/machine.hpp"
#include "stiffly/integrators/registry.hpp"
#include "stiffly/plot/picture.hpp"
#include "stiffly/results/checkpoint_file.hpp"
#include "stiffly/results/recorder.hpp"
#include "stiffly/results/results.hpp"
#include "stiffly/scene/scene.hpp"
#include "stiffly/system/particle_system.hpp"
#include "stiffly/text.hpp"
#include "summary.hpp"

namespace stiffly::app {
namespace {

namespace fs = std::filesystem;

/// The command line as given; everything about the scene is left as text, which the scene's own checks read.
struct RunOptions {
  std::string scene;
  std::vector<std::string> settings;  ///< key=value
  std::vector<std::pair<const char*, std::string>>
      shortcuts;  ///< option that stands for a key of [simulation]
  std::string output, resume, backend = "host";
  int threads = 0;
  double time_limit = 0;  ///< s of computing; 0: none
  bool vtu = false, json = false, help = false;

  std::vector<Override> overrides() const {
    std::vector<Override> out = parse_overrides(settings);
    for (const auto& [option, value] : shortcuts) {
      if (value.empty()) continue;
      std::string key = std::string("simulation.") + (option + 2);
      std::replace(key.begin(), key.end(), '-', '_');
      out.push_back({key, value, option});
    }
    return out;
  }
};

void check_supported(const RunOptions& o) {
  if (o.scene.empty()) throw InputError("run needs a scene: a name from `stiffly list scenes`, or a file");
  if (o.backend != "host")
    throw InputError(fmt::format("--backend {} is not available: this program has 'host' only", o.backend));
  if (o.threads < 0) throw InputError(fmt::format("--threads must be at least 1, not {}", o.threads));
}

/// Results of an earlier run must not pass for those of this one, however it ends.
void clear_results(const fs::path& folder, bool resumed) {
  remove_frames(folder, resumed);
  for (const std::string name : {"run.json", "final.csv", "last_good.csv", "energy.csv", "counters.csv",
                                 "motion.png", "checkpoint.h5"}) {
    if (name == "checkpoint.h5" && resumed)
      continue;  // until there is a new one, the old one is all there is
    std::error_code error;
    fs::remove(folder / name, error);
    if (error)
      throw FileError(fmt::format("{}: an earlier result cannot be removed: {}", (folder / name).string(),
                                  error.message()));
  }
}

Canvas picture(const Scene& scene, const Recorder& recorder) {
  if (dynamic_cast<const ParticleSystem*>(scene.body.system.get())) {
    std::vector<Moment> moments;
    for (const State& state : recorder.moments())
      moments.push_back({state.time, scene.positions(state), scene.velocities(state)});
    return contact_sheet(scene.name, {scene.body.triangles, scene.body.springs}, moments);
  }
  std::vector<double> times;
  std::vector<Curve> curves(std::min<std::size_t>(scene.system().unknowns(), 24));
  for (std::size_t i = 0; i < curves.size(); ++i) curves[i].name = fmt::format("x{}", i);
  for (const State& state : recorder.history()) {
    const std::vector<double> x = to_host(state.x());
    times.push_back(state.time);
    for (std::size_t i = 0; i < curves.size(); ++i) curves[i].values.push_back(x[i]);
  }
  return plot(scene.name, times, curves);
}

/// run.json comes last: where it is, all the others are.
void write_results(const fs::path& folder, const Scene& scene, const State& state, const Recorder& recorder,
                   const RunReport& report) {
  const char* name = report.status == "failed" ? "last_good.csv" : "final.csv";
  write_file(folder / name, state_csv(scene.positions(state), scene.velocities(state)));
  write_file(folder / "energy.csv", energy_csv(recorder.energies()));
  write_file(folder / "counters.csv", counters_csv(recorder.work()));
  write_file(folder / "motion.png", encode_png(picture(scene, recorder)));
  write_file(folder / "run.json", run_json(report));
}

RunReport describe(const Scene& scene) {
  RunReport r;
  const SimulationSettings& s = scene.simulation;
  r.scene = scene.name;
  r.kind = scene.kind;
  r.resolved_scene = scene.resolved;
  r.integrator = s.integrator;
  if (s.integrator == "auto" || find_by_name(integrators(), s.integrator, "integrator").uses_evaluator)
    r.evaluator = s.options.evaluator;
  r.reformulation =
      s.options.reformulation == Reformulation::explicit_root ? "explicit-root" : "square-root-free";
  r.step = s.step;
  r.tolerance = s.tolerance;
  r.unknowns = scene.system().unknowns();
  if (const auto* p = dynamic_cast<const ParticleSystem*>(scene.body.system.get()))
    r.particles = p->particles();
  r.springs = scene.body.springs.size();
  return r;
}

/// A solver that gives up does not know the time; a blow-up says it itself.
std::string failure_message(const SimulationError& error, const State& state,
                            const SimulationSummary& summary) {
  if (dynamic_cast<const BlowUp*>(&error)) return error.what();
  return fmt::format(
      "the simulation failed in step {} from t = {:.6g} s: {}. Try a smaller --step, or another --integrator "
      "or --evaluator",
      summary.steps + 1, state.time, error.what());
}

int finish(const RunOptions& o, const std::string& folder, const RunReport& report,
           const Recorder& recorder) {
  double most_kinetic = 0;
  for (const EnergySample& e : recorder.energies()) most_kinetic = std::max(most_kinetic, e.kinetic);
  if (o.json)
    fmt::print("{}", run_json(report));
  else
    fmt::print("{}", summary_table(report, most_kinetic));
  if (!o.json && !folder.empty()) fmt::print("  {:<14}{}\n", "results", folder);
  if (report.status == "failed") {
    fmt::print(stderr, "stiffly: {}\n", report.error);
    return simulation_failed;
  }
  if (report.status != "interrupted") return done;
  fmt::print(
      stderr, "stiffly: interrupted at t = {:.6g} s{}\n", report.summary.simulated_seconds,
      folder.empty()
          ? ""
          : fmt::format("; the state is saved, and --resume {} goes on from the last checkpoint", folder));
  return interrupted;
}

/// Checkpoints of a run; each costs a file of some times the state.
constexpr double checkpoints = 50;

/// The checkpoint, if it is one of this scene with these settings.
SavedRun take_up(const fs::path& path, const Scene& scene) {
  SavedRun saved = read_checkpoint(path);
  if (saved.scene != scene.resolved)
    throw InputError(
        fmt::format("{}: the checkpoint is of another scene or of other settings; a run is resumed with the "
                    "scene and the "
                    "options it was started with",
                    path.string()));
  if (saved.checkpoint.state.y.size() != scene.body.start.y.size())
    throw InputError(fmt::format("{}: the checkpoint has {} unknowns, the scene {}", path.string(),
                                 saved.checkpoint.state.unknowns(), scene.system().unknowns()));
  return saved;
}

/// Tells the user of choices as they are made.
void tell_choices(const AutomaticIntegrator& method, RunReport& report) {
  const std::span<const Decision> all = method.decisions();
  for (std::size_t i = report.choices.size(); i < all.size(); ++i) {
    report.choices.push_back({all[i].time, all[i].integrator, all[i].reason});
    fmt::print(stderr, "stiffly: from t = {:.4g} s by {}\n", all[i].time, all[i].reason);
  }
}

int run(const RunOptions& o) {
  check_supported(o);
  if (o.vtu && o.output.empty() && o.resume.empty()) throw InputError("--vtu needs a folder: add -o DIR");
  if (o.threads > 0) set_thread_count(o.threads);
  const Scene scene = load_scene(find_scene(o.scene), o.overrides());
  for (const std::string& note : scene.body.notes) fmt::print(stderr, "stiffly: {}\n", note);
  const SimulationSettings& settings = scene.simulation;
  if (o.vtu && settings.frames == 0) throw InputError("--vtu writes frames, and --frames 0 wants none");
  const std::unique_ptr<Integrator> integrator = method_for(
      settings.integrator, {settings.tolerance, settings.step, settings.duration, settings.options});
  const auto* automatic = dynamic_cast<const AutomaticIntegrator*>(integrator.get());
  const std::string folder = o.output.empty() ? o.resume : o.output;
  std::optional<SavedRun> saved;
  if (!o.resume.empty()) saved = take_up(fs::path(o.resume) / "checkpoint.h5", scene);
  if (!folder.empty()) {
    prepare_folder(folder);
    clear_results(folder, saved && fs::equivalent(folder, o.resume));
  }

  watch_interrupts();
  State state = scene.body.start;
  Recorder recorder(scene.system(), {state.time, settings.duration, settings.records});
  SimulationOptions options{settings.duration, settings.step, settings.tolerance};
  if (saved) {
    recorder.restore(saved->record);
    options.resume = &saved->checkpoint;
  }
  std::optional<FrameOutput> frames;
  if (!folder.empty() && settings.frames > 0)
    frames.emplace(scene, folder, o.resume, saved ? &saved->checkpoint.state : nullptr);
  if (!folder.empty()) {
    options.checkpoint_every = settings.duration / checkpoints;
    options.checkpoint = [&](const Checkpoint& now) {
      if (frames) frames->save(now.state);
      write_checkpoint(fs::path(folder) / "checkpoint.h5", {now, scene.resolved, recorder.save()});
    };
  }
  Progress progress(settings.duration);
  RunReport report = describe(scene);
  try {
    const auto observe = [&](const State& now, const SimulationSummary& summary) {
      report.summary = summary;
      recorder.record(now, summary);
      if (frames) frames->see(now);
      progress.update(summary);
      if (automatic) tell_choices(*automatic, report);
      return !interrupt_requested() && !(o.time_limit > 0 && summary.wall_seconds > o.time_limit);
    };
    report.summary = simulate(scene.system(), *integrator, state, options, observe);
    // Asked to end after the last step is not asked to end early.
    report.summary.interrupted &= report.summary.simulated_seconds < settings.duration;
    report.status = report.summary.interrupted ? "interrupted" : "done";
  } catch (const SimulationError& error) {
    report.status = "failed";
    report.error = failure_message(error, state, report.summary);
  }
  progress.finish();
  recorder.finish(state, report.summary);
  if (frames) {
    frames->save(state);
    report.frame_rate = settings.frames;
    report.frames = frames->count();
    if (o.vtu) write_vtu_series(fs::path(folder) / "frames.h5");
  }
  report.peak_memory_bytes = peak_memory_bytes();
  if (!folder.empty()) write_results(folder, scene, state, recorder, report);
  return finish(o, folder, report, recorder);
}

/// `run SCENE --help`: the options, and what the scene lets one change.
int show_help(const CLI::App& command, const RunOptions& o) {
  fmt::print("{}", command.help());
  if (o.scene.empty()) {
    fmt::print("\n`stiffly run SCENE --help` also lists what --set can change in that scene.\n");
    return done;
  }
  const fs::path path = find_scene(o.scene);
  fmt::print("\nWhat --set can change in {}:\n{}", path.string(),
             list_keys(read_scene_file(path, o.overrides())));
  return done;
}

}  // namespace

void add_run(CLI::App& program, Action& action) {
  auto o = std::make_shared<RunOptions>();
  CLI::App* run_command = program.add_subcommand("run", "Simulate a scene");
  run_command->set_help_flag();
  run_command->add_flag("-h,--help", o->help, "These options; after a SCENE, also its keys");
  run_command->add_option("SCENE", o->scene, "Name of a scene that comes with the program, or a TOML file");
  constexpr std::pair<const char*, const char*> shortcuts[] = {
      {"--integrator", "Name from `stiffly list integrators`, or auto"},
      {"--evaluator", "Of φ-functions: name from `stiffly list evaluators`"},
      {"--phi-tolerance", "Relative error of each φ evaluation"},
      {"--step", "Step size in s"},
      {"--tolerance", "Relative error to aim at: steps are chosen for it (recommended)"},
      {"--duration", "Simulated time in s"},
      {"--frames",
       "States per simulated second in frames.h5, 0 for none; without it 25, or a hundred over the duration "
       "if that "
       "is more, but at most 256 MB of them"},
      {"--reformulation", "square-root-free or explicit-root"},
  };
  o->shortcuts.reserve(std::size(shortcuts));
  for (const auto& [name, help] : shortcuts) {
    auto& shortcut = o->shortcuts.emplace_back(name, "");
    run_command->add_option(name, shortcut.second, help);
  }
  run_command->get_option("--step")->excludes("--tolerance");
  run_command->add_option("--set", o->settings, "Replace a value of the scene: KEY=VALUE (repeatable)")
      ->take_all()
      ->expected(1);
  run_command->add_option(
      "-o,--output", o->output,
      "Folder for run.json, final.csv, frames.h5, energy.csv, counters.csv and motion.png");
  run_command->add_flag("--vtu", o->vtu,
                        "Write the frames for ParaView too: frames.pvd and frames/*.vtu (needs -o)");
  run_command->add_option("--time-limit", o->time_limit,
                          "End the run, as an interrupt would, after so many seconds of computing");
  run_command->add_option("--threads", o->threads, "Threads to use");
  run_command->add_option("--backend", o->backend, "Where to compute: host");
  run_command->add_option(
      "--resume", o->resume,
      "Folder of an interrupted run of the same scene with the same options: go on from its checkpoint");
  run_command->add_flag("--json", o->json, "Print run.json on standard output and nothing else");
  run_command->callback([o, run_command, &action] {
    action = [o, run_command] { return o->help ? show_help(*run_command, *o) : run(*o); };
  });
}

}  // namespace stiffly::app
