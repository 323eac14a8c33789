#include "stiffly/scene/car.hpp"
#include "stiffly/scene/model_tables.hpp"

namespace stiffly {

Model car_model() {
  const CarParameters d;
  Model m{"car",
          "a car-like shell with a structure inside, of particles and springs, its front towards −x",
          {},
          true,
          {}};
  m.keys = {
      positive("length", "m", "along x, the front at x = 0; all else is in proportion", d.length),
      count("stations", "rings of particles from the middle of the front to that of the rear", d.stations, 5,
            5000),
      count("sides", "particles in a ring", d.sides, 5, 5000),
      count("coarse", "the structure inside has every so many-th station and side", d.coarse, 1, 50),
      count("layers", "of the structure inside, each within the one before", d.layers, 0, 20),
      positive("total_mass", "kg", "shared by area; what is inside has the mean of the shell", d.total_mass),
      positive("structural", "N/m", "stiffness of springs between neighbours and across meshes",
               d.structural),
      positive("bending", "N/m", "stiffness of springs between next but one", d.bending),
      not_negative("damping", "N s/m", "of the dashpots beside structural springs", d.damping),
      {.name = "velocity",
       .type = ValueType::vector,
       .unit = "m/s",
       .help = "of all particles at the start",
       .fallback = d.velocity},
  };
  m.build = [](const Values& values, const Surroundings& around) {
    CarParameters p;
    p.length = values.number("length");
    p.stations = values.integer("stations");
    p.sides = values.integer("sides");
    p.coarse = values.integer("coarse");
    p.layers = values.integer("layers");
    p.total_mass = values.number("total_mass");
    p.structural = values.number("structural");
    p.bending = values.number("bending");
    p.damping = values.number("damping");
    p.velocity = values.vector("velocity");
    return make_car(p, around.gravity);
  };
  return m;
}

}  // namespace stiffly
