// W numbers side by side, one per lane of a vector register: the arithmetic of W fibres at once.
//
// Included by files that are compiled for processors wider than the one the program must start on. All here
// is a template over W, no two of these files have the same W, and none of them includes anything else: no
// function compiled for the wider machine can take the place of one that the rest of the program uses.
#pragma once

namespace stiffly {

template <int W>
struct LaneTypes {
  typedef double Vector __attribute__((vector_size(W * sizeof(double)), may_alias));
};
template <>
struct LaneTypes<1> {
  using Vector = double;
};

/// Arithmetic, comparisons and `mask ? a : b` are those of the language, lane by lane, for W = 1 as well.
template <int W>
using Lanes = typename LaneTypes<W>::Vector;

template <int W>
struct LaneMath {
  using Lane = Lanes<W>;

  /// Arrays of lanes in memory: entry i of all lanes, then entry i + 1; aligned as W doubles are.
  static Lane* at(double* data) { return reinterpret_cast<Lane*>(data); }
  static const Lane* at(const double* data) { return reinterpret_cast<const Lane*>(data); }

  static Lane all(double value) { return value - Lane{}; }
  static Lane sqrt(Lane a) {
    if constexpr (W == 1) {
      return __builtin_sqrt(a);
    } else {
      Lane out;
      for (int i = 0; i < W; ++i) out[i] = __builtin_sqrt(a[i]);
      return out;
    }
  }
  static Lane abs(Lane a) { return a < 0 ? -a : a; }
  static Lane min(Lane a, Lane b) { return a < b ? a : b; }
  static Lane max(Lane a, Lane b) { return a > b ? a : b; }
  /// Whether a lane is not 0.
  static bool any(Lane a) {
    if constexpr (W == 1) {
      return a != 0;
    } else {
      for (int i = 0; i < W; ++i)
        if (a[i] != 0) return true;
      return false;
    }
  }
};

}  // namespace stiffly
