// What is computed for W fibres at once.
#pragma once

#include "stiffly/fibres/batch_view.hpp"
#include "stiffly/fibres/block_tridiagonal.hpp"

namespace stiffly {

/// The iteration of MixedForce for the springs of fibres, with the acceleration z as unknown as in
/// EnergyMomentum: x⁺ = x + hv + h²z/2, mean velocity v + hz/2. With e the vector along a spring, L its
/// length, δ = L − l its elongation, mean values ē, L̄ over the step and dashpots βk beside the springs,
///   pull         p = k(δ + δ⁺)/2 + k(β/h + θ − ½)(δ⁺ − δ),  along ē/L̄,
///   stiffness    D = ∂p/∂δ⁺ = k(θ + β/h),
///   residual     r = m g − c(v + hz/2) − mz − Σ ±(p ē/L̄ + Dκ n),  κ = L⁺ − l − δ⁺,
///   matrix       M + (h/2) c + (h²/2) Σ [(D − g) n nᵀ + g I],
/// where n = ē/L̄ and g = p/(2L̄) are frozen with the factor.
template <int W>
struct BatchKernels {
  using Lane = Lanes<W>;
  using Math = LaneMath<W>;
  using Matrix = BlockTridiagonal<W>;
  using Panel = typename Matrix::Panel;

  /// end_x ← x + hv + h²z/2 of free particles.
  static void place(const BatchView& view) {
    const Lane h = *Math::at(view.h), b = 0.5 * h * h;
    const Lane *x = Math::at(view.x) + batch::section_size, *v = Math::at(view.v), *z = Math::at(view.z);
    Lane* end = Math::at(view.end_x) + batch::section_size;
    for (int i = 0; i < batch::section_size * view.sections; ++i) end[i] = x[i] + h * v[i] + b * z[i];
  }

  /// Directions and tensions per length of lanes where `fresh` is not 0; where `clamped` is not 0, springs
  /// under pressure count as without tension, so that the matrix is positive definite.
  static void freeze(const BatchView& view, const double* fresh, const double* clamped) {
    const auto set = *Math::at(fresh) != 0, clamp = *Math::at(clamped) != 0;
    const Lane rate = damping_rate(view, view.h);
    Lane* frozen_h = Math::at(view.frozen_h);
    *frozen_h = set ? *Math::at(view.h) : *frozen_h;
    for_each_spring(
        view, [&](int spring, const Lane* from, const Lane* to, const Lane* end_from, const Lane* end_to) {
          const Mean mean = mean_of(view, rate, spring, from, to, end_from, end_to);
          Lane* n = Math::at(view.direction) + 3 * spring;
          for (int d = 0; d < 3; ++d) n[d] = set ? mean.twice[d] * mean.half_inverse_length : n[d];
          const Lane g = mean.pull * mean.half_inverse_length;
          Lane& across = Math::at(view.across)[spring];
          across = set ? (clamp ? Math::max(g, Math::all(0)) : g) : across;
        });
  }

  /// The matrix from what is frozen, and its factor: of a lane that was not frozen anew the same as before.
  static void factor(const BatchView& view, double* failed) {
    assemble(view);
    Matrix::factor(view.sections, panels(view), Math::at(view.inverse_pivots), Math::at(failed));
  }

  /// One iteration of lanes where `active` is not 0: z, δ⁺, x⁺. `correction` and `acceleration`: ‖dz‖² and
  /// ‖z‖² in the mass norm.
  static void iterate(const BatchView& view, const double* active, double* correction, double* acceleration) {
    residual(view);
    Lane* dz = Math::at(view.residual);
    Matrix::solve(view.sections, panels(view), Math::at(view.inverse_pivots), dz);
    const auto moves = *Math::at(active) != 0;
    Lane* z = Math::at(view.z);
    const Lane* mass = Math::at(view.mass);
    Lane step2 = Math::all(0), size2 = Math::all(0);
    for (int p = 0; p < batch::corners * view.sections; ++p) {
      Lane d2 = Math::all(0), z2 = Math::all(0);
      for (int i = 3 * p; i < 3 * p + 3; ++i) {
        dz[i] = moves ? dz[i] : Math::all(0);
        z[i] += dz[i];
        d2 += dz[i] * dz[i];
        z2 += z[i] * z[i];
      }
      step2 += mass[p] * d2;
      size2 += mass[p] * z2;
    }
    *Math::at(correction) = step2;
    *Math::at(acceleration) = size2;
    follow(view, dz, moves);
    place(view);
  }

