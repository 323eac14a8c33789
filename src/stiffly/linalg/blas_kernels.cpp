#include "stiffly/linalg/blas_kernels.hpp"

#include <cstdlib>
#include <string_view>

extern "C" {
char* openblas_get_corename(void);
// Only where OpenBLAS has kernels for several processors.
[[gnu::weak]] void gotoblas_dynamic_init(void);
[[gnu::weak]] void gotoblas_dynamic_quit(void);
}

namespace stiffly {
namespace {

[[maybe_unused]] bool choose_again(const char* processor) {
  constexpr const char* wish = "OPENBLAS_CORETYPE";
  if (std::getenv(wish) || !gotoblas_dynamic_init || !gotoblas_dynamic_quit) return false;
  if (setenv(wish, processor, 1) != 0) return false;
  gotoblas_dynamic_quit();
  gotoblas_dynamic_init();
  return true;
}

bool choose() {
#ifdef __x86_64__
  constexpr std::string_view oldest = "Prescott";
  if (openblas_get_corename() != oldest) return false;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
    return choose_again("SkylakeX");
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return choose_again("Haswell");
#endif
  return false;
}

}  // namespace

void choose_blas_kernels() { [[maybe_unused]] static const bool chosen = choose(); }

}  // namespace stiffly
