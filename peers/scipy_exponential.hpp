// e^{tA} b by scipy.sparse.linalg.expm_multiply [Al-Mohy & Higham 2011], run in Python: a peer of the φ
// evaluators. Needed when it is called, not when this is built.
#pragma once

#include <string>

#include "peers/compressed_rows.hpp"

namespace stiffly::study {

struct ScipyExponential {
  Vector value;
  double seconds = 0;   ///< of the fastest multiplication alone: Python's start and the files are not in it
  std::string version;  ///< of scipy
};

/// Whether a Python with scipy is there: python3 of PATH, or else the system's. Looked for once.
bool scipy_available();

/// To double precision: expm_multiply takes no tolerance. Throws InputError for a t that is not finite, sizes
/// that differ or no repeats, SimulationError where no Python has scipy or it fails.
ScipyExponential scipy_exponential(const CompressedRows& A, double t, ConstVectorView b, int repeats = 1);

}  // namespace stiffly::study
