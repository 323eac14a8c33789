// stiffly advise: which method to take for a scene, by trying.
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "assets.hpp"
#include "commands.hpp"
#include "overrides.hpp"
#include "stiffly/control/automatic_stepper.hpp"
#include "stiffly/scene/scene.hpp"
#include "study_output.hpp"

namespace stiffly::app {

namespace {

using Json = nlohmann::ordered_json;

struct AdviseOptions {
  std::string scene;
  std::vector<std::string> settings, integrators;
  double error = 0.01, duration = 0;
  bool json = false;
};

Json to_json(const TrialResult& t) {
  const auto number = [](double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); };
  return {{"integrator", t.integrator},
          {"seconds_per_simulated_second", number(t.cost)},
          {"step", t.step},
          {"failure", t.failure.empty() ? Json(nullptr) : Json(t.failure)}};
}

int advise_on(const AdviseOptions& o) {
  const Scene scene = load_or_fetch(find_scene(o.scene), parse_overrides(o.settings));
  const double duration = o.duration > 0 ? o.duration : scene.simulation.duration;
  const Decision choice =
      advise(scene.system(), scene.body.start, {.duration = duration, .tolerance = o.error},
             {.integrator = scene.simulation.options, .candidates = o.integrators});
  if (o.json) {
    Json out = {{"scene", scene.name},
                {"error", o.error},
                {"integrator", choice.integrator},
                {"reason", choice.reason},
                {"trials", Json::array()}};
    for (const TrialResult& t : choice.trials) out["trials"].push_back(to_json(t));
    fmt::print("{}", dump(out));
    return done;
  }
  fmt::print("{:<20}{:>22}{:>14}{:>16}\n", "integrator", "s per simulated s", "step (s)", "whole run (s)");
  for (const TrialResult& t : choice.trials)
    if (t.failure.empty())
      fmt::print("{:<20}{:>22.3g}{:>14.3g}{:>16.3g}\n", t.integrator, t.cost, t.step, t.cost * duration);
    else
      fmt::print("{:<20}  {}\n", t.integrator, t.failure);
  fmt::print("\nstiffly run {} --integrator {} --tolerance {:g}\n", o.scene, choice.integrator, o.error);
  return done;
}

}  // namespace

void add_advise(CLI::App& program, Action& action) {
  auto o = std::make_shared<AdviseOptions>();
  CLI::App* command = add_study_command(program, "advise");
  command->add_option("SCENE", o->scene, "Name of a scene that comes with the program, or a TOML file")
      ->required();
  command->add_option("--error", o->error, "Relative error to aim at")->capture_default_str();
  command->add_option("--duration", o->duration, "Simulated time of the run that is planned, in s");
  command->add_option("--integrators", o->integrators, "Names to try, separated by commas")->delimiter(',');
  command->add_option("--set", o->settings, "Replace a value of the scene: KEY=VALUE (repeatable)")
      ->take_all()
      ->expected(1);
  command->add_flag("--json", o->json, "Print one JSON object and nothing else");
  command->callback([o, &action] { action = [o] { return advise_on(*o); }; });
}

}  // namespace stiffly::app
