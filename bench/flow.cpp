// Flow of regularised Stokeslets: all pairs of points and targets.
#include <fmt/format.h>

#include <ctime>
#include <random>

#include "bench.hpp"
#include "stiffly/forces/stokeslets.hpp"
#include "stiffly/linalg/decompositions.hpp"
#include "stiffly/threads.hpp"

namespace stiffly::bench {
namespace {

double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}
template <class Work>
double least_thread_seconds(int repeats, const Work& work) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < repeats; ++i) {
    const double before = thread_seconds();
    work();
    least = std::min(least, thread_seconds() - before);
  }
  return least;
}

bool run_flow() {
  constexpr double wanted = 1e8;
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  const auto numbers = [&](std::size_t count) {
    std::vector<double> out(count);
    for (double& x : out) x = normal(random);
    return out;
  };
  const Stokeslets stokeslets(1, 0.02);
  bool met = true;
  fmt::print("{:>8} {:>8} {:>14} {:>20}\n", "sources", "targets", "processor, s", "pairs/s a thread");
  for (const std::size_t n : {120, 2000, 20000}) {
    const std::vector<double> x = numbers(3 * n), g = numbers(3 * n);
    std::vector<double> u(x.size());
    const double time = least_thread_seconds(5, [&] { stokeslets.velocity(x, g, x, u); });
    const double rate = static_cast<double>(n * n) / time;
    fmt::print("{:8} {:8} {:14.5f} {:20.3g}  {}\n", n, n, time, rate,
               n < 1000 ? "" : verdict(rate >= wanted));
    met = met && (n < 1000 || rate >= wanted);
  }
  const std::vector<double> swimmer = numbers(360);
  const double assembled = least_thread_seconds(20, [&] { stokeslets.mobility_matrix(swimmer); });
  const Eigen::MatrixXd G = stokeslets.mobility_matrix(swimmer);
  const double factored = least_thread_seconds(20, [&] { DenseCholesky factor(G); });
  const DenseCholesky factor(G);
  const double inverted = least_thread_seconds(20, [&] { factor.inverse(); });
  fmt::print("120 particles, 360 unknowns: matrix {:.2f} ms, factor {:.2f} ms, inverse {:.2f} ms\n",
             1e3 * assembled, 1e3 * factored, 1e3 * inverted);
  return met;
}

}  // namespace

Section flow() {
  return {"flow", "velocities of a viscous fluid at points, from forces at points: 1e8 pairs/s a thread",
          run_flow};
}

}  // namespace stiffly::bench
