// Damping, fields, motions, weighted springs and girders: what a file says against the same built by hand.
#include "stiffly/scene/surroundings.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "random_vector.hpp"
#include "stiffly/error.hpp"
#include "stiffly/forces/corotational.hpp"
#include "stiffly/forces/force_field.hpp"
#include "stiffly/forces/girders.hpp"
#include "stiffly/forces/rayleigh_damping.hpp"
#include "stiffly/forces/weighted_springs.hpp"
#include "stiffly/mesh/block.hpp"
#include "stiffly/scene/scene.hpp"
#include "stiffly/system/masses.hpp"
#include "stiffly/system/particle_system.hpp"
#include "temporary_folder.hpp"

namespace stiffly {

using namespace mesh;
namespace {

using test::TemporaryFolder;

// Particle 0 is pinned: inside, it is the last one.
const std::string particles = R"([simulation]
duration = 2
[[particle]]
position = [0, 0, 0]
mass = 1
pinned = true
[[particle]]
position = [1, 0, 0]
mass = 0.5
[[particle]]
position = [0, 2, 0]
mass = 0.25
[[particle]]
position = [0, 0, 1.5]
mass = 2
)";
const Particles same{{{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 1.5}},
                     std::vector<Point>(4),
                     {1, 0.5, 0.25, 2},
                     {true, false, false, false}};

Scene load(const std::string& text) {
  const TemporaryFolder folder;
  return load_scene(folder.write("scene.toml", text));
}

/// The same forces and tangents at random states and several times.
void expect_same(const SecondOrderSystem& a, const SecondOrderSystem& b) {
  ASSERT_EQ(a.unknowns(), b.unknowns());
  EXPECT_EQ(a.autonomous(), b.autonomous());
  const std::size_t n = a.unknowns();
  for (const double t : {0.0, 0.3, 1.1, 1.9}) {
    State state(t, random_vector(2 * n, 1 + static_cast<unsigned>(10 * t)));
    Vector f(n), g(n);
    a.force(t, state.x(), state.v(), f);
    b.force(t, state.x(), state.v(), g);
    double scale = 0, difference = 0;
    for (std::size_t i = 0; i < n; ++i) {
      scale = std::max(scale, std::abs(host(g)[i]));
      difference = std::max(difference, std::abs(host(f)[i] - host(g)[i]));
    }
    EXPECT_GT(scale, 0) << "a comparison of nothing";
    EXPECT_LE(difference, 1e-13 * scale) << "at t = " << t;
    Tangent A, B;
    a.tangent(t, state.x(), state.v(), A);
    b.tangent(t, state.x(), state.v(), B);
    EXPECT_LE((A.stiffness.to_dense() - B.stiffness.to_dense()).norm(),
              1e-12 * (1 + B.stiffness.to_dense().norm()));
    ASSERT_EQ(A.damping.empty(), B.damping.empty());
    if (!A.damping.empty()) {
      EXPECT_LE((A.damping.to_dense() - B.damping.to_dense()).norm(), 1e-12 * B.damping.to_dense().norm());
    }
  }
}

TEST(ListedTest, WeightedSprings) {
  const Scene scene = load(particles + R"(
[[weighted_spring]]
first = [0]
second = [1, 2, 3]
stiffness = 30
damping = 0.5
[[weighted_spring]]
first = [0, 1]
first_weights = [0.25, 0.75]
second = [2, 3]
second_weights = [0.5, 0.5]
stiffness = 20
rest_length = 0.7
law = "cubic"
)");
  const double third = 1.0 / 3, rest = Eigen::Vector3d(1, 2, 1.5).norm() / 3;
  ParticleSystem system(same);
  system.add(std::make_unique<WeightedSprings>(
      std::vector<WeightedSpring>{
          {{{3}, {1}}, {{0, 1, 2}, {third, third, third}}, {30, rest, 0.5, SpringLaw::linear}},
          {{{3, 0}, {0.25, 0.75}}, {{1, 2}, {0.5, 0.5}}, {20, 0.7, 0, SpringLaw::cubic}}},
      4));
  system.finish();
  expect_same(scene.system(), system);
}

const std::string network = R"(
[[girder]]
ends = [0, 1]
axial = 100
bending = 20
[[girder]]
ends = [2, 1]
axial = 50
bending = 50
[[girder]]
ends = [3, 0]
axial = 70
bending = 0
[[girder]]
ends = [0, 2]
axial = 60
bending = 10
)";
std::unique_ptr<Girders> network_by_hand(const ParticleSystem& system) {
  const std::vector<Girder> girders = {{3, 0, 100, 20}, {1, 0, 50, 50}, {2, 3, 70, 0}, {3, 1, 60, 10}};
  std::vector<Point> rest;
  for (const int particle : system.order()) rest.push_back(same.position[static_cast<std::size_t>(particle)]);
  return std::make_unique<Girders>(girders, rest);
}

