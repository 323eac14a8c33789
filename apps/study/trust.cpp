#include "trust.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "assets.hpp"
#include "commands.hpp"
#include "rows.hpp"
#include "stiffly/effort.hpp"
#include "stiffly/error.hpp"
#include "stiffly/files/file.hpp"
#include "stiffly/results/scene_run.hpp"
#include "stiffly/study/measurement.hpp"
#include "stiffly/study/reference.hpp"
#include "study_output.hpp"
#include "trust_scenes.hpp"

namespace stiffly::app {

using namespace study;
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int frames = 25;
constexpr double tolerances[] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6};
constexpr double bounds[] = {1e-2, 1e-3};

/// Of every family, with the methods that `auto` chooses from.
const std::vector<std::string> methods_measured = {
    "exprb32", "exprb42", "pexprb43",          "exprb54s4",       "ros3pl", "tr-bdf2", "sdirk-nc34", "bdf2",
    "bdf3",    "newmark", "generalized-alpha", "energy-momentum", "verlet", "dopri5",  "auto"};

Scene load(const TrustOptions& o, const TrustScene& scene) {
  if (scene.text.empty()) return load_or_fetch(find_scene(scene.name), scene.overrides);
  const fs::path file = fs::path(o.output) / "trust" / (scene.name + ".toml");
  write_file(file, scene.text);
  return load_scene(file, scene.overrides);
}

/// The scene with the states at its frames that are right to some digits more than anything asked for.
struct Known {
  Known(const TrustOptions& o, const TrustScene& what, double agreement) : scene(load(o, what)) {
    moments = even_moments(scene.body.start, scene.simulation.duration, frames);
    std::vector<std::unique_ptr<Candidate>> methods;
    std::vector<Candidate*> pointers;
    for (const char* name : {"dopri5", "exprb54s4", "ros3pl", "sdirk-nc34", "bdf6", "verlet"}) {
      methods.push_back(make_candidate(name, name == std::string("verlet") ? Knob::step : Knob::tolerance));
      pointers.push_back(methods.back().get());
    }
    const Reference reference = find_reference(scene, moments, pointers,
                                               {.norm = bounded_norm,
                                                .agreement = agreement,
                                                .time_limit = o.reference_limit,
                                                .witnesses = {},
                                                .cache = reference_folder(),
                                                .progress = {}});
    difference = reference.difference;
    problem.emplace(Problem{&scene, moments, ErrorMeasure(scene.body, bounded_norm, reference.states())});
  }

  Scene scene;
  std::vector<double> moments;
  double difference = 0;
  std::optional<Problem> problem;
};

/// A run that ends where its counted work has become too much: the same on any machine.
template <class Run>
auto within_work(double seconds, const SecondOrderSystem& system, const Run& run) {
  const TimeLimit limit(system.counters(), seconds, effort_seconds);
  return run();
}

fs::path file_of(const TrustOptions& o, const TrustScene& scene) {
  return fs::path(o.output) / "trust" / (scene.name + ".json");
}

Json what_is_known(const fs::path& file) {
  return fs::exists(file) ? Json::parse(read_file(file, 1 << 20)) : Json::object();
}

/// Method by method; what an earlier attempt has found is kept, so that a long measurement can be cut short.
Json tolerance_rows(const TrustOptions& o, const TrustScene& what) {
  const fs::path file = file_of(o, what), begun = file.string() + ".part";
  const Known known(o, what, 1e-7);
  Json out = what_is_known(begun);
  out["reference_difference"] = known.difference;
  for (const std::string& method : methods_measured) {
    if (out["errors"].contains(method)) continue;
    const auto candidate = make_candidate(method, Knob::tolerance);
    Json row = Json::array();
    for (const double tolerance : tolerances) {
      const Measurement m = within_work(o.work_limit, known.scene.system(), [&] {
        return attempt(*known.problem, *candidate, tolerance, o.time_limit);
      });
      row.push_back(m.failure.empty() ? Json(m.error) : Json(m.out_of_time ? "time" : m.failure));
      if (m.out_of_time) break;
    }
    fmt::print(stderr, "{} {}: {}\n", what.name, method, row.dump());
    out["errors"][method] = row;
    write_file(begun, dump(out));
  }
  fs::remove(begun);
  return out;
}

