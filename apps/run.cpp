// stiffly run: simulates a scene and writes its results.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "assets.hpp"
#include "commands.hpp"
#include "interrupt.hpp"
#include "onlooker.hpp"
#include "overrides.hpp"
#include "progress.hpp"
#include "stiffly/error.hpp"
#include "stiffly/files/machine.hpp"
#include "stiffly/results/checkpoint_file.hpp"
#include "stiffly/results/run_folder.hpp"
#include "stiffly/results/scene_run.hpp"
#include "stiffly/scene/scene.hpp"
#include "stiffly/stopwatch.hpp"
#include "stiffly/text.hpp"
#include "summary.hpp"

namespace stiffly::app {
namespace {

namespace fs = std::filesystem;

constexpr double worth_telling = 0x1p29;  ///< bytes of memory

/// The command line as given; everything about the scene is left as text, which the scene's own checks read.
struct CommandLine {
  std::string scene;
  std::vector<std::string> settings;  ///< key=value
  std::vector<std::pair<const char*, std::string>>
      shortcuts;  ///< option that stands for a key of [simulation]
  RunOptions run;
  std::string sandbox;  ///< where files that the scene names must lie; empty: anywhere
  std::string backend = "host";
  int threads = 0;
  double time_limit = 0;  ///< s of computing; 0: none
  bool json = false, help = false, view = false, paused = false;

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

void check_supported(const CommandLine& o) {
  if (o.scene.empty() && o.run.resume.empty())
    throw InputError("run needs a scene: a name from `stiffly list scenes`, or a file");
  if (o.backend != "host")
    throw InputError(fmt::format("--backend {} is not available: this program has 'host' only", o.backend));
  if (o.threads < 0) throw InputError(fmt::format("--threads must be at least 1, not {}", o.threads));
  if (o.run.vtu && o.run.folder.empty() && o.run.resume.empty())
    throw InputError("--vtu needs a folder: add -o DIR");
}

void print_report(const RunReport& report, const std::string& folder, bool json) {
  if (json) {
    fmt::print("{}", run_json(report));
    return;
  }
  fmt::print("{}", summary_table(report));
  if (!folder.empty()) fmt::print("  {:<14}{}\n", "results", folder);
}

std::string interrupt_message(const RunReport& report, const std::string& folder) {
  const std::string when = fmt::format("interrupted at t = {:.6g} s", report.summary.simulated_seconds);
  if (folder.empty()) return when;
  if (!report.resumable)
    return when +
           "; its results up to there are written, but there is no checkpoint yet: it cannot be resumed";
  return fmt::format(
      "{}; its results up to there are written, and --resume {} goes on from the last checkpoint", when,
      folder);
}

int exit_code(const RunReport& report, const std::string& folder) {
  if (report.status == RunStatus::done) return done;
  const bool failed = report.status == RunStatus::failed;
  fmt::print(stderr, "stiffly: {}\n", failed ? report.error : interrupt_message(report, folder));
  return failed ? simulation_failed : interrupted;
}

void print_warnings(std::span<const Warning> warnings) {
  for (const Warning& warning : warnings) fmt::print(stderr, "stiffly: warning: {}\n", warning.text());
}

/// What to load: the scene that is named, or that of the run to be resumed, with the options it had. Those
/// given again come on top, so that a difference is found when the checkpoint is read.
SceneSource requested_scene(CommandLine& o) {
  const std::vector<Override> overrides = o.overrides();
  if (!o.scene.empty()) {
    SceneSource out = scene_source(find_scene(o.scene), overrides);
    out.sandbox = o.sandbox;
    return out;
  }
  SavedRequest saved = read_request(RunFolder(o.run.resume).checkpoint());
  saved.source.overrides.insert(saved.source.overrides.end(), overrides.begin(), overrides.end());
  saved.source.sandbox = o.sandbox;
  o.run.vtu = o.run.vtu || saved.vtu;
  return saved.source;
}

int run_scene(CommandLine& o, MakeOnlooker make_onlooker) {
  check_supported(o);
  if (o.threads > 0) set_thread_count(o.threads);
  Scene scene = load_or_fetch(requested_scene(o));
  const std::unique_ptr<Onlooker> onlooker =
      o.view && make_onlooker ? make_onlooker(scene, o.paused) : nullptr;
  SceneRun run(std::move(scene), o.run);
  for (const std::string& note : run.scene().body.notes) fmt::print(stderr, "stiffly: {}\n", note);
  const Warnings of_scene = run.scene().all_warnings();
  print_warnings(of_scene);
  const auto asked = [](const auto& shortcut) {
    return shortcut.first == "--frames" && !shortcut.second.empty();
  };
  if (std::ranges::any_of(o.shortcuts, asked) && o.run.folder.empty() && o.run.resume.empty() &&
      !(run.scene().simulation.error > 0))
    fmt::print(stderr, "stiffly: warning: --frames has no effect without a folder to write them to (-o)\n");
  watch_interrupts();
  const Stopwatch watch;
  Progress progress(run.scene().simulation.duration);
  if (onlooker) onlooker->begin(run);
  const RunReport report = run.simulate(
      {.step =
           [&](const State& state, const SimulationSummary& summary) {
             progress.update(summary);
             const auto wanted = [&] {
               return !interrupt_requested() && !(o.time_limit > 0 && summary.wall_seconds > o.time_limit);
             };
             return onlooker ? onlooker->step(state, summary, wanted) : wanted();
           },
       .stop = [&] { return interrupt_requested() || (o.time_limit > 0 && watch.seconds() > o.time_limit); },
       .memory =
           [](double bytes) {
             if (bytes > worth_telling)
               fmt::print(stderr, "stiffly: this takes about {:.1f} GiB of memory; the machine has {:.1f}\n",
                          bytes / 0x1p30, memory_bytes() / 0x1p30);
           },
       .choice =
           [](const ChoiceRecord& choice) {
             fmt::print(stderr, "stiffly: from t = {:.4g} s by {}\n", choice.time, choice.reason);
           },
       .frame = onlooker ? [&](const State& state) { onlooker->frame(state); }
                         : std::function<void(const State&)>(),
       .contact_time = onlooker != nullptr,
       .search =
           [&](const ErrorSearch& search) {
             progress.finish();
             const ErrorRun& last = search.runs().back();
             fmt::print(
                 stderr, "stiffly: run {} at tolerance {:.2g}: {}\n", search.runs().size(), last.tolerance,
                 last.difference ? fmt::format("differs by {:.2g} from the one before; error about {:.2g}",
                                               *last.difference, search.estimate())
                                 : duration_text(last.seconds));
           },
       .steered = onlooker ? [&] { return onlooker->steered(); } : std::function<bool()>()});
  progress.finish();
  if (onlooker) onlooker->end(report);
  print_warnings(std::span(report.warnings).subspan(of_scene.size()));
  const std::string folder = (o.run.folder.empty() ? o.run.resume : o.run.folder).string();
  print_report(report, folder, o.json);
  std::fflush(stdout);
  if (onlooker) onlooker->wait();
  return exit_code(report, folder);
}

/// `run SCENE --help`: the options, and what the scene lets one change.
int show_help(const CLI::App& command, const CommandLine& o) {
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

void add_run(CLI::App& program, Action& action) { add_run(program, action, nullptr); }

void add_run(CLI::App& program, Action& action, MakeOnlooker onlooker) {
  auto o = std::make_shared<CommandLine>();
  CLI::App* run_command = program.add_subcommand("run", "Simulate a scene");
  run_command->set_help_flag();
  run_command->add_flag("-h,--help", o->help, "These options; after a SCENE, also its keys");
  run_command->add_option("SCENE", o->scene, "Name of a scene that comes with the program, or a TOML file");
  constexpr std::pair<const char*, const char*> shortcuts[] = {
      {"--integrator", "Name from `stiffly list integrators`, or auto"},
      {"--evaluator", "Of φ-functions: name from `stiffly list evaluators`"},
      {"--phi-tolerance", "Relative error of each φ evaluation"},
      {"--step", "Step size in s"},
      {"--error",
       "Largest error of the result, relative to how far things move: runs are made at smaller and smaller "
       "tolerances until they show it (recommended)"},
      {"--tolerance", "Relative error to aim at, step by step: steps are chosen for it"},
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
  run_command->get_option("--step")->excludes("--tolerance")->excludes("--error");
  run_command->get_option("--error")->excludes("--tolerance");
  run_command->add_option("--set", o->settings, "Replace a value of the scene: KEY=VALUE (repeatable)")
      ->take_all()
      ->expected(1);
  run_command->add_option(
      "-o,--output", o->run.folder,
      "Folder for run.json, final.csv, frames.h5, energy.csv, counters.csv, motion.png and balance.png");
  run_command->add_flag("--vtu", o->run.vtu,
                        "Write the frames for ParaView too: frames.pvd and frames/*.vtu (needs -o)");
  run_command->add_flag("--view", o->view,
                        "Show the run in the browser while it goes on: pause it, pull at its particles");
  run_command->add_flag("--paused", o->paused, "With --view: wait at the start until the viewer says go on")
      ->needs("--view");
  run_command->add_option("--time-limit", o->time_limit,
                          "End the run, as an interrupt would, after so many seconds of computing");
  run_command->add_option("--threads", o->threads, "Threads to use");
  run_command->add_option("--backend", o->backend, "Where to compute: host");
  run_command->add_option("--resume", o->run.resume,
                          "Folder of an interrupted run: go on from its checkpoint. Scene and options need "
                          "not be given again; where "
                          "they are, they must be the same");
  run_command
      ->add_option("--sandbox", o->sandbox,
                   "Folder in which all files that the scene names must lie; others are refused")
      ->check(CLI::ExistingDirectory);
  run_command->add_flag("--json", o->json, "Print run.json on standard output and nothing else");
  run_command->callback([o, run_command, onlooker, &action] {
    action = [o, run_command, onlooker] {
      return o->help ? show_help(*run_command, *o) : run_scene(*o, onlooker);
    };
  });
}

}  // namespace stiffly::app
