// Which of its kernels OpenBLAS computes with.
#pragma once

namespace stiffly {

/// OpenBLAS chooses its kernels when it is loaded, by the model of the processor; one that is newer than
/// itself it takes for one of 2004, and dense products become two to five times slower. This has it choose
/// again, by what the processor can do, where that is the case. Once in a process; nothing where
/// OPENBLAS_CORETYPE says what to take.
void choose_blas_kernels();

}  // namespace stiffly
