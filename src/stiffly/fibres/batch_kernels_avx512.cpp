#include "stiffly/fibres/batch_kernels_for.hpp"

namespace stiffly {

extern const BatchKernelTable batch_kernels_avx512;
constinit const BatchKernelTable batch_kernels_avx512 = BatchKernelsFor<8>::table("AVX-512");

}  // namespace stiffly
