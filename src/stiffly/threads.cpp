#include "stiffly/threads.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "stiffly/error.hpp"

namespace stiffly {
namespace {

/// More are a slip, and cost more than they bring.
constexpr int most_threads = 1024;
/// Turns of the loop in which a thread looks whether something has changed before it sleeps: some tens of
/// microseconds, longer than what lies between two loops of one product with a matrix.
constexpr int patience = 2000;

void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#else
  std::atomic_signal_fence(std::memory_order_seq_cst);
#endif
}

template <class T>
void wait_while(const std::atomic<T>& value, T same) {
  for (int turn = 0; turn < patience; ++turn, relax())
    if (value.load(std::memory_order_acquire) != same) return;
  value.wait(same, std::memory_order_acquire);
}

thread_local bool within_loop = false;

/// A loop in progress. Each thread has a share of its own, so that in loop after loop it works on the data
/// that its cache holds, and then helps with what is left of the others'.
class Loop {
 public:
  using Task = void (*)(const void* body, std::size_t i);

  void start(std::size_t count, std::size_t shares, Task task, const void* body) {
    task_ = task;
    body_ = body;
    error_ = nullptr;
    if (shares_.size() != shares) shares_ = std::vector<Share>(shares);
    for (std::size_t k = 0; k < shares; ++k) {
      shares_[k].next.store(count * k / shares, std::memory_order_relaxed);
      shares_[k].end = count * (k + 1) / shares;
    }
  }

  /// Until nothing is left to be begun.
  void work(std::size_t thread) {
    for (std::size_t k = 0; k < shares_.size(); ++k) {
      Share& share = shares_[(thread + k) % shares_.size()];
      while (share.next.load(std::memory_order_relaxed) < share.end) {
        const std::size_t i = share.next.fetch_add(1, std::memory_order_relaxed);
        if (i < share.end) attempt(i);
      }
    }
  }

  std::exception_ptr error() const { return error_; }

 private:
  struct alignas(64) Share {  // a cache line each
    std::atomic<std::size_t> next = 0;
    std::size_t end = 0;
    Share() = default;
    Share(const Share&) {}  // for the vector: shares are filled in after they are made
  };

  void attempt(std::size_t i) {
    try {
      task_(body_, i);
    } catch (...) {
      const std::lock_guard guard(error_lock_);
      if (!error_) error_ = std::current_exception();
    }
  }

  Task task_ = nullptr;
  const void* body_ = nullptr;
  std::vector<Share> shares_;
  std::mutex error_lock_;
  std::exception_ptr error_;
};

class Pool {
 public:
  ~Pool() {
    if (getpid() == process_)
      end_threads();
    else  // a fork: there is nobody to join
      for (std::thread& thread : threads_) thread.detach();
  }

  /// False if another thread is using the pool.
  bool run(std::size_t count, std::size_t threads, Loop::Task task, const void* body) {
    const std::unique_lock alone(busy_, std::try_to_lock);
    if (!alone) return false;
    make_threads(threads - 1);
    loop_.start(count, std::min(count, threads), task, body);
    open_.store(true);
    round_.fetch_add(1);
    round_.notify_all();
    within_loop = true;
    loop_.work(0);
    within_loop = false;
    // Every task has been begun by now, by a thread that is within. One that comes now finds the loop closed:
    // of the two orders "enter, look" there and "close, look" here at least one sees the other.
    open_.store(false);
    for (int inside = inside_.load(); inside != 0; inside = inside_.load()) wait_while(inside_, inside);
    if (loop_.error()) std::rethrow_exception(loop_.error());
    return true;
  }

 private:
  void make_threads(std::size_t wanted) {
    wanted = std::min(wanted, most_);
    if (threads_.size() == wanted) return;
    end_threads();
    try {
      for (std::size_t k = 1; k <= wanted; ++k)
        threads_.emplace_back([this, k, round = round_.load()] { serve(k, round); });
    } catch (const std::system_error&) {
      // No more are to be had, and what was left for the work itself is gone into their stacks: half of them
      // are enough.
      most_ = threads_.size() / 2;
      make_threads(most_);
    }
  }

  void end_threads() {
    ending_.store(true);
    round_.fetch_add(1);
    round_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    ending_.store(false);
  }

  void serve(std::size_t thread, std::uint32_t round) {
    within_loop = true;
    for (;;) {
      wait_while(round_, round);
      round = round_.load();
      if (ending_.load()) return;
      inside_.fetch_add(1);
      if (open_.load()) loop_.work(thread);
      if (inside_.fetch_sub(1) == 1) inside_.notify_all();
    }
  }

  std::mutex busy_;
  Loop loop_;
  std::atomic<bool> open_ = false, ending_ = false;
  std::atomic<std::uint32_t> round_ = 0;  ///< counts loops
  std::atomic<int> inside_ = 0;           ///< threads that may be at work on one
  std::vector<std::thread> threads_;
  std::size_t most_ = most_threads;  ///< that the system gives us
  pid_t process_ = getpid();
};

Pool& pool() {
  static Pool the_pool;
  return the_pool;
}

int default_count() {
  if (const char* wanted = std::getenv("OMP_NUM_THREADS"))
    if (const int threads = std::atoi(wanted); threads > 0) return std::min(threads, most_threads);
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

std::atomic<int>& count_setting() {
  static std::atomic<int> count = default_count();
  return count;
}

}  // namespace

int thread_count() { return count_setting().load(std::memory_order_relaxed); }

void set_thread_count(int threads) {
  if (threads < 1 || threads > most_threads)
    throw InputError(
        fmt::format("the number of threads must be from 1 to {}, not {}", most_threads, threads));
  count_setting().store(threads, std::memory_order_relaxed);
}

void detail::run_tasks(std::size_t count, void (*task)(const void* body, std::size_t i), const void* body) {
  const auto threads = static_cast<std::size_t>(thread_count());
  if (threads > 1 && count > 1 && !within_loop && pool().run(count, threads, task, body)) return;
  for (std::size_t i = 0; i < count; ++i) task(body, i);
}

}  // namespace stiffly
