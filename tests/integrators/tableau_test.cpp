// Order conditions of every coefficient table, and the work each method does.
#include <gtest/gtest.h>

#include "integrators/problems.hpp"
#include "stiffly/integrators/exponential_tableau.hpp"

namespace stiffly::test {
namespace {

/// φ_k(z) for real z by its series; |z| stays small here.
double phi(int k, double z) {
  double term = 1 / std::tgamma(k + 1.0), sum = 0;
  for (int i = 0; i < 40; ++i) {
    sum += term;
    term *= z / (k + 1.0 + i);
  }
  return sum;
}

double value(const std::vector<PhiTerm>& terms, double z) {
  double sum = 0;
  for (const PhiTerm& term : terms) sum += term.factor * phi(term.phi, term.node * z);
  return sum;
}

/// Σ_i b_i(z) c_i^q
double moment(const ExponentialTableau& tableau, const std::vector<StageTerm>& weights, int q, double z) {
  double sum = 0;
  for (const auto& [stage, terms] : weights)
    sum += value(terms, z) * std::pow(tableau.nodes[static_cast<std::size_t>(stage) - 2], q);
  return sum;
}

// Luan & Ostermann 2013, Table 1: Σ b_i c_i² = 2φ_3, Σ b_i c_i³ = 6φ_4, Σ b_i c_i⁴ = 24φ_5 as functions of z
// (for fixed linear parts the first is Σ b_i c_i = φ_2). exprb42 and the methods of order 5 keep their last
// one at z = 0 only.
TEST(TableauTest, QuadratureConditions) {
  for (const ExponentialTableau& t : exponential_tableaus()) {
    const bool dynamic = t.linear_part == LinearPart::dynamic;
    for (const double z : {0.0, -0.7, 1.3}) {
      if (!dynamic && t.order >= 2) {
        EXPECT_NEAR(moment(t, t.weights, 1, z), phi(2, z), 1e-13) << t.name << z;
      }
      if (t.order >= 3) {
        EXPECT_NEAR(moment(t, t.weights, 2, z), 2 * phi(3, z), 1e-12) << t.name << z;
      }
      const bool weak4 = t.name == "exprb42" || (!dynamic && t.order == 4);
      if (t.order >= 4 && (!weak4 || z == 0)) {
        EXPECT_NEAR(moment(t, t.weights, 3, z), 6 * phi(4, z), 1e-11) << t.name << z;
      }
      if (t.order >= 5 && z == 0) {
        EXPECT_NEAR(moment(t, t.weights, 4, z), 24 * phi(5, z), 1e-12) << t.name << z;
      }
      if (!t.embedded.empty()) {
        EXPECT_NEAR(moment(t, t.embedded, 2, z), 2 * phi(3, z), 1e-11) << t.name << z << " embedded";
        if (*t.embedded_order >= 4) {
          EXPECT_NEAR(moment(t, t.embedded, 3, z), 6 * phi(4, z), 1e-11) << t.name << z << " embedded";
        }
      }
    }
  }
}

// A stage that feeds back must itself be of order 3 where order 5 is claimed: Σ_j a_ij(z) c_j² = 2c_i³
// φ_3(c_i z), weakly.
TEST(TableauTest, StageConditionsOfOrderFive) {
  for (const ExponentialTableau& t : exponential_tableaus()) {
    if (t.order < 5) continue;
    double sum = 0;  // Σ_i b_i c_i ψ_i = 0 at z = 0, ψ_i = Σ_j a_ij c_j² − 2c_i³ φ_3
    for (const auto& [stage, terms] : t.weights) {
      const auto i = static_cast<std::size_t>(stage) - 2;
      double psi = -std::pow(t.nodes[i], 3) / 3;
      for (const auto& [from, a] : t.couplings[i])
        psi += value(a, 0) * std::pow(t.nodes[static_cast<std::size_t>(from) - 2], 2);
      sum += value(terms, 0) * t.nodes[i] * psi;
    }
    EXPECT_NEAR(sum, 0, 1e-13) << t.name;
  }
}

// One linearisation per step (none for a fixed linear part), one force for F(y) and one per stage.
TEST(TableauTest, WorkPerStep) {
  const DrivenChain system(DrivenChain::Mass::diagonal);
  for (const ExponentialTableau& t : exponential_tableaus()) {
    const auto method = make_integrator(t.name, {.evaluator = "dense", .phi_tolerance = 1e-10});
    method->start(system, system.initial_state());
    const Counters before = system.counters();
    method->step(system.initial_state(), 0.01, false);
    const Counters work = system.counters() - before;
    EXPECT_EQ(work.force, 1 + static_cast<long>(t.nodes.size())) << t.name;
    EXPECT_EQ(work.tangent, t.linear_part == LinearPart::dynamic ? 1 : 0) << t.name;
  }
}

// The estimate falls with the order it claims: the local error of ŷ is O(h^{p̂+1}).
TEST(TableauTest, EmbeddedEstimates) {
  const DrivenChain system(DrivenChain::Mass::diagonal);
  for (const ExponentialTableau& t : exponential_tableaus()) {
    const auto method = make_integrator(t.name, {.evaluator = "dense", .phi_tolerance = 1e-12});
    method->start(system, system.initial_state());
    std::vector<double> steps, sizes;
    for (double h = 0.01; h > 0.001; h /= 2) {
      const Step step = method->step(system.initial_state(), h, true);
      ASSERT_EQ(step.error.has_value(), t.embedded_order.has_value()) << t.name;
      if (!step.error) break;
      steps.push_back(h);
      sizes.push_back(norm(*step.error));
    }
    if (t.embedded_order) {
      EXPECT_NEAR(slope(steps, sizes, 1e-15), *t.embedded_order + 1, 0.25)
          << t.name << testing::PrintToString(sizes);
    }
  }
}

}  // namespace
}  // namespace stiffly::test
