#include <fmt/format.h>

#include "stiffly/error.hpp"
#include "stiffly/mesh/block.hpp"
#include "stiffly/scene/assets.hpp"
#include "stiffly/scene/model_tables.hpp"
#include "stiffly/scene/solid.hpp"

namespace stiffly {

using namespace mesh;
namespace {

constexpr double fewest = 30, most = 5e7;

Key density(double fallback) { return positive("density", "kg/m³", "of the body", fallback); }
Key particles(int fallback) {
  return count("count", "particles, about: the surface is filled with tetrahedra", fallback, fewest, most);
}

Key filler_key() {
  return {.name = "filler",
          .type = ValueType::text,
          .help =
              "what fills a surface with tetrahedra: a lattice, for any surface, or the program TetGen, for "
              "clean ones",
          .fallback = std::string("lattice"),
          .choices = {"lattice", "tetgen"}};
}
Filler filler(const Values& values) {
  return values.text("filler") == "tetgen" ? Filler::tetgen : Filler::lattice;
}

/// Keys of the bodies that come with the program.
std::vector<Key> asset_keys(int count, double stiffness) {
  return {
      particles(count),
      filler_key(),
      positive("height", "m", "of the body", 1),
      density(1000),
      not_negative("particle_mass", "kg",
                   "the same for every particle, instead of the density; 0: by the density", 0),
      share("held_part", "share of the height, from the ground, whose particles are pinned", 0.03),
      positive("stiffness", "N/m", "of every edge", stiffness),
      not_negative("damping", "N s/m", "of every edge", 0),
  };
}

/// The scanned body of that name, filled and scaled.
Body asset_body(const std::string& name, const Values& values, SpringSolid springs,
                const std::array<double, 3>& gravity) {
  Mesh mesh = as_volume(load_asset(name), values.integer("count"), filler(values));
  const double height = values.number("height");
  for (Eigen::Vector3d& x : mesh.points) x *= height;
  springs.edge = values.number("stiffness");
  springs.damping = values.number("damping");
  SolidParameters p{.material = springs, .particle_mass = values.number("particle_mass")};
  if (p.particle_mass == 0) p.density = values.number("density");
  if (const double held = values.number("held_part"); held > 0) p.pinned_below = held * height;
  return make_solid(mesh, p, gravity);
}

std::variant<SpringSolid, ElasticSolid> material(const Values& values) {
  const std::string name = values.text("material");
  if (name == "springs") return SpringSolid{values.number("stiffness"), values.number("damping")};
  const ElasticLaw law = name == "corotational" ? ElasticLaw::corotational
                         : name == "stvk"       ? ElasticLaw::stvk
                                                : ElasticLaw::neo_hookean;
  return ElasticSolid{law, Lame::from_young(values.number("young"), values.number("poisson"))};
}

/// Keys that `material` reads.
std::vector<Key> material_keys() {
  return {
      {.name = "material",
       .type = ValueType::text,
       .help = "every edge a spring, or a material of the tetrahedra",
       .fallback = std::string("corotational"),
       .choices = {"springs", "corotational", "stvk", "neo-hookean"}},
      positive("stiffness", "N/m", "of every edge; for springs", 1e4),
      not_negative("damping", "N s/m", "of every edge; for springs", 0),
      positive("young", "Pa", "Young's modulus; for the other materials", 1e6),
      {.name = "poisson",
       .help = "Poisson's ratio; for the other materials",
       .fallback = 0.3,
       .above = -1,
       .at_most = 0.4999},
      density(1000),
  };
}

}  // namespace

Model bunny_model() {
  Model m{"bunny",
          "the Stanford bunny of soft edges and stiff diagonals, from corners of tetrahedra to the faces "
          "opposite, its feet held",
          asset_keys(8000, 1e2),
          true,
          {}};
  m.keys.push_back(not_negative("diagonal_stiffness", "N/m", "of diagonals; 0: none", 1e8));
  m.keys.push_back(share("diagonal_fraction",
                         "fraction of the diagonals that are kept; with all of them the body locks", 1));
  m.build = [](const Values& values, const Surroundings& around) {
    SpringSolid springs{.diagonal = values.number("diagonal_stiffness")};
    if (springs.diagonal > 0) springs.diagonal_fraction = values.number("diagonal_fraction");
    return asset_body("bunny", values, springs, around.gravity);
  };
  return m;
}

Model dragon_model() {
  Model m{"dragon",
          "the Stanford dragon, every edge a spring, its feet held",
          asset_keys(150'000, 1e6),
          true,
          {}};
  m.build = [](const Values& values, const Surroundings& around) {
    return asset_body("dragon", values, {}, around.gravity);
  };
  return m;
}

Model mesh_model() {
  using enum ValueType;
  Model m{
      "mesh", "a body from a mesh file: tetrahedra as they are, a surface filled with them", {}, true, {}};
  m.keys = {
      {.name = "file", .type = text, .help = "the mesh, relative to the scene file", .required = true},
      particles(2000),
      filler_key(),
      positive("scale", "", "the file's lengths are multiplied by this to give metres", 1),
      {.name = "pinned_normal",
       .type = vector,
       .help = "n, of any length: particles with n·x/|n| at most pinned_below are pinned",
       .fallback = std::array<double, 3>{0, 0, 1}},
      {.name = "pinned_below",
       .unit = "m",
       .help = "see pinned_normal",
       .fallback_help = "nothing is pinned"},
  };
  for (Key& key : material_keys()) m.keys.push_back(std::move(key));
  m.build = [](const Values& values, const Surroundings& around) {
    Mesh mesh = around.mesh ? *around.mesh : read_mesh(around.files.at(values.text("file")));
    const bool surface = mesh.tetrahedra.empty();
    if (surface) mesh = as_volume(std::move(mesh), values.integer("count"), filler(values));
    for (Eigen::Vector3d& x : mesh.points) x *= values.number("scale");
    SolidParameters p{.material = material(values), .density = values.number("density")};
    if (values.given("pinned_below")) {
      p.pinned_below = values.number("pinned_below");
      p.pinned_normal = Eigen::Vector3d::Map(values.vector("pinned_normal").data());
    }
    if (surface) p.finer = "a higher 'count'";
    return make_solid(mesh, p, around.gravity);
  };
  return m;
}

Model block_model() {
  using enum ValueType;
  Model m{"block",
          "a rectangular block of tetrahedra from the origin, held at its face x = 0: a cantilever",
          {},
          true,
          {}};
  m.keys = {
      {.name = "lengths",
       .type = vector,
       .unit = "m",
       .help = "along x, y and z",
       .fallback = std::array<double, 3>{1, 0.2, 0.2},
       .above = 0},
      {.name = "cells",
       .type = integers,
       .help = "[nx, ny, nz]: cuboids along x, y and z, of six tetrahedra each",
       .fallback = std::vector<std::int64_t>{10, 2, 2},
       .at_least = 1,
       .at_most = 1000},
      {.name = "held",
       .type = boolean,
       .help = "whether the particles at x = 0 are pinned",
       .fallback = true},
  };
  for (Key& key : material_keys()) m.keys.push_back(std::move(key));
  m.build = [](const Values& values, const Surroundings& around) {
    const std::vector<std::int64_t> cells = values.integers("cells");
    if (cells.size() != 3)
      throw InputError(fmt::format("'cells' must be three whole numbers [nx, ny, nz], not {}", cells.size()));
    const BlockMesh block(values.vector("lengths"), {static_cast<int>(cells[0]), static_cast<int>(cells[1]),
                                                     static_cast<int>(cells[2])});
    Mesh mesh;
    for (const Point& x : block.positions) mesh.points.push_back(Eigen::Vector3d::Map(x.data()));
    mesh.tetrahedra = block.tetrahedra;
    SolidParameters p{.material = material(values), .density = values.number("density")};
    p.pinned_normal = Eigen::Vector3d::UnitX();
    if (values.boolean("held")) p.pinned_below = 0;
    p.finer = "more 'cells'";
    return make_solid(mesh, p, around.gravity);
  };
  return m;
}

}  // namespace stiffly
