// Barriers, and the ways that they keep clear.
#include <gtest/gtest.h>

#include <random>

#include "stiffly/contact/body_repulsion.hpp"
#include "stiffly/contact/clear_share.hpp"
#include "stiffly/contact/obstacle_repulsion.hpp"
#include "stiffly/control/simulation.hpp"
#include "stiffly/error.hpp"
#include "stiffly/forces/springs.hpp"
#include "stiffly/integrators/registry.hpp"
#include "stiffly/scene/scene.hpp"
#include "stiffly/system/particle_system.hpp"
#include "temporary_folder.hpp"

namespace stiffly {
namespace {

using Eigen::Vector3d;

TEST(Barrier, LawIsSmoothWhereItSetsInAndEndlessAtTouch) {
  const RepulsionLaw law{.stiffness = 370, .range = 0.013, .barrier = true};
  for (const double gap : {0.0003, 0.0021, 0.0077, 0.0129}) {
    const double d = 1e-6 * gap;
    EXPECT_NEAR(law.push(gap), -(law.energy(gap + d) - law.energy(gap - d)) / (2 * d), 1e-5 * law.push(gap))
        << gap;
    EXPECT_NEAR(law.tangent(gap), -(law.push(gap + d) - law.push(gap - d)) / (2 * d), 1e-5 * law.tangent(gap))
        << gap;
  }
  EXPECT_EQ(law.energy(0.013), 0);
  EXPECT_LT(law.tangent(0.013 * (1 - 1e-9)), 1e-5 * law.stiffness);
  EXPECT_GT(law.energy(1e-12), 20 * law.energy(0.013 / 3));
  EXPECT_EQ(law.energy(0), infinite);
}

/// Two elements and their ways, some of which pass through each other; rods side by side among them.
TEST(Barrier, NothingMeetsWithinTheShareThatIsClear) {
  std::mt19937 random(71);
  std::normal_distribution<double> normal;
  constexpr double thickness = 0.31;
  int met = 0, clear = 0;
  for (int trial = 0; trial < 600; ++trial) {
    Corners x, way;
    for (double& entry : x.reshaped()) entry = normal(random);
    for (double& entry : way.reshaped()) entry = 2 * normal(random);
    x.rightCols(2).row(2).array() += trial % 3;
    const bool triangle = trial % 4 == 0, aside = trial % 4 == 1;
    if (aside) {  // they come down on each other, and tilt a little
      x.col(2) = x.col(0) + 0.1 * normal(random) * (x.col(1) - x.col(0)) + Vector3d(0, 0, 1.3);
      x.col(3) = x.col(2) + (1 + 0.1 * normal(random)) * (x.col(1) - x.col(0));
      way *= 0.01;
      way.rightCols(2).row(2).array() -= 2;
    }
    const auto distance_at = [&](double t) {
      const Corners there = x + t * way;
      return (triangle ? nearest_of_point_and_triangle(there) : nearest_of_segments(there)).distance(there);
    };
    const auto gap_at = [&](double t) {
      const Corners there = x + t * way;
      return (triangle ? distance_at(t) : rounded_nearest_of_segments(there, thickness).distance(there)) -
             thickness;
    };
    const double first = gap_at(0);
    if (first <= 0) continue;
    const Corners relative = way.colwise() - way.rowwise().mean();
    const Eigen::Index one = triangle ? 1 : 2;
    const double approach =
        most_rounded_steepness * (relative.leftCols(one).colwise().norm().maxCoeff() +
                                  relative.rightCols(4 - one).colwise().norm().maxCoeff());
    const double share = clear_share(gap_at, approach);
    double least = first, all = first, nearest = distance_at(0);
    for (int i = 0; i <= 4000; ++i) {
      least = std::min(least, gap_at(share * i / 4000));
      nearest = std::min(nearest, distance_at(share * i / 4000));
      all = std::min(all, gap_at(i / 4000.0));
    }
    EXPECT_GT(least, 0) << trial;
    EXPECT_GT(nearest, thickness) << trial;
    EXPECT_GT(share, 0) << trial;
    (share < 1 ? met : clear) += 1;
    if (share < 1) {
      EXPECT_LT(gap_at(share), 0.5 * first + 1e-9) << trial << ": it could have gone on";
    }
    if (all > 0.1 * first) {
      EXPECT_EQ(share, 1) << trial;
    }
  }
  EXPECT_GT(met, 40);
  EXPECT_GT(clear, 40);
}

TEST(Barrier, EndsWhereThingsSlideAlongEachOtherForLong) {
  long looks = 0;
  const double share = clear_share(
      [&](double) {
        ++looks;
        return 1e-9;
      },
      1.0);
  EXPECT_GT(share, 0);
  EXPECT_LT(looks, 2000);
}

// The corners of one segment go along the gradient, all as far: the bound is met, and nearly reached where
// segments touch in their middles.
TEST(Barrier, RoundedDistancesChangeNoFasterThanTheBoundSays) {
  std::mt19937 random(73);
  std::normal_distribution<double> normal;
  constexpr double thickness = 0.31;
  double steepest = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    Corners x;
    for (double& entry : x.reshaped()) entry = normal(random);
    if (trial % 2 == 0) {  // about their middles, and nearly in touch
      x.col(1) = Vector3d(0.1 * thickness * normal(random), 0, 0) - x.col(0);
      x.col(3) = Vector3d(0, 0.1 * thickness * normal(random), 0) - x.col(2);
      const Vector3d across = (x.col(1) - x.col(0)).cross(x.col(3) - x.col(2)).normalized();
      x.rightCols(2).colwise() += thickness * (1 + 0.02 * std::abs(normal(random))) * across;
    }
    const Proximity p = rounded_nearest_of_segments(x, thickness);
    if (p.distance(x) < thickness) continue;
    const double steepness = p.between(x).norm() / p.distance(x);
    EXPECT_LE(steepness, most_rounded_steepness);
    steepest = std::max(steepest, steepness);
  }
  EXPECT_GT(steepest, 1 + 0.9 * (most_rounded_steepness - 1));
}

/// A rod that comes down on another at right angles.
std::string rods(const std::string& response, double speed) {
  return "[simulation]\nduration = 0.02\nstep = 2.3e-3\nintegrator = \"backward-euler\"\n"
         "[contact]\nstiffness = 300\nrange = 0.007\nradius = 0.002\nbetween = \"all\"\nresponse = \"" +
         response +
         "\"\n"
         "[[particle]]\nposition = [-0.31, 0, 0]\nmass = 0.1\n[[particle]]\nposition = [0.31, 0, 0]\nmass = "
         "0.1\n"
         "[[particle]]\nposition = [0, -0.33, 0.05]\nmass = 0.1\nvelocity = [0, 0, " +
         std::to_string(-speed) +
         "]\n"
         "[[particle]]\nposition = [0, 0.33, 0.05]\nmass = 0.1\nvelocity = [0, 0, " +
         std::to_string(-speed) +
         "]\n"
         "[[spring]]\nends = [0, 1]\nstiffness = 1e5\n[[spring]]\nends = [2, 3]\nstiffness = 1e5\n";
}

/// How far the second is above the first where they cross, at the end.
double height_after(const std::string& text, const std::string& method) {
  const test::TemporaryFolder folder;
  const Scene scene =
      load_scene(folder.write("scene.toml", text), std::vector<Override>{{"integrator", method}});
  const auto integrator = make_integrator(method);
  State state = scene.body.start;
  simulate(scene.system(), *integrator, state,
           {.duration = scene.simulation.duration, .step = scene.simulation.step});
  const auto x = scene.positions(state);
  return 0.5 * (x[2][2] + x[3][2] - x[0][2] - x[1][2]);
}

TEST(Barrier, KeepsWhatAForceLetsThrough) {
  for (const char* method : {"backward-euler", "tr-bdf2", "sdirk2"}) {
    EXPECT_LT(height_after(rods("repulsion", 90), method), -0.1) << method << ": within a step of 0.2 m";
    EXPECT_GT(height_after(rods("barrier", 90), method), 0.004) << method;
  }
}

TEST(Barrier, KeepsParticlesOutOfObstaclesThatAreThinnerThanAStepIsLong) {
  const auto text = [](const std::string& response) {
    return "[simulation]\nduration = 0.05\nstep = 3.1e-3\nintegrator = \"backward-euler\"\n"
           "[contact]\nstiffness = 70\nrange = 0.004\nresponse = \"" +
           response +
           "\"\n"
           "[[obstacle]]\nshape = \"box\"\npoint = [0, 0, -0.01]\nsides = [2, 2, 0.02]\n"
           "[[particle]]\nposition = [0.13, 0.07, 0.11]\nmass = 0.3\nvelocity = [1.7, 0, -60]\n"
           "[[particle]]\nposition = [-0.13, 0.17, 0.21]\nmass = 0.3\nvelocity = [0.3, 0.2, -70]\n"
           "[[spring]]\nends = [0, 1]\nstiffness = 50\n";
  };
  const auto lowest = [&](const std::string& response) {
    const test::TemporaryFolder folder;
    const Scene scene = load_scene(folder.write("scene.toml", text(response)));
    const auto integrator = make_integrator("backward-euler");
    State state = scene.body.start;
    double low = 1;
    simulate(scene.system(), *integrator, state, {.duration = 0.05, .step = 3.1e-3},
             [&](const State& now, const SimulationSummary&) {
               for (const Point& x : scene.positions(now)) low = std::min(low, x[2]);
               return true;
             });
    return low;
  };
  EXPECT_LT(lowest("repulsion"), -0.1);
  EXPECT_GT(lowest("barrier"), 0);
}

TEST(Barrier, RefusesWhatItCannotPromiseFor) {
  const auto refusal = [](const std::string& text) -> std::string {
    const test::TemporaryFolder folder;
    try {
      load_scene(folder.write("scene.toml", text));
    } catch (const InputError& error) {
      return error.what();
    }
    return "taken";
  };
  std::string explicit_method = rods("barrier", 3);
  explicit_method.replace(explicit_method.find("backward-euler"), 14, "verlet");
  EXPECT_NE(refusal(explicit_method).find("backward-euler"), std::string::npos);
  EXPECT_EQ(refusal(rods("barrier", 3) + "[[obstacle]]\nshape = \"half-space\"\npoint = [0, 0, -0.0021]\n"),
            "taken");
  EXPECT_NE(refusal(rods("barrier", 3) + "[[obstacle]]\nshape = \"half-space\"\npoint = [0, 0, -0.002]\n")
                .find("in touch"),
            std::string::npos);
  // They do not overlap, but their rounded distance says so.
  const auto apart_by = [&](const char* height) {
    std::string text = rods("barrier", 3);
    for (int end = 0; end < 2; ++end) text.replace(text.find("0.05]"), 5, height);
    return refusal(text);
  };
  EXPECT_EQ(apart_by("0.00403]"), "taken");
  EXPECT_NE(apart_by("0.00401]").find("in touch"), std::string::npos);
}

}  // namespace
}  // namespace stiffly