  // ---- entries of lanes ----

  /// to ← from in lanes where `chosen` is not 0.
  static void copy(int count, const double* from, double* to, const double* chosen) {
    const auto set = *Math::at(chosen) != 0;
    for (int i = 0; i < count; ++i) Math::at(to)[i] = set ? Math::at(from)[i] : Math::at(to)[i];
  }
  /// to ← to + a from in lanes where `chosen` is not 0.
  static void add(int count, const double* a, const double* from, double* to, const double* chosen) {
    const Lane weight = *Math::at(chosen) != 0 ? *Math::at(a) : Math::all(0);
    for (int i = 0; i < count; ++i) Math::at(to)[i] += weight * Math::at(from)[i];
  }
  /// ‖Σ_k w_k y_k‖² in the mass norm, of arrays of free particles.
  static void norm(int sections, const double* mass, int terms, const double* const* y, const double* weights,
                   double* out) {
    Lane sum = Math::all(0);
    for (int p = 0; p < batch::corners * sections; ++p) {
      Lane square = Math::all(0);
      for (int i = 3 * p; i < 3 * p + 3; ++i) {
        Lane entry = Math::all(0);
        for (int k = 0; k < terms; ++k) entry += Math::at(weights)[k] * Math::at(y[k])[i];
        square += entry * entry;
      }
      sum += Math::at(mass)[p] * square;
    }
    *Math::at(out) = sum;
  }

  // ---- one state ----

  /// δ = L − l at x.
  static void measure(const BatchView& view, const double* x, double* strain) {
    for_each_spring(view, x, x, [&](int spring, const Lane* from, const Lane* to, auto...) {
      Lane square = Math::all(0);
      for (int d = 0; d < 3; ++d) square += (to[d] - from[d]) * (to[d] - from[d]);
      Math::at(strain)[spring] = Math::sqrt(square) - Math::at(view.rest_length)[spring];
    });
  }

  /// At positions x and velocities v of all particles, roots included: f = mg − cv − Σ ±(kδ + βk dδ/dt) ê on
  /// the free ones, the energy ½Σkδ² − Σm g·x, and K = Σ ±(k êêᵀ + kδ/L (I − êêᵀ)) as panels.
  static void evaluate(const BatchView& view, const double* x, const double* v, double* f, double* energy,
                       double* stiffness) {
    constexpr int size = batch::section_size;
    const Lane *mass = Math::at(view.mass), *drag = Math::at(view.drag);
    Lane total = Math::all(0);
    for (int i = 0; i < size * view.sections; ++i) {
      const Lane weight = view.gravity[i % 3] * mass[i / 3];
      Math::at(f)[i] = weight - drag[i / 3] * Math::at(v)[i + size];
      total -= weight * Math::at(x)[i + size];
    }
    Assembly assembly(view.sections, reinterpret_cast<Panel*>(stiffness));
    for_each_spring(view, x, v,
                    [&](int spring, const Lane* from, const Lane* to, const Lane* v_from, const Lane* v_to) {
                      const Lane k = Math::at(view.stiffness)[spring], l = Math::at(view.rest_length)[spring];
                      Lane e[3], square = Math::all(0), rate = Math::all(0);
                      for (int d = 0; d < 3; ++d) {
                        e[d] = to[d] - from[d];
                        square += e[d] * e[d];
                        rate += e[d] * (v_to[d] - v_from[d]);
                      }
                      const Lane length = Math::sqrt(square), stretch = length - l;
                      const Lane inverse = length > collapsed * l ? 1.0 / length : Math::all(0);
                      total += 0.5 * k * stretch * stretch;
                      const Lane pull = k * stretch + *Math::at(view.damping_time) * k * rate * inverse;
                      Lane P[3], n[3];
                      for (int d = 0; d < 3; ++d) {
                        n[d] = e[d] * inverse;
                        P[d] = pull * n[d];
                      }
                      apply(spring, P, Math::at(f));
                      assembly.add(spring, n, inverse == 0 ? Math::all(0) : k, k * stretch * inverse);
                    });
    *Math::at(energy) = total;
  }