TEST(ListedTest, Girders) {
  const Scene scene = load(particles + network);
  ParticleSystem system(same);
  system.add(network_by_hand(system));
  system.finish();
  expect_same(scene.system(), system);
  EXPECT_EQ(scene.body.springs.size(), 4u) << "they are there to draw";
}

TEST(InfluencesTest, RayleighDamping) {
  const Scene scene = load(particles + network + "[damping]\nmass_factor = 0.3\nstiffness_factor = 0.02\n");
  ParticleSystem system(same);
  auto girders = network_by_hand(system);
  Force* const elastic[] = {girders.get()};
  std::vector<double> x;
  for (const int particle : system.order())
    x.insert(x.end(), same.position[static_cast<std::size_t>(particle)].begin(),
             same.position[static_cast<std::size_t>(particle)].end());
  auto damping =
      std::make_unique<RayleighDamping>(0.3, 0.02, system.mass(), stiffness_of_all_particles(elastic, x));
  system.add(std::move(girders));
  system.add(std::move(damping));
  system.finish();
  expect_same(scene.system(), system);
}

TEST(InfluencesTest, Fields) {
  const Scene scene = load(particles + network +
                           "[[field]]\nx = \"sin(3*t)\"\nz = \"-9.81 * smoothstep(t)\"\n"
                           "[[field]]\ny = \"t^2\"\nacts_as = \"force\"\n");
  ParticleSystem system(same);
  system.add(network_by_hand(system));
  const auto masses = system.masses();
  system.add(std::make_unique<ForceField>(
      [](double t) {
        const double s = std::min(t, 1.0);
        return Eigen::Vector3d(std::sin(3 * t), 0, -9.81 * s * s * (3 - 2 * s));
      },
      std::vector<double>(masses.begin(), masses.end())));
  system.add(std::make_unique<ForceField>([](double t) { return Eigen::Vector3d(0, t * t, 0); },
                                          std::vector<double>(4, 1.0)));
  system.finish();
  expect_same(scene.system(), system);
  EXPECT_TRUE(load(particles + network + "[[field]]\nz = \"-9.81\"\n").system().autonomous())
      << "a field without t does not change in time";
}

class Swing final : public Motion {
  void place(double t, std::span<const double> start, std::span<double> x,
             std::span<double> v) const override {
    for (std::size_t i = 0; i < start.size(); i += 3) {
      x[i] = start[i] + 0.1 * std::sin(2 * t);
      x[i + 1] = start[i + 1];
      x[i + 2] = start[i + 2] - t * t;
      v[i] = 0.2 * std::cos(2 * t);
      v[i + 1] = 0;
      v[i + 2] = -2 * t;
    }
  }
};

// The damping makes forces depend on the velocities of what is moved.
TEST(InfluencesTest, MotionsByExpression) {
  const std::string spring = "[[spring]]\nends = [0, 1]\nstiffness = 80\ndamping = 3\n";
  for (const char* who : {"", "particles = [0]\n"}) {
    const Scene scene =
        load(particles + spring + "[[motion]]\n" + who + "x = \"0.1*sin(2*t)\"\nz = \"-t^2\"\n");
    ParticleSystem system(same);
    system.add(std::make_unique<Springs>(std::vector<Spring>{{3, 0, 80, 1, 3}}, 4));
    system.prescribe(std::vector<int>{0}, std::make_shared<Swing>());
    system.finish();
    expect_same(scene.system(), system);
    State later = scene.body.start;
    later.time = 1.5;
    EXPECT_EQ(scene.positions(later)[0][2], -2.25) << "results show where it is";
  }
}

