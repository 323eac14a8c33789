// e^{tA} b by SLEPc's matrix functions: a peer of the φ evaluators.
#pragma once

#include "stiffly/linalg/linear_operator.hpp"

namespace stiffly::study {

enum class SlepcMethod {
  krylov,   ///< restarted Krylov space for the whole of t
  expokit,  ///< Krylov spaces over substeps, as in Sidje's Expokit
};

struct SlepcExponential {
  Vector value;
  int products = 0;
  int iterations = 0;  ///< restarts or substeps
};

/// To a tolerance relative to ‖b‖, in the Euclidean norm: SLEPc does not use the operator's inner product.
/// Throws InputError for a t or tolerance that makes no sense, SimulationError where SLEPc does not converge.
SlepcExponential slepc_exponential(const LinearOperator& A, double t, ConstVectorView b, double tolerance,
                                   SlepcMethod method = SlepcMethod::expokit, int largest_basis = 30);

}  // namespace stiffly::study
