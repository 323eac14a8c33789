// The springs of fibres: which particles they join, and where their forces and matrices go.
#pragma once

#include "stiffly/fibres/batch_view.hpp"
#include "stiffly/fibres/block_tridiagonal.hpp"

namespace stiffly {

template <int W>
struct BatchSprings {
  using Lane = Lanes<W>;
  using Math = LaneMath<W>;
  using Matrix = BlockTridiagonal<W>;
  using Panel = typename Matrix::Panel;

  /// Where a spring is.
  struct Place {
    int number;
    int section;      ///< of its second end, the first free one being 0
    int row, column;  ///< of its second and its first end within the section of each
    bool within;      ///< both ends are in one section

    /// Of the first entry of an end, counted from the root.
    int from() const { return batch::section_size * (within ? section + 1 : section) + column; }
    int to() const { return batch::section_size * (section + 1) + row; }
    bool from_is_free() const { return within || section > 0; }
    int free_from() const { return from() - batch::section_size; }
    int free_to() const { return to() - batch::section_size; }
  };

  /// body(place) for every spring.
  template <class Body>
  static void for_each(int sections, const Body& body) {
    for (int s = 0; s < sections; ++s) {
      const int first = s * batch::section_springs;
      for (int a = 0; a < batch::corners; ++a)
#pragma GCC unroll 4
        for (int b = 0; b < batch::corners; ++b)
          body(Place{.number = first + batch::corners * a + b,
                     .section = s,
                     .row = 3 * b,
                     .column = 3 * a,
                     .within = false});
      for (int k = 0; k < batch::within; ++k)
        body(Place{.number = first + batch::between + k,
                   .section = s,
                   .row = 3 * batch::pairs[k][1],
                   .column = 3 * batch::pairs[k][0],
                   .within = true});
    }
  }

  /// The vector along a spring, from entries of all particles.
  static void along(const Place& spring, const Lane* x, Lane (&e)[3]) {
    for (int d = 0; d < 3; ++d) e[d] = x[spring.to() + d] - x[spring.from() + d];
  }
  /// The same from entries of free particles; the root does not move.
  static void along_free(const Place& spring, const Lane* x, Lane (&e)[3]) {
    for (int d = 0; d < 3; ++d) {
      e[d] = x[spring.free_to() + d];
      if (spring.from_is_free()) e[d] -= x[spring.free_from() + d];
    }
  }

  /// A spring and its dashpot at one state.
  struct Stretched {
    Lane n[3];     ///< its direction; 0 where it has shrunk to a point
    Lane inverse;  ///< 1/L; 0 there
    Lane stretch;
    Lane w[3];  ///< of its second end against the first
    Lane rate;  ///< n·w
    Lane pull;
  };
  /// From positions and velocities of all particles.
  static Stretched at(const BatchView& view, const Place& spring, const Lane* x, const Lane* v) {
    const Lane k = Math::at(view.stiffness)[spring.number], l = Math::at(view.rest_length)[spring.number];
    Stretched out;
    Lane e[3];
    along(spring, x, e);
    along(spring, v, out.w);
    const Lane length = Math::sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
    out.stretch = length - l;
    out.inverse = length > collapsed * l ? 1.0 / length : Math::all(0);
    out.rate = (e[0] * out.w[0] + e[1] * out.w[1] + e[2] * out.w[2]) * out.inverse;
    out.pull = k * out.stretch + *Math::at(view.damping_time) * k * out.rate;
    for (int d = 0; d < 3; ++d) out.n[d] = e[d] * out.inverse;
    return out;
  }
  static constexpr double collapsed = 1e-12;  ///< of the rest length: a spring that has no direction

  /// f ← f with the pull P of a spring on its free ends.
  static void pull(const Place& spring, const Lane (&P)[3], Lane* f) {
    for (int d = 0; d < 3; ++d) {
      if (spring.from_is_free()) f[spring.free_from() + d] += P[d];
      f[spring.free_to() + d] -= P[d];
    }
  }

  /// The lower triangles of all sections with zeros, ready for `add`.
  static void clear(int sections, Panel* panels) {
    for (int s = 0; s < sections; ++s)
      for (int i = 0; i < Matrix::size; ++i)
        for (int j = 0; j <= i; ++j) panels[s][i][Matrix::size + j] = Math::all(0);
  }

  /// K ← K + the matrix (a − g) n nᵀ + g I of a spring. Blocks beside the diagonal belong to one spring each.
  static void add(const Place& spring, const Lane (&n)[3], Lane a, Lane g, Panel* panels) {
    constexpr int diagonal = Matrix::size;
    Panel& own = panels[spring.section];
    Panel& other = panels[spring.within ? spring.section : spring.section - 1];
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        Lane entry = (a - g) * n[i] * n[j];
        if (i == j) entry += g;
        if (spring.from_is_free())
          own[spring.row + i][(spring.within ? diagonal : 0) + spring.column + j] = -entry;
        if (j > i) continue;
        own[spring.row + i][diagonal + spring.row + j] += entry;
        if (spring.from_is_free()) other[spring.column + i][diagonal + spring.column + j] += entry;
      }
  }
};

}  // namespace stiffly
