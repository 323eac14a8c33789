// stiffly study: measurements on the methods themselves, as tables and pictures.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "map_study.hpp"
#include "scene_studies.hpp"
#include "stiffly/error.hpp"
#include "stiffly/files/file.hpp"
#include "stiffly/integrators/registry.hpp"
#include "stiffly/plot/chart.hpp"
#include "stiffly/study/convergence.hpp"
#include "stiffly/study/stability.hpp"
#include "stiffly/text.hpp"
#include "study_output.hpp"

namespace stiffly::app {

using namespace study;
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct StudyOptions {
  std::vector<std::string> integrators;
  std::string output = "out/study";
  bool json = false;
};

std::vector<IntegratorInfo> chosen(const StudyOptions& o, std::initializer_list<const char*> by_default) {
  std::vector<std::string> names = o.integrators;
  if (names.empty()) names.assign(by_default.begin(), by_default.end());
  std::vector<IntegratorInfo> out;
  if (names.empty())
    for (const IntegratorInfo& info : integrators()) out.push_back(info);
  for (const std::string& name : names) out.push_back(find_by_name(integrators(), name, "integrator"));
  return out;
}

int stability(const StudyOptions& o) {
  std::vector<StabilityRegion> regions;
  std::string csv = "integrator,re,im,radius\n";
  for (const IntegratorInfo& info : chosen(o, {})) {
    regions.push_back(stability_region(info));
    const StabilityRegion& r = regions.back();
    for (int row = 0; row < r.rows / 2; ++row)
      for (int column = 0; column < r.columns; ++column)
        csv += fmt::format("{},{:.4g},{:.4g},{:.6g}\n", r.integrator,
                           r.left + (r.right - r.left) * (column + 0.5) / r.columns,
                           r.top * (1 - (row + 0.5) / (r.rows / 2)), r.at(column, row));
  }
  prepare_folder(o.output);
  write_file(fs::path(o.output) / "stability.png", encode_png(draw(regions)));
  write_file(fs::path(o.output) / "stability.csv", csv);
  if (!o.json) fmt::print("{}/stability.png and .csv\n", o.output);
  if (o.json)
    fmt::print("{}\n",
               Json{{"study", "stability"}, {"folder", o.output}, {"integrators", regions.size()}}.dump(2));
  return done;
}

/// Errors of all chosen methods on the five equations of paper 004; `by_work` draws them over the cost
/// instead of the step.
int errors(const StudyOptions& o, bool by_work) {
  const std::string study = by_work ? "precision" : "convergence";
  Json out = {{"study", study}, {"folder", o.output}, {"results", Json::array()}};
  for (const TestEquation& equation : paper_equations()) {
    Chart chart{.title = fmt::format("{}: {}", study, equation.name),
                .x_label = by_work ? "absolute error in the end" : "step (s)",
                .y_label = by_work ? "time (s)" : "absolute error in the end",
                .log_x = true,
                .log_y = true,
                .markers = true,
                .series = {}};
    std::string csv =
        "integrator,order,step,error,seconds,force,tangent,factorization,solve,product,failure\n";
    for (const IntegratorInfo& info : chosen(o, {"forward-euler", "explicit-midpoint", "rk4", "verlet",
                                                 "backward-euler", "implicit-midpoint", "bdf2", "exprb42"})) {
      const ErrorCurve curve =
          measure_errors(equation, info.name, halvings(equation.duration, 3, 14),
                         {.evaluator = "dense", .phi_tolerance = 1e-12, .newton_tolerance = 1e-13});
      Series series{info.name, {}, {}, by_work ? Order::given : Order::along_x};
      for (const ErrorSample& s : curve.samples) {
        series.x.push_back(by_work ? s.error : s.step);
        series.y.push_back(by_work ? s.seconds : s.error);
        csv += fmt::format("{},{},{:.9g},{:.9g},{:.3g},{},{},{},{},{},\"{}\"\n", info.name, info.order,
                           s.step, s.error, s.seconds, s.work.force, s.work.tangent, s.work.factorization,
                           s.work.solve, s.work.product, s.failure);
      }
      chart.series.push_back(std::move(series));
      const double slope = curve.slope();
      if (!o.json)
        fmt::print("{:<14} {:<18} order {}  slope {}\n", equation.name, info.name, info.order,
                   std::isfinite(slope) ? fmt::format("{:.2f}", slope) : "(exact)");
      out["results"].push_back({{"equation", equation.name},
                                {"integrator", info.name},
                                {"order", info.order},
                                {"slope", std::isfinite(slope) ? Json(slope) : Json(nullptr)}});
    }
    const std::string name = study + "-" + equation.name;
    write_chart(o.output, name, std::move(chart), csv);
    if (!o.json) fmt::print("{}/{}.png, .svg, .pdf and .csv\n", o.output, name);
  }
  if (o.json) fmt::print("{}\n", out.dump(2));
  return done;
}

}  // namespace

