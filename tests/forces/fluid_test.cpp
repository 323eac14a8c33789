// A fluid that particles drive and feel, and motors in it.
#include "stiffly/forces/fluid.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <Eigen/Geometry>

#include "forces/cases.hpp"
#include "stiffly/error.hpp"
#include "stiffly/forces/motor.hpp"

namespace stiffly::test {
namespace {

using Eigen::Vector3d;

struct Cloud {
  std::vector<double> x, v;

  explicit Cloud(unsigned seed) {
    Random random(seed);
    std::normal_distribution<double> normal;
    for (int i = 0; i < 3 * particles; ++i) x.push_back(normal(random)), v.push_back(normal(random));
  }
  Configuration at() const { return {0.3, particles, x, v}; }
  /// Turned about the origin, then moved; velocities are turned.
  Cloud moved(const Eigen::Matrix3d& turn, const Vector3d& by) const {
    Cloud out = *this;
    for (std::size_t i = 0; i < x.size(); i += 3) {
      Vector3d::Map(out.x.data() + i) = turn * Vector3d::Map(x.data() + i) + by;
      Vector3d::Map(out.v.data() + i) = turn * Vector3d::Map(v.data() + i);
    }
    return out;
  }
};

Eigen::Matrix3Xd force_of(const Force& force, const Cloud& cloud) {
  std::vector<double> f(3 * particles, 0.0);
  force.add_force(cloud.at(), f);
  return Eigen::Matrix3Xd::Map(f.data(), 3, particles);
}

Vector3d torque_of(const Cloud& cloud, const Eigen::Matrix3Xd& f) {
  Vector3d sum = Vector3d::Zero();
  for (Eigen::Index i = 0; i < f.cols(); ++i)
    sum += Vector3d::Map(cloud.x.data() + 3 * i).cross(Vector3d(f.col(i)));
  return sum;
}

const Eigen::Matrix3d cloud_turn =
    Eigen::AngleAxisd(2.1, Vector3d(1, -2, 0.5).normalized()).toRotationMatrix();
const Vector3d cloud_shift(3, -11, 0.7);

TEST(Fluid, DragTurnsAndMovesWithTheParticles) {
  const Fluid fluid(Stokeslets(0.7, 0.2), Vector3d::Zero(), particles);
  for (unsigned seed = 0; seed < 10; ++seed) {
    const Cloud cloud(seed);
    const Eigen::Matrix3Xd here = force_of(fluid, cloud),
                           there = force_of(fluid, cloud.moved(cloud_turn, cloud_shift));
    EXPECT_LT((cloud_turn * here - there).norm(), 1e-11 * here.norm());
  }
}

// What goes with the fluid feels nothing, and what is held in it feels what it would, moved the other way.
TEST(Fluid, OnlyVelocitiesRelativeToTheFluidCount) {
  const Vector3d stream(0.3, -1, 2);
  const Fluid still(Stokeslets(0.7, 0.2), Vector3d::Zero(), particles),
      streaming(Stokeslets(0.7, 0.2), stream, particles);
  Cloud drifting(1), held(1);
  for (std::size_t i = 0; i < drifting.v.size(); i += 3) Vector3d::Map(drifting.v.data() + i) = stream;
  EXPECT_LT(force_of(streaming, drifting).norm(), 1e-14);
  std::ranges::fill(held.v, 0.0);
  EXPECT_LT((force_of(streaming, held) + force_of(still, drifting)).norm(), 1e-13);
  EXPECT_LT(streaming.power(drifting.at()).dissipated, 1e-13);
  EXPECT_TRUE(streaming.drives());
  EXPECT_FALSE(still.drives());
}

// The drag of a rigid body, force and torque for six motions, is a symmetric matrix [Lorentz], and takes
// energy.
TEST(Fluid, ResistanceOfARigidBodyIsSymmetric) {
  const Fluid fluid(Stokeslets(1.9, 0.3), Vector3d::Zero(), particles);
  Eigen::Matrix<double, 6, 6> resistance;
  for (int motion = 0; motion < 6; ++motion) {
    Cloud cloud(7);
    for (std::size_t i = 0; i < cloud.v.size(); i += 3)
      Vector3d::Map(cloud.v.data() + i) =
          motion < 3 ? Vector3d(Vector3d::Unit(motion))
                     : Vector3d::Unit(motion - 3).cross(Vector3d(Vector3d::Map(cloud.x.data() + i)));
    const Eigen::Matrix3Xd f = force_of(fluid, cloud);
    resistance.col(motion) << -f.rowwise().sum(), -torque_of(cloud, f);
    EXPECT_GT(fluid.power(cloud.at()).dissipated, 0);
  }
  EXPECT_LT((resistance - resistance.transpose()).norm(), 1e-12 * resistance.norm());
  EXPECT_GT(symmetric_eigenvalues(resistance)(0), 0);
}

TEST(Fluid, RefusesWhatItCannotServe) {
  const Stokeslets stokeslets(1, 0.1);
  try {
    Fluid(stokeslets, Vector3d::Zero(), 1001);
    FAIL() << "too many particles are taken";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("1001"), std::string::npos) << error.what();
  }
  const Fluid fluid(stokeslets, Vector3d::Zero(), particles);
  Cloud cloud(3);
  std::copy_n(cloud.x.begin(), 3, cloud.x.begin() + 12);  // particles 0 and 4
  EXPECT_THROW(force_of(fluid, cloud), SimulationError);
}

Motor steady_motor(double torque) {
  return Motor(
      {5, 1, 3, 2}, {0, 8, 6, 4, 7}, particles, [torque](double) { return torque; }, false);
}

TEST(Motor, HasNoForceAndNoTorqueOutside) {
  const Motor motor = steady_motor(1.7);
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Cloud cloud(seed);
    Motor attached = motor;
    attached.attach(particles, *BlockPattern::symmetric(particles, 3, {}));
    const Eigen::Matrix3Xd f = force_of(attached, cloud);
    EXPECT_LT(f.rowwise().sum().norm(), 1e-12 * f.norm());
    EXPECT_LT(torque_of(cloud, f).norm(), 1e-11 * f.norm());
    EXPECT_GT(f.norm(), 0.1);
  }
}

