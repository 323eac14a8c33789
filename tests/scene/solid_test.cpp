// Bodies of tetrahedra: counts, masses, what is held, and scenes that ask for them.
#include "stiffly/scene/solid.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "scene/particles_of.hpp"
#include "stiffly/error.hpp"
#include "stiffly/mesh/tetgen.hpp"
#include "stiffly/mesh/tetrahedra.hpp"
#include "stiffly/scene/scene.hpp"
#include "temporary_folder.hpp"

namespace stiffly {

using namespace mesh;
namespace {

using test::TemporaryFolder;

/// Two tetrahedra of volume 1/6 on both sides of a face in the plane z = 0, and a point that none uses.
Mesh twin() {
  Mesh mesh;
  mesh.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {9, 9, 9}, {0, 0, 1}, {0, 0, -1}};
  mesh.tetrahedra = {{0, 1, 2, 4}, {0, 2, 1, 5}};
  return mesh;
}

std::vector<std::string> force_names(const Body& body) {
  std::vector<std::string> out;
  for (const auto& force : particles_of(body).forces()) out.push_back(force->name());
  return out;
}

TEST(Solid, OfSpringsHasEveryEdgeOnceAndTheMassOfItsVolume) {
  const Body body = make_solid(twin(), {.material = SpringSolid{.edge = 10}, .density = 600}, {});
  EXPECT_EQ(particles_of(body).particles(), 5u) << "the unused point is left out";
  EXPECT_EQ(body.springs.size(), 9u);
  EXPECT_EQ(body.triangles.size(), 6u);
  const auto masses = particles_of(body).masses();
  EXPECT_NEAR(std::accumulate(masses.begin(), masses.end(), 0.0), 200, 1e-10);
  EXPECT_EQ(force_names(body), std::vector<std::string>{"springs"});
}

TEST(Solid, DiagonalsKeepTheHeightOfATetrahedron) {
  const SpringSolid material{.edge = 1e-6, .diagonal = 50};
  const Body body =
      make_solid(twin(), {.material = material, .pinned_below = 0, .pinned_normal = {0, 0, 2}}, {});
  const ParticleSystem& system = particles_of(body);
  ASSERT_EQ(system.free_particles(), 1u);
  EXPECT_EQ(force_names(body), (std::vector<std::string>{"springs", "weighted springs"}));
  // The apex pulled away from the face's centre (1/3, 1/3, 0) by a hundredth of the distance.
  const Point apex = {-1 / 300.0, -1 / 300.0, 1.01};
  const double length = std::sqrt(1 + 2 / 9.0);
  Vector x(3), v(3);
  for (std::size_t d = 0; d < 3; ++d) host(x)[d] = apex[d];
  // Diagonals from the face's corners lengthen too; that of the apex alone has 50/2 (l/100)².
  EXPECT_GT(system.potential_energy(0, x), 25 * std::pow(0.01 * length, 2));
  EXPECT_NEAR(system.potential_energy(0, body.start.x()), 0, 1e-20);
}

TEST(Solid, FractionOfDiagonalsLeavesTheBodySofter) {
  const auto energy = [](double fraction) {
    const SpringSolid material{.edge = 1e-6, .diagonal = 50, .diagonal_fraction = fraction};
    const Body body = make_solid(twin(), {.material = material}, {});
    Vector x = Vector(body.system->unknowns());
    const std::vector<double> at_rest = to_host(body.start.x());
    for (std::size_t i = 0; i < at_rest.size(); ++i) host(x)[i] = 1.1 * at_rest[i];
    return body.system->potential_energy(0, x);
  };
  EXPECT_LT(energy(0.5), energy(1));
  EXPECT_LT(energy(0), 1e-3 * energy(0.5));
}

TEST(Solid, TetgenFillsWhereItIsInstalled) {
  Mesh surface = twin();
  surface.triangles = surface_of(surface.tetrahedra);
  surface.tetrahedra.clear();
  if (has_tetgen()) {
    EXPECT_FALSE(as_volume(surface, 100, Filler::tetgen).tetrahedra.empty());
    Mesh inside_out = surface;
    for (auto& triangle : inside_out.triangles) std::swap(triangle[0], triangle[1]);
    EXPECT_FALSE(as_volume(inside_out, 100, Filler::tetgen).tetrahedra.empty());
    // The same once more, shifted: tetgen aborts, the message says so.
    Mesh crossing = surface;
    const int offset = static_cast<int>(surface.points.size());
    for (const auto& point : surface.points)
      crossing.points.push_back(point + Eigen::Vector3d(0.2, 0.1, 0.1));
    for (const auto& t : surface.triangles)
      crossing.triangles.push_back({t[0] + offset, t[1] + offset, t[2] + offset});
    try {
      as_volume(crossing, 100, Filler::tetgen);
      ADD_FAILURE() << "it was filled";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("surfaces that do not cross themselves"), std::string::npos)
          << error.what();
    }
  } else {
    EXPECT_THROW(as_volume(surface, 100, Filler::tetgen), InputError);
  }
}

