#include "stiffly/fibres/batch_kernels_for.hpp"

namespace stiffly {

extern const BatchKernelTable batch_kernels_plain;
constinit const BatchKernelTable batch_kernels_plain = BatchKernelsFor<1>::table("plain");

}  // namespace stiffly