// Two rigid sides that turn about the axis: torque times the difference of their speeds comes in.
TEST(Motor, BringsInTorqueTimesSpeed) {
  Cloud cloud(4);
  Vector3d rotor = Vector3d::Zero(), stator = Vector3d::Zero();
  for (const int i : {5, 1, 3, 2}) rotor += Vector3d::Map(cloud.x.data() + 3 * i) / 4;
  for (const int i : {0, 8, 6, 4, 7}) stator += Vector3d::Map(cloud.x.data() + 3 * i) / 5;
  const Vector3d axis = (rotor - stator).normalized();
  const auto spin = [&](int i, const Vector3d& centre, double speed) {
    Vector3d::Map(cloud.v.data() + 3 * i) =
        speed * axis.cross(Vector3d(Vector3d::Map(cloud.x.data() + 3 * i) - centre)) + cloud_shift;
  };
  for (const int i : {5, 1, 3, 2}) spin(i, rotor, 2.3);
  for (const int i : {0, 8, 6, 4, 7}) spin(i, stator, -0.4);
  Motor motor = steady_motor(1.7);
  motor.attach(particles, *BlockPattern::symmetric(particles, 3, {}));
  EXPECT_NEAR(motor.power(cloud.at()).dissipated, -1.7 * (2.3 + 0.4), 1e-12);
}

TEST(Motor, RefusesSidesThatCannotTurn) {
  const auto torque = [](double) { return 1.0; };
  EXPECT_THROW(Motor({0, 1}, {2, 3, 4}, particles, torque, false), InputError);
  EXPECT_THROW(Motor({0, 1, 2}, {2, 3, 4}, particles, torque, false), InputError);
  EXPECT_THROW(Motor({0, 1, 9}, {2, 3, 4}, particles, torque, false), InputError);
  Cloud straight(1);
  for (std::size_t i = 0; i < straight.x.size(); ++i) straight.x[i] = static_cast<double>(i / 3);
  Motor motor({0, 1, 2}, {3, 4, 5}, particles, torque, false);
  motor.attach(particles, *BlockPattern::symmetric(particles, 3, {}));
  EXPECT_THROW(force_of(motor, straight), SimulationError);
}

}  // namespace
}  // namespace stiffly::test