/// Of the scene's own time with `auto`, as a user would run it.
Json bound_rows(const TrustOptions& o, const TrustScene& what) {
  const Known known(o, what, 1e-4);
  Json out = Json::array();
  for (const double bound : bounds) {
    SceneRun run([&] {
      Scene scene = load(o, what);
      scene.simulation.integrator = "auto";
      scene.simulation.error = bound;
      scene.simulation.frames = frames / scene.simulation.duration;
      return scene;
    }());
    std::vector<State> shown;
    const double begin = effort_seconds();
    const RunReport report = run.simulate({.step = {},
                                           .choice = {},
                                           .frame =
                                               [&](const State& state) {
                                                 if (!shown.empty() && state.time <= shown.back().time)
                                                   shown.clear();
                                                 shown.push_back(state);
                                               },
                                           .search = {}});
    Json row = {{"asked", bound}, {"status", name_of(report.status)}};
    if (report.error_search) {
      const double seconds = effort_seconds() - begin;
      shown.erase(shown.begin());  // the start
      row.update({{"estimated", report.error_search->estimate()},
                  {"true", known.problem->measure.error(shown)},
                  {"runs", report.error_search->runs().size()},
                  {"seconds", seconds}});
      // The cheapest run that has this error, in hindsight.
      const auto candidate = make_candidate("auto", Knob::tolerance);
      for (double tolerance = 0.1; tolerance > 1e-8; tolerance /= 2) {
        const double before = effort_seconds();
        const TimeLimit limit(known.scene.system().counters(), 3 * seconds, effort_seconds);
        const Measurement m = attempt(*known.problem, *candidate, tolerance, o.time_limit);
        if (!m.failure.empty()) break;
        if (m.error > bound) continue;
        row["cheapest"] = effort_seconds() - before;
        row["cheapest_tolerance"] = tolerance;
        break;
      }
    }
    fmt::print(stderr, "{} {}\n", what.name, row.dump());
    out.push_back(row);
  }
  return out;
}

/// What comes out where theory knows it, with a bound of 1e-3.
Json answer_row(const TrustOptions& o, const TrustScene& what) {
  const std::vector<KnownAnswer> answers = known_answers();
  const auto answer =
      std::ranges::find(answers, what.name, [](const KnownAnswer& a) { return a.scene.name; });
  Scene scene = load(o, what);
  scene.simulation.integrator = "auto";
  scene.simulation.error = 1e-3;
  SceneRun run(std::move(scene));
  const RunReport report = run.simulate();
  Json row = {{"quantity", answer->quantity}, {"theory", answer->theory}, {"known", answer->known}};
  if (report.status == RunStatus::done)
    row["measured"] = answer->measured(run.scene(), run.state());
  else
    row["failure"] = report.error;
  return row;
}

double relative_change(const MomentumChange& momentum) {
  return momentum.max_change / std::hypot(momentum.start[0], momentum.start[1], momentum.start[2]);
}

/// Energy and angular momentum of a free body at a given step.
Json invariant_rows(const TrustOptions& o, const TrustScene& what) {
  constexpr double step = 0.005;
  Json out = Json::object();
  for (const std::string& method : methods_measured) {
    if (method == "auto") continue;
    Scene scene = load(o, what);
    scene.simulation.integrator = method;
    scene.simulation.tolerance = 0;
    scene.simulation.step = step;
    SceneRun run(std::move(scene));
    const RunReport report = run.simulate();
    out[method] = report.status == RunStatus::done
                      ? Json{{"energy", report.summary.max_energy_drift / report.summary.initial_energy},
                             {"angular_momentum", relative_change(report.momentum.angular)}}
                      : Json(report.error);
  }
  return out;
}

