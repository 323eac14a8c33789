// What a computation cost, in units that do not depend on the machine.
#pragma once

#include <cstdint>

namespace stiffly {

/// Work counts. Each is raised in one place only: where the work is done.
struct Counters {
  std::int64_t force = 0;          ///< evaluations of all forces
  std::int64_t product = 0;        ///< products of a Jacobian (or a fixed linear part) with a vector
  std::int64_t tangent = 0;        ///< assemblies of tangent stiffness and damping
  std::int64_t factorization = 0;  ///< numerical factorisations
  std::int64_t solve = 0;          ///< solves with a factor
  std::int64_t inner = 0;          ///< iterations of inner iterative solvers

  friend bool operator==(const Counters&, const Counters&) = default;
};

inline Counters operator-(const Counters& a, const Counters& b) {
  return {a.force - b.force, a.product - b.product, a.tangent - b.tangent, a.factorization - b.factorization,
          a.solve - b.solve, a.inner - b.inner};
}

inline Counters operator+(const Counters& a, const Counters& b) {
  return {a.force + b.force, a.product + b.product, a.tangent + b.tangent, a.factorization + b.factorization,
          a.solve + b.solve, a.inner + b.inner};
}

}  // namespace stiffly
