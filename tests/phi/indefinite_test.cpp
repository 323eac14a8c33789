// Compressed springs push sideways: a tangent with directions of negative stiffness, in an energy metric that
// may not cover them. Nobody may take an imaginary norm for the end of a Krylov space.
#include <gtest/gtest.h>

#include <cmath>
#include <Eigen/QR>

#include "phi/random_cases.hpp"
#include "stiffly/phi/registry.hpp"
#include "stiffly/system/linear_oscillator.hpp"
#include "stiffly/system/oscillator_jacobian.hpp"

namespace stiffly::testing {
namespace {

class Indefinite : public ::testing::TestWithParam<std::string> {};

TEST_P(Indefinite, IsMetOrRefused) {
  constexpr Index n = 60;
  constexpr double h = 0.05;
  int met = 0;
  for (const double negative : {1e-6, 1e-3, 0.05})        // of the largest eigenvalue
    for (const double part : {1e-12, 1e-6, 1e-2, 1.0}) {  // of the start, along those directions
      Random random(7);
      const MatrixXd Q = Eigen::HouseholderQR<MatrixXd>(random.matrix(n)).householderQ();
      VectorXd lambda(n), start = VectorXd::Zero(2 * n), mode(n);
      for (Index i = 0; i < n; ++i) {
        lambda(i) = i < 10 ? -negative * 1e6 * random.uniform() : 1e6 * random.uniform();
        mode(i) = random.normal() * (i < 10 ? part : 1);
      }
      start.tail(n) = Q * mode;
      const MatrixXd K = Q * lambda.asDiagonal() * Q.transpose();
      const LinearOscillator system(MatrixXd::Identity(n, n), (K + K.transpose()) / 2, MatrixXd::Zero(n, n));
      Tangent tangent;
      const State state(0.0, Vector(std::span<const double>(start.data(), 2 * n)));
      system.tangent(0, state.x(), state.v(), tangent);
      OscillatorJacobian jacobian(system.mass(), tangent, 0.25 / h, system.counters());

      VectorXd exact(2 * n);  // mode by mode
      for (Index i = 0; i < n; ++i) {
        const double w = std::sqrt(std::abs(lambda(i)));
        exact(i) = mode(i) * (lambda(i) < 0 ? std::sinh(w * h) : std::sin(w * h)) / w;
        exact(n + i) = mode(i) * (lambda(i) < 0 ? std::cosh(w * h) : std::cos(w * h));
      }
      exact << (Q * exact.head(n)).eval(), (Q * exact.tail(n)).eval();

      const auto evaluator = make_evaluator(GetParam());
      const ConstVectorView b[] = {state.y};
      const double node = 1, tolerance = 1e-5;
      for (double shift = 0.25; shift < 1e4; shift *= 4) try {
          const PhiResult result = evaluator->evaluate({jacobian, h, b, {&node, 1}, {tolerance, 0}});
          const auto w = host(result.values[0]);
          const Vector error(std::vector<double>([&] {
            std::vector<double> e(w.begin(), w.end());
            for (Index i = 0; i < 2 * n; ++i) e[static_cast<std::size_t>(i)] -= exact(i);
            return e;
          }()));
          // The metric may still be indefinite, where nobody looked that way: energies of both signs then.
          Vector G(2 * n);
          jacobian.apply_metric(error, G);
          const double size = metric_norm(jacobian, result.values[0]);
          EXPECT_LE(std::sqrt(std::abs(dot(error, G))), 1.5 * tolerance * size)
              << "negative part " << negative << ", start " << part << ", shift " << shift;
          ++met;
          break;
        } catch (const IndefiniteMetric&) {
          jacobian.cover_negative_stiffness(4 * shift / h);
        } catch (const PhiRefusal&) {
          break;
        }
    }
  RecordProperty("met", met);
  EXPECT_GE(met, GetParam() == "chebyshev" ? 2 : 6);
}

INSTANTIATE_TEST_SUITE_P(Evaluators, Indefinite, ::testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const EvaluatorInfo& each : evaluators()) names.push_back(each.name);
                           return names;
                         }()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace stiffly::testing