/// Errors at the ends of steps and within them.
Json frame_rows(const TrustOptions& o, const TrustScene& what) {
  const Known known(o, what, 1e-7);
  Json out = Json::object();
  for (const std::string& method : methods_measured) {
    const auto candidate = make_candidate(method, Knob::tolerance);
    const Trajectory run = within_work(o.frame_work_limit, known.scene.system(), [&] {
      return candidate->run(known.scene.system(), known.scene.body.start, known.moments, 1e-3, o.time_limit);
    });
    if (!run.failure.empty()) {
      out[method] = run.failure;
      continue;
    }
    // At all moments, and at the last one alone, which a step ends at.
    const ErrorMeasure& measure = known.problem->measure;
    std::vector<State> only_end = measure.reference();
    only_end.back() = run.states.back();
    out[method] = {
        {"steps", run.steps}, {"frames", measure.error(run.states)}, {"end", measure.error(only_end)}};
  }
  return out;
}

/// Error over tolerance of what was measured; the rest is not a number.
std::vector<double> ratios(const Json& row) {
  std::vector<double> out;
  for (std::size_t i = 0; i < row.size(); ++i)
    if (row[i].is_number()) out.push_back(row[i].get<double>() / tolerances[i]);
  return out;
}

/// The band of a scene: errors between a thirtieth and ten times the tolerance times a constant of each
/// method, constants that differ by at most a factor of ten. It is laid where most errors are in it.
struct Band {
  double low = 0, high = 0;
};

Band band_of(const Json& scene) {
  std::vector<double> all;
  for (const auto& [method, row] : scene["errors"].items())
    for (const double ratio : ratios(row)) all.push_back(ratio);
  std::ranges::sort(all);
  constexpr double width = 30 * 10 * 10;
  Band best;
  long most = -1;
  for (const double low : all) {
    const long inside = std::ranges::count_if(all, [&](double r) { return r >= low && r <= width * low; });
    if (inside > most) most = inside, best = {low, width * low};
  }
  return best;
}

/// Whether one constant serves a method: its own errors differ by no more than a factor of 300.
bool one_constant(const Json& row) {
  const std::vector<double> all = ratios(row);
  return all.empty() || *std::ranges::max_element(all) <= 300 * *std::ranges::min_element(all);
}

std::string tolerance_page(const TrustOptions& o, const std::vector<std::pair<std::string, Json>>& scenes) {
  std::string out = fmt::format(
      "## What a tolerance means\n\nError of the result (positions at 25 frames, relative to the largest "
      "displacement) over the tolerance, at 1e-2, 1e-3, … 1e-6. A run ends, and with it the row, after {:g} "
      "s "
      "of counted work on a nominal machine (…). The band: errors between a thirtieth and ten times the "
      "tolerance, times a constant per scene that is the same for all methods within a factor of ten; it is "
      "laid where most errors of the scene are in it. **Bold**: above it, worse than promised. *Slanted*: "
      "below it, better than asked for and dearer than needed; explicit methods are where the limit of "
      "stability is what holds their steps, and so are methods whose steps the budget of energy holds.\n\n| "
      "method |",
      o.work_limit);
  for (const auto& [name, scene] : scenes) out += fmt::format(" {} |", name);
  out += "\n|---|";
  for (std::size_t i = 0; i < scenes.size(); ++i) out += "---|";
  out += "\n";
  long all = 0, above = 0, below = 0, rows = 0, wide = 0;
  double largest = 0;
  for (const std::string& method : methods_measured) {
    out += fmt::format("| {} |", method);
    for (const auto& [name, scene] : scenes) {
      const Band band = band_of(scene);
      const Json& row = scene["errors"][method];
      ++rows, wide += !one_constant(row);
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (!row[i].is_number()) {
          out += row[i] == "time" ? " …" : " fails";
          continue;
        }
        const double ratio = row[i].get<double>() / tolerances[i];
        const bool high = ratio > band.high, low = ratio < band.low;
        ++all, above += high, below += low;
        largest = std::max(largest, ratio);
        const char* mark = high ? "**" : low ? "*" : "";
        out += fmt::format(" {0}{1:.2g}{0}", mark, ratio);
      }
      out += " |";
    }
    out += "\n";
  }
  out += "| band |";
  for (const auto& [name, scene] : scenes)
    out += fmt::format(" {:.2g} … {:.2g} |", band_of(scene).low, band_of(scene).high);
  return out +
         fmt::format(
             "\n\nOf {} errors {} are above the band and {} below it, the largest is {:.2g} times its "
             "tolerance; of {} rows {} are wider than one method's constant allows (a factor of 300).\n",
             all, above, below, largest, rows, wide);
}