TEST(InfluencesTest, MotionsThatTurnByExpression) {
  const Scene scene = load(particles + "[[spring]]\nends = [0, 1]\nstiffness = 80\n[[motion]]\nx = \"t\"\n" +
                           "rotation_z = \"0.7*t\"\npivot = [0.3, 0, 0]\n");
  State later = scene.body.start;
  later.time = 1.3;
  const Point x = scene.positions(later)[0], v = scene.velocities(later)[0];
  const double c = std::cos(0.91), s = std::sin(0.91);  // the arm (−0.3, 0, 0), turned
  EXPECT_NEAR(x[0], 0.3 + 1.3 - 0.3 * c, 1e-15);
  EXPECT_NEAR(x[1], -0.3 * s, 1e-15);
  EXPECT_NEAR(v[0], 1 + 0.3 * 0.7 * s, 1e-15);
  EXPECT_NEAR(v[1], -0.3 * 0.7 * c, 1e-15);
  EXPECT_TRUE(scene.all_warnings().empty());
}

TEST(InfluencesTest, MotionsThroughKeyframes) {
  const std::string spring = "[[spring]]\nends = [0, 1]\nstiffness = 80\ndamping = 3\n";
  const Scene scene = load(particles + spring + R"([[motion]]
times = [0, 0.5, 1.5]
shifts = [[0, 0, 0], [0.1, 0, 0.2], [0, 0.3, 0]]
rotations = [[0, 0, 0], [0, 0, 1], [0, 0, 7]]
pivot = [0.5, 0, 0]
)");
  ParticleSystem system(same);
  system.add(std::make_unique<Springs>(std::vector<Spring>{{3, 0, 80, 1, 3}}, 4));
  system.prescribe(std::vector<int>{0},
                   std::make_shared<KeyframeMotion>(std::vector<Keyframe>{{0, {0, 0, 0}, {0, 0, 0}},
                                                                          {0.5, {0.1, 0, 0.2}, {0, 0, 1}},
                                                                          {1.5, {0, 0.3, 0}, {0, 0, 7}}},
                                                    Eigen::Vector3d(0.5, 0, 0)));
  system.finish();
  expect_same(scene.system(), system);
}

// Influences reach bodies that models make: here the held face of a block of tetrahedra.
TEST(InfluencesTest, BlockThatIsShakenAndDamped) {
  const std::string model =
      "[simulation]\nduration = 1\n[model]\nkind = \"block\"\nlengths = [1, 0.3, 0.2]\n"
      "cells = [4, 2, 1]\nyoung = 1e4\npoisson = 0.3\ndensity = 900\n";
  const Scene plain = load(model);
  const BlockMesh mesh({1, 0.3, 0.2}, {4, 2, 1});
  const auto& built = dynamic_cast<const ParticleSystem&>(plain.system());
  ASSERT_EQ(built.particles(), mesh.positions.size());
  EXPECT_EQ(built.particles() - built.free_particles(), 6u) << "those at x = 0";
  EXPECT_EQ(plain.body.tetrahedra.size(), mesh.tetrahedra.size());
  // Stretched uniformly by F, the energy is the volume times the density of energy of the linear law.
  const Lame lame = Lame::from_young(1e4, 0.3);
  const double strain = 1e-3,
               expected = 0.06 * (lame.mu * 3 * strain * strain + 0.5 * lame.lambda * 9 * strain * strain);
  const Scene free = load(model + "held = false\n");
  State all = free.body.start;
  for (double& x : host(all.x())) x *= 1 + strain;
  EXPECT_NEAR(free.system().energy(all), expected, 1e-9 * expected);

  const Scene shaken = load(model + "[damping]\nstiffness_factor = 1e-3\n[[motion]]\nz = \"0.1*sin(t)\"\n");
  State later = shaken.body.start;
  later.time = 0.7;
  const auto x = shaken.positions(later), v = shaken.velocities(later),
             start = plain.positions(plain.body.start);
  int moved = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (start[i][0] == 0) {
      ++moved;
      EXPECT_DOUBLE_EQ(x[i][2], start[i][2] + 0.1 * std::sin(0.7));
      EXPECT_DOUBLE_EQ(v[i][2], 0.1 * std::cos(0.7));
    }
  EXPECT_EQ(moved, 6);
  EXPECT_FALSE(shaken.system().conservative());
}

struct Broken {
  const char* name;
  std::string text;      ///< after the particles, lines 1 to 15
  int line;              ///< in the message
  const char* expected;  ///< part of it
};

class BrokenInfluence : public testing::TestWithParam<Broken> {};

