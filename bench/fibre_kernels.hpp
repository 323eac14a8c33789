// What the parts of `bench fibres` share.
#pragma once

#include <time.h>

#include <cstddef>

#include "stiffly/fibres/batch_kernel_table.hpp"

namespace stiffly::bench {

inline constexpr std::size_t all_fibres = 60000;  ///< of a head

/// Seconds of a clock of the system: CLOCK_THREAD_CPUTIME_ID does not run while others have the processor.
inline double clock_of(clockid_t id) {
  timespec t;
  clock_gettime(id, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Seconds for all fibres.
struct KernelTimes {
  double factor, solve, product;            ///< in cache
  double streamed_solve, streamed_product;  ///< of matrices that come from memory
};
KernelTimes kernel_times(const BatchKernelTable& kernels, int threads);

/// Multiply-adds that wait for nothing but the units: flop/s.
double peak_flops(int threads);

/// Exponential methods on fibres: their time over stiffness, and what lanes gain for them.
bool exponentials_of_fibres();

/// Factor, solve and product of all fibres beside a triad and multiply-adds; whether the bounds were met.
bool kernels_against_the_machine();

}  // namespace stiffly::bench
