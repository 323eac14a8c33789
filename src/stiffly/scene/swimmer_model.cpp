#include "stiffly/scene/model_tables.hpp"
#include "stiffly/scene/swimmer.hpp"

namespace stiffly {

Model swimmer_model() {
  const SwimmerParameters d;
  Model m{
      "swimmer",
      "a bacterium: a head and behind it a helical flagellum, a fibre of cuboids that is free to turn about "
      "its base; [[motor]] turns it, in [fluid] it swims",
      {},
      true,
      {}};
  m.keys = {
      positive("head_length", "m", "of the head, a spheroid, along x", d.head_length),
      positive("head_width", "m", "across", d.head_width),
      count("head_rings", "of particles around the head, besides the two at its ends", d.head_rings, 1, 20),
      count("head_sides", "particles in a ring", d.head_sides, 3, 40),
      positive("head_stiffness", "N/m",
               "of the springs that join all particles of the head, and the flagellum", d.head_stiffness),
      positive("length", "m", "of the flagellum, along its axis", d.length),
      positive("radius", "m", "of the helix", d.radius),
      positive("pitch", "m", "of the helix: way along the axis in a turn", d.pitch),
      {.name = "right_handed",
       .type = ValueType::boolean,
       .help = "whether the helix is a right-handed screw; those of bacteria are left-handed",
       .fallback = d.right_handed},
      count("sections", "cross-sections of the flagellum, of four particles each", d.sections, 3, 240),
      positive("thickness", "m", "of the flagellum, whose cross-section is square", d.thickness),
      positive("young", "Pa", "Young's modulus of the flagellum", d.material.young),
      positive("torsion", "Pa", "torsional modulus of the flagellum", d.material.torsion),
      positive("density", "kg/m³", "of head and flagellum", d.material.density),
  };
  m.build = [](const Values& values, const Surroundings& around) {
    SwimmerParameters p;
    p.head_length = values.number("head_length");
    p.head_width = values.number("head_width");
    p.head_rings = values.integer("head_rings");
    p.head_sides = values.integer("head_sides");
    p.head_stiffness = values.number("head_stiffness");
    p.length = values.number("length");
    p.radius = values.number("radius");
    p.pitch = values.number("pitch");
    p.right_handed = values.boolean("right_handed");
    p.sections = values.integer("sections");
    p.thickness = values.number("thickness");
    p.material = {values.number("young"), values.number("torsion"), values.number("density")};
    return make_swimmer(p, around.gravity);
  };
  return m;
}

}  // namespace stiffly
