#include "stiffly/forces/registry.hpp"

#include <vector>

#include "stiffly/forces/corotational.hpp"
#include "stiffly/forces/neo_hookean.hpp"
#include "stiffly/forces/saint_venant_kirchhoff.hpp"

namespace stiffly {

std::span<const ForceInfo> forces() {
  static const std::vector<ForceInfo> all = {
      {"springs", "between two particles, linear or cubic, each with an optional dashpot",
       "[[spring]], or a model that makes them"},
      {"weighted springs", "between weighted means of particles, such as a corner and the centre of a face",
       "[[weighted_spring]], or model.diagonal_stiffness"},
      {"girders", "networks stiff along girders and against turning at their joints",
       "[[girder]], or model kind \"tower\""},
      {Corotational::name, "linear elasticity seen from the rotating element",
       "model.material = \"corotational\""},
      {SaintVenantKirchhoff::name, "linear in Green's strain: large rotations, small strains",
       "model.material = \"stvk\""},
      {NeoHookean::name, "finite and smooth for every deformation", "model.material = \"neo-hookean\""},
      {"tug", "a spring from a particle to a point that somebody moves while the simulation goes on",
       "run --view"},
      {"gravity", "a uniform field of acceleration", "simulation.gravity"},
      {"field", "a uniform field that may change in time", "[[field]]"},
      {"wind", "pressure of gusting air on triangles", "model.wind"},
      {"air drag", "in proportion to velocity, as thin fibres feel it",
       "fibres.drag, model.drag of kind \"fibres\""},
      {"fluid", "viscous flow around all particles, which each of them drives and feels", "[fluid]"},
      {"motor", "turns some particles against others", "[[motor]]"},
      {"obstacles", "push particles away that come near", "[[obstacle]]"},
      {"contact", "bodies push each other, and themselves, away, and rub", "contact.between"},
      {"Rayleigh damping", "in proportion to mass and stiffness", "[damping]"},
  };
  return all;
}

}  // namespace stiffly
