// Loops and sums over fixed chunks. Chunks, not threads, decide the order of summation, so that a run gives
// the same bits with any number of threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace stiffly {

/// body(first, last) for every chunk of [0, n), by threads where there is enough to do.
template <std::size_t Chunk, class Body>
void for_chunks(std::size_t n, const Body& body) {
  const auto count = static_cast<std::ptrdiff_t>((n + Chunk - 1) / Chunk);
  if (count < 4) {  // a thread team would cost more than it brings
    for (std::size_t first = 0; first < n; first += Chunk) body(first, std::min(n, first + Chunk));
    return;
  }
#pragma omp parallel for schedule(static)
  for (std::ptrdiff_t c = 0; c < count; ++c) {
    const std::size_t first = static_cast<std::size_t>(c) * Chunk;
    body(first, std::min(n, first + Chunk));
  }
}

/// Σ term(i) over [0, n).
template <std::size_t Chunk, class Term>
double sum_chunks(std::size_t n, const Term& term) {
  std::vector<double> partial((n + Chunk - 1) / Chunk, 0.0);
  for_chunks<Chunk>(n, [&](std::size_t first, std::size_t last) {
    double sum = 0;
    for (std::size_t i = first; i < last; ++i) sum += term(i);
    partial[first / Chunk] = sum;
  });
  double total = 0;
  for (const double p : partial) total += p;
  return total;
}

}  // namespace stiffly
