// Fibres in scene files.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include "stiffly/error.hpp"
#include "stiffly/fibres/fibre.hpp"
#include "stiffly/scene/drawn_points.hpp"
#include "stiffly/scene/scene.hpp"
#include "stiffly/system/particle_system.hpp"
#include "temporary_folder.hpp"

namespace stiffly::test {
namespace {

const std::string simulation = "[simulation]\nduration = 1\ngravity = [0, 0, -9.81]\n";

Scene load_fibres(const std::string& text, const std::string& strands = "") {
  const TemporaryFolder folder;
  folder.write("strands.csv", "fibre,x,y,z\n" + strands);
  return load_scene(folder.write("scene.toml", simulation + text));
}

std::string refusal(const std::string& text, const std::string& strands = "") {
  try {
    load_fibres(text, strands);
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing";
}

const ParticleSystem& particles(const Scene& scene) {
  return dynamic_cast<const ParticleSystem&>(scene.system());
}

TEST(FibreScenes, AGroupBesideParticles) {
  const Scene scene = load_fibres(R"([[particle]]
position = [1, 0, 0]
mass = 1
[[fibres]]
count = 3
segments = [2, 4]
drag = 1e-4
wind = [1, 0, 0]
[[fibres]]
centre = [0, 1, 0]
segments = [5, 5]
)");
  const int sections = 3 + 4 + 5 + 6;
  EXPECT_EQ(particles(scene).particles(), 1u + 4 * sections);
  EXPECT_EQ(scene.system().unknowns(), 3u + 12 * (sections - 4));
  ASSERT_EQ(scene.body.strands.size(), 4u);
  EXPECT_EQ(scene.body.strands[3].sections, 6);
  EXPECT_EQ(scene.system().dissipators(), std::vector<std::string>{"air drag"});
  EXPECT_TRUE(scene.all_warnings().empty());
}

// One particle, a head of fibres, a group of one, and a spring beside them: cross-sections become points, all
// else keeps its order, and what is drawn is where it was.
TEST(FibreScenes, FramesHaveCentreLines) {
  const Scene scene = load_fibres(R"([[particle]]
position = [1, 0, 0.5]
mass = 1
[[particle]]
position = [2, 0, 0.5]
mass = 1
[[spring]]
ends = [0, 1]
stiffness = 3
[[fibres]]
count = 3
segments = [2, 4]
roots = "head"
[[fibres]]
centre = [0, 1, 0]
segments = [5, 5]
)");
  const DrawnPoints points(scene.body, scene.particles());
  const std::vector<Point> all = scene.positions(scene.body.start), drawn = points.of(all);
  const Topology topology = points.topology(scene.body);
  ASSERT_EQ(drawn.size(), all.size() - 3 * (3 + 4 + 5 + 6));
  EXPECT_EQ(drawn[1], all[1]);
  EXPECT_EQ(topology.springs, (std::vector<std::pair<int, int>>{{0, 1}}));
  ASSERT_EQ(topology.strands.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    const Strand& strand = scene.body.strands[i];
    const auto [first, count] = topology.strands[i];
    ASSERT_EQ(count, strand.sections);
    for (int s = 0; s < count; ++s) {
      const auto p = static_cast<std::size_t>(strand.first_particle + 4 * s),
                 point = static_cast<std::size_t>(first + s);
      EXPECT_EQ(topology.particle[point], static_cast<int>(p));
      for (std::size_t axis = 0; axis < 3; ++axis)
        EXPECT_NEAR(drawn[point][axis],
                    (all[p][axis] + all[p + 1][axis] + all[p + 2][axis] + all[p + 3][axis]) / 4, 1e-15);
    }
  }
  ASSERT_EQ(topology.triangles.size(), scene.body.triangles.size());
  for (std::size_t i = 0; i < topology.triangles.size(); ++i)
    for (std::size_t corner = 0; corner < 3; ++corner)
      EXPECT_EQ(drawn[static_cast<std::size_t>(topology.triangles[i][corner])],
                all[static_cast<std::size_t>(scene.body.triangles[i][corner])]);
  EXPECT_EQ(points.frame_bytes(), 24.0 * static_cast<double>(drawn.size()));
}

TEST(FibreScenes, DragIsThatOfTheLength) {
  const Scene scene = load_fibres("[[fibres]]\nlength = 0.13\nsegments = [7, 7]\ndrag = 3e-5\n");
  State moving = scene.body.start;
  for (std::size_t i = 0; i < moving.unknowns(); i += 3) moving.v().data()[i] = 2;
  // Half a segment at the root is clamped: −f·v = c L v² (1 − 1/14).
  EXPECT_NEAR(scene.system().energy_flow(moving).dissipated[0], 3e-5 * 0.13 * 4 * 13 / 14, 1e-12);
}

TEST(FibreScenes, HeadOfHairIsAtRest) {
  const std::vector<Override> few = {{"model.count", "20"}};
  const Scene scene = load_scene(find_scene("hair"), few);
  Vector f(scene.system().unknowns());
  scene.system().force(0, scene.body.start.x(), scene.body.start.v(), f);
  double weight = 0;
  for (std::size_t i = 0; i < particles(scene).free_particles(); ++i)
    weight += 9.81 * particles(scene).masses()[i];
  EXPECT_LT(norm(f), 1e-7 * weight);
  EXPECT_FALSE(scene.body.triangles.empty());
  EXPECT_TRUE(scene.all_warnings().empty());
}

TEST(FibreScenes, FilesAreResampledOnRequest) {
  const std::string strands = "0,0,0,0\n0,0,0,-0.1\n0,0,0,-0.2\n";
  EXPECT_EQ(load_fibres("[[fibres]]\nfile = \"strands.csv\"\n", strands).body.strands[0].sections, 3);
  EXPECT_EQ(load_fibres("[[fibres]]\nfile = \"strands.csv\"\nsegments = [6, 6]\n", strands)
                .body.strands[0]
                .sections,
            7);
}

// What is refused for its size is what would be taken, about.
TEST(FibreScenes, MemoryIsKnownBeforehand) {
  const auto allocated = [] {
    const auto now = mallinfo2();
    return static_cast<double>(now.uordblks) + static_cast<double>(now.hblkhd);
  };
  if (allocated() == 0) GTEST_SKIP() << "this build has its own allocator, which does not count";
  const auto group = [](int count) {
    return fmt::format(
        "[model]\nkind = \"fibres\"\ncount = {}\nsegments = [9, 9]\nradius = 0.3\ndrag = 1e-5\n", count);
  };
  const std::string message = refusal(group(10000000));
  const std::size_t number = message.find("need about ");
  ASSERT_NE(number, std::string::npos) << message;
  const double said = std::stod(message.substr(number + 11)) * 0x1p30 / 1e8;
  const double before = allocated();
  const Scene scene = load_fibres(group(500));
  EXPECT_NEAR(said / ((allocated() - before) / 5000), 1, 0.25) << said << " bytes for a cross-section";
}

TEST(FibreScenes, RefusalsNameTheFibre) {
  const std::string good = "0,0,0,0\n0,0,0,-0.1\n", group = "[[fibres]]\nfile = \"strands.csv\"\n";
  const auto expect = [](const std::string& message, const std::string& part) {
    EXPECT_NE(message.find("scene.toml:4: "), std::string::npos) << message;
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  expect(refusal(group, good + "1,1,0,0\n"), "fibre 1: 1 point; a fibre needs two at least");
  expect(refusal(group, good + "1,1,0,0\n1,1,0,0\n"), "fibre 1: its length is zero");
  expect(refusal(group, good + "1,1,0,0\n1,1,nan,0\n"), "fibre 1: point 1 is not finite");
  expect(refusal(group, good + "1,1e-5,0,0\n1,1,0,0\n"), "fibre 1: its root is inside that of fibre 0");
  expect(refusal(group + "torsion = 6e9\n", good), "fibre 0: with a torsion modulus of 6000000000 Pa");
  expect(
      refusal(group + "start = \"hanging\"\nyoung = 1e3\ntorsion = 300\n", "0,0,0,0\n0,0.1,0,0\n0,0.2,0,0\n"),
      "fibre 0: too soft");
  expect(refusal("[[fibres]]\nsegments = [3, 2]\n"), "'segments' must be");
  expect(refusal("[[fibres]]\ndirection = [0, 0, 0]\n"), "'direction' must not be zero");
  expect(refusal("[[fibres]]\ncount = 1000\nradius = 1e-4\n"), "its root is inside");
  expect(refusal("[model]\nkind = \"fibres\"\nroots = \"head\"\nhead_radii = [0, 1, 1]\n"), "'head_radii'");
  EXPECT_NE(refusal("[[fibres]]\nthickness = 0\n").find("'thickness' in [[fibres]] must be > 0"),
            std::string::npos)
      << refusal("[[fibres]]\nthickness = 0\n");
  EXPECT_NE(refusal("[[fibres]]\nthickness = -1e-4\n").find("must be > 0"), std::string::npos);
}

}  // namespace
}  // namespace stiffly::test
