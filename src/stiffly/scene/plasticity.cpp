#include "stiffly/scene/plasticity.hpp"

#include "stiffly/forces/plastic_spring.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly {

std::vector<Key> plasticity_keys() {
  using enum ValueType;
  return {
      {.name = "yield",
       .type = number,
       .help = "ε_y: strain at which springs, girders and fibres yield first",
       .fallback_help = "nothing yields",
       .above = 0},
      {.name = "hardening",
       .type = number,
       .help =
           "H/k: by how much the force at which it yields grows with plastic elongation, as a share of the "
           "stiffness",
       .fallback = 0.1,
       .at_least = 0},
  };
}

bool has_plasticity(const SceneFile& file) {
  return file.plasticity.given("yield") || file.plasticity.given("hardening");
}

void add_plasticity(const SceneFile& file, ParticleSystem& system) {
  if (!has_plasticity(file)) return;
  const Values& values = file.plasticity;
  if (!values.given("yield")) refuse(values.origin("hardening"), "[plasticity] needs 'yield'");
  if (!system.let_yield({.yield = values.number("yield"), .hardening = values.number("hardening")}))
    refuse(values.origin("yield"), "there is nothing that could yield: no springs, girders or fibres");
}

}  // namespace stiffly
