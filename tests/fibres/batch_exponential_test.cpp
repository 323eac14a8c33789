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
std::vector<double> general_steps(const MovingFibre& fibre, const std::string& method, double h, int steps,
                                  double tolerance = 1e-10) {
  const auto system = particle_system(fibre);
  ExponentialMethod general(tableau(method), {.evaluator = "kiops", .phi_tolerance = tolerance});
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
    for (const double h : {1.3e-5, 2.3e-5})
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

// All whose stages do not depend on each other. Weights of epirk4s3 multiply errors of its stages by 2196,
// which the general evaluator cannot have as small as for the others.
TEST(ExponentialStepsTest, OtherMethodsAreTheGeneralOnesToo) {
  const double h = 1.9e-5;
  int known = 0;
  for (const ExponentialTableau& method : exponential_tableaus()) {
    if (!ExponentialAdvance::knows(method)) continue;
    ++known;
    const auto fibres = random_fibres(900, 2, fibre_kinds[3]);
    BatchStepper batch = exponential_stepper(2, fibres, exponential_steps(method.name, h, 2 * h));
    advance_exponentially(batch, 2 * h);
    const bool amplified = method.name == "epirk4s3";
    for (std::size_t i = 0; i < fibres.size(); ++i)
      EXPECT_LT(off_by(batch.batch().positions(static_cast<int>(i)),
                       general_steps(fibres[i], method.name, h, 2, amplified ? 1e-7 : 1e-10), fibres[i]),
                amplified ? 1e-7 : 1e-10)
          << method.name;
  }
  EXPECT_EQ(known, 7);
}

std::vector<std::vector<double>> after_steps(int lanes, std::span<const MovingFibre> fibres,
                                             const FibreSteps& steps) {
  std::vector<std::vector<double>> out;
  const auto W = static_cast<std::size_t>(lanes);
  for (std::size_t first = 0; first < fibres.size(); first += W) {
    BatchStepper batch =
        exponential_stepper(lanes, fibres.subspan(first, std::min(W, fibres.size() - first)), steps);
    advance_exponentially(batch, steps.duration);
    for (int lane = 0; lane < batch.batch().fibres(); ++lane) out.push_back(batch.batch().positions(lane));
  }
  return out;
}

// Neighbours that are longer, shaken or not, and take more vectors: not even by rounding.
TEST(ExponentialStepsTest, NeighboursMakeNoDifferenceAndLanesOnlyRounding) {
  std::vector<MovingFibre> fibres;
  for (std::size_t i = 0; i < 16; ++i) fibres.push_back(random_fibre(1000 + i, fibre_kinds[i % 4]));
  const FibreSteps steps = exponential_steps("exprb42", 1.3e-4, 9.1e-4, 1e-5);
  const int widest = lane_counts().back();
  const auto one_way = after_steps(widest, fibres, steps);
  const std::vector<MovingFibre> reversed(fibres.rbegin(), fibres.rend());
  auto other_way = after_steps(widest, reversed, steps);
  std::ranges::reverse(other_way);
  EXPECT_EQ(one_way, other_way);
  for (const int lanes : lane_counts()) {
    const auto out = after_steps(lanes, fibres, steps);
    double worst = 0;
    for (std::size_t i = 0; i < fibres.size(); ++i)
      worst = std::max(worst, off_by(out[i], one_way[i], fibres[i]));
    EXPECT_LT(worst, 1e-8) << lanes;
    std::printf("%d lanes: differ by %.1e\n", lanes, worst);
  }
}

TEST(ExponentialStepsTest, ThreadsAndCheckpointsMakeNoDifference) {
  const int before = thread_count();
  FibreSupply supply;
  for (std::size_t i = 0; i < 21; ++i)
    supply.segments.push_back(random_fibre(1100 + i, fibre_kinds[3]).shape.segments);
  supply.fibre = [](std::size_t i) { return random_fibre(1100 + i, fibre_kinds[3]); };
  const FibreSteps steps = exponential_steps("exprb42", 1.1e-4, 9e-4, 1e-5);
  std::vector<std::vector<double>> results[2];
  for (const int threads : {1, 2}) {
    set_thread_count(threads);
    FibreSimulation fibres(supply, test_gravity, steps);
    fibres.advance(4e-4);
    if (threads == 2) {
      FibreSimulation again(supply, test_gravity, steps);
      again.restore([&](std::size_t i) { return fibres.save(i); });
      again.advance(9e-4);
      for (std::size_t i = 0; i < again.size(); ++i) results[1].push_back(again.save(i));
    } else {
      fibres.advance(9e-4);
      for (std::size_t i = 0; i < fibres.size(); ++i) results[0].push_back(fibres.save(i));
    }
  }
  set_thread_count(before);
  EXPECT_EQ(results[0], results[1]);
}

// A root that is nowhere, and steps whose φ-functions cannot be had.
TEST(ExponentialStepsTest, AFibreThatCannotGoOnIsNamed) {
  class Nowhere final : public Motion {
    void place(double t, std::span<const double> start, std::span<double> x,
               std::span<double> v) const override {
      for (std::size_t i = 0; i < start.size(); ++i) x[i] = t > 1e-4 ? std::nan("") : start[i], v[i] = 0;
    }
  };
  auto fibres = random_fibres(700, 2, {});
  fibres[1].motion = std::make_shared<Nowhere>();
  BatchStepper batch = exponential_stepper(2, fibres, exponential_steps("exprb42", 3e-5, 1, 1e-4));
  try {
    advance_exponentially(batch, 1e-3);
    ADD_FAILURE() << "accepted";
  } catch (const SimulationError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("fibre 701")) << error.what();
  }
}

TEST(ExponentialStepsTest, NonsenseIsRefused) {
  const auto fibres = random_fibres(600, 1, {});
  const auto make = [&](const FibreSteps& steps) { exponential_stepper(1, fibres, steps); };
  make(exponential_steps("pexprb43", 1e-4, 1));
  for (const char* method : {"exprb43", "etd2rk"})
    EXPECT_THROW(make(exponential_steps(method, 1e-4, 1)), InputError) << method;
  FibreSteps steps = exponential_steps("exprb42", 1e-4, 1);
  steps.tolerance = 0.01;
  EXPECT_THROW(make(steps), InputError);
  EXPECT_THROW(make(exponential_steps("exprb42", 1e-4, 1, 0)), InputError);
  EXPECT_THROW(PhiNodes::of(std::vector<double>{0.1234567}), InputError);
}

}  // namespace
}  // namespace stiffly::test
