// Which kernels this processor can run.
#pragma once

#include <vector>

#include "stiffly/fibres/batch_kernel_table.hpp"

namespace stiffly {

/// Numbers of lanes that this processor has kernels for, ascending: 1, 2, and 4 and 8 where it has the
/// registers.
std::vector<int> lane_counts();

/// The kernels of so many lanes; 0: as many as the widest registers hold. More lanes than a register has
/// would be slower by far than one batch after the other. Results of a fibre differ by rounding alone: some
/// processors multiply and add in one rounding. Throws InputError for a number that is not in lane_counts().
const BatchKernelTable& batch_kernels(int lanes = 0);

}  // namespace stiffly
