// Scenes that are right: what is read, in which order values win, and what the specification promises.
#include "stiffly/scene/scene.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "dragon_package.hpp"
#include "stiffly/forces/springs.hpp"
#include "stiffly/integrators/registry.hpp"
#include "stiffly/scene/specification.hpp"
#include "stiffly/system/particle_system.hpp"
#include "temporary_folder.hpp"

namespace stiffly {
namespace {

using test::contents;
using test::TemporaryFolder;

constexpr const char* contract = R"([simulation]
duration = 0.5            # s
integrator = "exprb42"    # any registered name, or "auto"
step = 0.01               # s; or tolerance = 1e-4
gravity = [0, 0, -9.81]
[[particle]]
position = [0, 0, 0]      # m
velocity = [0, 0, 0]      # optional
mass = 0.01               # kg
pinned = true             # optional
[[particle]]
position = [0.1, 0, 0]
mass = 0.02
[[spring]]
ends = [0, 1]
stiffness = 1e5           # N/m
rest_length = 0.09        # optional: the initial distance
law = "cubic"             # or "linear"
damping = 0.0             # optional
)";

TEST(SceneTest, SmallestUserScene) {
  TemporaryFolder folder;
  const Scene scene = load_scene(folder.write("my.toml", contract));
  EXPECT_EQ(scene.name, "my");
  EXPECT_EQ(scene.kind, "particles");
  EXPECT_EQ(scene.simulation.integrator, "exprb42");
  EXPECT_EQ(scene.simulation.options.evaluator, "auto");
  EXPECT_EQ(scene.simulation.step, 0.01);
  EXPECT_EQ(scene.simulation.duration, 0.5);
  EXPECT_EQ(scene.system().unknowns(), 3u);
  const auto& system = dynamic_cast<const ParticleSystem&>(scene.system());
  const auto& springs = dynamic_cast<const Springs&>(*system.forces()[0]);
  EXPECT_EQ(springs.springs()[0].rest_length, 0.09);
  EXPECT_EQ(springs.springs()[0].law, SpringLaw::cubic);
  // f = −m g and −k Δ (1 + (Δ/l)²) with Δ = 0.01 along x.
  Vector f(3);
  system.force(0, scene.body.start.x(), scene.body.start.v(), f);
  EXPECT_NEAR(host(f)[0], -1e5 * 0.01 * (1 + std::pow(0.01 / 0.09, 2)), 1e-6);
  EXPECT_NEAR(host(f)[2], -9.81 * 0.02, 1e-12);
}

TEST(SceneTest, RestLengthIsTheInitialDistance) {
  TemporaryFolder folder;
  std::string text = contract;
  text.erase(text.find("rest_length"), text.find("law") - text.find("rest_length"));
  const Scene scene = load_scene(folder.write("my.toml", text));
  const auto& system = dynamic_cast<const ParticleSystem&>(scene.system());
  EXPECT_EQ(dynamic_cast<const Springs&>(*system.forces()[0]).springs()[0].rest_length, 0.1);
}

TEST(SceneTest, RowsKeepTheUsersOrderWhateverIsPinned) {
  TemporaryFolder folder;
  const Scene scene = load_scene(folder.write("my.toml", contract));
  const auto rows = scene.positions(scene.body.start);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0], (Point{0, 0, 0}));
  EXPECT_EQ(rows[1], (Point{0.1, 0, 0}));
}

TEST(SceneTest, AutoIsAnIntegrator) {
  TemporaryFolder folder;
  const Override change{"integrator", "auto"};
  const Scene scene = load_scene(folder.write("my.toml", contract), std::span(&change, 1));
  EXPECT_EQ(scene.simulation.integrator, "auto");
}

TEST(SceneTest, OverridesInEveryForm) {
  TemporaryFolder folder;
  const Override changes[] = {{"simulation.step", "0.002"},
                              {"stiffness", "2e4"},
                              {"particle.0.position", "[0, 0, 0.5]"},
                              {"gravity", "[0, 0, 0]"},
                              {"law", "linear"},
                              {"integrator", "\"auto\""},
                              {"step", "0.003"}};
  const SceneFile file = read_scene_file(folder.write("my.toml", contract), changes);
  EXPECT_EQ(file.simulation.number("step"), 0.003) << "the last one wins";
  EXPECT_EQ(file.springs[0].number("stiffness"), 2e4);
  EXPECT_EQ(file.springs[0].text("law"), "linear");
  EXPECT_EQ(file.particles[0].vector("position"), (Point{0, 0, 0.5}));
  EXPECT_EQ(file.particles[1].vector("position"), (Point{0.1, 0, 0}));
  EXPECT_EQ(file.simulation.text("integrator"), "auto");
}

TEST(SceneTest, SizeThenOverride) {
  TemporaryFolder folder;
  const auto path = folder.write(
      "my.toml",
      "size = \"a\"\n[simulation]\nduration = 1\nstep = 0.5\n[model]\nkind = \"fput\"\nomega = 1\n"
      "[sizes.a.model]\nomega = 2\nstiff_springs = 4\n[sizes.b.model]\nomega = 3\n[sizes.b.simulation]\nstep "
      "= 0.25\n");
  EXPECT_EQ(read_scene_file(path).model.number("omega"), 2);
  const Override to_b[] = {{"size", "b"}};
  EXPECT_EQ(read_scene_file(path, to_b).model.number("omega"), 3);
  EXPECT_EQ(read_scene_file(path, to_b).simulation.number("step"), 0.25);
  EXPECT_EQ(read_scene_file(path, to_b).model.integer("stiff_springs"), 3);
  const Override both[] = {{"omega", "9"}, {"size", "b"}};
  EXPECT_EQ(read_scene_file(path, both).model.number("omega"), 9) << "the command line wins over sizes";
}

