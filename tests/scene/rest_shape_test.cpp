// Every scene in space is at rest where nothing acts on it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dragon_package.hpp"
#include "stiffly/scene/scene.hpp"
#include "stiffly/scene/specification.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly {
namespace {

/// The scene in its small size without gravity and wind.
Scene unloaded(const SceneEntry& entry) {
  std::vector<Override> changes = {{"gravity", "[0, 0, 0]"}};
  const auto has = [](const auto& list, const char* name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  if (has(entry.sizes, "small")) changes.push_back({"size", "small"});
  const std::string kind = read_scene_file(entry.path).model.section().kind;
  if (model_section(kind).find("wind")) changes.push_back({"wind", "[0, 0, 0]"});
  return load_scene(entry.path, changes);
}

double largest(ConstVectorView v) {
  double out = 0;
  for (const double value : to_host(v)) out = std::max(out, std::abs(value));
  return out;
}

TEST(RestShape, OfEveryBuiltInSceneIsAnEquilibrium) {
  const test::DragonPackage package;
  int count = 0;
  for (const SceneEntry& entry : scenes()) {
    SCOPED_TRACE(entry.name);
    const Scene scene = unloaded(entry);
    const auto* system = dynamic_cast<const ParticleSystem*>(&scene.system());
    if (!system) continue;
    const State& start = scene.body.start;
    if (const auto touch = system->touch(start); touch && touch->pairs > 0)
      continue;  // carried against its weight
    ++count;
    Vector f(system->unknowns());
    system->force(0, start.x(), start.v(), f);
    Tangent tangent;
    system->tangent(0, start.x(), start.v(), tangent);
    double stiffness = 0;
    for (const double entry_of_k : tangent.stiffness.values())
      stiffness = std::max(stiffness, std::abs(entry_of_k));
    // Lengths are rounded relative to the coordinates, and every particle sums over its springs.
    EXPECT_LT(largest(f), 1e-14 * stiffness * (largest(start.x()) + 1));
  }
  EXPECT_GE(count, 6);
}

}  // namespace
}  // namespace stiffly
