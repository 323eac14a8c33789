// stiffly study: measurements on the methods themselves, as tables and pictures.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

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

// Each adds its subcommand, with the options it takes.

template <class Run>
void add_on_equations(CLI::App& study, Action& action, const char* name, const char* help, Run run) {
  auto o = std::make_shared<StudyOptions>();
  CLI::App* command = study.add_subcommand(name, help);
  command
      ->add_option("--integrators", o->integrators,
                   "Names from `stiffly list integrators`, separated by commas")
      ->delimiter(',');
  command->add_option("-o,--output", o->output, "Folder for pictures and tables")->capture_default_str();
  command->add_flag("--json", o->json, "Print one JSON object and nothing else");
  command->callback([o, run, &action] { action = [o, run] { return run(*o); }; });
}

void add_precision(CLI::App& study, Action& action) {
  auto o = std::make_shared<LadderOptions>();
  CLI::App* command = study.add_subcommand(
      "precision", "Time over errors on a scene, or without one on the equations of Hauth (2003)");
  add_scene_options(*command, *o, false);
  add_error_options(*command, *o);
  command->add_option("--coarsest", o->coarsest, "First step (or tolerance) of the ladder");
  command->add_option("--finest", o->finest, "Last step (or tolerance) of the ladder");
  command->add_option("--rungs", o->rungs, "Settings per integrator")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  command->callback([o, &action] {
    action = [o] {
      if (!o->scene.empty()) return precision_study(*o);
      StudyOptions equations{.integrators = o->integrators, .json = o->json};
      if (!o->output.empty()) equations.output = o->output;
      return errors(equations, true);
    };
  });
}

void add_energy(CLI::App& study, Action& action) {
  auto o = std::make_shared<SceneStudyOptions>();
  CLI::App* command = study.add_subcommand("energy", "Energy over time on a scene");
  add_scene_options(*command, *o);
  add_setting_options(*command, *o);
  command->callback([o, &action] { action = [o] { return energy_study(*o); }; });
}

void add_values(CLI::App& command, SweepOptions& o) {
  command.add_option("--key", o.key, "Value of the scene that changes, as for --set")->required();
  command.add_option("--values", o.values, "Its numbers, separated by commas")->delimiter(',')->required();
}

template <class Run>
std::pair<CLI::App*, std::shared_ptr<SweepOptions>> add_over_values(CLI::App& study, Action& action,
                                                                    const char* name, const char* help,
                                                                    Run run) {
  auto o = std::make_shared<SweepOptions>();
  CLI::App* command = study.add_subcommand(name, help);
  add_scene_options(*command, *o);
  add_error_options(*command, *o);
  add_setting_options(*command, *o);
  add_values(*command, *o);
  command->callback([o, run, &action] { action = [o, run] { return run(*o); }; });
  return {command, o};
}

void add_stiffness(CLI::App& study, Action& action) {
  const auto [command, o] =
      add_over_values(study, action, "stiffness",
                      "Time over a stiffness of a scene, at one step or at one error", stiffness_study);
  command->add_flag("--equal-quality", o->equal_quality,
                    "The largest step within --error at every value, instead of one step for all");
  command->add_flag("--with-errors", o->with_errors,
                    "Measure the error at that step too: takes a reference at every value");
}

void add_scaling(CLI::App& study, Action& action) {
  const auto [command, o] = add_over_values(
      study, action, "scaling", "Time per step over the number of unknowns of a scene", scaling_study);
  command->add_option("--steps", o->steps, "Steps that are timed")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
}

void add_amplitude(CLI::App& study, Action& action) {
  auto o = std::make_shared<AmplitudeOptions>();
  CLI::App* command = study.add_subcommand(
      "amplitude", "The largest motion at which methods do not blow up, at one step, over a stiffness");
  add_scene_options(*command, *o);
  add_setting_options(*command, *o);
  add_values(*command, *o);
  command
      ->add_option("--amplitude", o->amplitude.key,
                   "Value of the scene that sets the motion: KEY, or KEY=PATTERN with {} for the number")
      ->required();
  command->add_option("--largest", o->largest, "Its largest number")->capture_default_str();
  command->add_option("--smallest", o->smallest, "Its smallest")->capture_default_str();
  command->callback([o, &action] { action = [o] { return amplitude_study(*o); }; });
}

void add_map(CLI::App& study, Action& action) {
  auto o = std::make_shared<MapOptions>();
  CLI::App* command =
      study.add_subcommand("map", "Who is fastest over stiffness, amplitude of the motion, and error bound");
  add_map_options(*command, *o);
  command->callback([o, &action] { action = [o] { return map_study(*o); }; });
}

}  // namespace

void add_study(CLI::App& program, Action& action) {
  CLI::App& study = *add_study_command(program, "study");
  study.require_subcommand(1);
  add_on_equations(study, action, "stability", "Stability regions of all methods, from their own steps",
                   stability);
  add_on_equations(study, action, "convergence", "Errors over steps on the equations of Hauth (2003)",
                   [](const StudyOptions& o) { return errors(o, false); });
  add_precision(study, action);
  add_energy(study, action);
  add_stiffness(study, action);
  add_scaling(study, action);
  add_amplitude(study, action);
  add_map(study, action);
}

}  // namespace stiffly::app
