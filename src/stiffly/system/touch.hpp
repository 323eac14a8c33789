// What touches in a state.
#pragma once

#include <algorithm>

namespace stiffly {

/// Of pairs of things that repel each other, those within their range.
struct Touch {
  long pairs = 0;
  double deepest = 0;  ///< how far they overlap, m

  void see(double gap) {
    ++pairs;
    deepest = std::max(deepest, -gap);
  }
  void see(const Touch& other) {
    pairs += other.pairs;
    deepest = std::max(deepest, other.deepest);
  }
};

/// The larger of each number.
inline Touch most_of(const Touch& a, const Touch& b) {
  return {std::max(a.pairs, b.pairs), std::max(a.deepest, b.deepest)};
}

}  // namespace stiffly
