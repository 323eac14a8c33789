// A run cut into stretches: steps that keep to them see all that drives the system.
#include "stiffly/control/drive_map.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "stiffly/scene/scene.hpp"
#include "temporary_folder.hpp"

namespace stiffly::test {
namespace {

/// A mass on a support that moves along x.
Scene supported(const TemporaryFolder& folder, const std::string& x) {
  std::string text = R"scene([simulation]
duration = 13
[[particle]]
position = [1.7, 0.3, -0.9]
mass = 1
pinned = true
[[particle]]
position = [1.9, 0.4, -1.3]
mass = 0.57
[[spring]]
ends = [0, 1]
stiffness = 810
)scene";
  if (!x.empty()) text += "[[motion]]\nx = \"" + x + "\"\n";
  return load_scene(folder.write("supported.toml", text));
}

/// The longest of the steps that end after `from` and begin before `to`, of a walker who would take all at
/// once.
double longest_between(const DriveMap& map, double from, double to, double end, int& steps) {
  double longest = 0;
  steps = 0;
  for (double time = 0; time < end;) {
    const double h = map.longest_step(time, end - time);
    EXPECT_GT(h, 0);
    if (time < to && time + h > from) longest = std::max(longest, h);
    time = h == end - time ? end : time + h;
    if (++steps > 100000) break;
  }
  return longest;
}

TEST(DriveMap, MeetsWhatComesLateInShortSteps) {
  const TemporaryFolder folder;
  const Scene scene = supported(folder, "0.02 * smoothstep((t - 6.1)/0.2) * (1 - smoothstep((t - 6.4)/0.2))");
  const DriveMap map(scene.system(), 0, 13);
  int steps = 0;
  EXPECT_LT(longest_between(map, 6.11, 6.59, 13, steps), 0.5);
  EXPECT_GT(longest_between(map, 6.11, 6.59, 13, steps), 0.02);
  EXPECT_LT(steps, 60);
  // At rest, until shortly before it and from some time after it on.
  EXPECT_GT(map.longest_step(0, 13), 2);
  EXPECT_GT(map.longest_step(10, 3), 2);
}

TEST(DriveMap, MeetsJumpsInEverShorterSteps) {
  const TemporaryFolder folder;
  const Scene scene = supported(folder, "0.02 * step(t - 3.7)");
  const DriveMap map(scene.system(), 0, 13);
  int steps = 0;
  EXPECT_LT(longest_between(map, 3.6999999, 3.7000001, 13, steps), 3e-5);
  EXPECT_LT(steps, 200);
}

TEST(DriveMap, LetsStepsBeWhereNothingDrives) {
  const TemporaryFolder folder;
  for (const char* x : {"", "0.02"}) {
    const Scene scene = supported(folder, x);
    EXPECT_EQ(DriveMap(scene.system(), 0, 13).longest_step(0.7, 11.9), 11.9) << x;
  }
}

TEST(DriveMap, FollowsPeriods) {
  const TemporaryFolder folder;
  const Scene scene = supported(folder, "0.02 * sin(7.3 * t)");
  const DriveMap map(scene.system(), 0, 13);
  int steps = 0;
  const double longest = longest_between(map, 0, 13, 13, steps), period = 2 * std::acos(-1.0) / 7.3;
  EXPECT_LT(longest, period);
  EXPECT_GT(longest, period / 8);
}

}  // namespace
}  // namespace stiffly::test