TEST_P(BrokenInfluence, IsNamed) {
  const TemporaryFolder folder;
  const auto path = folder.write("scene.toml", particles + GetParam().text);
  try {
    load_scene(path);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_TRUE(message.starts_with(fmt::format("{}:{}: ", path.string(), GetParam().line))) << message;
    EXPECT_NE(message.find(GetParam().expected), std::string::npos) << message;
  }
}

const std::string contact = "[contact]\nstiffness = 10\nrange = 0.1\n";

INSTANTIATE_TEST_SUITE_P(
    Corpus, BrokenInfluence,
    testing::Values(
        Broken{"damping_key", "[damping]\nmass = 1\n", 17, "did you mean 'mass_factor'?"},
        Broken{"negative_damping", "[damping]\nmass_factor = -1\n", 17, "must be ≥ 0"},
        Broken{"two_dampings", "[[damping]]\nmass_factor = 1\n", 16, "must be a table [damping]"},
        Broken{
            "damping_of_compressed_springs",
            "[[spring]]\nends = [0, 1]\nstiffness = 10\nrest_length = 3\n[damping]\nstiffness_factor = 0.1\n",
            21, "would drive the motion"},
        Broken{"expression", "[[field]]\nx = \"sin(2*t\"\n", 17,
               "'x' in [[field]]: in \"sin(2*t\", column 8: a ')' is missing"},
        Broken{"number_for_expression", "[[field]]\nx = 3\n", 17, "must be a text in quotes"},
        Broken{"infinite_field", "[[field]]\nx = \"1/(t - 1)\"\n", 17, "not finite at t = 1 s"},
        Broken{"infinite_velocity", "[[motion]]\nx = \"sqrt(t)\"\n", 17,
               "its derivative is not finite at t = 0 s"},
        Broken{"field_kind", "[[field]]\nacts_as = \"weight\"\n", 17, "did you mean"},
        Broken{"motion_of_nothing", "[[motion]]\n", 16, "needs 'times'"},
        Broken{"both_motions", "[[motion]]\ntimes = [0]\nx = \"t\"\n", 18, "not both"},
        Broken{"shifts_without_times", "[[motion]]\nshifts = [[0, 0, 0]]\n", 17, "needs 'times'"},
        Broken{"too_few_shifts", "[[motion]]\ntimes = [0, 1]\nshifts = [[0, 0, 0]]\n", 18,
               "1 entries for 2 times"},
        Broken{"no_keyframes", "[[motion]]\ntimes = []\n", 17, "at least one keyframe"},
        Broken{"times_backwards", "[[motion]]\ntimes = [0, 2, 1]\n", 17,
               "keyframe 2: its time must be after"},
        Broken{"free_particle", "[[motion]]\nparticles = [1]\nx = \"t\"\n", 17,
               "particle 1 cannot follow a motion: it is not pinned"},
        Broken{"missing_particle", "[[motion]]\nparticles = [9]\nx = \"t\"\n", 17, "does not exist"},
        Broken{"two_motions",
               "[[motion]]\nparticles = [0]\nx = \"t\"\n[[motion]]\nparticles = [0]\ny = \"t\"\n", 20,
               "cannot follow two motions"},
        Broken{"flat_shift", "[[motion]]\ntimes = [0]\nshifts = [[0, 0]]\n", 18,
               "must be a list of [x, y, z]"},
        Broken{"one_motion", "[motion]\nx = \"t\"\n", 16, "write [[motion]] with two brackets"},
        Broken{
            "weights",
            "[[weighted_spring]]\nfirst = [0, 1]\nfirst_weights = [0.5, 0.4]\nsecond = [2]\nstiffness = 1\n",
            18, "weighted spring 0: the weights of an end sum up to 0.9, not 1"},
        Broken{"weight_count",
               "[[weighted_spring]]\nfirst = [0, 1]\nfirst_weights = [1]\nsecond = [2]\nstiffness = 1\n", 18,
               "2 particles and 1 weights"},
        Broken{"weighted_end", "[[weighted_spring]]\nfirst = [0, 7]\nsecond = [2]\nstiffness = 1\n", 17,
               "ends at particle 7, but there are 4"},
        Broken{"empty_end", "[[weighted_spring]]\nfirst = []\nsecond = [2]\nstiffness = 1\n", 17,
               "0 particles"},
        Broken{"no_length", "[[weighted_spring]]\nfirst = [0]\nsecond = [0]\nstiffness = 1\n", 16,
               "has no length"},
        Broken{"girder_end", "[[girder]]\nends = [0, 4]\naxial = 1\nbending = 0\n", 17,
               "girder 0 ends at particle 4"},
        Broken{"bending", "[[girder]]\nends = [0, 1]\naxial = 1\nbending = 2\n", 19,
               "more than its 'axial' stiffness"},
        Broken{"girder_twice",
               "[[girder]]\nends = [0, 1]\naxial = 1\nbending = 0\n[[girder]]\nends = [1, 0]\naxial = "
               "1\nbending = 0\n",
               21, "girders 0 and 1 both join"},
        Broken{"obstacle_without_law", "[[obstacle]]\nshape = \"sphere\"\nradius = 1\n", 16,
               "[contact] must have 'stiffness'"},
        Broken{"obstacle_without_range",
               "[contact]\nstiffness = 10\n[[obstacle]]\nshape = \"sphere\"\nradius = 1\n", 18,
               "[contact] must have 'range'"},
        Broken{"contact_stiffness", "[contact]\nstiffness = 0\n", 17, "must be > 0"},
        Broken{"negative_friction", "[contact]\nfriction = -0.1\n", 17, "must be ≥ 0"},
        Broken{"shape", contact + "[[obstacle]]\nshape = \"ball\"\n", 20, "did you mean"},
        Broken{"sphere_without_radius", contact + "[[obstacle]]\nshape = \"sphere\"\n", 19,
               "an [[obstacle]] of shape \"sphere\" needs 'radius'"},
        Broken{"box_without_sides", contact + "[[obstacle]]\nshape = \"box\"\n", 19, "needs 'sides'"},
        Broken{"flat_box", contact + "[[obstacle]]\nshape = \"box\"\nsides = [1, 0, 1]\n", 19,
               "a side of a box must be positive"},
        Broken{"no_normal", contact + "[[obstacle]]\nshape = \"half-space\"\nnormal = [0, 0, 0]\n", 19,
               "must not be zero"},
        Broken{"obstacle_motion", contact + "[[obstacle]]\nshape = \"half-space\"\nshifts = [[0, 0, 0]]\n",
               21, "needs 'times'"},
        Broken{"inside_at_the_start",
               contact + "[[obstacle]]\nshape = \"sphere\"\npoint = [0.25, 2, 0]\nradius = 0.75\n", 19,
               "particle 2 begins 0.5 m inside this obstacle"},
        Broken{"cannot_be_pushed_out",
               contact + "push_apart = true\n[[obstacle]]\nshape = \"half-space\"\npoint = [0, 0, 1]\n"
                         "[[obstacle]]\nshape = \"half-space\"\nnormal = [0, 0, -1]\n",
               20, "could not be pushed out"},
        Broken{"misspelt_section", "[[gridder]]\nends = [0, 1]\n", 16, "did you mean [girder]?"}),
    [](const auto& test) { return test.param.name; });