std::string number(const Json& value) {
  return value.is_number() ? fmt::format("{:.2g}", value.get<double>()) : "–";
}

std::string bound_page(const std::vector<std::pair<std::string, Json>>& scenes) {
  std::string out =
      "## `--error`: asked for, estimated, true\n\nWith `--integrator auto`. Cost: all runs together over "
      "the cheapest single run of `auto` that has this error, in hindsight; seconds are those of counted "
      "work on a "
      "nominal machine.\n\n"
      "| scene | asked | estimated | true | runs | seconds | cost |\n|---|---|---|---|---|---|---|\n";
  long misses = 0, all = 0;
  for (const auto& [name, scene] : scenes)
    for (const Json& row : scene["bounds"]) {
      const bool said = row.value("status", "") != "done";
      const bool missed = !said && row["true"].get<double>() > row["asked"].get<double>();
      ++all, misses += missed;
      out += fmt::format("| {} | {:g} | {} | {}{} | {} | {} | {} |\n", name, row["asked"].get<double>(),
                         said ? "said that it cannot" : number(row["estimated"]),
                         row.contains("true") ? number(row["true"]) : "–", missed ? " **missed**" : "",
                         row.value("runs", 0), row.contains("seconds") ? number(row["seconds"]) : "–",
                         row.contains("cheapest") ? fmt::format("{:.2g}", row["seconds"].get<double>() /
                                                                              row["cheapest"].get<double>())
                                                  : "–");
    }
  return out + fmt::format("\n{} of {} are missed silently.\n", misses, all);
}

std::string invariant_page(const std::vector<std::pair<std::string, Json>>& scenes) {
  std::string out =
      "## Energy and angular momentum of spinning bodies\n\nLargest change, relative to the start, at a "
      "given step of "
      "5 ms. Runs that lose more than a hundredth say so.\n\n| method |";
  for (const auto& [name, scene] : scenes) out += fmt::format(" {0}: energy | {0}: angular momentum |", name);
  out += "\n|---|";
  for (std::size_t i = 0; i < 2 * scenes.size(); ++i) out += "---|";
  out += "\n";
  for (const std::string& method : methods_measured) {
    if (method == "auto") continue;
    out += fmt::format("| {} |", method);
    for (const auto& [name, scene] : scenes) {
      const Json& row = scene["invariants"][method];
      if (row.is_object())
        out += fmt::format(" {} | {} |", number(row["energy"]), number(row["angular_momentum"]));
      else
        out += " fails, and says so | – |";
    }
    out += "\n";
  }
  return out;
}

std::string frame_page(const Json& scene) {
  std::string out =
      "## Frames within long steps\n\nA truss of 7 bays, plucked, 2 s at a tolerance of 1e-3: error at 25 "
      "frames, and "
      "at the end of the last step.\n\n| method | steps | at frames | at the end |\n|---|---|---|---|\n";
  for (const auto& [method, row] : scene["frames"].items())
    out += row.is_object() ? fmt::format("| {} | {} | {} | {} |\n", method, row["steps"].get<long>(),
                                         number(row["frames"]), number(row["end"]))
                           : fmt::format("| {} | – | – | {} |\n", method, row.get<std::string>());
  return out;
}

