// Fibres of cuboids against the theory of slender beams.
#include <gtest/gtest.h>

#include <cmath>
#include <Eigen/Cholesky>
#include <functional>

#include "fibres/cantilever.hpp"
#include "stiffly/linalg/decompositions.hpp"

namespace stiffly::test {
namespace {

/// Human hair: paper 000, section 4.4; its density is that of keratin.
constexpr FibreMaterial hair = {.young = 3.6e9, .torsion = 1e9, .density = 1320};
constexpr double length = 0.13, torsion_constant = 0.1405770;

double area(double a) { return a * a; }
double bending_stiffness(double a) { return hair.young * std::pow(a, 4) / 12; }
double torsional_stiffness(double a) { return hair.torsion * torsion_constant * std::pow(a, 4); }

/// How far particles move under loads on the last cross-section, all in the fibre's own order.
class Cantilever {
 public:
  Cantilever(int segments, double root, double tip)
      : shape_(make_fibre(straight_line(length, segments, root, tip), hair)), system_(fibre_system(shape_)) {
    stiffness_ = stiffness_at_rest(*system_);
  }

  /// Mean over the tip's corners of direction(corner) · displacement under load(corner) at each.
  template <class Field>
  double response(const Field& load, const Field& direction) const {
    Eigen::VectorXd f = Eigen::VectorXd::Zero(stiffness_.rows()), d = f;
    for (int corner = 0; corner < fibre::corners; ++corner) {
      f.segment<3>(first_unknown(corner)) = load(arm(corner));
      d.segment<3>(first_unknown(corner)) = direction(arm(corner)) / fibre::corners;
    }
    return d.dot(stiffness_.ldlt().solve(f));
  }
  double squared_width() const { return (arm(1) - arm(0)).squaredNorm(); }

  double first_frequency() const {
    Eigen::VectorXd root(stiffness_.rows());
    for (Eigen::Index i = 0; i < root.size(); ++i)
      root[i] = 1 / std::sqrt(system_->masses()[static_cast<std::size_t>(i / 3)]);
    return std::sqrt(symmetric_eigenvalues(root.asDiagonal() * stiffness_ * root.asDiagonal())[0]);
  }

 private:
  std::size_t tip_particle(int corner) const {
    return static_cast<std::size_t>(fibre::particle(shape_.segments, corner));
  }
  Eigen::Index first_unknown(int corner) const { return 3 * system_->rank()[tip_particle(corner)]; }
  /// From the tip's centre to the corner.
  Eigen::Vector3d arm(int corner) const {
    return shape_.position[tip_particle(corner)] - Eigen::Vector3d(0, 0, length);
  }

  FibreShape shape_;
  std::unique_ptr<ParticleSystem> system_;
  Eigen::MatrixXd stiffness_;
};

using Field = std::function<Eigen::Vector3d(const Eigen::Vector3d&)>;

struct Case {
  int segments;
  double slenderness;  ///< length over thickness
};

class BeamTheory : public testing::TestWithParam<Case> {
 protected:
  double thickness = length / GetParam().slenderness;
  double tolerance = GetParam().segments >= 32 ? 0.02 : 0.05;
  Cantilever beam{GetParam().segments, thickness, thickness};

  void expect(double found, double theory) const { EXPECT_NEAR(found / theory, 1, tolerance); }
};

// A force F across the tip moves it by F L³/(3EI).
TEST_P(BeamTheory, TipDeflection) {
  const Field across = [](const Eigen::Vector3d&) { return Eigen::Vector3d(1, 0, 0); };
  const double force = fibre::corners;
  expect(beam.response(across, across), force * std::pow(length, 3) / (3 * bending_stiffness(thickness)));
}

// A moment T about y at the tip turns it by T L/(EI).
TEST_P(BeamTheory, BendingStiffness) {
  const double b2 = beam.squared_width();
  const Field turn = [b2](const Eigen::Vector3d& arm) { return Eigen::Vector3d(0, 0, -4 * arm.x() / b2); };
  const double moment = 4;  // Σ −x f_z, with x² = b²/4 at each corner
  expect(beam.response(turn, turn), moment * length / bending_stiffness(thickness));
}

// A torque T about the fibre's axis twists it by T L/(GJ).
TEST_P(BeamTheory, TorsionalStiffness) {
  const double r2 = beam.squared_width() / 2;
  const Field twist = [r2](const Eigen::Vector3d& arm) {
    return Eigen::Vector3d(Eigen::Vector3d::UnitZ().cross(arm) / r2);
  };
  const double torque = fibre::corners;
  expect(beam.response(twist, twist), torque * length / torsional_stiffness(thickness));
}

// A force along the fibre stretches it by F L/(EA).
TEST_P(BeamTheory, Stretching) {
  const Field along = [](const Eigen::Vector3d&) { return Eigen::Vector3d(0, 0, 1); };
  expect(beam.response(along, along), fibre::corners * length / (hair.young * area(thickness)));
}

// ω = 1.8751² √(EI/(ρA))/L², 1.8751 the least root of cos x cosh x = −1.
TEST_P(BeamTheory, FirstFrequency) {
  constexpr double root = 1.8751040687;
  expect(beam.first_frequency(),
         root * root / (length * length) *
             std::sqrt(bending_stiffness(thickness) / (hair.density * area(thickness))));
}

INSTANTIATE_TEST_SUITE_P(Slenderness, BeamTheory,
                         testing::Values(Case{8, 1700}, Case{8, 130}, Case{8, 23}, Case{32, 1700},
                                         Case{32, 130}, Case{32, 23}),
                         [](const auto& test) {
                           return std::to_string(test.param.segments) + "segments" +
                                  std::to_string(static_cast<int>(test.param.slenderness)) + "slender";
                         });

// A tapered cantilever's tip moves by F ∫ (L − x)²/(E I(x)) dx.
TEST(TaperedFibre, TipDeflection) {
  constexpr double root = 9e-5, tip = 4e-5;
  double integral = 0;
  constexpr int cells = 10000;
  for (int i = 0; i < cells; ++i) {
    const double s = (i + 0.5) / cells;
    integral += std::pow(length * (1 - s), 2) / bending_stiffness(root + s * (tip - root)) * length / cells;
  }
  const Field across = [](const Eigen::Vector3d&) { return Eigen::Vector3d(0, 1, 0); };
  const auto found = [&](int segments) { return Cantilever(segments, root, tip).response(across, across); };
  EXPECT_NEAR(found(8) / (fibre::corners * integral), 1, 0.05);
  EXPECT_NEAR(found(32) / (fibre::corners * integral), 1, 0.02);
}

TEST(TaperedFibre, WeighsWhatItIs) {
  const FibreShape shape = make_fibre(straight_line(length, 200, 9e-5, 4e-5), hair);
  double mass = 0;
  for (const double m : shape.mass) mass += m;
  const double exact = hair.density * length * (81 + 36 + 16) / 3 * 1e-10;  // ρ L (a² + ab + b²)/3
  EXPECT_NEAR(mass / exact, 1, 1e-4);
}

}  // namespace
}  // namespace stiffly::test