TEST(InfluencesTest, OnlyParticlesHaveThem) {
  for (const char* text :
       {"[damping]\nmass_factor = 1\n", "[[field]]\nx = \"1\"\n", "[[motion]]\nx = \"t\"\n"})
    try {
      load(std::string("[simulation]\nduration = 1\n[model]\nkind = \"fput\"\n") + text);
      FAIL() << text;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("act on particles in space"), std::string::npos)
          << error.what();
    }
}

TEST(InfluencesTest, OverridesReachThem) {
  const TemporaryFolder folder;
  const auto path = folder.write("scene.toml", particles + network + "[[field]]\nx = \"t\"\n");
  const Override changes[] = {{"mass_factor", "0.5"},
                              {"damping.stiffness_factor", "0.25"},
                              {"field.0.x", "2*t"},
                              {"girder.axial", "200"}};
  const SceneFile file = read_scene_file(path, changes);
  EXPECT_EQ(file.damping.number("mass_factor"), 0.5);
  EXPECT_EQ(file.damping.number("stiffness_factor"), 0.25);
  EXPECT_EQ(file.fields[0].text("x"), "2*t");
  EXPECT_EQ(file.girders[3].number("axial"), 200);
  EXPECT_NE(list_keys(file).find("girder.bending"), std::string::npos);
}

}  // namespace
}  // namespace stiffly
