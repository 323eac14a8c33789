// SLEPc's exponential against our dense one.
#ifdef STIFFLY_WITH_SLEPC
#include <gtest/gtest.h>

#include <unsupported/Eigen/MatrixFunctions>

#include "peers/slepc_exponential.hpp"
#include "stiffly/scene/chain.hpp"
#include "stiffly/system/oscillator_jacobian.hpp"

namespace stiffly {
namespace {

struct Oscillators {
  std::unique_ptr<ParticleSystem> system =
      make_chain_system({.particles = 8, .stiffness = 1e3, .damping = 0.1});
  Tangent tangent;
  std::unique_ptr<OscillatorJacobian> J;

  Oscillators() {
    const State state = system->initial_state();
    system->tangent(0, state.x(), state.v(), tangent);
    J = std::make_unique<OscillatorJacobian>(system->mass(), tangent, 0.0, system->counters());
  }

  Eigen::MatrixXd dense() const {
    const std::size_t size = J->size();
    Eigen::MatrixXd out(size, size);
    for (std::size_t j = 0; j < size; ++j) {
      Vector unit(size), column(size);
      host(unit)[j] = 1;
      J->apply(unit, column);
      for (std::size_t i = 0; i < size; ++i)
        out(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = host(column)[i];
    }
    return out;
  }
};

TEST(SlepcExponential, IsTheExponential) {
  const Oscillators chain;
  const std::size_t size = chain.J->size();
  std::vector<double> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = std::sin(1.0 + 3.0 * static_cast<double>(i));
  const Vector b{std::span<const double>(values)};
  const Eigen::Map<const Eigen::VectorXd> start(values.data(), static_cast<Eigen::Index>(size));
  constexpr double t = 0.02;
  const Eigen::VectorXd exact = (t * chain.dense()).exp() * start;
  for (const SlepcMethod method : {SlepcMethod::krylov, SlepcMethod::expokit}) {
    chain.system->counters() = {};
    const SlepcExponential result = slepc_exponential(*chain.J, t, b, 1e-10, method);
    const Eigen::Map<const Eigen::VectorXd> value(host(result.value).data(), static_cast<Eigen::Index>(size));
    EXPECT_LT((value - exact).norm(), 1e-8 * exact.norm());
    EXPECT_GT(result.products, 0);
    EXPECT_EQ(result.products, chain.system->counters().product);
    EXPECT_GT(result.iterations, 0);
  }
}

TEST(SlepcExponential, RefusesWhatMakesNoSense) {
  const Oscillators chain;
  const Vector b(chain.J->size());
  EXPECT_THROW(slepc_exponential(*chain.J, std::nan(""), b, 1e-6), InputError);
  EXPECT_THROW(slepc_exponential(*chain.J, 1.0, b, 0.0), InputError);
  EXPECT_THROW(slepc_exponential(*chain.J, 1.0, Vector(3), 1e-6), InputError);
}

class Throwing final : public LinearOperator {
 public:
  std::size_t size() const override { return 4; }
  void apply(ConstVectorView, VectorView) const override { throw SimulationError("no product today"); }
};

TEST(SlepcExponential, PassesExceptionsOn) {
  const double ones[] = {1, 1, 1, 1};
  try {
    slepc_exponential(Throwing{}, 1.0, Vector(std::span<const double>(ones)), 1e-6);
    FAIL();
  } catch (const SimulationError& error) {
    EXPECT_STREQ(error.what(), "no product today");
  }
}

}  // namespace
}  // namespace stiffly
#endif
