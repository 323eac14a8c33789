// What a scene warns of, and that the scenes that come with the program give no reason to.
#include <gtest/gtest.h>

#include <algorithm>

#include "dragon_package.hpp"
#include "stiffly/mesh/block.hpp"
#include "stiffly/mesh/thin_part.hpp"
#include "stiffly/scene/scene.hpp"
#include "temporary_folder.hpp"

namespace stiffly {
namespace {

using test::TemporaryFolder;

std::vector<std::string> kinds(const Scene& scene) {
  std::vector<std::string> out;
  for (const Warning& warning : scene.all_warnings()) out.push_back(warning.kind);
  return out;
}
using Kinds = std::vector<std::string>;

std::string messages(const Scene& scene) {
  std::string out;
  for (const Warning& warning : scene.all_warnings()) out += warning.text() + "\n";
  return out;
}

/// A block of springs, which has nothing to warn of.
class BlockScene : public testing::Test {
 protected:
  Scene load(const std::string& simulation, const std::string& model,
             const std::vector<Override>& overrides = {}) {
    return load_scene(folder_.write("block.toml", "[simulation]\nduration = 0.1\n" + simulation +
                                                      "[model]\nkind = \"block\"\n" + model),
                      overrides);
  }
  TemporaryFolder folder_;
};

TEST_F(BlockScene, SaysWhichKeysOfTheMaterialHaveNoEffect) {
  EXPECT_EQ(kinds(load("", "material = \"springs\"\nstiffness = 2e3\n")), Kinds{});
  const Scene springs = load("", "material = \"springs\"\nyoung = 2e5\n");
  EXPECT_EQ(kinds(springs), Kinds{"no-effect"});
  EXPECT_NE(messages(springs).find("block.toml:6: 'young' in [model] has no effect"), std::string::npos)
      << messages(springs);
  EXPECT_EQ(kinds(load("", "cells = [9, 6, 6]\nstiffness = 2e3\n")), Kinds{"no-effect"});
}

TEST_F(BlockScene, SaysWhichOptionsAreNotForItsMethod) {
  const std::string springs = "material = \"springs\"\n";
  EXPECT_EQ(kinds(load("integrator = \"verlet\"\nevaluator = \"kiops\"\n", springs)), Kinds{"no-effect"});
  EXPECT_EQ(kinds(load("integrator = \"exprb42\"\nevaluator = \"kiops\"\n", springs)), Kinds{});
  EXPECT_EQ(kinds(load("integrator = \"rk4\"\nnewton_tolerance = 1e-7\n", springs)), Kinds{"no-effect"});
  EXPECT_EQ(kinds(load("integrator = \"bdf2\"\nnewton_tolerance = 1e-7\n", springs)), Kinds{});
  EXPECT_EQ(kinds(load("evaluator = \"kiops\"\nnewton_tolerance = 1e-7\n", springs)), Kinds{}) << "auto";
}

TEST_F(BlockScene, TheCommandLineIsTakenAtItsWord) {
  // The file's evaluator was meant for the file's method …
  const std::string file = "integrator = \"exprb42\"\nevaluator = \"kiops\"\n",
                    springs = "material = \"springs\"\n";
  EXPECT_EQ(kinds(load(file, springs, {{"integrator", "verlet"}})), Kinds{});
  EXPECT_EQ(kinds(load("step = 0.007\n" + file, springs, {{"tolerance", "1e-3"}})), Kinds{});
  EXPECT_EQ(
      kinds(load("", springs + "stiffness = 2e3\n", {{"material", "corotational"}, {"cells", "[9,6,6]"}})),
      Kinds{});
  // … but not the command line's own.
  EXPECT_EQ(kinds(load("", springs, {{"young", "1e5"}})), Kinds{"no-effect"});
  EXPECT_EQ(kinds(load(file, springs, {{"integrator", "verlet"}, {"evaluator", "kiops"}})),
            Kinds{"no-effect"});
}

TEST_F(BlockScene, SaysThatAFewTetrahedraBendTooStiffly) {
  const auto message = [&](const char* cells) { return messages(load("", "cells = " + std::string(cells))); };
  EXPECT_EQ(kinds(load("", "cells = [9, 6, 6]\n")), Kinds{});
  EXPECT_EQ(kinds(load("", "cells = [9, 7, 8]\n")), Kinds{});
  EXPECT_EQ(kinds(load("", "cells = [10, 2, 2]\n")), Kinds{"thin-body"});
  const struct {
    const char *cells, *thick, *less;
  } cases[] = {{"[9, 1, 7]", "one tetrahedron", "74 % too little"},
               {"[10, 2, 2]", "two tetrahedra", "42 % too little"},
               {"[9, 3, 3]", "three tetrahedra", "24 % too little"},
               {"[13, 4, 4]", "four tetrahedra", "15 % too little"},
               {"[11, 5, 9]", "five tetrahedra", "10 % too little"}};
  for (const auto& [cells, thick, less] : cases) {
    const std::string said = message(cells);
    EXPECT_NE(said.find(std::string("100 % of the body is only ") + thick + " thick"), std::string::npos)
        << cells << ": " << said;
    EXPECT_NE(said.find(less), std::string::npos) << cells << ": " << said;
    EXPECT_NE(said.find("more 'cells'"), std::string::npos) << said;
  }
}

TEST(ThinShares, AreMeasuredWhereTheyAre) {
  // A cube of six cells with plates of one cell and of four at its side.
  using mesh::BlockMesh, mesh::thin_shares;
  const BlockMesh cube({1, 1, 1}, {6, 6, 6}), plate({2, 1, 0.2}, {12, 6, 1}), slab({1, 1, 0.7}, {7, 6, 4});
  std::vector<Tetrahedron> all;
  int points = 0;
  for (const BlockMesh* part : {&cube, &plate, &slab}) {
    for (Tetrahedron t : part->tetrahedra) {
      for (int& corner : t) corner += points;
      all.push_back(t);
    }
    points += static_cast<int>(part->positions.size());
  }
  EXPECT_EQ(thin_shares(cube.tetrahedra), (std::array<double, 5>{}));
  EXPECT_EQ(thin_shares(plate.tetrahedra), (std::array<double, 5>{1, 1, 1, 1, 1}));
  EXPECT_EQ(thin_shares(slab.tetrahedra), (std::array<double, 5>{0, 0, 0, 1, 1}));
  const auto shares = thin_shares(all);
  EXPECT_NEAR(shares[0], 72.0 / (72 + 216 + 168), 1e-12);
  EXPECT_NEAR(shares[2], shares[0], 1e-12);
  EXPECT_NEAR(shares[3], (72.0 + 168) / (72 + 216 + 168), 1e-12);
}

class MeshScene : public testing::Test {
 protected:
  Scene load(const std::string& model) {
    folder_.write("cube.obj",
                  "v 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nv 0 0 2\nv 1 0 2\nv 1 1 2\nv 0 1 2\n"
                  "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n");
    return load_scene(folder_.write("mesh.toml",
                                    "[simulation]\nduration = 0.1\n[model]\nkind = \"mesh\"\nfile = "
                                    "\"cube.obj\"\ncount = 400\nmaterial = \"springs\"\n" +
                                        model));
  }
  TemporaryFolder folder_;
};

TEST_F(MeshScene, SaysThatNothingIsPinned) {
  EXPECT_EQ(kinds(load("pinned_below = 1.3\n")), Kinds{});
  EXPECT_EQ(kinds(load("")), Kinds{}) << "nobody asked for it";
  const Scene loose = load("pinned_below = 0.1\n");
  EXPECT_EQ(kinds(loose), Kinds{"nothing-pinned"});
  EXPECT_NE(messages(loose).find("begins at 0.99"), std::string::npos) << messages(loose);
  EXPECT_EQ(kinds(load("pinned_normal = [1, 0, 0]\n")), Kinds{"no-effect"});
}

TEST(BuiltInScenes, GiveNoReasonToWarnAsTheyAre) {
  const test::DragonPackage package;
  for (const SceneEntry& entry : scenes()) {
    const Scene scene = load_scene(entry.path);
    EXPECT_EQ(kinds(scene), Kinds{}) << entry.name << ": " << messages(scene);
  }
}

}  // namespace
}  // namespace stiffly
