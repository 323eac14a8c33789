// What a fibre is made of, and what is refused.
#include "stiffly/fibres/fibre.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <limits>

#include "fibres/cantilever.hpp"
#include "stiffly/effort.hpp"
#include "stiffly/error.hpp"
#include "stiffly/integrators/registry.hpp"
#include "stiffly/linalg/decompositions.hpp"
#include "stiffly/results/scene_run.hpp"

namespace stiffly::test {
namespace {

constexpr FibreMaterial nylon = {.young = 3e9, .torsion = 1.1e9, .density = 1140};

TEST(Fibre, SpringsFollowFromTheNumberOfSegments) {
  for (const int segments : {1, 2, 7}) {
    const FibreShape shape = make_fibre(straight_line(0.07, segments, 3e-4, 2e-4), nylon);
    ASSERT_EQ(shape.position.size(), 4u * static_cast<std::size_t>(segments + 1));
    ASSERT_EQ(shape.springs.size(), 22u * static_cast<std::size_t>(segments) + 6u);
    for (std::size_t i = 0; i < shape.springs.size(); ++i) {
      const Spring& s = shape.springs[i];
      EXPECT_EQ((fibre::Ends{s.first, s.second}), fibre::ends(static_cast<int>(i)));
      EXPECT_GE(s.stiffness, 0) << i;
      EXPECT_LE(std::abs(s.first / 4 - s.second / 4), 1) << i;
    }
  }
}

// A free helix that spins, flies and sways, far too stiff for its steps.
TEST(Fibre, KeepsEnergyAndMomentaInAThousandSteps) {
  for (const double thickness : {2e-4, 3e-3}) {
    const auto system = fibre_system(make_fibre(helix(0.02, 0.03, 0.8, 7, thickness), nylon), false);
    State state = system->initial_state();
    const auto at = [](ConstVectorView y, std::size_t i) {
      return Eigen::Vector3d::Map(host(y).data() + 3 * i);
    };
    const Eigen::Vector3d spin(2, -3, 5), flight(0.1, 0.2, -0.1);
    for (std::size_t i = 0; i < system->particles(); ++i) {
      const Eigen::Vector3d x = at(state.x(), i);
      const Eigen::Vector3d v = spin.cross(x) + flight + Eigen::Vector3d(40 * x(2) * x(2), 0, 0);
      std::copy(v.begin(), v.end(), host(state.v()).begin() + static_cast<std::ptrdiff_t>(3 * i));
    }
    struct Momenta {
      Eigen::Vector3d linear = Eigen::Vector3d::Zero(), angular = Eigen::Vector3d::Zero();
      double linear_scale = 0, angular_scale = 0;
    };
    const auto momenta = [&] {
      Momenta sum;
      for (std::size_t i = 0; i < system->particles(); ++i) {
        const Eigen::Vector3d p = system->masses()[i] * at(state.v(), i), l = at(state.x(), i).cross(p);
        sum.linear += p, sum.angular += l;
        sum.linear_scale += p.norm(), sum.angular_scale += l.norm();
      }
      return sum;
    };
    const Momenta before = momenta();
    const double energy = system->energy(state);
    double drift = 0, motion = 0, linear = 0, angular = 0;
    const auto method = make_integrator("energy-momentum", {.newton_tolerance = 1e-12});
    method->start(*system, state);
    for (int i = 0; i < 1000; ++i) {
      state = method->step(state, 0.0017, false).state;
      const Momenta now = momenta();
      drift = std::max(drift, std::abs(system->energy(state) - energy));
      motion = std::max(motion, system->kinetic_energy(state.v()));
      linear = std::max(linear, (now.linear - before.linear).norm() / before.linear_scale);
      angular = std::max(angular, (now.angular - before.angular).norm() / now.angular_scale);
    }
    std::printf("%g mm thick: energy %.1e, momentum %.1e, angular momentum %.1e\n", 1e3 * thickness,
                drift / motion, linear, angular);
    EXPECT_LT(drift / motion, 1e-10);
    EXPECT_LT(linear, 1e-12);
    EXPECT_LT(angular, 1e-12);
  }
}

// Polynomial Krylov spaces would come to fill all of a fibre that is so stiff, and cost far more than the
// products that they take: they are tried, and given up in time.
TEST(Fibre, ExponentialStepsCostWhatTheBetterEvaluatorTakes) {
  const auto effort = [](const char* evaluator) {
    const std::vector<Override> one = {{"count", "1"},   {"segments", "[10, 10]"}, {"integrator", "exprb42"},
                                       {"step", "1e-3"}, {"duration", "0.05"},     {"evaluator", evaluator}};
    SceneRun run(load_scene(find_scene("hair"), one));
    const double before = effort_seconds();
    EXPECT_EQ(run.simulate().status, RunStatus::done);
    return effort_seconds() - before;
  };
  const double chosen = effort("auto"), better = effort("rational");
  std::printf("auto %.3g s, rational %.3g s\n", chosen, better);
  EXPECT_LT(chosen, 1.5 * better);
}

// Six rigid motions are free, and nothing else.
TEST(Fibre, ResistsEverythingButRigidMotion) {
  for (const double thickness : {2e-5, 3e-3, 2e-2}) {
    CentreLine line = helix(0.02, 0.03, 0.8, 6, thickness);
    const auto system = fibre_system(make_fibre(line, nylon), false);
    const Eigen::VectorXd eigenvalues = symmetric_eigenvalues(stiffness_at_rest(*system));
    EXPECT_NEAR(eigenvalues[5] / eigenvalues[eigenvalues.size() - 1], 0, 1e-13) << thickness;
    EXPECT_GT(eigenvalues[6] / eigenvalues[eigenvalues.size() - 1], 1e-11) << thickness;
  }
}

TEST(Fibre, CrossSectionsAreNotTheStiffestPart) {
  for (const double thickness : {2e-5, 9e-5, 1e-3}) {
    const FibreShape shape = make_fibre(straight_line(0.13, 8, thickness, thickness), nylon);
    double within = 0, between = 0;
    for (std::size_t i = 0; i < shape.springs.size(); ++i) {
      double& largest = static_cast<int>(i) % fibre::period < fibre::section_springs ? within : between;
      largest = std::max(largest, shape.springs[i].stiffness);
    }
    EXPECT_LT(within, between) << thickness;
  }
}

// The least rotation: about from × to by the angle between them. Opposite directions leave the axis open.
TEST(Fibre, AxesAreTransportedByTheLeastRotation) {
  const Eigen::Vector3d from(0.3, -1.7, 0.9), axis = Eigen::Vector3d(2.1, 0.4, -0.7).cross(from);
  for (const Eigen::Vector3d& to : {Eigen::Vector3d(1.1, 0.2, -0.6), Eigen::Vector3d(0.31, -1.69, 0.93)}) {
    const Eigen::AngleAxisd turn(std::acos(from.normalized().dot(to.normalized())),
                                 from.cross(to).normalized());
    EXPECT_LT((transported(axis, from, to) - turn * axis).norm(), 1e-14 * axis.norm());
  }
  const Eigen::Vector3d back = transported(axis, from, -1.3 * from);
  EXPECT_NEAR(back.norm(), axis.norm(), 1e-14 * axis.norm());
  EXPECT_NEAR(back.dot(from), 0, 1e-14 * axis.norm() * from.norm());
}

TEST(Fibre, FramesDoNotTwist) {
  const FibreShape shape = make_fibre(helix(0.02, 0.03, 1.3, 40, 1e-4), nylon);
  for (int i = 0; i < shape.segments; ++i) {
    const auto at = [&](int section, int corner) {
      return shape.position[static_cast<std::size_t>(fibre::particle(section, corner))];
    };
    const Eigen::Vector3d here = (at(i, 1) - at(i, 0)).normalized();
    const Eigen::Vector3d next = (at(i + 1, 1) - at(i + 1, 0)).normalized();
    const Eigen::Vector3d t0 = here.cross((at(i, 3) - at(i, 0)).normalized());
    const Eigen::Vector3d t1 = next.cross((at(i + 1, 3) - at(i + 1, 0)).normalized());
    EXPECT_NEAR((next - here).dot(t0.cross(t1)), 0, 1e-12);  // moves in the plane of both tangents alone
  }
}

TEST(Fibre, TheRootsFirstAxisIsAsAsked) {
  const Eigen::Vector3d side(0.3, 0.4, 7);
  const FibreShape shape = make_fibre(straight_line(0.1, 3, 1e-4, 1e-4), nylon, 0, side);
  const Eigen::Vector3d axis = (shape.position[1] - shape.position[0]).normalized();
  EXPECT_NEAR((axis - Eigen::Vector3d(0.6, 0.8, 0)).norm(), 0, 1e-12);
}

TEST(Fibre, CentreLineIsThatOfTheParticles) {
  const CentreLine line = helix(0.02, 0.03, 0.8, 9, 1e-4);
  const FibreShape shape = make_fibre(line, nylon);
  std::vector<double> x;
  for (const Eigen::Vector3d& p : shape.position) x.insert(x.end(), p.data(), p.data() + 3);
  const std::vector<Eigen::Vector3d> found = centre_line(x);
  ASSERT_EQ(found.size(), line.points.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR((found[i] - line.points[i]).norm(), 0, 1e-16);
}

TEST(Fibre, AHelixWithoutWeightKeepsItsShape) {
  const auto system = fibre_system(make_fibre(helix(0.01, 0.02, 2.3, 30, 9e-5), nylon));
  const State start = system->initial_state();
  State state = start;
  const auto method = make_integrator("tr-bdf2");
  method->start(*system, start);
  for (int i = 0; i < 20; ++i) state = method->step(state, 0.07, false).state;
  for (std::size_t i = 0; i < start.unknowns(); ++i)
    EXPECT_NEAR(state.x().data()[i], start.x().data()[i], 1e-14) << i;
}

/// What is said about fibre 7.
std::string refusal(const CentreLine& line, const FibreMaterial& material = nylon) {
  try {
    make_fibre(line, material, 7);
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing";
}

TEST(Fibre, RefusesWhatIsNone) {
  const auto expect = [](const std::string& message, const std::string& part) {
    EXPECT_TRUE(message.starts_with("fibre 7: ")) << message;
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  const CentreLine good = straight_line(0.1, 3, 1e-4, 1e-4);
  CentreLine line = good;
  line.points.resize(1), line.thickness.resize(1);
  expect(refusal(line), "1 point;");
  line = good;
  line.points[2].y() = std::numeric_limits<double>::quiet_NaN();
  expect(refusal(line), "point 2 is not finite");
  line = good;
  line.points[2] = line.points[1];
  expect(refusal(line), "points 1 and 2 are at the same place");
  line = good;
  for (auto& p : line.points) p = {1, 2, 3};
  expect(refusal(line), "its length is zero");
  line = good;
  line.points[2] = line.points[0] + Eigen::Vector3d(0, 0, 1e-6);
  expect(refusal(line), "turns back on itself at point 1");
  for (const double wrong : {0.0, -1e-4, std::numeric_limits<double>::quiet_NaN()}) {
    line = good;
    line.thickness[3] = wrong;
    expect(refusal(line), "at point 3 must be positive");
  }
  line = good;
  line.thickness.pop_back();
  expect(refusal(line), "3 thicknesses for 4 points");
  expect(refusal(good, {.young = 0, .torsion = 1e9, .density = 1140}), "Young's modulus 0");
  expect(refusal(good, {.young = 3e9, .torsion = -1, .density = 1140}), "torsion modulus -1");
  expect(refusal(good, {.young = 3e9, .torsion = 1e9, .density = 0}), "density 0");
  expect(refusal(helix(0.005, 0.001, 1, 3, 2e-2)), "cross-sections cut each other");
}

// The bound that the message names is the one that holds.
TEST(Fibre, RefusesModuliThatMakeItIndefinite) {
  const CentreLine line = straight_line(0.1, 3, 1e-4, 1e-4);
  const std::string message = refusal(line, {.young = 1e9, .torsion = 1.5e9, .density = 1000});
  EXPECT_NE(message.find("take a torsion modulus of 1.33e+09 Pa at most"), std::string::npos) << message;
  EXPECT_EQ(refusal(line, {.young = 1e9, .torsion = 1.32e9, .density = 1000}), "nothing");
}

}  // namespace
}  // namespace stiffly::test
