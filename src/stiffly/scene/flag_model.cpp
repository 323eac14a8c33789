#include "stiffly/scene/flag.hpp"
#include "stiffly/scene/model_tables.hpp"

namespace stiffly {

namespace {

/// What all sheets of springs have.
std::vector<Key> sheet_keys() {
  const FlagParameters d;
  return {
      count("rows", "of particles, top to bottom", d.sheet.rows, 2, 1e4),
      count("columns", "of particles, from the pole outwards", d.sheet.columns, 2, 1e4),
      positive("width", "m", "from the pole outwards", d.sheet.width),
      positive("height", "m", "along the pole", d.sheet.height),
      positive("area_density", "kg/m²", "of the cloth, shared equally by the particles", d.area_density),
      positive("structural", "N/m", "stiffness of springs between neighbours", d.structural),
      not_negative("shear", "N/m", "stiffness of springs along diagonals; 0: none", d.shear),
      not_negative("bending", "N/m", "stiffness of springs between next but one; 0: none", d.bending),
      not_negative("damping", "N s/m", "of springs between neighbours", d.damping),
      {.name = "law",
       .type = ValueType::text,
       .help = "tension k Δ, or k Δ (1 + (Δ/l)²), for an elongation Δ of rest length l",
       .fallback = std::string("cubic"),
       .choices = {"linear", "cubic"}},
      {.name = "wind",
       .type = ValueType::vector,
       .unit = "m/s",
       .help = "mean velocity of the air",
       .fallback = std::array<double, 3>{0, 0, 0}},
      not_negative("gusts", "", "root mean square of the gusts over the mean wind", d.wind.gusts),
      positive("gust_length", "m", "longest wave of the gusts", d.wind.gust_length),
      positive("gust_period", "s", "longest period of the gusts", d.wind.gust_period),
      not_negative("drag", "kg/m³", "½ρC_D: pressure over the square of the air's normal velocity", d.drag),
  };
}

FlagParameters read_sheet(const Values& values) {
  FlagParameters p;
  p.sheet = {values.integer("rows"), values.integer("columns"), values.number("width"),
             values.number("height")};
  p.area_density = values.number("area_density");
  p.structural = values.number("structural");
  p.shear = values.number("shear");
  p.bending = values.number("bending");
  p.damping = values.number("damping");
  p.law = values.text("law") == "cubic" ? SpringLaw::cubic : SpringLaw::linear;
  p.wind.mean = Eigen::Vector3d::Map(values.vector("wind").data());
  if (!p.wind.mean.isZero(0)) p.wind.gusts = values.number("gusts");
  if (p.wind.gusts > 0) {
    p.wind.gust_length = values.number("gust_length");
    p.wind.gust_period = values.number("gust_period");
  }
  p.drag = values.number("drag");
  return p;
}

}  // namespace

Model flag_model() {
  Model m{"flag", "a flag of springs in a gusting wind, its pole side held", sheet_keys(), true, {}};
  m.keys.push_back({.name = "held",
                    .type = ValueType::text,
                    .help = "the whole side at the pole, or its two corners",
                    .fallback = std::string("pole"),
                    .choices = {"pole", "corners"}});
  m.build = [](const Values& values, const Surroundings& around) {
    FlagParameters p = read_sheet(values);
    if (values.text("held") == "corners") p.held = FlagParameters::Held::corners;
    return make_flag(p, around.gravity);
  };
  return m;
}

Model cloth_model() {
  Model m{"cloth", "a sheet of springs that lies in the air and is held by nothing", sheet_keys(), true, {}};
  m.keys.push_back({.name = "centre",
                    .type = ValueType::vector,
                    .unit = "m",
                    .help = "where its middle is at the start",
                    .fallback = std::array<double, 3>{0, 0, 0}});
  m.build = [](const Values& values, const Surroundings& around) {
    FlagParameters p = read_sheet(values);
    p.held = FlagParameters::Held::nothing;
    p.lying = values.vector("centre");
    return make_flag(p, around.gravity);
  };
  return m;
}

}  // namespace stiffly
