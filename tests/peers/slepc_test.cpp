// SLEPc's exponential against our dense one.
#ifdef STIFFLY_WITH_SLEPC
#include <gtest/gtest.h>

#include "oscillators.hpp"
#include "peers/slepc_exponential.hpp"

namespace stiffly {
namespace {

TEST(SlepcExponential, IsTheExponential) {
  const Oscillators chain;
  const Vector b = chain.start();
  constexpr double t = 0.02;
  for (const SlepcMethod method : {SlepcMethod::krylov, SlepcMethod::expokit}) {
    chain.system->counters() = Counters{};
    const SlepcExponential result = slepc_exponential(*chain.J, t, b, 1e-10, method);
    EXPECT_GT(result.products, 0);
    EXPECT_EQ(result.products, chain.system->counters().product);
    EXPECT_GT(result.iterations, 0);
    EXPECT_LT(chain.exponential_error(t, result.value), 1e-8);
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
