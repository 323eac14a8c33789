#include "scene_study.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "assets.hpp"
#include "candidates.hpp"
#include "overrides.hpp"
#include "stiffly/error.hpp"
#include "stiffly/files/machine.hpp"

namespace stiffly::app {

using namespace study;
namespace {

/// One of these is to be among the two that agree on a reference, where other libraries are there.
const std::vector<std::string> witnesses = {"cvode-bdf", "petsc-rosw"};

void check(const SceneStudyOptions& o) {
  const auto positive = [](double value, const char* option) {
    if (!(value > 0) || !std::isfinite(value))
      throw InputError(fmt::format("{} must be positive and finite, not {}", option, value));
  };
  positive(o.error, "--error");
  positive(o.time_limit, "--time-limit");
  positive(o.reference_limit, "--reference-limit");
  if (!(o.agreement > 0 && o.agreement <= 0.5))
    throw InputError(fmt::format("--agreement must lie between 0 and 0.5, not {}", o.agreement));
  if (o.moments < 1) throw InputError(fmt::format("--moments must be at least 1, not {}", o.moments));
  if (o.repeats < 1) throw InputError(fmt::format("--repeats must be at least 1, not {}", o.repeats));
  if (o.threads < 0) throw InputError(fmt::format("--threads must be at least 1, not {}", o.threads));
  if (!o.reference.empty() && std::set(o.reference.begin(), o.reference.end()).size() < 2)
    throw InputError("--reference needs at least two different methods, separated by commas: A,B");
  find_norm(o.norm);
}

/// A method of the reference: a peer if there is one of that name.
std::unique_ptr<Candidate> reference_method(const std::string& name, const IntegratorOptions& options,
                                            double agreement) {
  for (const std::string& peer : peer_names())
    if (peer == name) return make_named_peer(name);
  return make_reference_method(name, options, agreement);
}

std::filesystem::path cache_folder(const SceneStudyOptions& o) {
  if (o.cache == "none") return {};
  return o.cache.empty() ? reference_folder() : std::filesystem::path(o.cache);
}

Reference reference_of(const SceneStudyOptions& o, const Scene& scene, std::span<const double> moments) {
  Candidates methods;
  std::vector<Candidate*> pointers;
  std::vector<std::string> names = o.reference;
  std::vector<std::size_t> not_ours;
  if (names.empty()) {
    names = reference_methods();
    const std::vector<std::string> peers = peer_names();
    for (const std::string& witness : witnesses)
      if (std::ranges::find(peers, witness) != peers.end()) {
        not_ours.push_back(names.size());
        names.push_back(witness);
      }
  }
  for (const std::string& name : names) {
    methods.push_back(reference_method(name, scene.simulation.options, o.agreement * o.error));
    pointers.push_back(methods.back().get());
  }
  return find_reference(scene, moments, pointers,
                        {.norm = find_norm(o.norm),
                         .agreement = o.agreement * o.error,
                         .time_limit = o.reference_limit,
                         .witnesses = not_ours,
                         .cache = cache_folder(o),
                         .progress = [&](const std::string& line) { o.say(line); }});
}

}  // namespace

std::vector<Override> SceneStudyOptions::overrides(std::vector<Override> more) const {
  std::vector<Override> out = parse_overrides(settings);
  if (!duration.empty()) out.push_back({"simulation.duration", duration, "--duration"});
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

void SceneStudyOptions::say(const std::string& line) const {
  if (!quiet) fmt::print(stderr, "{}\n", line);
}

void add_scene_options(CLI::App& command, SceneStudyOptions& o, bool scene_required) {
  command.add_option("SCENE", o.scene, "Name of a scene that comes with the program, or a TOML file")
      ->required(scene_required);
  command
      .add_option(
          "--integrators", o.integrators,
          "Names from `stiffly list integrators`, separated by commas; NAME+EVALUATOR, NAME+NEWTON and "
          "NAME:tolerance too")
      ->delimiter(',');
  command.add_option("--set", o.settings, "Replace a value of the scene: KEY=VALUE (repeatable)")
      ->take_all()
      ->expected(1);
  command.add_option("--duration", o.duration, "Simulated time in s");
  command.add_option("--time-limit", o.time_limit, "Seconds of computing for one run")->capture_default_str();
  command.add_option("--threads", o.threads, "Threads to use");
  command.add_option("-o,--output", o.output, "Folder for pictures and tables");
  command.add_flag("--json", o.json, "Print one JSON object and nothing else");
  command.add_flag("--quiet", o.quiet, "No progress on standard error");
}

void add_error_options(CLI::App& command, SceneStudyOptions& o) {
  command.add_option("--error", o.error, "Bound on the error")->capture_default_str();
  add_reference_options(command, o);
}

void add_reference_options(CLI::App& command, SceneStudyOptions& o) {
  command.add_option("--norm", o.norm, "position, displacement, velocity, energy or area")
      ->capture_default_str();
  command.add_option("--moments", o.moments, "At how many times errors are measured")->capture_default_str();
  command
      .add_option("--reference", o.reference,
                  "Independent methods, two of which must agree on the reference: A,B,… [one of each kind]")
      ->delimiter(',');
  command.add_option("--agreement", o.agreement, "How well they must agree, as a part of --error")
      ->capture_default_str();
  command.add_option("--reference-limit", o.reference_limit, "Seconds of computing for the reference")
      ->capture_default_str();
  command.add_option("--cache", o.cache,
                     "Folder of references from earlier calls, or none [~/.cache/stiffly/references]");
  command.add_option("--peers", o.peers, "Integrators of other libraries, separated by commas")
      ->delimiter(',');
  command.add_option("--repeats", o.repeats, "Runs that are timed; the fastest counts")
      ->capture_default_str();
}

void add_setting_options(CLI::App& command, SceneStudyOptions& o) {
  command.add_option("--step", o.step, "Constant step in s [the scene's]");
  command.add_option("--tolerance", o.tolerance, "For NAME:tolerance [the scene's, or 1e-3]");
}

double setting_for(const SceneStudyOptions& o, const Scene& scene, const Candidate& candidate) {
  const SimulationSettings& s = scene.simulation;
  if (candidate.knob() == Knob::step) return o.step > 0 ? o.step : s.step;
  return o.tolerance > 0 ? o.tolerance : s.tolerance > 0 ? s.tolerance : 1e-3;
}

Scene load(const SceneStudyOptions& o, std::vector<Override> more) {
  check(o);
  if (o.threads > 0) set_thread_count(o.threads);
  Scene scene = load_or_fetch(find_scene(o.scene), o.overrides(std::move(more)));
  for (const std::string& note : scene.body.notes) o.say(note);
  for (const Warning& warning : scene.body.warnings) o.say("warning: " + warning.text());
  return scene;
}

Candidates candidates(const SceneStudyOptions& o, const IntegratorOptions& options,
                      const std::vector<std::string>& by_default) {
  Candidates out;
  const bool given = !o.integrators.empty() || !o.peers.empty();
  for (const std::string& name : given ? o.integrators : by_default) out.push_back(make_named(name, options));
  for (const std::string& name : o.peers) out.push_back(make_named_peer(name));
  return out;
}

Comparison compare(const SceneStudyOptions& o, const ReferencedScene& at, const Candidates& candidates) {
  std::vector<Candidate*> pointers;
  for (const auto& candidate : candidates) pointers.push_back(candidate.get());
  return compare(at.problem, at.reference, pointers,
                 {.bound = o.error,
                  .time_limit = o.time_limit,
                  .repeats = o.repeats,
                  .progress = [&](const std::string& line) { o.say(line); },
                  .stopped = o.stopped});
}

ReferencedScene::ReferencedScene(const SceneStudyOptions& o, Scene&& from)
    : scene(std::move(from)),
      moments(even_moments(scene.body.start, scene.simulation.duration, o.moments)),
      reference(reference_of(o, scene, moments)),
      problem{&scene, moments, ErrorMeasure(scene.body, find_norm(o.norm), reference.states())} {
  o.say(fmt::format("reference: {} ({}) and {} ({}) agree to {:.2g}{}", reference.best.method,
                    reference.best.setting, reference.witness.method, reference.witness.setting,
                    reference.difference, reference.cached ? ", from an earlier call" : ""));
}

}  // namespace stiffly::app
