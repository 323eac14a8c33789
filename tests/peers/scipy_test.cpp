// scipy's exponential against our dense one.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "oscillators.hpp"
#include "peers/scipy_exponential.hpp"

namespace stiffly {
namespace {

CompressedRows rows(const Oscillators& chain) {
  FirstOrderMatrix J(chain.tangent, chain.system->mass());
  J.set_jacobian(chain.tangent, chain.system->mass());
  return J.rows();
}

TEST(ScipyExponential, IsTheExponential) {
  if (!scipy_available()) GTEST_SKIP() << "no python3 has scipy (package python3-scipy)";
  const Oscillators chain;
  for (const double t : {0.02, -0.003, 0.0}) {
    const ScipyExponential result = scipy_exponential(rows(chain), t, chain.start(), 2);
    EXPECT_LT(chain.exponential_error(t, result.value), 1e-8) << "t = " << t;
    EXPECT_GT(result.seconds, 0);
    EXPECT_LT(result.seconds, 10);
    EXPECT_NE(result.version.find('.'), std::string::npos) << result.version;
  }
}

TEST(ScipyExponential, RefusesWhatMakesNoSense) {
  const Oscillators chain;
  const Vector b = chain.start();
  EXPECT_THROW(scipy_exponential(rows(chain), std::nan(""), b), InputError);
  EXPECT_THROW(scipy_exponential(rows(chain), HUGE_VAL, b), InputError);
  EXPECT_THROW(scipy_exponential(rows(chain), 1.0, Vector(3)), InputError);
  EXPECT_THROW(scipy_exponential(rows(chain), 1.0, b, 0), InputError);
  CompressedRows torn = rows(chain);
  torn.values.pop_back();
  EXPECT_THROW(scipy_exponential(torn, 1.0, b), InputError);
}

TEST(ScipyExponential, DoesNotReturnWhatIsNotFinite) {
  if (!scipy_available()) GTEST_SKIP() << "no python3 has scipy (package python3-scipy)";
  const Oscillators chain;
  Vector b = chain.start();
  host(b)[3] = std::nan("");
  EXPECT_THROW(scipy_exponential(rows(chain), 0.02, b), SimulationError);
}

/// In a process of its own, where no Python can start.
TEST(ScipyExponentialDeathTest, NamesThePackageThatIsMissing) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto without_python = [] {
    setenv("PYTHONHOME", "/nowhere", 1);
    const Oscillators chain;
    try {
      scipy_exponential(rows(chain), 0.02, chain.start());
    } catch (const SimulationError& error) {
      std::fputs(error.what(), stderr);
      std::_Exit(scipy_available() ? 1 : 0);
    }
  };
  EXPECT_EXIT(without_python(), testing::ExitedWithCode(0), "python3-scipy");
}

}  // namespace
}  // namespace stiffly
