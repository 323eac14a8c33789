// How many threads OpenBLAS may use, for a while.
#pragma once

extern "C" {
void openblas_set_num_threads(int);
int openblas_get_num_threads(void);
}

namespace stiffly {

/// OpenBLAS has that many threads while this lives. Its threads poll when they wait: in the small products and
/// triangular solves of a sparse factorisation they would cost more than they bring, most of all beside other
/// programs.
class BlasThreads {
 public:
  explicit BlasThreads(int threads) : before_(openblas_get_num_threads()) {
    openblas_set_num_threads(threads);
  }
  ~BlasThreads() { openblas_set_num_threads(before_); }
  BlasThreads(const BlasThreads&) = delete;
  BlasThreads& operator=(const BlasThreads&) = delete;

 private:
  int before_;
};

}  // namespace stiffly
