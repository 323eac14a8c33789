#include "stiffly/scene/flow.hpp"

#include <fmt/format.h>

#include <Eigen/Core>

#include "stiffly/error.hpp"
#include "stiffly/forces/fluid.hpp"
#include "stiffly/forces/motor.hpp"
#include "stiffly/scene/vector_expression.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly {
namespace {

/// Particles at one place would have to go with two velocities of the fluid there.
void check_apart(const Values& fluid, const ParticleSystem& system, double blob) {
  const NearestPoints near = nearest_points(system.start_positions());
  if (near.distance >= Fluid::least_distance * blob) return;
  refuse(
      fluid.origin(),
      fmt::format("particles {} and {} are {:.3g} m from each other: in a fluid no two may be at one place",
                  system.order()[near.first], system.order()[near.second], near.distance));
}

void add_fluid(const Values& fluid, ParticleSystem& system) {
  for (const Key& key : fluid.section().keys)
    if (fluid.given(key.name) && !fluid.given("viscosity"))
      refuse(fluid.origin(key.name), "[fluid] needs 'viscosity'");
  if (!fluid.given("viscosity")) return;
  if (!fluid.given("blob"))
    refuse(fluid.origin("viscosity"),
           fmt::format("[fluid] needs 'blob' ({})", fluid.section().find("blob")->help));
  const Stokeslets stokeslets(fluid.number("viscosity"), fluid.number("blob"));
  const std::array<double, 3> velocity = fluid.vector("velocity");
  std::unique_ptr<Fluid> force;
  try {
    force = std::make_unique<Fluid>(stokeslets, Eigen::Vector3d::Map(velocity.data()), system.particles());
  } catch (const InputError& error) {
    refuse(fluid.origin(), error.what());
  }
  check_apart(fluid, system, stokeslets.blob());
  system.add(std::move(force));
}

/// Its own, or those of the model's motor of the same number; in the inner order.
std::vector<int> motor_side(const Values& motor, const char* key, const std::vector<int>* of_model,
                            const ParticleSystem& system) {
  std::vector<int> out;
  const auto add = [&](std::int64_t particle) {
    if (particle >= static_cast<std::int64_t>(system.particles()))
      refuse(motor.origin(key), fmt::format("'{}' has particle {}, but there are {}, numbered from 0", key,
                                            particle, system.particles()));
    out.push_back(system.rank()[static_cast<std::size_t>(particle)]);
  };
  if (motor.given(key))
    for (const std::int64_t particle : motor.integers(key)) add(particle);
  else if (of_model)
    for (const int particle : *of_model) add(particle);
  else
    refuse(motor.origin(), fmt::format("[[motor]] needs '{}': the model has no motor of its own", key));
  return out;
}

void add_motor(const Values& values, const MotorMount* mount, double duration, ParticleSystem& system) {
  const Expression torque = read_expression(values, "torque", duration);
  const std::vector<int> rotor = motor_side(values, "rotor", mount ? &mount->rotor : nullptr, system),
                         stator = motor_side(values, "stator", mount ? &mount->stator : nullptr, system);
  try {
    auto motor = std::make_unique<Motor>(
        rotor, stator, system.particles(), [torque](double t) { return torque.at(t).value; },
        torque.depends_on_time());
    const std::vector<double> still(3 * system.particles(), 0.0);
    motor->power({0, system.free_particles(), system.start_positions(), still});  // whether it can turn them
    system.add(std::move(motor));
  } catch (const Error& error) {
    refuse(values.origin(), error.what());
  }
}

}  // namespace

std::vector<Key> fluid_keys() {
  using enum ValueType;
  return {
      {.name = "viscosity",
       .type = number,
       .unit = "Pa s",
       .help = "μ: water has 0.001, honey about 10",
       .fallback_help = "no fluid",
       .above = 0},
      {.name = "blob",
       .type = number,
       .unit = "m",
       .help = "ε: the size over which each particle's force is spread; docs/flow.md says how to choose it",
       .fallback_help = "needed where there is a fluid",
       .above = 0},
      {.name = "velocity",
       .type = vector,
       .unit = "m/s",
       .help = "of the fluid far from all particles",
       .fallback = std::array<double, 3>{0, 0, 0}},
  };
}

std::vector<Key> motor_keys() {
  using enum ValueType;
  return {
      {.name = "torque",
       .type = text,
       .unit = "N m",
       .help =
           "on the rotor, about the axis from the centre of the stator to that of the rotor, an expression "
           "of t; the stator has the opposite",
       .required = true},
      {.name = "rotor",
       .type = integers,
       .help = "particles that are turned, three at least",
       .fallback_help = "those of the model, which only kind \"swimmer\" has",
       .at_least = 0},
      {.name = "stator",
       .type = integers,
       .help = "particles against which they are turned, three at least",
       .fallback_help = "those of the model",
       .at_least = 0},
  };
}

bool has_fluid(const SceneFile& file) { return file.fluid.given("viscosity"); }

void add_flow(const SceneFile& file, Body& body) {
  auto& system = dynamic_cast<ParticleSystem&>(*body.system);
  for (std::size_t i = 0; i < file.motors.size(); ++i)
    add_motor(file.motors[i], i < body.motors.size() ? &body.motors[i] : nullptr,
              file.simulation.number("duration"), system);
  add_fluid(file.fluid, system);
}

}  // namespace stiffly