TEST(SceneTest, ResolvedSceneIsJsonWithDefaults) {
  TemporaryFolder folder;
  const Scene scene = load_scene(folder.write("my.toml", contract));
  const auto json = nlohmann::json::parse(scene.resolved);
  EXPECT_EQ(json["simulation"]["phi_tolerance"], 1e-6);
  EXPECT_EQ(json["simulation"]["gravity"][2], -9.81);
  EXPECT_EQ(json["model"]["kind"], "particles");
  EXPECT_EQ(json["particle"][0]["pinned"], true);
  EXPECT_EQ(json["spring"][0]["ends"][1], 1);
}

TEST(SceneTest, UnknownsThatAreNotInSpaceGetOneRowEach) {
  const Scene scene = load_scene(find_scene("fput"));
  const auto rows = scene.positions(scene.body.start);
  ASSERT_EQ(rows.size(), 6u);
  EXPECT_EQ(rows[3], (Point{0.01, 0, 0}));
  EXPECT_NEAR(scene.system().energy(scene.body.start), 2.500300005, 1e-9);
}

TEST(BuiltInScenes, AllLoadAndSayWhatTheyAre) {
  const test::DragonPackage package;
  std::vector<std::string> names;
  for (const SceneEntry& entry : scenes()) {
    SCOPED_TRACE(entry.name);
    names.push_back(entry.name);
    const Scene scene = load_scene(find_scene(entry.name));
    EXPECT_FALSE(scene.title.empty());
    EXPECT_EQ(scene.title, entry.title);
    EXPECT_TRUE(std::isfinite(scene.system().energy(scene.body.start)));
    for (const std::string& size : entry.sizes) {
      const Override changes[] = {{"size", size},
                                  {"count", "3000"}};  // a dragon or a head of hair takes a while
      const bool large = entry.name == "bunny" || entry.name == "dragon" || entry.name == "hair";
      EXPECT_NO_THROW(load_scene(entry.path, std::span(changes, large ? 2 : 1)));
    }
  }
  for (const char* name : {"coil", "fput", "dahlquist", "overdamped", "damped-spring", "wave"})
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
}

TEST(BuiltInScenes, CoilHasItsSizes) {
  for (const auto& [size, particles] : {std::pair{"full", 7999u}, std::pair{"small", 497u}}) {
    const Override chosen{"size", size};
    const Scene scene = load_scene(find_scene("coil"), std::span(&chosen, 1));
    EXPECT_EQ(scene.positions(scene.body.start).size(), particles);
    EXPECT_FALSE(scene.body.triangles.empty());
  }
}

TEST(FrameRate, ByDefaultThereAreEnoughAndNotTooMany) {
  EXPECT_EQ(default_frame_rate(10, 4800), 25);
  EXPECT_EQ(default_frame_rate(0.5, 4800), 200) << "a hundred over the duration";
  const double large = default_frame_rate(2, 150'000 * 48);
  EXPECT_LE(large * 2 * 150'000 * 48, frames_by_default_bytes * 1.0001);
  EXPECT_GT(large, 10);
}

TEST(Examples, AllLoad) {
  int count = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(std::filesystem::path(STIFFLY_SOURCE_DIR) / "examples")) {
    if (file.path().extension() != ".toml") continue;
    SCOPED_TRACE(file.path());
    EXPECT_NO_THROW(load_scene(file.path()));
    ++count;
  }
  EXPECT_GT(count, 0);
}

TEST(FindScene, NamesTheNearest) {
  try {
    find_scene("coill");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("unknown scene 'coill'; did you mean 'coil'?"),
              std::string::npos)
        << error.what();
  }
  EXPECT_EQ(find_scene("folder/my.toml"), "folder/my.toml");
}

TEST(Specification, DefaultsPassTheirOwnChecks) {
  std::vector<const Section*> sections = {&root_section(), &simulation_section(), &damping_section()};
  for (const RepeatedSection& repeated : repeated_sections()) sections.push_back(&repeated.section());
  for (const Model& model : models()) sections.push_back(&model_section(model.kind));
  for (const Section* section : sections)
    for (const Key& key : section->keys) {
      SCOPED_TRACE(section->title() + " " + key.name);
      EXPECT_FALSE(key.help.empty());
      if (key.fallback) {
        EXPECT_NO_THROW(check_value(*section, key, *key.fallback, {}));
        EXPECT_EQ(static_cast<std::size_t>(key.type), key.fallback->index());
      }
    }
}

TEST(Specification, ReferencePageIsUpToDate) {
  EXPECT_EQ(contents(std::filesystem::path(STIFFLY_SOURCE_DIR) / "docs" / "scenes.md"), reference_page())
      << "write it again: stiffly list keys --markdown > docs/scenes.md";
}

TEST(Specification, EveryKeyIsListedForItsScene) {
  const std::string keys = list_keys(read_scene_file(find_scene("coil")));
  for (const Key& key : model_section("coil").keys)
    EXPECT_NE(keys.find("model." + key.name), std::string::npos) << key.name;
  EXPECT_NE(keys.find("sizes: full small"), std::string::npos) << keys;
}

}  // namespace
}  // namespace stiffly
