// stiffly compare: which integrator is fastest at equal quality.
#include <fmt/format.h>

#include "commands.hpp"
#include "interrupt.hpp"
#include "scene_study.hpp"
#include "stiffly/study/comparison_text.hpp"
#include "study_output.hpp"

namespace stiffly::app {

using namespace study;
namespace {

std::string trials_csv(const Comparison& c) {
  std::string csv = "integrator," + trial_header() + "\n";
  for (const ComparisonEntry& e : c.entries)
    for (const Measurement& t : e.trials) csv += e.name + "," + trial_row(t) + "\n";
  return csv;
}

int compare_integrators(SceneStudyOptions o) {
  Scene scene = load(o);
  const Candidates all =
      candidates(o, scene.simulation.options, usual_integrators());  // before the long work
  const ReferencedScene at(o, std::move(scene));
  watch_interrupts();
  o.stopped = interrupt_requested;
  const Comparison c = compare(o, at, all);
  if (c.interrupted) o.say("interrupted: what follows is what is finished");
  if (c.entries.empty()) return interrupted;
  auto json = nlohmann::ordered_json::parse(comparison_json(c));
  json.update(environment());
  json["settings"] = nlohmann::ordered_json::parse(at.scene.resolved);
  if (!o.output.empty()) {
    write_chart(o.output, "compare", comparison_chart(c), trials_csv(c));
    write_json(o.output, "compare", json);
  }
  fmt::print("{}", o.json ? dump(json) : comparison_table(c));
  if (!o.json && !o.output.empty()) fmt::print("\n{}/compare.json, .csv, .png, .svg and .pdf\n", o.output);
  return c.interrupted ? interrupted : done;
}

}  // namespace

void add_compare(CLI::App& program, Action& action) {
  auto o = std::make_shared<SceneStudyOptions>();
  CLI::App* command = add_study_command(program, "compare");
  add_scene_options(*command, *o);
  add_error_options(*command, *o);
  command->callback([o, &action] { action = [o] { return compare_integrators(*o); }; });
}

}  // namespace stiffly::app
