#include "stiffly/scene/model_tables.hpp"
#include "stiffly/scene/tower_body.hpp"

namespace stiffly {

Model tower_model() {
  const TowerBodyParameters d;
  Model m{"tower",
          "a lattice tower in the form of the Eiffel tower, stiff below and soft above, its feet held",
          {},
          true,
          {}};
  m.keys = {
      positive("height", "m", "to the tip; all else is in proportion", d.tower.height),
      count("segments", "girders along each side of a leg's cross-section; 4 gives about 5000 particles",
            d.tower.segments, 1, 40),
      positive("total_mass", "kg", "shared equally by all particles", d.total_mass),
      share("stiff_part", "share of the height, from the ground, whose girders are of lower_stiffness",
            d.stiff_part),
      positive("lower_stiffness", "N/m", "along girders of the stiff part", d.lower),
      positive("upper_stiffness", "N/m", "along girders above", d.upper),
      share("bending_share",
            "stiffness across a girder, against the frames of its joints, over that along it",
            d.bending_share),
      {.name = "push",
       .unit = "m/s",
       .help = "velocity of the tip at the start, along x; falls to 0 at the stiff part",
       .fallback = d.push},
  };
  m.build = [](const Values& values, const Surroundings& around) {
    TowerBodyParameters p;
    p.tower = {values.number("height"), values.integer("segments")};
    p.total_mass = values.number("total_mass");
    p.stiff_part = values.number("stiff_part");
    p.lower = values.number("lower_stiffness");
    p.upper = values.number("upper_stiffness");
    p.bending_share = values.number("bending_share");
    p.push = values.number("push");
    return make_tower_body(p, around.gravity);
  };
  return m;
}

}  // namespace stiffly