 private:
  static constexpr double collapsed = 1e-12;  ///< of the rest length: a spring that has no direction

  static Panel* panels(const BatchView& view) { return reinterpret_cast<Panel*>(view.panels); }
  /// The particles of a spring, counted from the root.
  struct Ends {
    int from, to;
  };
  static Ends ends(int spring) {
    const int section = spring / batch::section_springs + 1, k = spring % batch::section_springs;
    if (k < batch::between)
      return {batch::corners * (section - 1) + k / batch::corners,
              batch::corners * section + k % batch::corners};
    const auto& pair = batch::pairs[k - batch::between];
    return {batch::corners * section + pair[0], batch::corners * section + pair[1]};
  }

  /// body(spring, entries of its two ends in each of two arrays) for every spring.
  template <class Body>
  static void for_each_spring(const BatchView& view, const double* first, const double* second,
                              const Body& body) {
    const Lane *a = Math::at(first), *b = Math::at(second);
    for (int s = 0; s < view.sections; ++s)
#pragma GCC unroll 2
      for (int k = 0; k < batch::section_springs; ++k) {
        const int spring = s * batch::section_springs + k;
        const auto [from, to] = ends(spring);
        body(spring, a + 3 * from, a + 3 * to, b + 3 * from, b + 3 * to);
      }
  }
  template <class Body>
  static void for_each_spring(const BatchView& view, const Body& body) {
    for_each_spring(view, view.x, view.end_x, body);
  }

  /// f ← f with the pull P of a spring on its free ends.
  static void apply(int spring, const Lane (&P)[3], Lane* f) {
    const auto [from, to] = ends(spring);
    for (int d = 0; d < 3; ++d) {
      if (from >= batch::corners) f[3 * (from - batch::corners) + d] += P[d];
      f[3 * (to - batch::corners) + d] -= P[d];
    }
  }

  /// β/h + θ − ½
  static Lane damping_rate(const BatchView& view, const double* h) {
    return *Math::at(view.damping_time) / *Math::at(h) + view.extra_weight;
  }
  /// A spring over the step.
  struct Mean {
    Lane twice[3];             ///< 2ē
    Lane half_inverse_length;  ///< 1/(2L̄); 0 for a spring shrunk to a point
    Lane pull;
    Lane end_length;
  };
  // L̄ from the elongations, as SpringStrains says, but not too far from what the positions say.
  static Mean mean_of(const BatchView& view, Lane rate, int spring, const Lane* from, const Lane* to,
                      const Lane* end_from, const Lane* end_to) {
    const Lane l = Math::at(view.rest_length)[spring], k = Math::at(view.stiffness)[spring];
    const Lane before = Math::at(view.strain)[spring], after = Math::at(view.end_strain)[spring];
    Mean out;
    Lane square = Math::all(0);
    for (int d = 0; d < 3; ++d) {
      const Lane e = end_to[d] - end_from[d];
      square += e * e;
      out.twice[d] = e + (to[d] - from[d]);
    }
    out.end_length = Math::sqrt(square);
    const Lane actual = l + before + out.end_length;  // twice the mean
    const Lane length = Math::min(Math::max(2.0 * l + before + after, 0.5 * actual), 2.0 * actual);
    out.half_inverse_length = length > 2.0 * collapsed * l ? 1.0 / length : Math::all(0);
    out.pull = k * (0.5 * (before + after) + rate * (after - before));
    return out;
  }
  /// D, for the rate of the frozen step.
  static Lane stiffness_along(const BatchView& view, Lane rate, int spring) {
    return Math::at(view.stiffness)[spring] * (0.5 + rate);
  }

