// Loops and sums over fixed chunks. Chunks, not threads, decide the order of summation, so that a run gives
// the same bits with any number of threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "stiffly/threads.hpp"

namespace stiffly {

/// body(first, last) for every chunk of [0, n), by threads where there is enough to do.
template <std::size_t Chunk, class Body>
void for_chunks(std::size_t n, const Body& body) {
  const std::size_t count = (n + Chunk - 1) / Chunk;
  if (count < 4) {  // waking threads would cost more than they bring
    for (std::size_t first = 0; first < n; first += Chunk) body(first, std::min(n, first + Chunk));
    return;
  }
  parallel_for(count, [&](std::size_t c) { body(c * Chunk, std::min(n, (c + 1) * Chunk)); });
}

/// Σ term(i) over [0, n), of numbers or whatever can be added.
template <std::size_t Chunk, class Term>
auto sum_chunks(std::size_t n, const Term& term) {
  using Sum = std::decay_t<decltype(term(n))>;
  std::vector<Sum> partial((n + Chunk - 1) / Chunk, Sum{});
  for_chunks<Chunk>(n, [&](std::size_t first, std::size_t last) {
    Sum sum{};
    for (std::size_t i = first; i < last; ++i) sum += term(i);
    partial[first / Chunk] = sum;
  });
  Sum total{};
  for (const Sum& p : partial) total += p;
  return total;
}

}  // namespace stiffly