std::string answer_page(const std::vector<std::pair<std::string, Json>>& scenes) {
  std::string out =
      "## Known answers\n\nWith `--integrator auto --error 1e-3`, which bounds the error of the integration. "
      "That of "
      "a body of few linear tetrahedra is larger: they are too stiff in bending, and a warning says so, and "
      "by about how much.\n\n"
      "| quantity | theory | known | measured | off by |\n|---|---|---|---|---|\n";
  for (const auto& [name, scene] : scenes) {
    const Json& row = scene["answer"];
    const double known = row["known"].get<double>();
    const bool done = row.contains("measured");
    const double measured = done ? row["measured"].get<double>() : 0;
    out += fmt::format("| {} | {} | {:.6g} | {} | {} |\n", row["quantity"].get<std::string>(),
                       row["theory"].get<std::string>(), known,
                       done ? fmt::format("{:.6g}", measured) : row["failure"].get<std::string>(),
                       done ? fmt::format("{:.2g} %", 100 * std::abs(measured / known - 1)) : "–");
  }
  return out;
}

/// One part of a scene's file, measured unless it is there.
using Measure = Json (*)(const TrustOptions&, const TrustScene&);

/// Which scenes have no such part yet, in a sentence for the page; nothing where all have.
std::string not_measured(const TrustOptions& o, const std::vector<TrustScene>& scenes, const char* part) {
  std::string names;
  for (const TrustScene& scene : scenes)
    if (!what_is_known(file_of(o, scene)).contains(part))
      names += fmt::format("{}{}", names.empty() ? "" : ", ", scene.name);
  return names.empty() ? "" : fmt::format("\nNot measured yet: {}.\n", names);
}

/// The parts that there are, of all these scenes.
std::vector<std::pair<std::string, Json>> measure(const TrustOptions& o,
                                                  const std::vector<TrustScene>& scenes, const char* part,
                                                  Measure find) {
  std::vector<std::pair<std::string, Json>> out;
  for (const TrustScene& scene : scenes) {
    const fs::path file = file_of(o, scene);
    Json known = what_is_known(file);
    const bool wanted = o.rows.empty() || std::ranges::find(o.rows, scene.name) != o.rows.end();
    if (wanted && (o.again || !known.contains(part))) try {
        Json found = find(o, scene);
        if (found.contains("errors"))
          known.update(found);
        else
          known[part] = std::move(found);
        known.update(environment());
        write_file(file, dump(known));
      } catch (const Error& error) {
        fmt::print(stderr, "{}: {}\n", scene.name, error.what());
      }
    if (known.contains(part)) out.emplace_back(scene.name, std::move(known));
  }
  return out;
}

}  // namespace

int measure_trust(const TrustOptions& o) {
  const std::vector<TrustScene> scenes = tolerance_scenes();
  std::vector<std::string> names;
  for (const TrustScene& scene : bound_scenes()) names.push_back(scene.name);
  std::vector<TrustScene> answers;
  for (const KnownAnswer& answer : known_answers()) answers.push_back(answer.scene);
  for (const TrustScene& scene : answers) names.push_back(scene.name);
  check_rows(o.rows, names, "a scene of the page");
  prepare_folder(fs::path(o.output) / "trust");
  std::string page =
      "# What can be trusted\n\nMade by `stiffly reproduce trust`; the scenes that do not come with the "
      "program are in docs/trust. True errors are against references on which two independent methods agree: "
      "to 1e-4 or better where bounds are measured, to 1e-7 where tolerances are.\n\n";
  page += bound_page(measure(o, bound_scenes(), "bounds", bound_rows));
  page += not_measured(o, bound_scenes(), "bounds") + "\n";
  page += answer_page(measure(o, answers, "answer", answer_row));
  page += not_measured(o, answers, "answer") + "\n";
  page += tolerance_page(o, measure(o, scenes, "errors", tolerance_rows));
  page += not_measured(o, scenes, "errors") + "\n";
  page += invariant_page(measure(o, spinning_scenes(), "invariants", invariant_rows)) + "\n";
  for (const auto& [name, scene] : measure(o, {truss()}, "frames", frame_rows))
    page += frame_page(scene) + "\n";
  page += fmt::format("{}\n", footer());
  write_file(fs::path(o.output) / "trust.md", page);
  fmt::print("{}/trust.md\n", o.output);
  return done;
}

}  // namespace stiffly::app
