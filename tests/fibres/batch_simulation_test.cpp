// Many fibres by several threads: the same bits, whoever does the work, interrupted or not.
#include "stiffly/fibres/batch_simulation.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include "fibres/random_fibres.hpp"
#include "stiffly/error.hpp"
#include "stiffly/fibres/batch_choice.hpp"
#include "stiffly/threads.hpp"

namespace stiffly::test {
namespace {

constexpr FibreKind kind = {.damping_time = 1.3e-3, .drag = 0.7, .shaken = true};

FibreSupply random_supply(std::size_t count) {
  FibreSupply out;
  for (std::size_t i = 0; i < count; ++i) out.segments.push_back(random_fibre(i, kind).shape.segments);
  out.fibre = [](std::size_t i) { return random_fibre(i, kind); };
  return out;
}

class FibreSimulations : public ::testing::Test {
 protected:
  ~FibreSimulations() override { set_thread_count(threads_); }
  FibreSimulation make(std::size_t count, double tolerance = 1e-2) const {
    return {random_supply(count), test_gravity, {.duration = 0.05, .step = 0.0017, .tolerance = tolerance}};
  }
  static std::vector<std::vector<double>> states(const FibreSimulation& fibres) {
    std::vector<std::vector<double>> out;
    for (std::size_t i = 0; i < fibres.size(); ++i) out.push_back(fibres.save(i));
    return out;
  }

 private:
  int threads_ = thread_count();
};

TEST_F(FibreSimulations, ThreadsMakeNoDifference) {
  std::vector<std::vector<double>> first;
  for (const int threads : {1, 2, 3}) {
    set_thread_count(threads);
    FibreSimulation fibres = make(61);
    for (const double t : {0.0031, 0.0117}) EXPECT_TRUE(fibres.advance(t));
    EXPECT_EQ(fibres.time(), 0.0117);
    if (first.empty()) first = states(fibres);
    EXPECT_EQ(states(fibres), first) << threads;
  }
}

// Every fibre is where it would be in a batch of its own.
TEST_F(FibreSimulations, FibresComeBackInTheirOrder) {
  for (const double tolerance : {0.0, 1e-2}) {
    FibreSimulation fibres = make(37, tolerance);
    fibres.advance(0.0093);
    for (const std::size_t i : {0u, 5u, 11u, 36u}) {
      const MovingFibre fibre = random_fibre(i, kind);
      BatchStepper alone(FibreBatch(batch_kernels(), {&fibre, 1}, test_gravity),
                         {.duration = 0.05, .step = 0.0017, .tolerance = tolerance});
      BatchWorkspace workspace(alone.batch().lanes(), alone.batch().sections());
      alone.advance(0.0093, workspace);
      EXPECT_EQ(fibres.positions(i), alone.batch().positions(0));
      EXPECT_EQ(fibres.velocities(i), alone.batch().velocities(0));
      EXPECT_EQ(fibres.work(i).steps, alone.work(0).steps);
      EXPECT_EQ(fibres.positions(i).size(), 3 * fibre.shape.position.size());
    }
  }
}

TEST_F(FibreSimulations, AnInterruptedRunGoesOnAsIfNothingHadHappened) {
  FibreSimulation through = make(90), cut = make(90), resumed = make(90);
  for (const double t : {0.0061, 0.0143}) through.advance(t);
  EXPECT_TRUE(cut.advance(0.0061));
  int calls = 0;
  double arrived = 0;
  EXPECT_FALSE(cut.advance(0.0143, [&](double part) {
    EXPECT_GT(part, arrived);
    arrived = part;
    return ++calls < 3;
  }));
  EXPECT_LT(arrived, 1);
  EXPECT_EQ(cut.time(), 0.0061);
  const auto saved = states(cut);
  resumed.restore([&](std::size_t i) { return saved[i]; });
  for (FibreSimulation* fibres : {&cut, &resumed}) {
    arrived = 0;
    EXPECT_TRUE(fibres->advance(0.0143, [&](double part) {
      arrived = part;
      return true;
    }));
    EXPECT_EQ(arrived, 1);
    EXPECT_EQ(states(*fibres), states(through));
  }
  EXPECT_THROW(resumed.restore([&](std::size_t i) {
    return i == 7 ? std::vector<double>(saved[i].size() - 1) : saved[i];
  }),
               InputError);
}

TEST_F(FibreSimulations, WorkAddsUp) {
  FibreSimulation fibres = make(30);
  fibres.advance(0.0117);
  FibreWork sum;
  for (std::size_t i = 0; i < fibres.size(); ++i) sum += fibres.work(i);
  const FibreWork total = fibres.total_work();
  EXPECT_EQ(sum.steps, total.steps);
  EXPECT_EQ(sum.iterations, total.iterations);
  const int lanes = batch_kernels().lanes;
  EXPECT_LE(total.iterations, lanes * total.batch_iterations);
  EXPECT_GT(total.iterations, lanes * total.batch_iterations / 3);  // lanes are busy
}

/// Bytes that this program has from the C library now; 0 where that does not say.
double allocated() {
  const auto now = mallinfo2();
  return static_cast<double>(now.uordblks) + static_cast<double>(now.hblkhd);
}

// What is said beforehand is what is allocated; the C library rounds some blocks up.
TEST_F(FibreSimulations, MemoryIsKnownBeforehand) {
  if (allocated() == 0) GTEST_SKIP() << "this build has its own allocator, which does not count";
  {
    const FibreSimulation first(random_supply(203), test_gravity, {.duration = 0.05, .step = 0.0017});
  }  // wakes threads
  for (const std::size_t count : {203u, 1709u}) {
    const FibreSupply supply = random_supply(count);
    const double workspaces = static_cast<double>(thread_count()) *
                              static_cast<double>(BatchWorkspace::memory(batch_kernels().lanes, 10));
    const double before = allocated();
    const FibreSimulation fibres(supply, test_gravity, {.duration = 0.05, .step = 0.0017});
    const double taken = allocated() - before;
    const double said = static_cast<double>(FibreSimulation::memory(supply.segments)) - workspaces;
    EXPECT_NEAR(said / taken, 1, 0.03) << count << " fibres: " << said << " and " << taken << " bytes";
    std::size_t saved = 0;
    for (std::size_t i = 0; i < count; ++i) saved += sizeof(double) * fibres.save(i).size();
    EXPECT_EQ(FibreSimulation::saved_memory(supply.segments), saved);
  }
}

TEST_F(FibreSimulations, ErrorsOfFibresReachTheCaller) {
  EXPECT_THROW(FibreSimulation({}, test_gravity, {}), InputError);
  FibreSupply supply = random_supply(20);
  supply.fibre = [](std::size_t i) {
    MovingFibre out = random_fibre(i, kind);
    if (i == 13) out.shape.mass[4] = -1;
    return out;
  };
  try {
    FibreSimulation(supply, test_gravity, {});
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("fibre 13")) << error.what();
  }
}

}  // namespace
}  // namespace stiffly::test
