// A clock that counts: how long the work done takes on a nominal machine. What is chosen by it is chosen
// again by the same run, whatever else the machine does meanwhile and however many threads share the work.
#pragma once

#include <cstddef>

namespace stiffly {

namespace detail {
inline thread_local double effort = 0;
}

/// By this thread so far, s.
inline double effort_seconds() { return detail::effort; }
/// Whoever does work says what it takes.
inline void add_effort(double seconds) { detail::effort += seconds; }

/// What pieces of work take, s. Measured on one core of a server of 2024 (`bench effort` compares them with
/// the clock); choices depend on their ratios alone, which differ little from machine to machine.
namespace effort {

inline constexpr double call = 2e-8;        ///< of anything, beside what grows with the size
inline constexpr double entry = 1.5e-10;    ///< of a vector, read or written
inline constexpr double product = 2.5e-10;  ///< of a sparse matrix with a vector, per entry of the matrix
inline constexpr double pair = 1.2e-8;      ///< of unknowns' groups, such as particles, that a force couples
inline constexpr double tangent = 4;        ///< times the force
inline constexpr double mixed = 1.5;        ///< times the force, where strains are unknowns
inline constexpr double analysis = 4e-8;    ///< of a pattern, per entry of the factor
inline constexpr double factor_call = 3e-6;
inline constexpr double factor_row = 5e-8;        ///< of a factorisation, per row …
inline constexpr double factor_entry = 2e-9;      ///< … per entry of the factor …
inline constexpr double operation = 6e-10;        ///< … and per addition and multiplication, …
inline constexpr double dense_operation = 1e-10;  ///< … by products of matrices, …
inline constexpr double dense_from = 40;  ///< … which CHOLMOD makes where there are more of them per entry
inline constexpr double solve_call = 5e-7;
inline constexpr double solve_row = 1.5e-8;
inline constexpr double solve_entry = 7e-10;  ///< per entry of the factor
inline constexpr double small = 4e-10;        ///< an operation on small dense matrices

/// Of a vector operation that reads and writes so many vectors of that size.
inline constexpr double vectors(std::size_t size, std::size_t count) {
  return call + entry * static_cast<double>(size) * static_cast<double>(count);
}
/// Of a factorisation: rows and entries of the factor, additions and multiplications.
inline constexpr double factorization(double rows, double entries, double operations) {
  const bool dense = operations > dense_from * entries;
  return factor_call + factor_row * rows + factor_entry * entries +
         (dense ? dense_operation : operation) * operations;
}
/// Of n³ operations times a factor.
inline constexpr double cubic(long n, double factor) {
  return call + factor * small * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
}

}  // namespace effort

}  // namespace stiffly