void add_study(CLI::App& program, Action& action) {
  CLI::App* study = add_study_command(program, "study");
  study->require_subcommand(1);
  const auto on_equations = [&](const char* name, const char* help, auto run) {
    auto o = std::make_shared<StudyOptions>();
    CLI::App* command = study->add_subcommand(name, help);
    command
        ->add_option("--integrators", o->integrators,
                     "Names from `stiffly list integrators`, separated by commas")
        ->delimiter(',');
    command->add_option("-o,--output", o->output, "Folder for pictures and tables")->capture_default_str();
    command->add_flag("--json", o->json, "Print one JSON object and nothing else");
    command->callback([o, run, &action] { action = [o, run] { return run(*o); }; });
  };
  on_equations("stability", "Stability regions of all methods, from their own steps", stability);
  on_equations("convergence", "Errors over steps on the equations of Hauth (2003)",
               [](const StudyOptions& o) { return errors(o, false); });

  auto ladder = std::make_shared<LadderOptions>();
  CLI::App* precision = study->add_subcommand(
      "precision", "Time over errors on a scene, or without one on the equations of Hauth (2003)");
  add_scene_options(*precision, *ladder, false);
  add_error_options(*precision, *ladder);
  precision->add_option("--coarsest", ladder->coarsest, "First step (or tolerance) of the ladder");
  precision->add_option("--finest", ladder->finest, "Last step (or tolerance) of the ladder");
  precision->add_option("--rungs", ladder->rungs, "Settings per integrator")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  precision->callback([ladder, &action] {
    action = [ladder] {
      if (!ladder->scene.empty()) return precision_study(*ladder);
      StudyOptions o{.integrators = ladder->integrators, .json = ladder->json};
      if (!ladder->output.empty()) o.output = ladder->output;
      return errors(o, true);
    };
  });

  auto energy = std::make_shared<SceneStudyOptions>();
  CLI::App* energy_command = study->add_subcommand("energy", "Energy over time on a scene");
  add_scene_options(*energy_command, *energy);
  add_setting_options(*energy_command, *energy);
  energy_command->callback([energy, &action] { action = [energy] { return energy_study(*energy); }; });

  const auto add_values = [](CLI::App& command, SweepOptions& o) {
    command.add_option("--key", o.key, "Value of the scene that changes, as for --set")->required();
    command.add_option("--values", o.values, "Its numbers, separated by commas")->delimiter(',')->required();
  };
  const auto over_values = [&](const char* name, const char* help, auto run) {
    auto o = std::make_shared<SweepOptions>();
    CLI::App* command = study->add_subcommand(name, help);
    add_scene_options(*command, *o);
    add_error_options(*command, *o);
    add_setting_options(*command, *o);
    add_values(*command, *o);
    command->callback([o, run, &action] { action = [o, run] { return run(*o); }; });
    return std::pair(command, o);
  };
  auto [stiffness, stiffness_options] = over_values(
      "stiffness", "Time over a stiffness of a scene, at one step or at one error", stiffness_study);
  stiffness->add_flag("--equal-quality", stiffness_options->equal_quality,
                      "The largest step within --error at every value, instead of one step for all");
  stiffness->add_flag("--with-errors", stiffness_options->with_errors,
                      "Measure the error at that step too: takes a reference at every value");
  auto [scaling, scaling_options] =
      over_values("scaling", "Time per step over the number of unknowns of a scene", scaling_study);
  scaling->add_option("--steps", scaling_options->steps, "Steps that are timed")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();

  auto amplitude = std::make_shared<AmplitudeOptions>();
  CLI::App* amplitude_command = study->add_subcommand(
      "amplitude", "The largest motion at which methods do not blow up, at one step, over a stiffness");
  add_scene_options(*amplitude_command, *amplitude);
  add_setting_options(*amplitude_command, *amplitude);
  add_values(*amplitude_command, *amplitude);
  amplitude_command
      ->add_option("--amplitude", amplitude->amplitude.key,
                   "Value of the scene that sets the motion: KEY, or KEY=PATTERN with {} for the number")
      ->required();
  amplitude_command->add_option("--largest", amplitude->largest, "Its largest number")->capture_default_str();
  amplitude_command->add_option("--smallest", amplitude->smallest, "Its smallest")->capture_default_str();
  amplitude_command->callback(
      [amplitude, &action] { action = [amplitude] { return amplitude_study(*amplitude); }; });

  auto map = std::make_shared<MapOptions>();
  CLI::App* map_command =
      study->add_subcommand("map", "Who is fastest over stiffness, amplitude of the motion, and error bound");
  add_map_options(*map_command, *map);
  map_command->callback([map, &action] { action = [map] { return map_study(*map); }; });
}

}  // namespace stiffly::app
