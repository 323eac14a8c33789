// Fibres that hang as they are drawn.
#include "stiffly/fibres/hanging.hpp"

#include <gtest/gtest.h>

#include "fibres/cantilever.hpp"
#include "stiffly/error.hpp"
#include "stiffly/fibres/growth.hpp"
#include "stiffly/forces/gravity.hpp"

namespace stiffly::test {
namespace {

constexpr FibreMaterial keratin = {.young = 3.6e9, .torsion = 1e9, .density = 1320};
const Eigen::Vector3d weight(0, 0.7, -9.81);

// Rises, turns over and hangs down.
CentreLine arch() {
  return grow({0.01, 0.02, 0.03}, {1, 0.2, 0.5},
              [](const Eigen::Vector3d&, const Eigen::Vector3d& along) -> Eigen::Vector3d {
                return along + 0.05 * (Eigen::Vector3d(0, 0, -1) - along);
              },
              0.17, 9, {.root = 9e-5, .tip = 4e-5}, {});
}

TEST(Hanging, IsAtRestUnderItsWeight) {
  FibreShape shape = make_fibre(arch(), keratin);
  hang_as_drawn(shape, weight);
  const auto system = fibre_system(shape);
  system->add(std::make_unique<Gravity>(
      weight, std::vector<double>(system->masses().begin(), system->masses().end())));
  system->finish();
  const State start = system->initial_state();
  Vector f(start.unknowns());
  system->force(0, start.x(), start.v(), f);
  double total = 0;
  for (const double m : shape.mass) total += m;
  EXPECT_LT(norm(f), 1e-8 * total * weight.norm());
  EXPECT_EQ(shape.position, make_fibre(arch(), keratin).position);
}

TEST(Hanging, WithoutWeightNothingChanges) {
  FibreShape shape = make_fibre(arch(), keratin);
  hang_as_drawn(shape, Eigen::Vector3d::Zero());
  const FibreShape plain = make_fibre(arch(), keratin);
  for (std::size_t i = 0; i < plain.springs.size(); ++i)
    EXPECT_EQ(shape.springs[i].rest_length, plain.springs[i].rest_length);
}

TEST(Hanging, RefusesFibresThatAreTooSoft) {
  FibreShape shape = make_fibre(straight_line(0.5, 5, 2e-5, 2e-5), keratin);
  try {
    hang_as_drawn(shape, {9.81, 0, 0}, 3);
    FAIL() << "it hangs";
  } catch (const InputError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("fibre 3: too soft to hang as drawn")) << error.what();
  }
}

}  // namespace
}  // namespace stiffly::test
