#include "stiffly/scene/model.hpp"

#include "stiffly/scene/chain.hpp"
#include "stiffly/scene/coil.hpp"
#include "stiffly/scene/model_tables.hpp"
#include "stiffly/scene/spring_system.hpp"
#include "stiffly/system/fput.hpp"
#include "stiffly/system/linear_oscillator.hpp"

namespace stiffly {
namespace {

Model particles() {
  return {"particles", "particles and springs listed in the file or in CSV files", {}, true, {}};
}

CoilParameters coil_parameters(const Values& model, const std::array<double, 3>& gravity) {
  CoilParameters p;
  p.turns = model.number("turns");
  p.coil_radius = model.number("coil_radius");
  p.wire_radius = model.number("wire_radius");
  p.pitch = model.number("pitch");
  p.rings = model.integer("rings");
  p.sections = model.integer("sections");
  p.held_turns = model.number("held_turns");
  p.total_mass = model.number("total_mass");
  p.stiffness = model.number("stiffness");
  p.damping = model.number("damping");
  p.law = model.text("law") == "cubic" ? SpringLaw::cubic : SpringLaw::linear;
  p.gravity = gravity;
  return p;
}

Model coil() {
  using enum ValueType;
  const CoilParameters d;
  Model m{"coil",
          "a coil spring: a wound wire filled with tetrahedra, every edge a spring, its foot held",
          {},
          true,
          {}};
  m.keys = {
      {.name = "turns", .type = number, .help = "windings", .fallback = d.turns, .above = 0},
      {.name = "coil_radius",
       .type = number,
       .unit = "m",
       .help = "of the helix that the wire's centre follows",
       .fallback = d.coil_radius,
       .above = 0},
      {.name = "wire_radius",
       .type = number,
       .unit = "m",
       .help = "half the wire's thickness",
       .fallback = d.wire_radius,
       .above = 0},
      {.name = "pitch",
       .type = number,
       .unit = "m",
       .help = "rise per turn; at least the wire's thickness",
       .fallback = d.pitch,
       .above = 0},
      {.name = "rings",
       .type = integer,
       .help = "of particles around the wire's centre: 1 + 3 r (r + 1) particles per cross-section",
       .fallback = std::int64_t{d.rings},
       .at_least = 1,
       .at_most = 20},
      {.name = "sections",
       .type = integer,
       .help = "cross-sections along the wire; 0: as many as give well-shaped tetrahedra",
       .fallback = std::int64_t{d.sections},
       .at_least = 0,
       .at_most = 1e6},
      {.name = "held_turns",
       .type = number,
       .help = "length of the foot, whose particles are pinned",
       .fallback = d.held_turns,
       .at_least = 0},
      {.name = "total_mass",
       .type = number,
       .unit = "kg",
       .help = "shared equally by all particles",
       .fallback = d.total_mass,
       .above = 0},
      {.name = "stiffness",
       .type = number,
       .unit = "N/m",
       .help = "of every edge",
       .fallback = d.stiffness,
       .above = 0},
      {.name = "damping",
       .type = number,
       .unit = "N s/m",
       .help = "of every edge",
       .fallback = d.damping,
       .at_least = 0},
      {.name = "law",
       .type = text,
       .help = "tension k Δ, or k Δ (1 + (Δ/l)²), for an elongation Δ of rest length l",
       .fallback = std::string("linear"),
       .choices = {"linear", "cubic"}},
  };
  m.build = [](const Values& values, const Surroundings& around) {
    const CoilParameters p = coil_parameters(values, around.gravity);
    Coil made = make_coil(p);
    Body body = make_spring_body(made.particles, std::move(made.springs), p.gravity);
    body.triangles = std::move(made.triangles);
    body.tetrahedra = std::move(made.tetrahedra);
    return body;
  };
  return m;
}

Model chain() {
  using enum ValueType;
  const ChainParameters d;
  Model m{"chain", "a chain of particles, released horizontally, its first particle held", {}, true, {}};
  m.keys = {
      {.name = "count",
       .type = integer,
       .help = "particles",
       .fallback = std::int64_t{d.particles},
       .at_least = 2,
       .at_most = 1e7},
      {.name = "spacing",
       .type = number,
       .unit = "m",
       .help = "between neighbours",
       .fallback = d.spacing,
       .above = 0},
      {.name = "mass",
       .type = number,
       .unit = "kg",
       .help = "of each particle",
       .fallback = d.mass,
       .above = 0},
      {.name = "stiffness",
       .type = number,
       .unit = "N/m",
       .help = "of springs between neighbours",
       .fallback = d.stiffness,
       .above = 0},
      {.name = "bending",
       .type = number,
       .unit = "N/m",
       .help = "of springs between next neighbours; 0: none",
       .fallback = d.bending,
       .at_least = 0},
      {.name = "damping",
       .type = number,
       .unit = "N s/m",
       .help = "of springs between neighbours",
       .fallback = d.damping,
       .at_least = 0},
  };
  m.build = [](const Values& values, const Surroundings& around) {
    ChainParameters p;
    p.particles = values.integer("count");
    p.spacing = values.number("spacing");
    p.mass = values.number("mass");
    p.stiffness = values.number("stiffness");
    p.bending = values.number("bending");
    p.damping = values.number("damping");
    Chain made = make_chain(p);
    return make_spring_body(made.particles, std::move(made.springs), around.gravity);
  };
  return m;
}

Model fput() {
  using enum ValueType;
  Model m{"fput", "the Fermi–Pasta–Ulam–Tsingou chain of stiff and soft springs", {}, false, {}};
  m.keys = {
      {.name = "stiff_springs",
       .type = integer,
       .help = "their number; two unknowns each",
       .fallback = std::int64_t{3},
       .at_least = 1,
       .at_most = 1e6},
      {.name = "omega",
       .type = number,
       .unit = "1/s",
       .help = "frequency of the stiff springs",
       .fallback = 100.0,
       .above = 0},
  };
  m.build = [](const Values& values, const Surroundings&) {
    auto system = std::make_unique<Fput>(values.integer("stiff_springs"), values.number("omega"));
    Body body;
    body.start = system->initial_state();
    body.system = std::move(system);
    return body;
  };
  return m;
}

Body from_equation(TestEquation equation) {
  Body body;
  body.system = std::move(equation.system);
  body.start = std::move(equation.start);
  return body;
}

Model test_equation(std::string kind, std::string summary, TestEquation (*make)()) {
  return {std::move(kind), std::move(summary), {}, false, [make](const Values&, const Surroundings&) {
            return from_equation(make());
          }};
}

Model dahlquist_equation() {
  Model m{"dahlquist", "y' = λy, written as x'' = λx' with v = y", {}, false, {}};
  m.keys = {
      {.name = "lambda", .type = ValueType::number, .unit = "1/s", .help = "λ; not 0", .fallback = -15.0}};
  m.build = [](const Values& values, const Surroundings&) {
    return from_equation(dahlquist(values.number("lambda")));
  };
  return m;
}

}  // namespace

std::span<const Model> models() {
  static const std::vector<Model> all = {
      particles(),
      coil(),
      chain(),
      flag_model(),
      cloth_model(),
      tower_model(),
      bunny_model(),
      dragon_model(),
      mesh_model(),
      block_model(),
      fibres_model(),
      swimmer_model(),
      car_model(),
      fput(),
      dahlquist_equation(),
      test_equation("overdamped", "x'' = −5x' − 5/2 x, x(0) = 0, x'(0) = 1", overdamped),
      test_equation("damped-spring",
                    "a mass on a damped spring under gravity: m = 0.1, k = 100, d = 1, l = −1, g = −10",
                    damped_spring),
      test_equation("wave", "x'' = −5x, x(0) = 0, x'(0) = 1", wave),
  };
  return all;
}

}  // namespace stiffly
