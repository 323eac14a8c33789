#include "stiffly/scene/specification.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "stiffly/integrators/stage_solver.hpp"
#include "stiffly/scene/fibre_group.hpp"
#include "stiffly/scene/flow.hpp"
#include "stiffly/scene/model.hpp"
#include "stiffly/scene/obstacles.hpp"
#include "stiffly/scene/plasticity.hpp"
#include "stiffly/scene/rigid_box.hpp"
#include "stiffly/scene/scripted_motion.hpp"
#include "stiffly/scene/vector_expression.hpp"

namespace stiffly {
namespace {

using enum ValueType;

std::vector<Key> csv_keys() {
  return {
      {.name = "particles",
       .type = text,
       .help = "CSV file of particles, relative to the scene file",
       .fallback_help = "those of [[particle]]"},
      {.name = "springs",
       .type = text,
       .help = "CSV file of springs, relative to the scene file",
       .fallback_help = "those of [[spring]]"},
  };
}

Section make_root() {
  Section s{"", false, "Keys before the first table.", csv_keys(), {}};
  s.keys.push_back(
      {.name = "title", .type = text, .help = "one line about the scene", .fallback = std::string{}});
  s.keys.push_back({.name = "size",
                    .type = text,
                    .help = "which of the tables [sizes.NAME.…] to use",
                    .fallback_help = "none of them"});
  return s;
}

template <class Registry>
std::vector<std::string> names(const Registry& registry) {
  std::vector<std::string> out;
  for (const auto& entry : registry) out.push_back(entry.name);
  return out;
}

Section make_simulation() {
  const IntegratorOptions d;
  Section s{"simulation", false, "How to integrate. Always needed.", {}, {}};
  s.keys = {
      {.name = "duration",
       .type = number,
       .unit = "s",
       .help = "simulated time",
       .required = true,
       .above = 0},
      {.name = "step",
       .type = number,
       .unit = "s",
       .help = "step size; the last step is shortened to end at the duration",
       .fallback = 0.01,
       .above = 0},
      {.name = "tolerance",
       .type = number,
       .help = "relative error to aim at, instead of a step: steps are chosen for it",
       .fallback_help = "constant steps",
       .above = 0,
       .at_most = 0.1},
      {.name = "pieces",
       .type = text,
       .help =
           "bodies that nothing connects: all in the same steps, or each in steps of its own; auto: fibres "
           "apart, others joint",
       .fallback = std::string("auto"),
       .choices = {"auto", "joint", "apart"}},
      {.name = "error",
       .type = number,
       .help = "largest error of positions at all frames, relative to how far the body moves, instead of a "
               "step or a "
               "tolerance: runs are made at smaller and smaller tolerances until they show it",
       .fallback_help = "one run",
       .above = 0,
       .at_most = 0.5},
      {.name = "integrator",
       .type = text,
       .help = "a name from `stiffly list integrators`, or \"auto\"",
       .fallback = std::string("auto")},
      {.name = "evaluator",
       .type = text,
       .help = "of φ-functions: a name from `stiffly list evaluators`",
       .fallback = d.evaluator},
      {.name = "phi_tolerance",
       .type = number,
       .help = "error of each φ evaluation, relative to the increment it makes",
       .fallback = d.phi_tolerance,
       .above = 0,
       .at_most = 1},
      {.name = "phi_norm",
       .type = text,
       .help =
           "in which that error is measured: energy, or smoothed, where oscillations too fast for the step "
           "count the less the faster they are",
       .fallback = std::string("energy"),
       .choices = {"energy", "smoothed"}},
      {.name = "reformulation",
       .type = text,
       .help = "variables in which φ-functions are computed",
       .fallback = std::string("square-root-free"),
       .choices = {"square-root-free", "explicit-root"}},
      {.name = "newton",
       .type = text,
       .help = "how implicit stages are solved",
       .fallback = d.newton,
       .choices = names(newton_kinds())},
      {.name = "linear_solver",
       .type = text,
       .help = "within Newton's method",
       .fallback = d.linear_solver,
       .choices = names(linear_solvers())},
      {.name = "newton_tolerance",
       .type = number,
       .help = "error of implicit stages, relative to the velocities",
       .fallback = d.newton_tolerance,
       .above = 0,
       .at_most = 1},
      {.name = "largest_angle",
       .type = number,
       .unit = "rad",
       .help = "vibrations that a step spans less of are followed exactly, by energy-exponential",
       .fallback = d.largest_angle,
       .above = 0,
       .at_most = 1e6},
      {.name = "gravity",
       .type = vector,
       .unit = "m/s²",
       .help = "uniform field of acceleration; only for particles in space",
       .fallback = std::array<double, 3>{0, 0, 0}},
      {.name = "frames",
       .type = number,
       .unit = "1/s",
       .help = "states per simulated second in frames.h5, at exact times whatever the steps; 0: none",
       .fallback_help =
           "25, or a hundred over the duration if that is more; fewer where the file would pass 256 MB",
       .at_least = 0,
       .at_most = 1e6},
      {.name = "records",
       .type = number,
       .unit = "1/s",
       .help = "rows per simulated second in energy.csv and counters.csv (at most one per step); 0: a "
               "thousand in all",
       .fallback = 0.0,
       .at_least = 0,
       .at_most = 1e6},
  };
  for (Key& key : csv_keys()) s.keys.push_back(std::move(key));
  return s;
}

Section make_particle() {
  Section s{"particle", true, "One particle. They are numbered from 0 in the order of the file.", {}, {}};
  s.keys = {
      {.name = "position", .type = vector, .unit = "m", .help = "where it starts", .required = true},
      {.name = "velocity",
       .type = vector,
       .unit = "m/s",
       .help = "at the start",
       .fallback = std::array<double, 3>{0, 0, 0}},
      {.name = "mass",
       .type = number,
       .unit = "kg",
       .help = "of this particle",
       .required = true,
       .above = 0},
      {.name = "pinned", .type = boolean, .help = "whether it stays where it is", .fallback = false},
  };
  return s;
}

/// What all springs have, besides their ends.
std::vector<Key> spring_keys() {
  return {
      {.name = "stiffness", .type = number, .unit = "N/m", .help = "k", .required = true, .above = 0},
      {.name = "rest_length",
       .type = number,
       .unit = "m",
       .help = "l",
       .fallback_help = "the initial distance of the ends",
       .above = 0},
      {.name = "law",
       .type = text,
       .help = "tension k Δ, or k Δ (1 + (Δ/l)²), for an elongation Δ",
       .fallback = std::string("linear"),
       .choices = {"linear", "cubic"}},
      {.name = "damping",
       .type = number,
       .unit = "N s/m",
       .help = "of a dashpot beside the spring",
       .fallback = 0.0,
       .at_least = 0},
  };
}

const Key ends_key{
    .name = "ends", .type = ValueType::pair, .help = "the two particles", .required = true, .at_least = 0};

Section make_spring() {
  Section s{"spring", true, "One spring between two particles.", {ends_key}, {}};
  for (Key& key : spring_keys()) s.keys.push_back(std::move(key));
  return s;
}

Section make_weighted_spring() {
  Section s{"weighted_spring",
            true,
            "One spring between weighted means of particles, such as from a corner of a tetrahedron to the "
            "centre of "
            "a face.",
            {},
            {}};
  for (const std::string end : {"first", "second"}) {
    s.keys.push_back({.name = end,
                      .type = integers,
                      .help = fmt::format("the particles of the {} end", end),
                      .required = true,
                      .at_least = 0});
    s.keys.push_back({.name = end + "_weights",
                      .type = numbers,
                      .help = "of these particles, in their order; they sum up to 1",
                      .fallback_help = "all alike",
                      .at_least = 0});
  }
  for (Key& key : spring_keys()) s.keys.push_back(std::move(key));
  return s;
}

Section make_girder() {
  Section s{
      "girder",
      true,
      "One girder between two particles, its joints. All girders at a joint keep their angles, more or less "
      "stiffly.",
      {ends_key},
      {}};
  s.keys.push_back({.name = "axial",
                    .type = number,
                    .unit = "N/m",
                    .help = "stiffness along it",
                    .required = true,
                    .above = 0});
  s.keys.push_back({.name = "bending",
                    .type = number,
                    .unit = "N/m",
                    .help = "stiffness across it, against the frames of its joints; at most the axial one",
                    .required = true,
                    .at_least = 0});
  return s;
}

Section make_damping() {
  Section s{"damping",
            false,
            "Rayleigh damping by αM + βK, with the stiffness K as the scene starts: a mode of frequency ω is "
            "damped by "
            "the ratio α/(2ω) + βω/2. For particles in space.",
            {},
            {}};
  s.keys = {
      {.name = "mass_factor", .type = number, .unit = "1/s", .help = "α", .fallback = 0.0, .at_least = 0},
      {.name = "stiffness_factor", .type = number, .unit = "s", .help = "β", .fallback = 0.0, .at_least = 0},
  };
  return s;
}

Section make_field() {
  Section s{"field",
            true,
            "A field that is the same everywhere and changes in time. Expressions are described under "
            "\"Functions of "
            "time\".",
            expression_keys("", "strength along"),
            {}};
  s.keys.push_back({.name = "acts_as",
                    .type = text,
                    .help = "whether x, y and z are in m/s², or in N on every particle",
                    .fallback = std::string("acceleration"),
                    .choices = {"acceleration", "force"}});
  return s;
}

Section make_motion() {
  Section s{"motion",
            true,
            "How pinned particles move: through keyframes (times, shifts, rotations), with splines between "
            "them and at "
            "rest before and after, or by expressions of time (x, y, z, rotation_x, rotation_y, rotation_z).",
            {},
            {}};
  s.keys = {
      {.name = "particles",
       .type = integers,
       .help = "pinned ones, by number",
       .fallback_help = "all pinned ones that no other [[motion]] names",
       .at_least = 0},
  };
  for (Key& key : motion_keys()) s.keys.push_back(std::move(key));
  return s;
}

std::vector<Section> make_models() {
  std::vector<std::string> kinds;
  for (const Model& model : models()) kinds.push_back(model.kind);
  const Key kind{.name = "kind",
                 .type = text,
                 .help = "what the scene is made of",
                 .fallback = std::string("particles"),
                 .choices = kinds};
  std::vector<Section> all;
  for (const Model& model : models()) {
    Section s{"model", false, model.summary, {kind}, model.kind};
    s.keys.insert(s.keys.end(), model.keys.begin(), model.keys.end());
    all.push_back(std::move(s));
  }
  return all;
}

}  // namespace

const Section& root_section() {
  static const Section section = make_root();
  return section;
}

const Section& simulation_section() {
  static const Section section = make_simulation();
  return section;
}

const Section& particle_section() {
  static const Section section = make_particle();
  return section;
}

const Section& spring_section() {
  static const Section section = make_spring();
  return section;
}

const Section& weighted_spring_section() {
  static const Section section = make_weighted_spring();
  return section;
}

const Section& girder_section() {
  static const Section section = make_girder();
  return section;
}

const Section& rigid_section() {
  static const Section section{"rigid",
                               true,
                               "A rigid box: nine particles with its inertia, numbered after all others, "
                               "corners first (x slowest), the "
                               "middle last. [[spring]], [[weighted_spring]] and [[girder]] may end at them.",
                               rigid_keys(),
                               {}};
  return section;
}

const Section& fibres_section() {
  static const Section section{
      "fibres", true, "A group of fibres of cuboids, their roots pinned: hair, bristles.", fibre_keys(), {}};
  return section;
}

const Section& damping_section() {
  static const Section section = make_damping();
  return section;
}

const Section& field_section() {
  static const Section section = make_field();
  return section;
}

const Section& motion_section() {
  static const Section section = make_motion();
  return section;
}

const Section& obstacle_section() {
  static const Section section{
      "obstacle",
      true,
      "A solid that nothing pushes aside, at rest, or moved through keyframes or by expressions as in "
      "[[motion]]. Particles that come within `contact.range` of it are pushed away.",
      obstacle_keys(),
      {}};
  return section;
}

const Section& contact_section() {
  static const Section section{
      "contact",
      false,
      "How things push each other apart: a gap g below the range d stores the energy "
      "κ(d − g)³/(3d). Used where there are obstacles, and by bodies where `between` says so; "
      "docs/contact.md says what it promises.",
      contact_keys(),
      {}};
  return section;
}

const Section& fluid_section() {
  static const Section section{
      "fluid",
      false,
      "A viscous fluid without inertia around all particles: each drives it and feels the flow of all others "
      "(regularised Stokeslets, docs/flow.md). For a thousand particles at most.",
      fluid_keys(),
      {}};
  return section;
}

const Section& plasticity_section() {
  static const Section section{
      "plasticity",
      false,
      "Springs, girders (along their length) and the springs of fibres that yield: beyond the yield force, k "
      "ε_y l "
      "+ H p, rest lengths l follow, and p is how far they have (docs/plasticity.md).",
      plasticity_keys(),
      {}};
  return section;
}

const Section& motor_section() {
  static const Section section{
      "motor",
      true,
      "Turns some particles against others, without force or torque on both together. "
      "Expressions are described under \"Functions of time\".",
      motor_keys(),
      {}};
  return section;
}

const Section& model_section(std::string_view kind, const Origin& origin) {
  static const std::vector<Section> all = make_models();
  const auto it = std::find_if(all.begin(), all.end(), [&](const Section& s) { return s.kind == kind; });
  if (it != all.end()) return *it;
  check_value(all.front(), all.front().keys.front(), std::string(kind),
              origin);  // throws, naming the nearest
  return all.front();
}

}  // namespace stiffly
