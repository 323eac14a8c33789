#include "stiffly/integrators/exponential_tableau.hpp"

#include <cmath>

namespace stiffly {

// b_2 = (2c_3 φ_3 − 6φ_4)/(c_2²(c_3−c_2)),  b_3 = (2c_2 φ_3 − 6φ_4)/(c_3²(c_2−c_3));  embedded: without φ_4
ExponentialTableau pexprb43(std::string name, double c2, double c3, std::string summary) {
  const double d2 = c2 * c2 * (c3 - c2), d3 = c3 * c3 * (c2 - c3);
  return {
      .name = std::move(name),
      .order = 4,
      .embedded_order = 3,
      .summary = std::move(summary),
      .reference = "Luan & Ostermann 2014; Luan & Michels 2022, eq. 3.19",
      .nodes = {c2, c3},
      .couplings = {},
      .weights = {{2, {{3, 2 * c3 / d2}, {4, -6 / d2}}}, {3, {{3, 2 * c2 / d3}, {4, -6 / d3}}}},
      .embedded = {{2, {{3, 2 * c3 / d2}}}, {3, {{3, 2 * c2 / d3}}}},
  };
}

double weight_size(const ExponentialTableau& tableau) {
  double sum = 0;
  for (const StageTerm& weight : tableau.weights) {
    double b = 0;
    for (const PhiTerm& term : weight.terms) b += term.factor / std::tgamma(term.phi + 1.0);
    sum += std::abs(b);
  }
  return sum;
}

namespace {

/// The two weights that exprb53s3 and both methods of order 5 with four stages share.
StageTerm weight_at_half(int stage) { return {stage, {{3, 18}, {4, -60}}}; }
StageTerm weight_at_nine_tenths(int stage) { return {stage, {{3, -250.0 / 81}, {4, 500.0 / 27}}}; }

/// b̂ of exprb54s4 and pexprb54s4.
std::vector<StageTerm> embedded_of_54() {
  return {{2, {{3, 64}, {4, -60}}}, {3, {{3, -8}, {4, -285.0 / 8}}}, {4, {{4, 125.0 / 8}}}};
}

std::vector<ExponentialTableau> make_tableaus() {
  std::vector<ExponentialTableau> all;
  all.push_back({
      .name = "exprb2",
      .order = 2,
      .embedded_order = {},
      .summary = "exponential Rosenbrock–Euler",
      .reference = "Pope 1963; Hochbruck, Ostermann & Schweitzer 2009",
      .nodes = {},
      .couplings = {},
      .weights = {},
      .embedded = {},
  });
  all.push_back({
      .name = "exprb32",
      .order = 3,
      .embedded_order = 2,
      .summary = "two stages, embedded Rosenbrock–Euler",
      .reference = "Hochbruck, Ostermann & Schweitzer 2009",
      .nodes = {1},
      .couplings = {},
      .weights = {{2, {{3, 2}}}},
      .embedded = {},
  });
  all.push_back({
      .name = "exprb42",
      .order = 4,
      .embedded_order = 2,
      .summary = "fourth order with two stages (superconvergent)",
      .reference = "Luan 2017; Luan & Michels 2022, eq. 3.20",
      .nodes = {3.0 / 4},
      .couplings = {},
      .weights = {{2, {{3, 32.0 / 9}}}},
      .embedded = {},
  });
  all.push_back({
      .name = "exprb43",
      .order = 4,
      .embedded_order = 3,
      .summary = "three stages in sequence",
      .reference = "Hochbruck, Ostermann & Schweitzer 2009",
      .nodes = {1.0 / 2, 1},
      .couplings = {{}, {{2, {{1, 1}}}}},
      .weights = {{2, {{3, 16}, {4, -48}}}, {3, {{3, -2}, {4, 12}}}},
      .embedded = {{2, {{3, 16}}}, {3, {{3, -2}}}},
  });
  all.push_back(pexprb43("pexprb43", 1.0 / 3, 3.0 / 4, "parallel stages at 1/3 and 3/4"));
  all.push_back(pexprb43("pexprb43-half", 1.0 / 2, 1, "parallel stages at 1/2 and 1"));
  // Its weights sum to some 2200 in size: the nodes lie so close that stage errors are amplified.
  all.push_back(pexprb43("epirk4s3", 1.0 / 8, 1.0 / 9,
                         "the stiffly accurate integrator; accurate at small steps and amplitudes"));
  all.back().reference = "Rainwater & Tokman 2016; Michels, Luan & Tokman 2017, eq. 20";
  all.push_back(pexprb43("epirk4s3a", 1.0 / 2, 2.0 / 3, "parallel stages at 1/2 and 2/3"));
  all.back().reference = "Rainwater & Tokman 2016";
  all.push_back({
      .name = "exprb53s3",
      .order = 5,
      .embedded_order = 3,
      .summary = "fifth order with three stages",
      .reference = "Luan & Ostermann 2014",
      .nodes = {1.0 / 2, 9.0 / 10},
      .couplings = {{}, {{2, {{3, 27.0 / 25, 1.0 / 2}, {3, 729.0 / 125, 9.0 / 10}}}}},
      .weights = {weight_at_half(2), weight_at_nine_tenths(3)},
      .embedded = {{2, {{3, 2}}}, {3, {{3, 150.0 / 81}}}},
  });
  all.push_back({
      .name = "exprb54s4",
      .order = 5,
      .embedded_order = 4,
      .summary = "fifth order with four stages, embedded fourth",
      .reference = "Luan & Ostermann 2014",
      .nodes = {1.0 / 4, 1.0 / 2, 9.0 / 10},
      .couplings = {{}, {{2, {{3, 4, 1.0 / 2}}}}, {{3, {{3, 729.0 / 125, 9.0 / 10}}}}},
      .weights = {weight_at_half(3), weight_at_nine_tenths(4)},
      .embedded = embedded_of_54(),
  });
  all.push_back({
      .name = "pexprb54s4",
      .order = 5,
      .embedded_order = 4,
      .summary = "fifth order, third and fourth stage in parallel",
      .reference = "Luan & Ostermann 2016",
      .nodes = {1.0 / 4, 1.0 / 2, 9.0 / 10},
      .couplings = {{}, {{2, {{3, 4, 1.0 / 2}}}}, {{2, {{3, 2916.0 / 125, 9.0 / 10}}}}},
      .weights = {weight_at_half(3), weight_at_nine_tenths(4)},
      .embedded = embedded_of_54(),
  });
  all.push_back({
      .name = "etd1",
      .order = 1,
      .embedded_order = {},
      .summary = "exponential Euler with a fixed linear part",
      .reference = "Nørsett 1969; Cox & Matthews 2002",
      .linear_part = LinearPart::fixed,
      .nodes = {},
      .couplings = {},
      .weights = {},
      .embedded = {},
  });
  all.push_back({
      .name = "etd2rk",
      .order = 2,
      .embedded_order = 1,
      .summary = "exponential Runge–Kutta with two stages and a fixed linear part",
      .reference = "Cox & Matthews 2002",
      .linear_part = LinearPart::fixed,
      .nodes = {1},
      .couplings = {},
      .weights = {{2, {{2, 1}}}},
      .embedded = {},
  });
  // a_52 = a_53 = ½φ_2(Z/2) − φ_3(Z) + ¼φ_2(Z) − ½φ_3(Z/2),  a_54 = ¼φ_2(Z/2) − a_52
  const std::vector<PhiTerm> a52 = {{2, 0.5, 0.5}, {3, -1}, {2, 0.25}, {3, -0.5, 0.5}};
  const std::vector<PhiTerm> a54 = {{2, -0.25, 0.5}, {3, 1}, {2, -0.25}, {3, 0.5, 0.5}};
  all.push_back({
      .name = "exprk4s5",
      .order = 4,
      .embedded_order = {},
      .summary = "exponential Runge–Kutta of stiff order 4 with a fixed linear part",
      .reference = "Hochbruck & Ostermann 2005, eq. 5.19",
      .linear_part = LinearPart::fixed,
      .nodes = {0.5, 0.5, 1, 0.5},
      .couplings = {{}, {{2, {{2, 1, 0.5}}}}, {{2, {{2, 1}}}, {3, {{2, 1}}}}, {{2, a52}, {3, a52}, {4, a54}}},
      .weights = {{4, {{2, -1}, {3, 4}}}, {5, {{2, 4}, {3, -8}}}},
      .embedded = {},
  });
  return all;
}

}  // namespace

std::span<const ExponentialTableau> exponential_tableaus() {
  static const std::vector<ExponentialTableau> all = make_tableaus();
  return all;
}

}  // namespace stiffly