  static void residual(const BatchView& view) {
    const Lane half = 0.5 * *Math::at(view.h);
    const Lane rate = damping_rate(view, view.h), frozen_rate = damping_rate(view, view.frozen_h);
    const Lane *mass = Math::at(view.mass), *drag = Math::at(view.drag), *v = Math::at(view.v),
               *z = Math::at(view.z);
    Lane* r = Math::at(view.residual);
    for (int i = 0; i < batch::section_size * view.sections; ++i)
      r[i] = mass[i / 3] * (view.gravity[i % 3] - z[i]) - drag[i / 3] * (v[i] + half * z[i]);
    for_each_spring(
        view, [&](int spring, const Lane* from, const Lane* to, const Lane* end_from, const Lane* end_to) {
          const Mean mean = mean_of(view, rate, spring, from, to, end_from, end_to);
          const Lane gap =
              mean.end_length - Math::at(view.rest_length)[spring] - Math::at(view.end_strain)[spring];
          Math::at(view.gap)[spring] = gap;
          const Lane along = mean.pull * mean.half_inverse_length,
                     correction = stiffness_along(view, frozen_rate, spring) * gap;
          const Lane* n = Math::at(view.direction) + 3 * spring;
          Lane P[3];
          for (int d = 0; d < 3; ++d) P[d] = along * mean.twice[d] + correction * n[d];
          apply(spring, P, r);
        });
  }

  /// δ⁺ ← δ⁺ + κ + n·(h²/2) W dz
  template <class Mask>
  static void follow(const BatchView& view, const Lane* dz, Mask moves) {
    const Lane b = 0.5 * *Math::at(view.h) * *Math::at(view.h);
    for (int spring = 0; spring < batch::section_springs * view.sections; ++spring) {
      const auto [from, to] = ends(spring);
      const Lane* n = Math::at(view.direction) + 3 * spring;
      Lane along = Math::all(0);
      for (int d = 0; d < 3; ++d) {
        Lane change = dz[3 * (to - batch::corners) + d];
        if (from >= batch::corners) change -= dz[3 * (from - batch::corners) + d];
        along += n[d] * change;
      }
      Math::at(view.end_strain)[spring] += moves ? Math::at(view.gap)[spring] + b * along : Math::all(0);
    }
  }

  /// Sums of (a − g) n nᵀ + g I of springs, as panels.
  struct Assembly {
    Panel* panels;

    Assembly(int sections, Panel* out) : panels(out) {
      for (int s = 0; s < sections; ++s)
        for (int i = 0; i < Matrix::size; ++i)
          for (int j = 0; j <= i; ++j) panels[s][i][Matrix::size + j] = Math::all(0);
    }
    // Blocks beside the diagonal belong to one spring each.
    void add(int spring, const Lane (&n)[3], Lane a, Lane g) const {
      const auto [from, to] = ends(spring);
      const int section = to / batch::corners - 1, row = 3 * (to % batch::corners);
      const int column = 3 * (from % batch::corners);
      const bool inside = from / batch::corners == section + 1;
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
          Lane entry = (a - g) * n[i] * n[j];
          if (i == j) entry += g;
          if (inside)
            panels[section][row + i][Matrix::size + column + j] = -entry;
          else
            panels[section][row + i][column + j] = -entry;
          if (j > i) continue;
          panels[section][row + i][Matrix::size + row + j] += entry;
          if (from >= batch::corners)
            panels[inside ? section : section - 1][column + i][Matrix::size + column + j] += entry;
        }
    }
  };

  static void assemble(const BatchView& view) {
    const Assembly assembly(view.sections, panels(view));
    const Lane h = *Math::at(view.frozen_h), b = 0.5 * h * h, rate = damping_rate(view, view.frozen_h);
    const Lane *mass = Math::at(view.mass), *drag = Math::at(view.drag);
    for (int i = 0; i < batch::section_size * view.sections; ++i)
      panels(view)[i / Matrix::size][i % Matrix::size][Matrix::size + i % Matrix::size] =
          mass[i / 3] + 0.5 * h * drag[i / 3];
    for (int spring = 0; spring < batch::section_springs * view.sections; ++spring) {
      const Lane* frozen = Math::at(view.direction) + 3 * spring;
      const Lane n[3] = {frozen[0], frozen[1], frozen[2]};
      assembly.add(spring, n, b * stiffness_along(view, rate, spring), b * Math::at(view.across)[spring]);
    }
  }
};

}  // namespace stiffly
