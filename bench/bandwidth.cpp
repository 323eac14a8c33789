// The block product against what the memory gives.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "bench.hpp"
#include "stiffly/linalg/block_matrix.hpp"
#include "stiffly/linalg/parallel.hpp"
#include "stiffly/scene/coil.hpp"

namespace stiffly::bench {
namespace {

/// a ← b + s c on arrays far larger than the caches [McCalpin 1995]: bytes per second.
double triad(std::size_t n) {
  static std::vector<double> a(n), b(n, 1.0), c(n, 2.0);
  const double time = fastest(8, [&] {
    for_chunks<65536>(n, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) a[i] = b[i] + 3.0 * c[i];
    });
  });
  return 24.0 * static_cast<double>(n) / time;
}

/// Bytes that one product must move: every block and index once, both vectors once.
double product_bytes(const BlockMatrix& matrix) {
  return static_cast<double>(matrix.pattern().blocks()) * (72 + 4) +
         static_cast<double>(matrix.pattern().rows()) * (8 + 2 * 24);
}

bool run() {
  CoilParameters parameters;
  parameters.rings = 6;  // a thick wire: 127 particles per section
  parameters.sections = 1600;
  const auto system = make_coil_system(parameters);
  const State state = system->initial_state();
  Tangent tangent;
  system->tangent(0, state.x(), state.v(), tangent);
  const BlockMatrix& K = tangent.stiffness;
  Vector x(state.x()), y(state.unknowns());
  const double bytes = product_bytes(K);
  fmt::print("matrix: {} particles, {:.0f} MB\n", system->free_particles(), bytes / 1e6);

  const int most = thread_count();
  double product_one = 0, triad_one = 0;
  bool met = true;
  for (int threads = 1; threads <= most; ++threads) {
    set_thread_count(threads);
    // Alternate, so that both see the same neighbours on the machine.
    double memory = 0, product = 0;
    for (int round = 0; round < 4; ++round) {
      memory = std::max(memory, triad(40'000'000));
      product = std::max(product, bytes / fastest(6, [&] { K.apply(x, y); }));
    }
    if (threads == 1) triad_one = memory, product_one = product;
    const bool fast = product >= 0.7 * memory;
    const double scaling = (product / product_one) / (memory / triad_one);
    const bool scales = scaling >= 0.9;
    fmt::print(
        "{} thread{}: triad {:6.2f} GB/s   product {:6.2f} GB/s = {:3.0f} % (bound 70 %) {}   scaling {:.2f} "
        "of the triad's (bound 0.9) {}\n",
        threads, threads == 1 ? " " : "s", memory / 1e9, product / 1e9, 100 * product / memory, verdict(fast),
        scaling, verdict(scales));
    met = met && fast && scales;
  }
  return met;
}

}  // namespace

Section bandwidth() { return {"bandwidth", "3×3 block product against a STREAM triad", run}; }

}  // namespace stiffly::bench
