#include "hindsight.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "assets.hpp"
#include "commands.hpp"
#include "rows.hpp"
#include "stiffly/control/automatic_stepper.hpp"
#include "stiffly/error.hpp"
#include "stiffly/files/file.hpp"
#include "stiffly/study/hindsight.hpp"
#include "stiffly/text.hpp"
#include "study_output.hpp"

namespace stiffly::app {

using namespace study;
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

using Sizes = std::map<std::string, std::vector<Override>>;  ///< by row or scene, beside its own sizes

/// Scenes whose own duration takes only moments are made larger. Long after it many of them are chaotic, and
/// the number of steps a matter of chance; or, at a loose tolerance, they are at rest.
const Sizes small_sizes = {
    {"bunny", {{"count", "4000"}}},
    // as long and as heavy as that of thirty particles, and as hard to stretch
    {"chain", {{"count", "1000"}, {"spacing", "0.0015"}, {"mass", "0.0003"}, {"stiffness", "3e6"}}},
    {"coil", {{"size", "full"}}},
    {"dragon", {{"count", "8000"}}},
    {"dragon-1e-1", {{"count", "32000"}}},
    {"fput", {{"stiff_springs", "300"}}},
    {"fput-1e-1", {{"stiff_springs", "50000"}}},
    {"tower-1e-1", {{"size", "full"}}}};

/// Here ten seconds of computing are some tens or hundreds of steps.
const Sizes full_sizes = {
    {"chain", {{"count", "10000"}, {"spacing", "0.00015"}, {"mass", "0.00003"}, {"stiffness", "3e7"}}},
    {"dragon", {{"size", "small"}, {"count", "16000"}}},  // of 150000 particles a step takes seconds
    {"dragon-1e-1", {{"size", "small"}, {"count", "32000"}}},
    {"fput", {{"stiff_springs", "50000"}}}};

struct Row {
  std::string name;  ///< SCENE-TOLERANCE
  SceneEntry scene;
  std::string tolerance;
};

/// Equations of one unknown: whole runs take milliseconds.
const std::set<std::string> left_out = {"dahlquist", "overdamped", "damped-spring", "wave"};

std::vector<Row> all_rows() {
  std::vector<Row> out;
  for (const SceneEntry& scene : scenes())
    if (!left_out.contains(scene.name))
      for (const std::string tolerance : {"1e-1", "1e-2", "1e-3"})
        out.push_back({scene.name + "-" + tolerance, scene, tolerance});
  return out;
}

std::vector<Row> chosen_rows(const AutoOptions& o) {
  std::vector<Row> all = all_rows();
  std::vector<std::string> names;
  for (const Row& row : all) names.insert(names.end(), {row.name, row.scene.name});
  check_rows(o.rows, names, "SCENE or SCENE-TOLERANCE");
  std::erase_if(all, [&](const Row& row) {
    return !o.rows.empty() && std::ranges::find(o.rows, row.name) == o.rows.end() &&
           std::ranges::find(o.rows, row.scene.name) == o.rows.end();
  });
  return all;
}

std::vector<Override> changes_for(const Row& row, const std::string& scale) {
  const Sizes& sizes = scale == "full" ? full_sizes : small_sizes;
  std::vector<Override> out;
  for (const std::string& name : {row.scene.name, row.name})
    if (const auto found = sizes.find(name); found != sizes.end()) out = found->second;
  if (!row.scene.sizes.empty() && std::ranges::find(out, "size", &Override::key) == out.end())
    out.insert(out.begin(), {"size", scale});
  return out;
}

std::string settings_of(const Row& row, const std::string& scale) {
  std::string out;
  for (const Override& change : changes_for(row, scale))
    out += fmt::format("{}{}={}", out.empty() ? "" : ", ", change.key, change.value);
  return out;
}

/// Rows that are the same at both scales are measured once.
bool has_own(const Row& row, const std::string& scale) {
  return scale == "small" || settings_of(row, scale) != settings_of(row, "small");
}

fs::path file_of(const AutoOptions& o, const Row& row, const std::string& scale) {
  const std::string own = has_own(row, scale) ? scale : "small";
  return fs::path(o.output) / "auto" / fmt::format("{}-{}.json", row.name, own);
}

Json to_json(const RivalResult& f) {
  if (f.slower) return {{"integrator", f.name}, {"slower_than", f.seconds}};
  if (!f.failure.empty()) return {{"integrator", f.name}, {"failure", f.failure}};
  return {{"integrator", f.name},
          {"seconds", f.seconds},
          {"early_difference", f.early_difference},
          {"difference", f.difference},
          {"astray", f.astray}};
}

/// Seconds of computing per simulated second by every trial.
Json to_json(const Decision& d) {
  Json trials;
  for (const TrialResult& t : d.trials)
    trials[t.integrator] = t.failure.empty() ? Json(t.cost) : Json(t.failure);
  return {{"time", d.time},
          {"integrator", d.integrator},
          {"seconds", d.seconds},
          {"reason", d.reason},
          {"trials", trials}};
}

Json to_json(const AutomaticRuns& c) {
  Json decisions = Json::array();
  for (const Decision& decision : c.decisions) decisions.push_back(to_json(decision));
  return {{"choices", c.choices},
          {"runs", c.runs},
          {"seconds_of_the_best", std::isfinite(c.of_the_best) ? Json(c.of_the_best) : Json(nullptr)},
          {"seconds", c.seconds},
          {"share_of_trials", c.share_of_trials()},
          {"decisions", decisions}};
}

Json to_json(const Hindsight& h) {
  Json courses = Json::array(), rivals = Json::array();
  for (const AutomaticRuns& course : h.courses) courses.push_back(to_json(course));
  for (const RivalResult& rival : h.rivals) rivals.push_back(to_json(rival));
  return {{"duration", h.duration},
          {"courses", courses},
          {"best", h.best ? to_json(h.rivals[*h.best]) : Json(nullptr)},
          {"ratios", h.ratios()},
          {"doubtful", h.doubtful},
          {"rivals", rivals}};
}

/// A row that could not be measured says why.
Json measure(const AutoOptions& o, const Row& row) {
  const Scene scene = load_or_fetch(row.scene.path, changes_for(row, o.scale));
  const HindsightOptions options{
      .tolerance = std::stod(row.tolerance),
      .seconds = o.seconds,
      .time_limit = o.time_limit,
      .rounds = 4,
      .progress = [](const std::string& line) { fmt::print(stderr, "  {}\n", line); }};
  Json out = {{"scene", scene.name},
              {"tolerance", options.tolerance},
              {"scale", o.scale},
              {"unknowns", scene.system().unknowns()}};
  std::vector<std::unique_ptr<Candidate>> owned;
  std::vector<Candidate*> rivals;
  for (const std::string& name : o.integrators.empty() ? usual_candidates(true) : o.integrators) {
    owned.push_back(make_candidate(name, Knob::tolerance, scene.simulation.options));
    rivals.push_back(owned.back().get());
  }
  const auto automatic = make_candidate("auto", Knob::tolerance, scene.simulation.options);
  try {
    out.update(to_json(hindsight(scene, *automatic, rivals, options)));
  } catch (const SimulationError& error) {
    out["failure"] = error.what();
  }
  out.update(environment());
  return out;
}

std::string line(const Row& row, const std::string& scale, const Json& r) {
  const std::string name = fmt::format("| {} | {} | {} | {} ", row.scene.name, settings_of(row, scale),
                                       r.at("unknowns").get<long>(), row.tolerance);
  if (r.contains("failure"))
    return name + fmt::format("| – | – | – | – | {} | – | – |\n", r.at("failure").get<std::string>());
  const Json& best = r.at("best");
  const char* mark = r.at("doubtful").get<bool>() ? " (!)" : "";
  const auto ratios = r.at("ratios").get<std::vector<double>>();
  std::vector<double> seconds;
  std::vector<std::string> shares, choices;
  for (const Json& course : r.at("courses")) {
    seconds.push_back(course.at("seconds").get<double>());
    shares.push_back(fmt::format("{:.0f} %", 100 * course.at("share_of_trials").get<double>()));
    choices.push_back(course.at("choices").get<std::string>());
  }
  return name +
         fmt::format("| {:.4g} | {:.3g} | {} | {} ", r.at("duration").get<double>(), fmt::join(seconds, ", "),
                     fmt::join(shares, ", "), fmt::join(choices, "; ")) +
         (best.is_null()
              ? fmt::format("| none that is as close is faster{} | below {:.2f} | – |\n", mark,
                            fmt::join(ratios, ", "))
              : fmt::format("| {}{}, {:.3g} s | {:.2f} | {:.1e}, {:.1e} |\n",
                            best.at("integrator").get<std::string>(), mark, best.at("seconds").get<double>(),
                            fmt::join(ratios, ", "), best.at("early_difference").get<double>(),
                            best.at("difference").get<double>()));
}

std::string describe(const HindsightTally& t) {
  return fmt::format("Within 1.25 times the best: {} of {} ({:.0f} %). Worst ratio: {:.2f}.", t.within,
                     t.rows, 100.0 * t.within / t.rows, t.worst);
}

void write_page(const AutoOptions& o) {
  std::map<std::string, HindsightTally> tally;  // by scale
  int missing = 0;
  std::string table;
  for (const Row& row : all_rows())
    for (const std::string scale : {"small", "full"}) {
      if (!has_own(row, scale)) continue;
      const fs::path file = file_of(o, row, scale);
      if (fs::exists(file)) {
        const Json r = Json::parse(read_file(file, 1 << 24));
        table += line(row, scale, r);
        if (r.contains("failure")) ++missing;
        if (r.contains("ratios"))
          for (const Json& ratio : r.at("ratios")) tally[scale].add(ratio.get<double>());
      } else if (scale == o.scale || !has_own(row, o.scale)) {
        table += fmt::format("| {} | {} | – | {} | not measured | | | | | | |\n", row.scene.name,
                             settings_of(row, scale), row.tolerance);
        ++missing;
      }
    }
  std::string out_names;
  for (const std::string& name : left_out) out_names += (out_names.empty() ? "" : ", ") + name;
  std::string page = fmt::format(
      "# The automatic choice, and the best one in hindsight\n\n"
      "Made by `stiffly reproduce auto`: every scene at three tolerances, over a simulated time for which a "
      "first run of `--integrator auto` takes {:g} s of computing at least, its trials included. Then each "
      "of the methods that it chooses from does the same alone, and is stopped when it is 5 % behind the "
      "fastest so far. Times vary with what else the machine does: the best one and `auto` then run some "
      "times more in turn, and of both the fastest run counts. Choices rest on counted work and repeat.\n\n",
      o.seconds);
  page += tally.empty() ? "Nothing has been measured yet.\n\n" : "";
  if (tally.contains("small")) page += fmt::format("**{}**\n\n", describe(tally["small"]));
  if (tally.contains("full"))
    page += fmt::format(
        "Larger (`--scale full`), where {:g} s of computing are some tens or hundreds of steps: **{}**\n\n",
        o.seconds, describe(tally["full"]));
  if (missing > 0) page += fmt::format("Rows not measured: {}.\n\n", missing);
  page +=
      "The last column is the distance between the best run and that of `auto`, relative to the amplitude of "
      "the motion: within the scene's own duration, and within all of the simulated time, over which motions "
      "that are sensitive to their start drift apart whatever the method. A method that is more than ten "
      "tolerances away from `auto` within the scene's own duration, and more than twice as far as the very "
      "method that `auto` has used, does not count, however fast: most often it has damped the motion away. "
      "(!) marks rows where two such methods agree with each other.\n\n"
      "| scene | settings | unknowns | tolerance | simulated (s) | auto (s) | in trials | its choices | best "
      "in hindsight | ratio | difference |\n|---|---|---|---|---|---|---|---|---|---|---|\n" +
      table +
      fmt::format(
          "\nLeft out: {}. They are equations of one unknown whose runs end within milliseconds.\n\n{}\n",
          out_names, footer());
  write_file(fs::path(o.output) / "auto.md", page);
}

}  // namespace

int automatic_in_hindsight(const AutoOptions& o) {
  const std::vector<Row> rows = chosen_rows(o);
  prepare_folder((fs::path(o.output) / "auto").string());
  for (const Row& row : rows) {
    const fs::path file = file_of(o, row, o.scale);
    if (fs::exists(file) && !o.again) {
      fmt::print("{}: done before (--again repeats it)\n", row.name);
      continue;
    }
    const Json result = measure(o, row);
    write_file(file, dump(result));
    write_page(o);
    fmt::print("{}", line(row, o.scale, result));
    std::fflush(stdout);
  }
  write_page(o);
  fmt::print("{}/auto.md\n", o.output);
  return done;
}

}  // namespace stiffly::app
