// Steps of fibres in batches are those of the library's energy-momentum method, whatever the fibres beside
// them and however many lanes there are.
#include "stiffly/fibres/batch_stepper.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "fibres/random_fibres.hpp"
#include "stiffly/error.hpp"
#include "stiffly/fibres/batch_choice.hpp"
#include "stiffly/integrators/energy_momentum.hpp"

namespace stiffly::test {
namespace {

BatchStepper stepper(const BatchKernelTable& kernels, std::span<const MovingFibre> fibres,
                     const FibreSteps& steps) {
  return {FibreBatch(kernels, fibres, test_gravity), steps};
}

void advance(BatchStepper& batch, double until) {
  BatchWorkspace workspace(batch.batch().lanes(), batch.batch().sections());
  batch.advance(until, workspace);
}

/// The largest difference over the largest displacement from the start.
double difference(const std::vector<double>& x, const std::vector<double>& reference,
                  const std::vector<double>& start) {
  EXPECT_EQ(x.size(), reference.size());
  double largest = 0, motion = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    largest = std::max(largest, std::abs(x[i] - reference[i]));
    motion = std::max(motion, std::abs(reference[i] - start[i]));
  }
  return largest / motion;
}

struct Reference {
  std::vector<double> positions;  ///< of all particles
  long substeps;
};

/// Some steps of the library's method.
Reference reference(const MovingFibre& fibre, double h, int steps, double theta) {
  const auto system = particle_system(fibre);
  EnergyMomentum method(EnergyMomentum::conserving().traits, {.theta = theta}, {.newton_tolerance = 1e-13});
  State state = system->initial_state();
  method.start(*system, state);
  for (int i = 0; i < steps; ++i) state = method.step(state, h, false).state;
  Reference out{{}, method.substeps()};
  for (const auto& p : system->positions(state))
    out.positions.insert(out.positions.end(), p.begin(), p.end());
  return out;
}

std::vector<double> start_of(const MovingFibre& fibre) {
  std::vector<double> out;
  for (const auto& p : fibre.shape.position) out.insert(out.end(), p.data(), p.data() + 3);
  return out;
}

class BatchSteps : public ::testing::TestWithParam<int> {
 protected:
  const BatchKernelTable& kernels_ = batch_kernels(GetParam());
};

// Where an iteration does not converge, a step is made as two, and each of the two codes has its own opinion
// about that: such a fibre is compared at a shorter step.
TEST_P(BatchSteps, AreThoseOfTheGeneralMethod) {
  const int steps = 7;
  double worst = 0;
  std::size_t number = 0, shortened = 0;
  for (const FibreKind kind :
       {FibreKind{}, FibreKind{.shaken = true}, FibreKind{.damping_time = 2.3e-4, .drag = 3.1},
        FibreKind{.damping_time = 1.3e-3, .drag = 0.7, .shaken = true}})
    for (const auto& [step, theta] : {std::pair(0.0017, 0.5), std::pair(0.00031, 0.6)})
      for (std::size_t group = 0; group < 25; group += static_cast<std::size_t>(kernels_.lanes)) {
        const auto count = std::min<std::size_t>(25 - group, static_cast<std::size_t>(kernels_.lanes));
        std::vector<MovingFibre> fibres = random_fibres(number, count, kind);
        number += count;
        for (double h = step; !fibres.empty(); h /= 3) {
          BatchStepper batch =
              stepper(kernels_, fibres,
                      {.duration = steps * h, .step = h, .iteration_tolerance = 1e-13, .theta = theta});
          advance(batch, steps * h);
          std::vector<MovingFibre> again;
          for (std::size_t i = 0; i < fibres.size(); ++i) {
            const int lane = static_cast<int>(i);
            const Reference expected = reference(fibres[i], h, steps, theta);
            if (expected.substeps + batch.work(lane).substeps > 0) {
              again.push_back(fibres[i]);
              continue;
            }
            EXPECT_EQ(batch.work(lane).steps, steps);
            const double off =
                difference(batch.batch().positions(lane), expected.positions, start_of(fibres[i]));
            worst = std::max(worst, off);
            EXPECT_LT(off, 1e-10) << "fibre " << fibres[i].number << ", h = " << h;
          }
          shortened += again.size();
          fibres = again;
        }
      }
  EXPECT_EQ(number, 200u);
  EXPECT_LT(shortened, 5u);
  std::printf("%s: %zu fibres, largest difference %.1e, %zu at shorter steps\n", kernels_.name, number, worst,
              shortened);
}

/// Positions of fibres after runs of many steps, by the number of lanes.
std::vector<std::vector<double>> run(int lanes, std::span<const MovingFibre> fibres, const FibreSteps& steps,
                                     std::span<const double> meetings) {
  std::vector<std::vector<double>> out;
  const auto W = static_cast<std::size_t>(lanes);
  for (std::size_t first = 0; first < fibres.size(); first += W) {
    BatchStepper batch =
        stepper(batch_kernels(lanes), fibres.subspan(first, std::min(W, fibres.size() - first)), steps);
    for (const double t : meetings) advance(batch, t);
    for (int lane = 0; lane < batch.batch().fibres(); ++lane) out.push_back(batch.batch().positions(lane));
  }
  return out;
}

// With other lanes each fibre has other neighbours, and longer ones: it must not notice. Chosen steps are
// whole parts of the way to a meeting: rounding rarely makes one more or less of them, and then the
// difference is one within the tolerance.
TEST(BatchStepperTest, LanesAndNeighboursMakeNoDifferenceButRounding) {
  const auto fibres = random_fibres(300, 24, {.damping_time = 1.3e-3, .drag = 0.7, .shaken = true});
  const double meetings[] = {0.013, 0.0371};
  for (const double tolerance : {0.0, 3e-3}) {
    const FibreSteps steps{
        .duration = 0.0371, .step = 0.0017, .tolerance = tolerance, .iteration_tolerance = 1e-12};
    const auto alone = run(1, fibres, steps, meetings);
    for (const int lanes : lane_counts()) {
      int other_steps = 0;
      double worst = 0;
      const auto together = run(lanes, fibres, steps, meetings);
      for (std::size_t i = 0; i < fibres.size(); ++i) {
        const double off = difference(together[i], alone[i], start_of(fibres[i]));
        if (off > 1e-9) ++other_steps;
        worst = std::max(worst, off);
      }
      std::printf("%d lanes, tolerance %g: differ by %.1e, %d by more than rounding\n", lanes, tolerance,
                  worst, other_steps);
      EXPECT_LE(other_steps, tolerance > 0 ? 2 : 0);
      EXPECT_LT(worst, std::max(1e-9, tolerance));
    }
  }
  // Neighbours alone: not even by rounding.
  const FibreSteps steps{.duration = 0.0371, .tolerance = 3e-3};
  const int lanes = lane_counts().back();
  const auto one_way = run(lanes, fibres, steps, meetings);
  const std::vector<MovingFibre> reversed(fibres.rbegin(), fibres.rend());
  auto other_way = run(lanes, reversed, steps, meetings);
  std::ranges::reverse(other_way);
  EXPECT_EQ(one_way, other_way);
}

// The error in the end is about the tolerance, relative to the motion.
TEST(BatchStepperTest, TolerancesAreKept) {
  const auto fibres = random_fibres(400, 16, {.damping_time = 1.3e-3, .drag = 0.7, .shaken = true});
  const double end[] = {0.0713};
  const int lanes = lane_counts().back();
  const auto fine =
      run(lanes, fibres, {.duration = end[0], .step = 1.7e-5, .iteration_tolerance = 1e-10}, end);
  double before = 1;
  for (const double tolerance : {1e-1, 1e-2, 1e-3}) {
    const auto coarse = run(lanes, fibres, {.duration = end[0], .tolerance = tolerance}, end);
    double sum = 0, worst = 0;
    for (std::size_t i = 0; i < fibres.size(); ++i) {
      const double off = difference(coarse[i], fine[i], start_of(fibres[i]));
      sum += off / static_cast<double>(fibres.size());
      worst = std::max(worst, off);
    }
    std::printf("tolerance %.0e: mean error %.1e, largest %.1e\n", tolerance, sum, worst);
    EXPECT_LT(worst, 10 * tolerance);
    EXPECT_LT(sum, before / 2);
    before = sum;
  }
}

// Fibres that hardly move are not followed closer than asked for.
TEST(BatchStepperTest, ErrorsAreMeasuredAgainstTheLeastMotion) {
  const auto fibres = random_fibres(450, 8, {.damping_time = 1.3e-3, .drag = 0.7});
  const double end[] = {0.0213}, tolerance = 1e-3, least = 0.1;
  const auto work = [&](double least_motion) {
    long steps = 0;
    for (const MovingFibre& fibre : fibres) {
      BatchStepper batch =
          stepper(batch_kernels(1), {&fibre, 1},
                  {.duration = end[0], .tolerance = tolerance, .least_motion = least_motion});
      advance(batch, end[0]);
      steps += batch.work(0).steps;
    }
    return steps;
  };
  EXPECT_LT(work(least), work(0) / 2);
  const auto fine = run(1, fibres, {.duration = end[0], .step = 1.7e-5, .iteration_tolerance = 1e-10}, end),
             coarse =
                 run(1, fibres, {.duration = end[0], .tolerance = tolerance, .least_motion = least}, end);
  for (std::size_t i = 0; i < fibres.size(); ++i)
    for (std::size_t k = 0; k < fine[i].size(); ++k)
      EXPECT_NEAR(coarse[i][k], fine[i][k], 10 * tolerance * least);
}

TEST(BatchStepperTest, GoesOnBitForBitFromWhatWasSaved) {
  for (const double tolerance : {0.0, 1e-2}) {
    const auto fibres = random_fibres(500, 3, {.damping_time = 1.3e-3, .drag = 0.7, .shaken = true});
    const FibreSteps steps{.duration = 0.05, .step = 0.0013, .tolerance = tolerance};
    const BatchKernelTable& kernels = batch_kernels();
    if (kernels.lanes < 3) GTEST_SKIP();
    BatchStepper through = stepper(kernels, fibres, steps), first = stepper(kernels, fibres, steps),
                 second = stepper(kernels, fibres, steps);
    for (BatchStepper* batch : {&through, &first}) advance(*batch, 0.0137);
    std::vector<std::vector<double>> saved;
    for (int lane = 0; lane < 3; ++lane) saved.push_back(first.save(lane));
    second.restore(saved);
    for (BatchStepper* batch : {&through, &second}) advance(*batch, 0.05);
    for (int lane = 0; lane < 3; ++lane) EXPECT_EQ(through.save(lane), second.save(lane)) << tolerance;
    saved[1][5] = -3;
    EXPECT_THROW(second.restore(saved), InputError);
    EXPECT_THROW(second.restore(std::span(saved).first(2)), InputError);
  }
}

// Threads use one workspace for batch after batch; what the last one left there is nobody's business.
TEST(BatchStepperTest, AWorkspaceMayHaveServedOthers) {
  const auto fibres = random_fibres(530, 3, {.damping_time = 1.3e-3, .drag = 0.7, .shaken = true}),
             others = random_fibres(540, 2, {});
  const int lanes = std::min(4, lane_counts().back());
  const auto longest = [](std::span<const MovingFibre> all) {
    return std::ranges::max(all, {}, [](const MovingFibre& f) { return f.shape.segments; }).shape.segments;
  };
  BatchWorkspace used(lanes, std::max(longest(fibres), longest(others)));
  for (const double tolerance : {0.0, 1e-2}) {
    const FibreSteps steps{.duration = 0.05, .step = 0.0013, .tolerance = tolerance};
    const BatchKernelTable& kernels = batch_kernels(lanes);
    const std::size_t count = std::min<std::size_t>(3, static_cast<std::size_t>(lanes));
    BatchStepper alone = stepper(kernels, std::span(fibres).first(count), steps),
                 after = stepper(kernels, std::span(fibres).first(count), steps),
                 first = stepper(kernels, std::span(others).first(std::min<std::size_t>(2, count)), steps);
    advance(alone, 0.0137);
    first.advance(0.0211, used);
    after.advance(0.0137, used);
    for (int lane = 0; lane < alone.batch().fibres(); ++lane) EXPECT_EQ(alone.save(lane), after.save(lane));
  }
}

TEST(BatchStepperTest, NonsenseIsRefused) {
  const auto fibres = random_fibres(600, 1, {});
  const auto make = [&](const FibreSteps& steps) { stepper(batch_kernels(1), fibres, steps); };
  make({});
  EXPECT_THROW(make({.duration = 0}), InputError);
  EXPECT_THROW(make({.step = -1}), InputError);
  EXPECT_THROW(make({.tolerance = std::nan("")}), InputError);
  EXPECT_THROW(make({.iteration_tolerance = 2}), InputError);
  EXPECT_THROW(make({.theta = 0.3}), InputError);
  EXPECT_THROW(make({.least_motion = -1}), InputError);
  BatchStepper batch = stepper(batch_kernels(1), fibres, {});
  EXPECT_THROW(advance(batch, 0), InputError);
}

// Nothing can be done about a root that is nowhere.
TEST(BatchStepperTest, AFibreThatCannotGoOnIsNamed) {
  class Nowhere final : public Motion {
    void place(double t, std::span<const double> start, std::span<double> x,
               std::span<double> v) const override {
      for (std::size_t i = 0; i < start.size(); ++i) x[i] = t > 0.004 ? std::nan("") : start[i], v[i] = 0;
    }
  };
  for (const double tolerance : {0.0, 1e-2}) {
    auto fibres = random_fibres(700, 2, {});
    fibres[1].motion = std::make_shared<Nowhere>();
    BatchStepper batch = stepper(batch_kernels(2), fibres, {.step = 0.0013, .tolerance = tolerance});
    try {
      advance(batch, 0.02);
      ADD_FAILURE() << "accepted";
    } catch (const SimulationError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("fibre 701")) << error.what();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Lanes, BatchSteps, ::testing::ValuesIn(lane_counts()));

}  // namespace
}  // namespace stiffly::test
