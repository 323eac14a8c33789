// Functions of time as text.
#include "stiffly/scene/expression.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "stiffly/error.hpp"

namespace stiffly {
namespace {

constexpr double pi = std::numbers::pi;

struct Known {
  const char* text;
  std::function<double(double)> value, rate;
};

// Against functions and derivatives written by hand.
TEST(ExpressionTest, ValuesAndDerivatives) {
  const Known all[] = {
      {"3", [](double) { return 3; }, [](double) { return 0; }},
      {"0.1*sin(2*pi*t)", [](double t) { return 0.1 * std::sin(2 * pi * t); },
       [](double t) { return 0.2 * pi * std::cos(2 * pi * t); }},
      {"1 - 2 - t", [](double t) { return -1 - t; }, [](double) { return -1; }},
      {"8 / 4 / t", [](double t) { return 2 / t; }, [](double t) { return -2 / (t * t); }},
      {"-t^2", [](double t) { return -t * t; }, [](double t) { return -2 * t; }},
      {"(-t)^2", [](double t) { return t * t; }, [](double t) { return 2 * t; }},
      {"2^3^t", [](double t) { return std::pow(2, std::pow(3, t)); },
       [](double t) { return std::pow(2, std::pow(3, t)) * std::log(2) * std::pow(3, t) * std::log(3); }},
      {"t^-1.5", [](double t) { return std::pow(t, -1.5); },
       [](double t) { return -1.5 * std::pow(t, -2.5); }},
      {"t^t", [](double t) { return std::pow(t, t); },
       [](double t) { return std::pow(t, t) * (std::log(t) + 1); }},
      {"2 + 3 * t - -1e-1", [](double t) { return 2.1 + 3 * t; }, [](double) { return 3; }},
      {"tan(t/3)", [](double t) { return std::tan(t / 3); },
       [](double t) { return (1 + std::pow(std::tan(t / 3), 2)) / 3; }},
      {"asin(t/3) + acos(t/4) + atan(t)",
       [](double t) { return std::asin(t / 3) + std::acos(t / 4) + std::atan(t); },
       [](double t) { return 1 / std::sqrt(9 - t * t) - 1 / std::sqrt(16 - t * t) + 1 / (1 + t * t); }},
      {"sinh(t) - cosh(2*t) + tanh(t)",
       [](double t) { return std::sinh(t) - std::cosh(2 * t) + std::tanh(t); },
       [](double t) { return std::cosh(t) - 2 * std::sinh(2 * t) + 1 / std::pow(std::cosh(t), 2); }},
      {"exp(-t) * log(t) / sqrt(t)", [](double t) { return std::exp(-t) * std::log(t) / std::sqrt(t); },
       [](double t) { return std::exp(-t) / std::sqrt(t) * (-std::log(t) + 1 / t - std::log(t) / (2 * t)); }},
      {"abs(1 - t)", [](double t) { return std::abs(1 - t); }, [](double t) { return t > 1 ? 1 : -1; }},
      {"min(t, 1) + 10*max(t, 1)", [](double t) { return std::min(t, 1.0) + 10 * std::max(t, 1.0); },
       [](double t) { return t < 1 ? 1 : 10; }},
      {"step(t - 1) * t", [](double t) { return t < 1 ? 0 : t; }, [](double t) { return t < 1 ? 0 : 1; }},
      {"smoothstep((t - 0.5)/2)",
       [](double t) {
         const double s = std::clamp((t - 0.5) / 2, 0.0, 1.0);
         return s * s * (3 - 2 * s);
       },
       [](double t) {
         const double s = std::clamp((t - 0.5) / 2, 0.0, 1.0);
         return 3 * s * (1 - s);
       }},
      {" e * pi ", [](double) { return std::numbers::e * pi; }, [](double) { return 0; }},
  };
  for (const Known& known : all)
    for (const double t : {0.2, 0.7, 1.3, 2.1}) {
      const Dual found = Expression(known.text).at(t);
      EXPECT_NEAR(found.value, known.value(t), 1e-13 * (1 + std::abs(known.value(t)))) << known.text;
      EXPECT_NEAR(found.rate, known.rate(t), 1e-13 * (1 + std::abs(known.rate(t))))
          << known.text << " at " << t;
    }
  EXPECT_EQ(Expression("sqrt(0)*t").at(1).rate, 0) << "constants have no derivative, whatever the slope";
  EXPECT_TRUE(Expression("1 + t").depends_on_time());
  EXPECT_FALSE(Expression("tanh(2)").depends_on_time());
}

struct BrokenExpression {
  const char* text;
  const char* expected;
};

TEST(ExpressionTest, MistakesAreNamedWithTheirColumn) {
  const BrokenExpression all[] = {
      {"", "column 1: something is missing"},
      {"   ", "something is missing"},
      {"1 +", "column 4: something is missing"},
      {"* 2", "column 1: a number, t or a function is expected, not '*'"},
      {"2 t", "column 3: 't' is not expected here"},
      {"sin t", "column 5: 'sin' needs its argument in parentheses"},
      {"sin(t", "column 6: a ')' is missing"},
      {"(1 + 2", "column 7: a ')' is missing"},
      {"1)", "column 2: ')' is not expected here"},
      {"sinn(t)", "column 1: 'sinn' is unknown; did you mean 'sin'?"},
      {"2 * x", "column 5: 'x' is unknown"},
      {"min(t)", "column 6: 'min' needs 2 arguments"},
      {"sin(1, 2)", "column 6: a ')' is missing"},
      {"1..2", "column 3"},
      {".", "column 1: this is not a number"},
      {"1e999", "column 1: this is not a number"},
      {"t; rm", "column 2: ';' is not expected here"},
      {"sin(", "something is missing"},
      {"\xcf\x80 * t", "column 1"},
  };
  for (const BrokenExpression& broken : all) try {
      const Expression accepted(broken.text);
      FAIL() << broken.text;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(broken.expected), std::string::npos) << error.what();
    }
  EXPECT_THROW(Expression(std::string(100000, '(')), InputError);
  EXPECT_THROW(Expression(std::string(100000, '^') + "t"), InputError);
  std::string tower = "t";
  for (int i = 0; i < 100000; ++i) tower += "^t";
  EXPECT_THROW(Expression{tower}, InputError);
  EXPECT_NO_THROW(Expression(std::string(100000, '-') + "t")) << "signs do not nest";
}

}  // namespace
}  // namespace stiffly