TEST(Solid, ParticlesMayAllWeighTheSame) {
  SolidParameters p;
  p.material = SpringSolid{.edge = 1};
  p.particle_mass = 0.25;
  const Body body = make_solid(twin(), p, {});
  for (const double mass : dynamic_cast<const ParticleSystem&>(*body.system).masses()) EXPECT_EQ(mass, 0.25);
}

TEST(Solid, WrongBodiesAreRefused) {
  EXPECT_THROW(make_solid({}, {}, {}), InputError);
  SolidParameters no_normal, all_held;
  no_normal.pinned_normal = Eigen::Vector3d::Zero();
  all_held.pinned_below = 5;
  EXPECT_THROW(make_solid(twin(), no_normal, {}), InputError);
  EXPECT_THROW(make_solid(twin(), all_held, {}), InputError) << "nothing could move";
  Mesh inverted = twin();
  std::swap(inverted.tetrahedra[0][0], inverted.tetrahedra[0][1]);
  EXPECT_THROW(make_solid(inverted, {}, {}), InputError);
}

constexpr const char* medit =
    "MeshVersionFormatted 1\nDimension 3\nVertices\n5\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 -1 0\n"
    "Tetrahedra\n2\n1 2 3 4 0\n1 3 2 5 0\nEnd\n";

std::string scene_with(const std::string& model) {
  return "[simulation]\nduration = 1\ngravity = [0, 0, -1]\n[model]\nkind = \"mesh\"\n" + model;
}

TEST(MeshModel, TakesTheFileBesideTheSceneInEveryMaterial) {
  TemporaryFolder folder;
  folder.write("twin.mesh", medit);
  for (const auto& [material, force] :
       {std::pair{"springs", "springs"}, std::pair{"corotational", "corotational tetrahedra"},
        std::pair{"stvk", "St. Venant-Kirchhoff tetrahedra"},
        std::pair{"neo-hookean", "stable neo-Hookean tetrahedra"}}) {
    const Scene scene = load_scene(folder.write(
        "s.toml", scene_with("file = \"twin.mesh\"\nscale = 0.1\npinned_below = -0.05\nmaterial = \"" +
                             std::string(material) + "\"\n")));
    EXPECT_EQ(force_names(scene.body), (std::vector<std::string>{force, "gravity"}));
    EXPECT_EQ(particles_of(scene.body).free_particles(), 4u);
    const auto masses = particles_of(scene.body).masses();
    EXPECT_NEAR(std::accumulate(masses.begin(), masses.end(), 0.0), 1000 * 1e-3 / 3, 1e-12);
  }
}

TEST(MeshModel, IsRefusedWithFileAndLine) {
  TemporaryFolder folder;
  folder.write("twin.mesh", medit);
  const std::string file = "file = \"twin.mesh\"\n";
  for (const auto& [model, line, expected] :
       {std::tuple{std::string("young = 1\n"), 4, "needs 'file'"},
        std::tuple{file + "poisson = 0.5\n", 7, "'poisson'"},
        std::tuple{file + "density = 0\n", 7, "'density'"},
        std::tuple{file + "material = \"jelly\"\n", 7, "'material'"},
        std::tuple{file + "pinned_below = 7\n", 4, "every particle is pinned"},
        std::tuple{file + "yuong = 1\n", 7, "did you mean 'young'?"}}) {
    const auto path = folder.write("s.toml", scene_with(model));
    try {
      load_scene(path);
      ADD_FAILURE() << "accepted: " << model;
    } catch (const InputError& error) {
      const std::string message = error.what();
      EXPECT_TRUE(message.starts_with(path.string() + ":" + std::to_string(line) + ": ")) << message;
      EXPECT_NE(message.find(expected), std::string::npos) << message;
    }
  }
  EXPECT_THROW(load_scene(folder.write("s.toml", scene_with("file = \"none.mesh\"\n"))), FileError);
}

}  // namespace
}  // namespace stiffly
