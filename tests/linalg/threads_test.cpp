// The pool of threads: every task once, whoever comes; nobody is waited for in vain, nobody spins.
#include "stiffly/threads.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <numeric>
#include <random>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "stiffly/error.hpp"
#include "stiffly/linalg/blas_threads.hpp"
#include "stiffly/linalg/block_matrix.hpp"
#include "stiffly/linalg/sparse_cholesky.hpp"

namespace stiffly {
namespace {

class Threads : public ::testing::Test {
 protected:
  ~Threads() override { set_thread_count(before_); }
  const int before_ = thread_count();
};

/// How often each task was done.
std::vector<int> counts(std::size_t count) {
  std::vector<std::atomic<int>> done(count);
  parallel_for(count, [&](std::size_t i) { ++done[i]; });
  return {done.begin(), done.end()};
}

TEST_F(Threads, EveryTaskOnce) {
  for (const int threads : {1, 2, 5, 3}) {
    set_thread_count(threads);
    EXPECT_EQ(thread_count(), threads);
    for (const std::size_t count : {0u, 1u, 2u, 3u, 7u, 64u, 1000u})
      for (int again = 0; again < 20; ++again)
        ASSERT_EQ(counts(count), std::vector<int>(count, 1)) << threads << " threads, " << count << " tasks";
  }
}

// A helper may come late, when the loop it was called for is over and the next one has begun.
TEST_F(Threads, ManyShortLoops) {
  set_thread_count(4);
  std::vector<long> sums(8, 0);
  for (int loop = 0; loop < 20000; ++loop) parallel_for(sums.size(), [&](std::size_t i) { sums[i] += loop; });
  for (const long sum : sums) EXPECT_EQ(sum, 20000L * 19999 / 2);
}

TEST_F(Threads, OthersHelp) {
  set_thread_count(3);
  std::mutex lock;
  std::set<std::thread::id> seen;
  for (int loop = 0; loop < 10000 && seen.size() < 2; ++loop)
    parallel_for(64, [&](std::size_t) {
      const std::lock_guard guard(lock);
      seen.insert(std::this_thread::get_id());
    });
  EXPECT_GE(seen.size(), 2u);
}

TEST_F(Threads, LoopsWithinLoopsAreSerial) {
  set_thread_count(3);
  std::vector<std::vector<int>> inner(10);
  parallel_for(inner.size(), [&](std::size_t i) {
    const auto owner = std::this_thread::get_id();
    parallel_for(50, [&](std::size_t k) {
      EXPECT_EQ(std::this_thread::get_id(), owner);
      inner[i].push_back(static_cast<int>(k));
    });
  });
  std::vector<int> expected(50);
  std::iota(expected.begin(), expected.end(), 0);
  for (const auto& list : inner) EXPECT_EQ(list, expected);
}

TEST_F(Threads, LoopsOfSeveralCallers) {
  set_thread_count(2);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> callers;
  for (int c = 0; c < 3; ++c)
    callers.emplace_back([&] {
      for (int loop = 0; loop < 200; ++loop)
        if (counts(30) != std::vector<int>(30, 1)) ++wrong;
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(Threads, ExceptionsReachTheCaller) {
  for (const int threads : {1, 4}) {
    set_thread_count(threads);
    EXPECT_THROW(parallel_for(100,
                              [](std::size_t i) {
                                if (i == 37) throw std::runtime_error("37");
                              }),
                 std::runtime_error);
    EXPECT_EQ(counts(100), std::vector<int>(100, 1));
  }
}

TEST_F(Threads, AtLeastOne) {
  EXPECT_THROW(set_thread_count(0), InputError);
  EXPECT_THROW(set_thread_count(-2), InputError);
  EXPECT_EQ(thread_count(), before_);
}

// In a forked process the helpers are missing: the caller does everything, and the end is not held up.
TEST_F(Threads, MissingHelpersAreNotWaitedFor) {
  set_thread_count(4);
  counts(100);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    std::exit(counts(100) == std::vector<int>(100, 1) ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

double seconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// While the caller computes alone, the others take nothing of the processor, however busy the machine is.
TEST_F(Threads, WaitingTakesNoTime) {
  set_thread_count(4);
  counts(100);
  // OpenBLAS makes its threads when it is loaded, and they poll for about a tenth of a second before they
  // sleep; longer where other programs hold the processors.
  double before = -1;
  for (int i = 0; i < 100 && seconds(CLOCK_PROCESS_CPUTIME_ID) - before > 0.01; ++i) {
    before = seconds(CLOCK_PROCESS_CPUTIME_ID);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
  }
  const double all = seconds(CLOCK_PROCESS_CPUTIME_ID), mine = seconds(CLOCK_THREAD_CPUTIME_ID);
  while (seconds(CLOCK_THREAD_CPUTIME_ID) < mine + 0.3) continue;
  const double used = seconds(CLOCK_THREAD_CPUTIME_ID) - mine;
  EXPECT_LT(seconds(CLOCK_PROCESS_CPUTIME_ID) - all, 1.2 * used);
}

TEST_F(Threads, OpenBlasKeepsItsSetting) {
  const int before = openblas_get_num_threads();
  for (const int setting : {1, 2}) {
    const BlasThreads host(setting);
    const auto pattern = BlockPattern::symmetric(2, 1, {{1, 0}});
    BlockMatrix matrix(pattern);
    for (std::size_t i = 0; i < 2; ++i)
      for (std::int64_t k = pattern->row_begin(i); k < pattern->row_end(i); ++k)
        *matrix.block(k) = pattern->column(k) == static_cast<int>(i) ? 2 : 1;
    SparseCholesky cholesky;
    cholesky.factorize(matrix);
    Vector b(2), x(2);
    cholesky.solve(b, x);
    EXPECT_EQ(openblas_get_num_threads(), setting);
  }
  EXPECT_EQ(openblas_get_num_threads(), before);
}

/// The order of elimination that is found for a net of particles, each joined to some before it.
std::vector<int> order_of_net(std::size_t seed) {
  std::mt19937 random(static_cast<unsigned>(seed));
  const int count = 701 + static_cast<int>(random() % 300);
  std::vector<std::pair<int, int>> pairs;
  for (int i = 1; i < count; ++i)
    for (int k = 0; k < 3; ++k) pairs.emplace_back(i, std::max(0, i - 1 - static_cast<int>(random() % 40)));
  const auto pattern = BlockPattern::symmetric(static_cast<std::size_t>(count), 1, pairs);
  BlockMatrix matrix(pattern);
  for (std::size_t i = 0; i < pattern->rows(); ++i)
    for (std::int64_t k = pattern->row_begin(i); k < pattern->row_end(i); ++k)
      *matrix.block(k) = pattern->column(k) == static_cast<int>(i) ? 1000 : -1;
  SparseCholesky().factorize(matrix);
  const auto order = pattern->elimination_order([](const BlockPattern&) { return std::vector<int>(); });
  return {order.begin(), order.end()};
}

// What finds them draws lots from the one generator of the process: results must not depend on who else does.
TEST_F(Threads, OrdersOfEliminationAreThoseOfOneThread) {
  constexpr std::size_t nets = 60;
  std::vector<std::vector<int>> alone, together(nets);
  for (std::size_t i = 0; i < nets; ++i) alone.push_back(order_of_net(i));
  set_thread_count(3);
  parallel_for(nets, [&](std::size_t i) { together[i] = order_of_net(i); });
  for (std::size_t i = 0; i < nets; ++i) {
    ASSERT_GT(alone[i].size(), 700u);
    EXPECT_EQ(alone[i], together[i]) << "net " << i;
  }
}

}  // namespace
}  // namespace stiffly
