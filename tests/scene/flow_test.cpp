// [fluid] and [[motor]] of scene files.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "stiffly/error.hpp"
#include "stiffly/forces/fluid.hpp"
#include "stiffly/forces/motor.hpp"
#include "stiffly/scene/scene.hpp"
#include "stiffly/system/particle_system.hpp"
#include "temporary_folder.hpp"

namespace stiffly {
namespace {

/// Six particles, the corners of a prism; the fifth is pinned.
std::string prism() {
  std::string out = "[simulation]\nduration = 1\n";
  for (int i = 0; i < 6; ++i)
    out += fmt::format("[[particle]]\nposition = [{}, {}, {}]\nmass = 0.3\npinned = {}\n", i / 3,
                       i % 3 == 0 ? 1 : 0, i % 3 == 1 ? 1 : 0, i == 4);
  return out;
}

std::string flow_refusal(const std::string& keys) {
  const test::TemporaryFolder folder;
  try {
    load_scene(folder.write("scene.toml", prism() + keys));
  } catch (const InputError& error) {
    return error.what();
  }
  return "taken";
}

void expect_flow_refused(const std::string& keys, const std::string& words) {
  const std::string message = flow_refusal(keys);
  EXPECT_NE(message.find(words), std::string::npos) << message;
  EXPECT_NE(message.find("scene.toml:"), std::string::npos) << message;
}

TEST(SceneFlow, IsThatOfTheFile) {
  const test::TemporaryFolder folder;
  const Scene scene = load_scene(folder.write(
      "scene.toml", prism() + "[fluid]\nviscosity = 0.7\nblob = 0.2\nvelocity = [0.1, 0, 0]\n"
                              "[[motor]]\ntorque = \"2*t\"\nrotor = [0, 1, 2]\nstator = [3, 4, 5]\n"));
  const auto& system = dynamic_cast<const ParticleSystem&>(scene.system());
  // In the inner order the pinned one is the last.
  Motor motor(
      {0, 1, 2}, {3, 5, 4}, 6, [](double t) { return 2 * t; }, true);
  motor.attach(5, *system.pattern());
  const Fluid fluid(Stokeslets(0.7, 0.2), {0.1, 0, 0}, 6);
  const std::vector<double> v(18, 0.0);
  const Configuration q{0.3, 5, system.start_positions(), v};
  std::vector<double> expected(15, 0.0);
  motor.add_force(q, expected);
  fluid.add_force(q, expected);
  const State start = system.initial_state();
  Vector f(15);
  system.force(0.3, start.x(), start.v(), f);
  for (std::size_t i = 0; i < 15; ++i) EXPECT_NEAR(host(f)[i], expected[i], 1e-14);
  EXPECT_FALSE(system.autonomous());
  EXPECT_FALSE(system.passive());
}

TEST(SceneFlow, RefusesWhatIsWrong) {
  expect_flow_refused("[fluid]\nviscosity = 0\nblob = 0.1\n", "viscosity");
  expect_flow_refused("[fluid]\nviscosity = -1\nblob = 0.1\n", "viscosity");
  expect_flow_refused("[fluid]\nviscosity = 1\nblob = 0\n", "blob");
  expect_flow_refused("[fluid]\nviscosity = 1\n", "needs 'blob'");
  expect_flow_refused("[fluid]\nblob = 1\n", "needs 'viscosity'");
  expect_flow_refused("[fluid]\nviscosity = 1\nblob = 0.1\n[[particle]]\nposition = [0, 1, 0]\nmass = 1\n",
                      "particles 0 and 6 are 0 m from each other");
  const std::string sides = "rotor = [0, 1, 2]\nstator = [3, 4, 5]\n";
  expect_flow_refused("[[motor]]\n" + sides, "torque");
  expect_flow_refused("[[motor]]\ntorque = \"sin(\"\n" + sides, "torque");
  expect_flow_refused("[[motor]]\ntorque = \"1/t\"\n" + sides, "not finite");
  expect_flow_refused("[[motor]]\ntorque = \"1\"\nstator = [3, 4, 5]\n", "needs 'rotor'");
  expect_flow_refused("[[motor]]\ntorque = \"1\"\nrotor = [0, 1]\nstator = [3, 4, 5]\n", "three particles");
  expect_flow_refused("[[motor]]\ntorque = \"1\"\nrotor = [0, 1, 9]\nstator = [3, 4, 5]\n", "particle 9");
  expect_flow_refused("[[motor]]\ntorque = \"1\"\nrotor = [0, 1, 3]\nstator = [3, 4, 5]\n", "comes twice");
}

TEST(SceneFlow, RefusesMoreParticlesThanItCanServe) {
  std::string many = "[fluid]\nviscosity = 1\nblob = 0.1\n";
  for (int i = 0; i < 1000; ++i) many += fmt::format("[[particle]]\nposition = [{}, 0, 5]\nmass = 1\n", i);
  expect_flow_refused(many, "1006 particles");
}

TEST(SceneFlow, SwimmerHasThePapersSize) {
  const Scene full = load_scene(find_scene("swimmer"), std::vector<Override>{{"size", "full"}});
  EXPECT_EQ(full.system().unknowns(), 360u);
  const Scene small = load_scene(find_scene("swimmer"), std::vector<Override>{{"size", "small"}});
  EXPECT_EQ(small.system().unknowns(), 3u * 81);
  EXPECT_TRUE(full.all_warnings().empty());
}

}  // namespace
}  // namespace stiffly
