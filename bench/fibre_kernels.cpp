// Kernels of block-tridiagonal matrices against what the processor and its memory can do.
#include "fibre_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "bench.hpp"
#include "stiffly/fibres/batch_array.hpp"
#include "stiffly/fibres/batch_choice.hpp"
#include "stiffly/threads.hpp"

namespace stiffly::bench {
namespace {

constexpr int sections = 9;

/// What LDLᵀ of one fibre takes: per section n³/3 within it, n³ beside and n²(n + 1) below.
double factor_flops() {
  constexpr double n = batch::section_size;
  return sections * n * n * n / 3 + (sections - 1) * (n * n * n + n * n * (n + 1));
}
/// Bytes of one fibre's matrix. A solve reads its factor twice.
double matrix_bytes() {
  constexpr double n = batch::section_size;
  return 8 * (sections * n * (n + 1) / 2 + (sections - 1) * n * n);
}

/// Least time of `repeats` runs of body(thread) by each thread. Every thread has a clock of its own, and the
/// slowest one counts: what a machine would take that has nothing else to do.
template <class Body>
double slowest_thread(int repeats, int threads, const Body& body) {
  double best = std::numeric_limits<double>::infinity();
  for (int r = 0; r < repeats; ++r) {
    std::vector<double> times(static_cast<std::size_t>(threads));
    parallel_for(times.size(), [&](std::size_t t) {
      const double start = clock_of(CLOCK_THREAD_CPUTIME_ID);
      body(t);
      times[t] = clock_of(CLOCK_THREAD_CPUTIME_ID) - start;
    });
    best = std::min(best, *std::ranges::max_element(times));
  }
  return best;
}

}  // namespace

double peak_flops(int threads) {
  constexpr int chains = 96;  // twelve registers of eight
  constexpr long rounds = 200000;
  std::vector<double> sink(static_cast<std::size_t>(threads));
  const double time = slowest_thread(5, threads, [&](std::size_t t) {
    double a[chains];
    for (int i = 0; i < chains; ++i) a[i] = 1.0 + 0.01 * i;
    for (long r = 0; r < rounds; ++r)
      for (double& value : a) value = value * 0.999999 + 1e-6;
    for (const double value : a) sink[t] += value;
  });
  return 2.0 * chains * rounds * threads / time;
}

namespace {

/// a ← b + s c far beyond the caches [McCalpin 1995]: bytes per second.
double triad(int threads) {
  constexpr std::size_t n = 8'000'000;
  std::vector<double> a(n), b(n, 1.0), c(n, 2.0);
  const auto count = static_cast<std::size_t>(threads);
  const double time = slowest_thread(5, threads, [&](std::size_t t) {
    for (std::size_t i = t * n / count; i < (t + 1) * n / count; ++i) a[i] = b[i] + 3.0 * c[i];
  });
  return 24.0 * static_cast<double>(n) / time;
}

/// Matrices of a batch, positive definite.
struct Matrices {
  explicit Matrices(const BatchKernelTable& kernels)
      : panels(static_cast<std::size_t>(kernels.lanes * sections * batch::panel_size)),
        inverse(static_cast<std::size_t>(kernels.lanes * sections * batch::section_size), 1.0),
        x(inverse.size(), 1.0),
        y(inverse.size()),
        failed(static_cast<std::size_t>(kernels.lanes)) {
    for (std::size_t i = 0; i < panels.size(); ++i) panels[i] = 0.1 * std::sin(1.7 * static_cast<double>(i));
    const auto W = static_cast<std::size_t>(kernels.lanes);
    constexpr std::size_t size = batch::section_size;
    for (std::size_t row = 0; row < size * sections; ++row)
      for (std::size_t lane = 0; lane < W; ++lane)
        panels[(row * 2 * size + size + row % size) * W + lane] = 10;
  }
  LineVector panels, inverse, x, y, failed;
};

}  // namespace

KernelTimes kernel_times(const BatchKernelTable& kernels, int threads) {
  const std::size_t streamed = 8000 / static_cast<std::size_t>(kernels.lanes);  // 170 MB
  constexpr int turns = 100;
  const Matrices original(kernels);
  std::vector<Matrices> batches(streamed, original);
  const auto count = static_cast<std::size_t>(threads);
  const double all = static_cast<double>(all_fibres) / kernels.lanes / threads;
  const auto in_cache = [&](const auto& body) {
    return all / turns * slowest_thread(8, threads, [&](std::size_t t) {
             for (int i = 0; i < turns; ++i) body(batches[t]);
           });
  };
  const auto from_memory = [&](const auto& body) {
    return all * threads / static_cast<double>(streamed) * slowest_thread(4, threads, [&](std::size_t t) {
             for (std::size_t b = t * streamed / count; b < (t + 1) * streamed / count; ++b) body(batches[b]);
           });
  };
  const auto copy = [&](Matrices& m) { std::ranges::copy(original.panels, m.panels.begin()); };
  const auto factor = [&](Matrices& m) {
    copy(m);
    kernels.factor_matrix(sections, m.panels.data(), m.inverse.data(), m.failed.data());
  };
  const auto solve = [&](Matrices& m) {
    kernels.solve(sections, m.panels.data(), m.inverse.data(), m.x.data());
    m.x[0] = 1;
  };
  const auto product = [&](Matrices& m) {
    kernels.multiply(sections, m.panels.data(), m.x.data(), m.y.data());
  };
  return {in_cache(factor) - in_cache(copy), in_cache(solve), in_cache(product), from_memory(solve),
          from_memory(product)};
}

namespace {

/// What the prototype took on such a machine (AVX-512, one thread), of which 60 % are to be had; s for all.
constexpr KernelTimes prototype = {0.081, 0.029, 0.019, 0.125, 0.076};

}  // namespace

bool kernels_against_the_machine() {
  bool met = true;
  const int most = thread_count();
  KernelTimes alone{};
  for (int threads = 1; threads <= std::min(2, most); ++threads) {
    set_thread_count(threads);
    const double peak = peak_flops(threads), memory = triad(threads);
    fmt::print(
        "{} thread{}: triad {:.1f} GB/s, multiply-adds {:.1f} Gflop/s; {} fibres of {} × 12 unknowns\n",
        threads, threads == 1 ? "" : "s", memory / 1e9, peak / 1e9, all_fibres, sections);
    for (const int lanes : lane_counts()) {
      const KernelTimes t = kernel_times(batch_kernels(lanes), threads);
      const double count = static_cast<double>(all_fibres);
      const auto triads = [&](double passes, double time) {
        return passes * matrix_bytes() * count / time / memory;
      };
      fmt::print(
          "  {:8} factor {:.3f} s ({:2.0f} % of the multiply-adds)   solve {:.3f} s ({:.1f} triads), "
          "streamed {:.3f} s ({:.2f})   product {:.3f} s ({:.1f}), streamed {:.3f} s ({:.2f})\n",
          batch_kernels(lanes).name, t.factor, 100 * factor_flops() * count / t.factor / peak, t.solve,
          triads(2, t.solve), t.streamed_solve, triads(2, t.streamed_solve), t.product, triads(1, t.product),
          t.streamed_product, triads(1, t.streamed_product));
      if (lanes != lane_counts().back()) continue;
      if (threads == 1) {
        alone = t;
        const auto part = [&](double KernelTimes::*kernel) { return prototype.*kernel / t.*kernel; };
        const double least =
            std::min({part(&KernelTimes::factor), part(&KernelTimes::solve), part(&KernelTimes::product),
                      part(&KernelTimes::streamed_solve), part(&KernelTimes::streamed_product)});
        const bool fast = lanes < 8 || least >= 0.6;
        fmt::print("  {:.2f} of the prototype's speed, or more (bound 0.6) {}\n", least, verdict(fast));
        met = met && fast;
      } else {
        const double gain =
            std::min({alone.factor / t.factor, alone.solve / t.solve, alone.product / t.product});
        const bool scales = gain >= 1.8;
        fmt::print("  two threads: {:.2f} times as fast, or more (bound 1.8) {}\n", gain, verdict(scales));
        met = met && scales;
      }
    }
  }
  set_thread_count(most);
  return met;
}

}  // namespace stiffly::bench
