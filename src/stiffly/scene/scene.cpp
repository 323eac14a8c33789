#include "stiffly/scene/scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stiffly/control/methods.hpp"
#include "stiffly/error.hpp"
#include "stiffly/phi/registry.hpp"
#include "stiffly/scene/drawn_points.hpp"
#include "stiffly/scene/idle_keys.hpp"
#include "stiffly/scene/listed_body.hpp"
#include "stiffly/scene/resolved.hpp"
#include "stiffly/scene/specification.hpp"
#include "stiffly/scene/surroundings.hpp"
#include "stiffly/system/particle_system.hpp"
#include "stiffly/text.hpp"

namespace stiffly {
namespace {

/// Beyond this many steps a number in the file is a slip, and counting steps would overflow.
constexpr double most_steps = 1e12;

template <class Range>
void check_name(const Range& registry, const Values& values, const char* key) {
  try {
    find_by_name(registry, values.text(key), key);
  } catch (const InputError& error) {
    refuse(values.origin(key), error.what());
  }
}

/// What decides on the steps: "step", "tolerance" or "error", of which only one may be given. The command
/// line, which has no lines, overrules the file also in which of them it is.
std::string_view step_control(const Values& values) {
  std::vector<std::string_view> in_file, asked;
  for (const char* key : {"step", "tolerance", "error"})
    if (values.given(key)) (values.from_command_line(key) ? asked : in_file).push_back(key);
  const std::vector<std::string_view>& given = asked.empty() ? in_file : asked;
  if (given.size() > 1)
    refuse(values.origin(given.back()),
           "give one of 'step' (constant steps), 'tolerance' (steps chosen for it) and 'error' (tolerances "
           "chosen for it)");
  return given.empty() ? "step" : given.front();
}

SimulationSettings simulation_settings(const Values& values) {
  values.check_complete();
  SimulationSettings s;
  s.duration = values.number("duration");
  s.step = values.number("step");
  const std::string_view control = step_control(values);
  if (control == "tolerance") s.tolerance = values.number("tolerance");
  if (control == "error") s.error = values.number("error");
  s.records = values.number("records");
  s.pieces = values.text("pieces");
  s.integrator = values.text("integrator");
  check_name(methods(), values, "integrator");
  check_name(evaluators(), values, "evaluator");
  s.options.evaluator = values.text("evaluator");
  s.options.phi_tolerance = values.number("phi_tolerance");
  if (values.text("phi_norm") == "smoothed") s.options.phi_norm = PhiNorm::smoothed;
  s.options.newton = values.text("newton");
  s.options.linear_solver = values.text("linear_solver");
  s.options.newton_tolerance = values.number("newton_tolerance");
  s.options.largest_angle = values.number("largest_angle");
  if (values.text("reformulation") == "explicit-root") s.options.reformulation = Reformulation::explicit_root;
  if (s.duration / s.step > most_steps)
    refuse(values.origin(values.given("step") ? "step" : "duration"),
           fmt::format("{} s in steps of {} s is {:.1g} steps: too many", s.duration, s.step,
                       s.duration / s.step));
  return s;
}

const Model& model_of(const Values& values) {
  const std::span<const Model> all = models();
  return *std::find_if(all.begin(), all.end(),
                       [&](const Model& m) { return m.kind == values.section().kind; });
}

/// The model's own particles leave no room for others.
void check_no_lists(const SceneFile& file, const Model& model) {
  for (const RepeatedSection& repeated : repeated_sections())
    if (const std::vector<Values>& list = file.*repeated.list; repeated.body && !list.empty())
      refuse(list.front().origin(),
             fmt::format(
                 "the model \"{}\" makes its own particles and springs; {} belongs to kind = \"particles\"",
                 model.kind, list.front().section().title()));
}

Body build(const SceneFile& file) {
  const Model& model = model_of(file.model);
  const std::array<double, 3> gravity = file.simulation.vector("gravity");
  const Surroundings around{gravity, file.files(), file.mesh};
  if (!model.build) return listed_body(file, around);
  check_no_lists(file, model);
  file.model.check_complete();
  if (!model.in_space && gravity != std::array<double, 3>{0, 0, 0})
    refuse(file.simulation.origin("gravity"),
           fmt::format("'gravity' acts on particles in space, which the model \"{}\" does not have",
                       model.kind));
  try {
    return model.build(file.model, around);
  } catch (const InputError& error) {
    refuse(file.model.origin(), error.what());
  }
}

std::vector<Point> as_rows(ConstVectorView unknowns) {
  std::vector<Point> rows;
  for (const double value : to_host(unknowns)) rows.push_back({value, 0, 0});
  return rows;
}

}  // namespace

// Fibres come by the hundred and are small: apart, each is done in the cache, and only those that move much
// take short steps. Few large bodies gain less, and gave other results before there was a choice.
bool Scene::in_pieces() const {
  return simulation.pieces == "apart" ||
         (simulation.pieces == "auto" && body.strands.size() > 1 && !body.touches);
}

std::vector<Piece> Scene::pieces(std::string& why_not) const {
  const auto* particles = dynamic_cast<const ParticleSystem*>(body.system.get());
  if (!particles) throw InputError("pieces = \"apart\" is for systems of particles in space");
  if (body.projection)
    throw InputError("pieces = \"apart\" is for bodies that do not touch: take \"auto\", or [contact] away");
  try {
    std::vector<Piece> out = pieces_of(*particles);
    if (out.size() < 2) out.clear();
    return out;
  } catch (const InputError& error) {
    if (simulation.pieces == "apart") throw;
    why_not = fmt::format("fibres go through time together: {}", error.what());
    return {};
  }
}

Warnings Scene::all_warnings() const {
  Warnings out = warnings;
  out.insert(out.end(), body.warnings.begin(), body.warnings.end());
  return out;
}

std::vector<Point> Scene::positions(const State& state) const {
  const auto* particles = dynamic_cast<const ParticleSystem*>(body.system.get());
  return particles ? particles->positions(state) : as_rows(state.x());
}

std::vector<Point> Scene::velocities(const State& state) const {
  const auto* particles = dynamic_cast<const ParticleSystem*>(body.system.get());
  return particles ? particles->velocities(state) : as_rows(state.v());
}

std::size_t Scene::particles() const {
  const auto* particles = dynamic_cast<const ParticleSystem*>(body.system.get());
  return particles ? particles->particles() : body.system->unknowns();
}

double default_frame_rate(double duration, double frame_bytes) {
  return std::min(std::max(25.0, 100 / duration), frames_by_default_bytes / (frame_bytes * duration));
}

Scene load_scene(const std::filesystem::path& path, std::span<const Override> overrides) {
  return load_scene(scene_source(path, overrides));
}

Scene load_scene(SceneSource source) {
  Scene scene = make_scene(read_scene_file(source));
  scene.source = std::move(source);
  return scene;
}

Scene make_scene(const SceneFile& file) { return make_scene(file, build(file)); }

Scene make_scene(const SceneFile& file, Body body) {
  Scene scene;
  scene.name = file.path.stem().string();
  scene.title = file.root.text("title");
  scene.kind = file.model.section().kind;
  scene.simulation = simulation_settings(file.simulation);
  scene.body = std::move(body);
  add_surroundings(file, scene.body);
  scene.simulation.options.projection = scene.body.projection;
  scene.warnings = idle_keys(file, scene.simulation);
  scene.simulation.frames =
      file.simulation.given("frames")
          ? file.simulation.number("frames")
          : default_frame_rate(scene.simulation.duration,
                               DrawnPoints(scene.body, scene.particles()).frame_bytes());
  scene.resolved = resolved_json(file, scene.simulation.integrator);
  return scene;
}

}  // namespace stiffly
