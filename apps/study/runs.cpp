#include "runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "assets.hpp"
#include "command_line.hpp"
#include "overrides.hpp"
#include "rows.hpp"
#include "stiffly/files/file.hpp"
#include "stiffly/files/program.hpp"
#include "stiffly/scene/scene.hpp"
#include "stiffly/system/spectral_radius.hpp"
#include "study_output.hpp"

namespace stiffly::app {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct RunCase {
  std::string scene;
  std::vector<std::string> settings;
  double paper_step;  ///< s, of the exponential methods
  double duration;    ///< s to be simulated at least
};

/// The papers' steps; bodies at the amplitudes of the scene files. The bunny at the smallest of its stiffness
/// ratios, locked as in the paper and with a tenth of its diagonals, and at the largest, where
/// a polynomial evaluator would need a million products for a step.
const std::vector<RunCase>& run_cases() {
  static const std::vector<RunCase> all = {
      {"coil", {}, 0.05, 1},
      {"bunny", {"diagonal_stiffness=1e8", "diagonal_fraction=1"}, 0.0571, 1},
      {"bunny", {"diagonal_stiffness=1e8"}, 0.0571, 1},
      {"bunny", {"evaluator=rational"}, 0.0567, 1},
      {"flag", {}, 0.2, 1},
      {"tower", {}, 0.1, 1},
      {"tower", {"upper_stiffness=1e2"}, 0.1, 1},
      {"dragon", {}, 0.05, 0.2},
  };
  return all;
}

const std::vector<std::string> methods_shown = {
    "exprb42", "pexprb43", "epirk4s3", "backward-euler", "implicit-midpoint", "verlet", "energy-momentum"};

std::string label(const RunCase& c) {
  std::string out = c.scene;
  for (const std::string& setting : c.settings) out += " " + setting;
  return out;
}

/// One run at that step, for at most so many seconds; the methods of the papers get three times as many. The
/// weights of epirk4s3 multiply errors of φ-functions by thousands: it is given smaller ones.
Json run_once(const RunCase& c, const RunsOptions& o, const std::string& method, double step) {
  const double limit = (method == "exprb42" || method == "pexprb43" ? 3 : 1) * o.time_limit;
  const ScratchFolder folder;
  std::vector<std::string> arguments = {"run",
                                        c.scene,
                                        "--json",
                                        "--integrator",
                                        method,
                                        "--step",
                                        fmt::format("{:.9g}", step),
                                        "--set",
                                        "size=" + o.scale,
                                        "--duration",
                                        fmt::format("{}", c.duration),
                                        "--phi-tolerance",
                                        method == "epirk4s3" ? "1e-4" : "1e-2",
                                        "--set",
                                        "phi_norm=smoothed",
                                        "--time-limit",
                                        fmt::format("{}", limit),
                                        "--frames",
                                        "0",
                                        "-o",
                                        "out"};
  for (const std::string& setting : c.settings) arguments.insert(arguments.end(), {"--set", setting});
  run_program(sibling_program("stiffly"), arguments, folder.path(),
              std::chrono::seconds(static_cast<long>(2 * limit + 60)));
  const fs::path file = folder.path() / "out" / "run.json";
  if (!fs::exists(file)) return {{"status", "out of time"}};
  return Json::parse(read_file(file, 1 << 24));
}

/// The largest step by halving, from the paper's one or from the limit of explicit methods, that does not
/// fail.
Json largest_step(const RunCase& c, const RunsOptions& o, const std::string& method, double radius) {
  double step = method == "verlet" ? std::min(c.paper_step, 1.9 / radius) : c.paper_step;
  Json result;
  for (int halvings = 0; halvings < 10; ++halvings, step /= 2) {
    result = run_once(c, o, method, step);
    if (result.at("status") != "failed") break;
  }
  result["tried_step"] = step;
  return result;
}

std::string row(const RunCase& c, const std::string& method, const Json& r) {
  const double radius = r.at("spectral_radius").get<double>();
  const std::string name = fmt::format("| {} | {} | {:.3g} ", label(c), method, c.paper_step * radius);
  if (r.at("status") == "out of time")
    return name + fmt::format("| – | – | {:.2g} | a step did not end within twice the time | – | – |\n",
                              r.at("tried_step").get<double>());
  if (r.at("status") == "failed")
    return name + fmt::format("| – | – | {:.2g} | fails at this step and at all longer ones: {} | – | – |\n",
                              r.at("tried_step").get<double>(), r.value("error", ""));
  const double simulated = r.at("simulated_seconds").get<double>(), wall = r.at("wall_seconds").get<double>();
  if (simulated == 0)
    return name + fmt::format("| {} | {} | {:.2g} | the first step did not end within the time | – | – |\n",
                              r.at("unknowns").get<long>(), r.at("springs").get<long>(),
                              r.at("tried_step").get<double>());
  return name + fmt::format("| {} | {} | {:.2g} | {:.3g} s in {:.3g} s: {:.3g} | {:.0f} | {:.2g} |\n",
                            r.at("unknowns").get<long>(), r.at("springs").get<long>(),
                            r.at("tried_step").get<double>(), simulated, wall, wall / simulated,
                            static_cast<double>(r.at("peak_memory_bytes").get<long>()) / (1 << 20),
                            r.at("energy").at("max_drift").get<double>());
}

fs::path file_of(const RunCase& c, const RunsOptions& o, const std::string& method) {
  std::string name = fmt::format("{}-{}-{}.json", label(c), method, o.scale);
  for (char& letter : name)
    if (letter == ' ' || letter == '=') letter = '-';
  return fs::path(o.output) / "runs" / name;
}

void write_page(const RunsOptions& o) {
  std::string page = fmt::format(
      "# Runs at {} size\n\nMade by `stiffly reproduce runs --scale {}`: every scene with several methods, "
      "at the largest step, by halving from the paper's one, that lasts to the end (1 s, the dragon 0.2 s) "
      "or until the time limit of a run.\n\n| scene | integrator | hρ at the paper's step | unknowns | "
      "springs | step (s) | s of computing per simulated second | memory (MiB) | energy drift (J) "
      "|\n|---|---|---|---|---|---|---|---|---|\n",
      o.scale, o.scale);
  for (const RunCase& c : run_cases())
    for (const std::string& method : methods_shown) {
      const fs::path file = file_of(c, o, method);
      page += fs::exists(file) ? row(c, method, Json::parse(read_file(file, 1 << 24)))
                               : fmt::format("| {} | {} | not run yet | | | | | | |\n", label(c), method);
    }
  write_file(fs::path(o.output) / "runs.md", page + fmt::format("\n{}\n", footer()));
}

}  // namespace

