#include "stiffly/scene/surroundings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "stiffly/error.hpp"
#include "stiffly/forces/force_field.hpp"
#include "stiffly/forces/rayleigh_damping.hpp"
#include "stiffly/forces/wind.hpp"
#include "stiffly/scene/fibre_group.hpp"
#include "stiffly/scene/flow.hpp"
#include "stiffly/scene/obstacles.hpp"
#include "stiffly/scene/plasticity.hpp"
#include "stiffly/scene/scripted_motion.hpp"
#include "stiffly/scene/touching_bodies.hpp"
#include "stiffly/scene/vector_expression.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly {
namespace {

std::vector<int> as_indices(const std::vector<std::int64_t>& numbers) {
  std::vector<int> out;
  for (const std::int64_t n : numbers) out.push_back(static_cast<int>(std::min<std::int64_t>(n, 1 << 30)));
  return out;
}

void add_motions(const SceneFile& file, ParticleSystem& system) {
  std::vector<bool> named(system.particles(), false);
  for (const Values& motion : file.motions)
    if (motion.given("particles"))
      for (const int particle : as_indices(motion.integers("particles")))
        if (static_cast<std::size_t>(particle) < named.size())
          named[static_cast<std::size_t>(particle)] = true;
  for (const Values& motion : file.motions) {
    std::vector<int> particles;
    if (motion.given("particles")) {
      particles = as_indices(motion.integers("particles"));
    } else {
      for (std::size_t r = system.free_particles(); r < system.particles(); ++r)
        if (const int particle = system.order()[r]; !named[static_cast<std::size_t>(particle)])
          particles.push_back(particle);
    }
    if (particles.empty())
      refuse(motion.origin("particles"), "[[motion]] has nothing to move: no particle is pinned");
    const auto path = scripted_motion(motion, file.simulation.number("duration"));
    if (!path)
      refuse(motion.origin(),
             "[[motion]] needs 'times' (of keyframes, with 'shifts' or 'rotations'), or 'x', 'y', 'z', "
             "'rotation_x', … (expressions of t)");
    try {
      system.prescribe(particles, path);
    } catch (const InputError& error) {
      refuse(motion.origin("particles"), error.what());
    }
  }
}

void add_fields(const SceneFile& file, ParticleSystem& system) {
  for (const Values& field : file.fields) {
    const VectorExpression strength(field, file.simulation.number("duration"));
    std::vector<double> charges(system.particles(), 1.0);
    if (field.text("acts_as") == "acceleration")
      charges.assign(system.masses().begin(), system.masses().end());
    if (strength.depends_on_time())
      system.add(std::make_unique<ForceField>([strength](double t) { return strength.value(t); },
                                              std::move(charges)));
    else
      system.add(std::make_unique<ForceField>(strength.value(0), std::move(charges)));
  }
}

/// Whether K has a direction of negative stiffness, beyond round-off.
bool indefinite(BlockMatrix K) {
  const std::vector<double> diagonal = K.diagonal();
  const double largest = *std::max_element(diagonal.begin(), diagonal.end());
  if (!(largest > 0)) return std::any_of(diagonal.begin(), diagonal.end(), [](double d) { return d < 0; });
  K.add_diagonal(1e-9 * largest, std::vector<double>(diagonal.size(), 1.0));
  try {
    SparseCholesky().factorize(K);
  } catch (const NotPositiveDefinite&) {
    return true;
  }
  return false;
}

void add_damping(const Values& damping, ParticleSystem& system) {
  const double alpha = damping.number("mass_factor"), beta = damping.number("stiffness_factor");
  if (alpha == 0 && beta == 0) return;
  std::vector<Force*> elastic;
  for (const auto& force : system.forces())
    if (!dynamic_cast<const WindForce*>(force.get())) elastic.push_back(force.get());
  const std::vector<Point> positions = system.positions(system.initial_state());
  std::vector<double> x;
  for (const int particle : system.order()) {
    const Point& point = positions[static_cast<std::size_t>(particle)];
    x.insert(x.end(), point.begin(), point.end());
  }
  BlockMatrix K = stiffness_of_all_particles(elastic, x);
  if (beta > 0 && indefinite(K))
    refuse(
        damping.origin("stiffness_factor"),
        "the stiffness at the start has directions in which it is negative (compressed springs): damping in "
        "proportion to it would drive the motion; use 'mass_factor', or start from a shape at rest");
  system.add(std::make_unique<RayleighDamping>(alpha, beta, system.mass(), std::move(K)));
}

/// Where the file first asks for something that only particles can have.
std::optional<Origin> first_influence(const SceneFile& file) {
  for (const Values* table : {&file.damping, &file.fluid, &file.plasticity})
    for (const Key& key : table->section().keys)
      if (table->given(key.name)) return table->origin(key.name);
  for (const auto* list : {&file.fields, &file.motions, &file.obstacles, &file.motors})
    if (!list->empty()) return list->front().origin();
  if (bodies_touch(file)) return file.contact.origin("between");
  return std::nullopt;
}

}  // namespace

void add_surroundings(const SceneFile& file, Body& body) {
  const std::optional<Origin> first = first_influence(file);
  if (!first && body.heads.empty()) return;
  auto* system = dynamic_cast<ParticleSystem*>(body.system.get());
  if (!system)
    refuse(
        *first,
        fmt::format(
            "[damping], [[field]], [[motion]], [[obstacle]], [contact], [fluid], [plasticity] and [[motor]] "
            "act on particles in space, which the model \"{}\" does not have",
            file.model.section().kind));
  add_plasticity(file, *system);
  add_damping(file.damping, *system);
  add_fields(file, *system);
  add_motions(file, *system);
  add_obstacles(file, body);
  add_touching_bodies(file, body);
  add_flow(file, body);
  add_heads(body);
  system->finish();
}

}  // namespace stiffly
