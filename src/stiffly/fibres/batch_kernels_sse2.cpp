#include "stiffly/fibres/batch_kernels_for.hpp"

namespace stiffly {

extern const BatchKernelTable batch_kernels_sse2;
constinit const BatchKernelTable batch_kernels_sse2 = BatchKernelsFor<2>::table("SSE2");

}  // namespace stiffly
