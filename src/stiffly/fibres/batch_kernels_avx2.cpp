#include "stiffly/fibres/batch_kernels_for.hpp"

namespace stiffly {

extern const BatchKernelTable batch_kernels_avx2;
constinit const BatchKernelTable batch_kernels_avx2 = BatchKernelsFor<4>::table("AVX2");

}  // namespace stiffly
