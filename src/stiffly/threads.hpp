// The library's threads: one setting, one pool, nobody else's.
//
// Parallel loops of the library run on a pool of its own, which is made at the first loop that is worth it. A
// thread that waits looks for work for some microseconds and then sleeps. A loop does not wait for threads
// that have not come: whoever is there does the work, so that programs side by side on one machine do not
// wait for each other's turns.
//
// What this changes for a program around it: nothing of its OpenMP. OpenBLAS has one thread while the library
// calls CHOLMOD, and thread_count() threads while a large matrix is factorised; its setting is put back after
// each call. CHOLMOD's own parallel loops have one thread, and Eigen is compiled without threads.
#pragma once

#include <cstddef>

namespace stiffly {

/// Threads that the library uses: OMP_NUM_THREADS if that is set, otherwise as many as this process may use.
int thread_count();
/// For every later call, from any thread. Throws InputError if it is not positive.
void set_thread_count(int threads);

namespace detail {
void run_tasks(std::size_t count, void (*task)(const void* body, std::size_t i), const void* body);
}

/// body(i) for every i in [0, count), each once and in any order. The first exception is thrown to the caller
/// when all threads are done. Within another such loop, or beside one of another thread: by the caller alone.
template <class Body>
void parallel_for(std::size_t count, const Body& body) {
  detail::run_tasks(
      count, [](const void* b, std::size_t i) { (*static_cast<const Body*>(b))(i); }, &body);
}

}  // namespace stiffly
