// Exponential steps of fibres in batches are those of the library's methods.
#include "stiffly/fibres/batch_exponential.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "fibres/random_fibres.hpp"
#include "stiffly/error.hpp"
#include "stiffly/fibres/batch_choice.hpp"
#include "stiffly/fibres/batch_simulation.hpp"
#include "stiffly/integrators/exponential_method.hpp"
#include "stiffly/threads.hpp"

namespace stiffly::test {
namespace {

const ExponentialTableau& tableau(const std::string& name) {
  return *std::ranges::find(exponential_tableaus(), name, &ExponentialTableau::name);
}

FibreSteps exponential_steps(const std::string& method, double h, double duration, double tolerance = 1e-12) {
  return {.duration = duration, .step = h, .exponential = &tableau(method), .phi_tolerance = tolerance};
}

BatchStepper exponential_stepper(int lanes, std::span<const MovingFibre> fibres, const FibreSteps& steps) {
  return {FibreBatch(batch_kernels(lanes), fibres, test_gravity), steps};
}

void advance_exponentially(BatchStepper& batch, double until) {
  BatchWorkspace workspace(batch.batch().lanes(), batch.batch().sections());
  batch.advance(until, workspace);
}

/// Positions after some steps of the library's method.
std::vector<double> general_steps(const MovingFibre& fibre, const std::string& method, double h, int steps) {
  const auto system = particle_system(fibre);
  ExponentialMethod general(tableau(method), {.evaluator = "kiops", .phi_tolerance = 1e-10});
  State state = system->initial_state();
  general.start(*system, state);
  for (int i = 0; i < steps; ++i) state = general.step(state, h, false).state;
  std::vector<double> out;
  for (const auto& p : system->positions(state)) out.insert(out.end(), p.begin(), p.end());
  return out;
}

/// The largest difference over the largest displacement from where the fibre starts.
double off_by(const std::vector<double>& x, const std::vector<double>& reference, const MovingFibre& fibre) {
  EXPECT_EQ(x.size(), reference.size());
  double largest = 0, motion = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    largest = std::max(largest, std::abs(x[i] - reference[i]));
    motion = std::max(motion, std::abs(reference[i] - fibre.shape.position[i / 3][static_cast<int>(i % 3)]));
  }
  return largest / motion;
}

const FibreKind fibre_kinds[] = {{},
                                 {.shaken = true},
                                 {.damping_time = 2.3e-4, .drag = 3.1},
                                 {.damping_time = 1.3e-3, .drag = 0.7, .shaken = true}};

class ExponentialSteps : public ::testing::TestWithParam<int> {};

TEST_P(ExponentialSteps, AreThoseOfTheGeneralMethod) {
  const int lanes = GetParam(), steps = 2;
  const auto W = static_cast<std::size_t>(lanes);
  double worst = 0;
  std::size_t number = 0;
  long solves = 0;
  for (const FibreKind& kind : fibre_kinds)
    for (const double h : {1.3e-5, getenv("HH") ? atof(getenv("HH")) : 2.3e-5})
      for (std::size_t group = 0; group < 25; group += W) {
        const auto fibres = random_fibres(number, std::min(25 - group, W), kind);
        number += fibres.size();
        BatchStepper batch = exponential_stepper(lanes, fibres, exponential_steps("exprb42", h, steps * h));
        advance_exponentially(batch, steps * h);
        for (std::size_t i = 0; i < fibres.size(); ++i) {
          const int lane = static_cast<int>(i);
          EXPECT_EQ(batch.work(lane).steps, steps);
          solves += batch.work(lane).iterations;
          const double off =
              off_by(batch.batch().positions(lane), general_steps(fibres[i], "exprb42", h, steps), fibres[i]);
          worst = std::max(worst, off);
          EXPECT_LT(off, 1e-10) << "fibre " << fibres[i].number << ", h = " << h;
        }
      }
  EXPECT_EQ(number, 200u);
  std::printf("%s: %zu fibres, largest difference %.1e, %.1f solves a step\n", batch_kernels(lanes).name,
              number, worst, static_cast<double>(solves) / static_cast<double>(number) / steps);
}

INSTANTIATE_TEST_SUITE_P(Lanes, ExponentialSteps, ::testing::ValuesIn(lane_counts()));

}  // namespace
}  // namespace stiffly::test
