// The forces of W fibres at one state, and their derivative.
#pragma once

#include "stiffly/fibres/batch_springs.hpp"

namespace stiffly {

/// K = −∂f/∂x and C = −∂f/∂v as TangentView has them, with drag. Products go from spring to spring: K and C
/// at once, the unsymmetric part of K included, for fewer multiplications than two block-tridiagonal matrices
/// would take.
template <int W>
struct BatchTangent {
  using Lane = Lanes<W>;
  using Math = LaneMath<W>;
  using Matrix = BlockTridiagonal<W>;
  using Springs = BatchSprings<W>;
  using Place = typename Springs::Place;
  using Stretched = typename Springs::Stretched;
  using Panel = typename Matrix::Panel;

  /// f at positions and velocities of all particles, roots included.
  static void force(const BatchView& view, const double* x, const double* v, double* f) {
    loads(view, v, f);
    Springs::for_each(view.sections, [&](const Place& spring) {
      const Stretched s = Springs::at(view, spring, Math::at(x), Math::at(v));
      const Lane P[3] = {s.pull * s.n[0], s.pull * s.n[1], s.pull * s.n[2]};
      Springs::pull(spring, P, Math::at(f));
    });
  }

  /// f and its derivative.
  static void linearize(const BatchView& view, const double* x, const double* v, double* f,
                        const TangentView& tangent) {
    loads(view, v, f);
    Springs::for_each(view.sections, [&](const Place& spring) {
      const Stretched s = Springs::at(view, spring, Math::at(x), Math::at(v));
      const Lane k = Math::at(view.stiffness)[spring.number];
      const Lane dashpot = *Math::at(view.damping_time) * k * s.inverse;
      Lane P[3];
      for (int d = 0; d < 3; ++d) {
        P[d] = s.pull * s.n[d];
        Math::at(tangent.direction)[3 * spring.number + d] = s.n[d];
        Math::at(tangent.turning)[3 * spring.number + d] = dashpot * (s.w[d] - s.rate * s.n[d]);
      }
      Math::at(tangent.across)[spring.number] = s.pull * s.inverse;
      Math::at(tangent.held)[spring.number] = Math::max(k * s.stretch * s.inverse, Math::all(0));
      Springs::pull(spring, P, Math::at(f));
    });
  }

  /// For displacements x and velocities v of free particles: −Kx, −Kx − Cv, and (K₊ + ςM) x, where K₊ is K
  /// without pressure and what dashpots add to it: a metric in which undamped motion is nearly skew.
  static void respond(const BatchView& view, const TangentView& tangent, const double* shift, const double* x,
                      const double* v, double* elastic, double* force, double* metric) {
    const Lane *mass = Math::at(view.mass), *drag = Math::at(view.drag);
    Lane *f = Math::at(force), *fx = Math::at(elastic), *g = Math::at(metric);
    for (int i = 0; i < batch::section_size * view.sections; ++i) {
      fx[i] = Math::all(0);
      f[i] = -drag[i / 3] * Math::at(v)[i];
      g[i] = *Math::at(shift) * mass[i / 3] * Math::at(x)[i];
    }
    Springs::for_each(view.sections, [&](const Place& spring) {
      Lane e[3], w[3], P[3], G[3], rest[3];
      Springs::along_free(spring, Math::at(x), e);
      Springs::along_free(spring, Math::at(v), w);
      const Lane damped = change(view, tangent, spring, e, w, P, G);
      for (int d = 0; d < 3; ++d) {
        rest[d] = P[d] - damped * Math::at(tangent.direction)[3 * spring.number + d];
        G[d] = -G[d];
      }
      Springs::pull(spring, P, f);
      Springs::pull(spring, rest, fx);
      Springs::pull(spring, G, g);
    });
  }

  /// LDLᵀ of M + sC + s²K without what turning dashpots add, as panels; s of each lane.
  static void factor_shifted(const BatchView& view, const TangentView& tangent, const double* s,
                             double* failed) {
    constexpr int size = Matrix::size;
    const Lane shift = *Math::at(s);
    const Lane *mass = Math::at(view.mass), *drag = Math::at(view.drag);
    Panel* S = reinterpret_cast<Panel*>(view.panels);
    Springs::clear(view.sections, S);
    for (int i = 0; i < size * view.sections; ++i)
      S[i / size][i % size][size + i % size] = mass[i / 3] + shift * drag[i / 3];
    Springs::for_each(view.sections, [&](const Place& spring) {
      const Lane* frozen = Math::at(tangent.direction) + 3 * spring.number;
      const Lane n[3] = {frozen[0], frozen[1], frozen[2]};
      const Lane k = Math::at(view.stiffness)[spring.number];
      Springs::add(spring, n, shift * (shift + *Math::at(view.damping_time)) * k,
                   shift * shift * Math::at(tangent.across)[spring.number], S);
    });
    Matrix::factor(view.sections, S, Math::at(view.inverse_pivots), Math::at(failed));
  }

  /// M(r − v) + sf, what (I − sJ)(x, v) lacks of (x − sv, r) where f = −Kx − Cv, and its square in the norm
  /// of M⁻¹.
  static void defect(const BatchView& view, const double* s, const double* r, const double* v,
                     const double* f, double* out, double* square) {
    const Lane shift = *Math::at(s);
    Lane sum = Math::all(0);
    for (int p = 0; p < batch::corners * view.sections; ++p) {
      const Lane m = Math::at(view.mass)[p];
      Lane part = Math::all(0);
      for (int i = 3 * p; i < 3 * p + 3; ++i) {
        const Lane lack = m * (Math::at(r)[i] - Math::at(v)[i]) + shift * Math::at(f)[i];
        Math::at(out)[i] = lack;
        part += lack * lack;
      }
      sum += part / m;
    }
    *Math::at(square) = sum;
  }

 private:
  /// f₀ − cv
  static void loads(const BatchView& view, const double* v, double* f) {
    constexpr int size = batch::section_size;
    for (int i = 0; i < size * view.sections; ++i)
      Math::at(f)[i] = Math::at(view.load)[i] - Math::at(view.drag)[i / 3] * Math::at(v)[i + size];
  }

  /// By how much the pull of a spring changes with e and w: dP as TangentView has it, and what the metric has
  /// instead. Returns the part d n·w of the dashpot, along n.
  static Lane change(const BatchView& view, const TangentView& tangent, const Place& spring,
                     const Lane (&e)[3], const Lane (&w)[3], Lane (&P)[3], Lane (&held)[3]) {
    const Lane *n = Math::at(tangent.direction) + 3 * spring.number,
               *u = Math::at(tangent.turning) + 3 * spring.number;
    const Lane k = Math::at(view.stiffness)[spring.number], g = Math::at(tangent.across)[spring.number],
               h = Math::at(tangent.held)[spring.number];
    const Lane along = n[0] * e[0] + n[1] * e[1] + n[2] * e[2];
    const Lane damped = *Math::at(view.damping_time) * k * (n[0] * w[0] + n[1] * w[1] + n[2] * w[2]);
    const Lane turned = u[0] * e[0] + u[1] * e[1] + u[2] * e[2];
    for (int d = 0; d < 3; ++d) {
      P[d] = g * e[d] + ((k - g) * along + turned + damped) * n[d];
      held[d] = h * e[d] + (k - h) * along * n[d];
    }
    return damped;
  }
};

}  // namespace stiffly