int table_of_runs(const RunsOptions& o) {
  std::vector<std::string> names;
  for (const RunCase& c : run_cases()) {
    names.insert(names.end(), {c.scene, label(c)});
    for (const std::string& method : methods_shown) names.push_back(label(c) + " " + method);
  }
  check_rows(o.rows, names, "a scene, or as the page names it");
  prepare_folder((fs::path(o.output) / "runs").string());
  for (const RunCase& c : run_cases()) {
    const auto wanted = [&](const std::string& method) {
      return o.rows.empty() || std::any_of(o.rows.begin(), o.rows.end(), [&](const std::string& name) {
               return name == c.scene || name == label(c) || name == label(c) + " " + method;
             });
    };
    double radius = 0;
    for (const std::string& method : methods_shown) {
      const fs::path file = file_of(c, o, method);
      if (!wanted(method) || (fs::exists(file) && !o.again)) continue;
      if (radius == 0) {
        std::vector<Override> changes = parse_overrides(c.settings);
        changes.push_back({"size", o.scale});
        const Scene scene = load_or_fetch(find_scene(c.scene), changes);
        radius = spectral_radius(scene.system(), scene.body.start);
      }
      Json result = largest_step(c, o, method, radius);
      result["spectral_radius"] = radius;
      result.erase("scene");
      write_file(file, dump(result));
      fmt::print("{}", row(c, method, result));
      std::fflush(stdout);
      write_page(o);
    }
  }
  write_page(o);
  return done;
}

}  // namespace stiffly::app
