#include "stiffly/linalg/dense_kernels.hpp"

namespace Eigen::internal {
STIFFLY_DENSE_KERNELS(template)
}
