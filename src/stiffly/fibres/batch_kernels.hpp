// What is computed for W fibres at once.
#pragma once

#include "stiffly/fibres/batch_springs.hpp"

namespace stiffly {

/// The iteration of MixedForce for the springs of fibres, with the acceleration z as unknown as in
/// EnergyMomentum: x⁺ = x + hv + h²z/2, mean velocity v + hz/2. With e the vector along a spring, L its
/// length, δ = L − l its elongation, mean values ē, L̄ over the step and dashpots βk beside the springs,
///   pull         p = k(δ + δ⁺)/2 + k(β/h + θ − ½)(δ⁺ − δ),  along ē/L̄,
///   stiffness    D = ∂p/∂δ⁺ = k(θ + β/h),
///   residual     r = f₀ + f_o − c(v + hz/2) − mz − Σ ±(p ē/L̄ + Dκ n),  κ = L⁺ − l − δ⁺,
///   matrix       M + (h/2) c + (h²/2) (Σ [(D − g) n nᵀ + g I] + K_o),
/// where n = ē/L̄ and g = p/(2L̄) are frozen with the factor, f₀ is the constant load, and f_o, K_o are of
/// obstacles, a quarter and a sixteenth for each corner.
template <int W>
struct BatchKernels {
  using Lane = Lanes<W>;
  using Math = LaneMath<W>;
  using Matrix = BlockTridiagonal<W>;
  using Springs = BatchSprings<W>;
  using Place = typename Springs::Place;
  using Stretched = typename Springs::Stretched;
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
    Springs::for_each(view.sections, [&](const Place& spring) {
      const Mean mean = mean_of(view, rate, spring);
      Lane* n = Math::at(view.direction) + 3 * spring.number;
      for (int d = 0; d < 3; ++d) n[d] = set ? mean.twice[d] * mean.half_inverse_length : n[d];
      const Lane g = mean.pull * mean.half_inverse_length;
      Lane& across = Math::at(view.across)[spring.number];
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

  /// Energy over a step that has converged, of each lane, J: −Σ P·Δx brought in by the root, Σ βk(δ⁺−δ)²/h
  /// taken by dashpots, h Σ c|v + hz/2|² taken by drag.
  static void account(const BatchView& view, double* supports, double* dashpots, double* drag) {
    const Lane h = *Math::at(view.h), rate = damping_rate(view, view.h);
    Lane air = Math::all(0), dashpot = Math::all(0), root = Math::all(0);
    for (int i = 0; i < batch::section_size * view.sections; ++i) {
      const Lane mean = Math::at(view.v)[i] + 0.5 * h * Math::at(view.z)[i];
      air += Math::at(view.drag)[i / 3] * mean * mean;
    }
    Springs::for_each(view.sections, [&](const Place& spring) {
      const Lane change = Math::at(view.end_strain)[spring.number] - Math::at(view.strain)[spring.number];
      dashpot += Math::at(view.stiffness)[spring.number] * change * change;
      if (spring.from_is_free()) return;
      const Mean mean = mean_of(view, rate, spring);
      for (int d = 0; d < 3; ++d)
        root -= mean.pull * mean.half_inverse_length * mean.twice[d] *
                (Math::at(view.end_x)[spring.from() + d] - Math::at(view.x)[spring.from() + d]);
    });
    *Math::at(supports) = root;
    *Math::at(dashpots) = *Math::at(view.damping_time) / h * dashpot;
    *Math::at(drag) = h * air;
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
    Springs::for_each(view.sections, [&](const Place& spring) {
      Lane e[3];
      Springs::along(spring, Math::at(x), e);
      Math::at(strain)[spring.number] =
          Math::sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]) - Math::at(view.rest_length)[spring.number];
    });
  }

  /// At positions x and velocities v of all particles, roots included: f = f₀ − cv − Σ ±(kδ + βk dδ/dt) ê on
  /// the free ones, the energy ½Σkδ² − Σf₀·x, and K = Σ ±(k êêᵀ + kδ/L (I − êêᵀ)) as panels.
  static void evaluate(const BatchView& view, const double* x, const double* v, double* f, double* energy,
                       double* stiffness) {
    constexpr int size = batch::section_size;
    const Lane *drag = Math::at(view.drag), *load = Math::at(view.load);
    Lane total = Math::all(0);
    for (int i = 0; i < size * view.sections; ++i) {
      Math::at(f)[i] = load[i] - drag[i / 3] * Math::at(v)[i + size];
      total -= load[i] * Math::at(x)[i + size];
    }
    Panel* K = reinterpret_cast<Panel*>(stiffness);
    Springs::clear(view.sections, K);
    Springs::for_each(view.sections, [&](const Place& spring) {
      const Lane k = Math::at(view.stiffness)[spring.number];
      const Stretched s = Springs::at(view, spring, Math::at(x), Math::at(v));
      total += 0.5 * k * s.stretch * s.stretch;
      const Lane P[3] = {s.pull * s.n[0], s.pull * s.n[1], s.pull * s.n[2]};
      Springs::pull(spring, P, Math::at(f));
      Springs::add(spring, s.n, s.inverse == 0 ? Math::all(0) : k, k * s.stretch * s.inverse, K);
    });
    *Math::at(energy) = total;
  }

 private:
  static Panel* panels(const BatchView& view) { return reinterpret_cast<Panel*>(view.panels); }

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
  static Mean mean_of(const BatchView& view, Lane rate, const Place& spring) {
    const Lane l = Math::at(view.rest_length)[spring.number], k = Math::at(view.stiffness)[spring.number];
    const Lane before = Math::at(view.strain)[spring.number],
               after = Math::at(view.end_strain)[spring.number];
    Lane start[3], end[3];
    Springs::along(spring, Math::at(view.x), start);
    Springs::along(spring, Math::at(view.end_x), end);
    Mean out;
    for (int d = 0; d < 3; ++d) out.twice[d] = start[d] + end[d];
    out.end_length = Math::sqrt(end[0] * end[0] + end[1] * end[1] + end[2] * end[2]);
    const Lane actual = l + before + out.end_length;  // twice the mean
    const Lane length = Math::min(Math::max(2.0 * l + before + after, 0.5 * actual), 2.0 * actual);
    out.half_inverse_length = length > 2.0 * Springs::collapsed * l ? 1.0 / length : Math::all(0);
    out.pull = k * (0.5 * (before + after) + rate * (after - before));
    return out;
  }
  /// D, for the rate of the frozen step.
  static Lane stiffness_along(const BatchView& view, Lane rate, const Place& spring) {
    return Math::at(view.stiffness)[spring.number] * (0.5 + rate);
  }

  static void residual(const BatchView& view) {
    const Lane half = 0.5 * *Math::at(view.h);
    const Lane rate = damping_rate(view, view.h), frozen_rate = damping_rate(view, view.frozen_h);
    const Lane *mass = Math::at(view.mass), *drag = Math::at(view.drag), *load = Math::at(view.load),
               *v = Math::at(view.v), *z = Math::at(view.z);
    Lane* r = Math::at(view.residual);
    for (int i = 0; i < batch::section_size * view.sections; ++i)
      r[i] = load[i] - mass[i / 3] * z[i] - drag[i / 3] * (v[i] + half * z[i]);
    Springs::for_each(view.sections, [&](const Place& spring) {
      const Mean mean = mean_of(view, rate, spring);
      const Lane gap = mean.end_length - Math::at(view.rest_length)[spring.number] -
                       Math::at(view.end_strain)[spring.number];
      Math::at(view.gap)[spring.number] = gap;
      const Lane along = mean.pull * mean.half_inverse_length;
      const Lane correction = stiffness_along(view, frozen_rate, spring) * gap;
      const Lane* n = Math::at(view.direction) + 3 * spring.number;
      Lane P[3];
      for (int d = 0; d < 3; ++d) P[d] = along * mean.twice[d] + correction * n[d];
      Springs::pull(spring, P, r);
    });
    if (!view.push) return;
    for (int i = 0; i < batch::section_size * view.sections; ++i)
      r[i] += 0.25 * Math::at(view.push)[3 * (i / batch::section_size) + i % 3];
  }

  /// δ⁺ ← δ⁺ + κ + n·(h²/2) W dz
  template <class Mask>
  static void follow(const BatchView& view, const Lane* dz, Mask moves) {
    const Lane b = 0.5 * *Math::at(view.h) * *Math::at(view.h);
    Springs::for_each(view.sections, [&](const Place& spring) {
      const Lane* n = Math::at(view.direction) + 3 * spring.number;
      Lane change[3];
      Springs::along_free(spring, dz, change);
      const Lane along = n[0] * change[0] + n[1] * change[1] + n[2] * change[2];
      Math::at(view.end_strain)[spring.number] +=
          moves ? Math::at(view.gap)[spring.number] + b * along : Math::all(0);
    });
  }

  static void assemble(const BatchView& view) {
    constexpr int size = Matrix::size;
    const Lane h = *Math::at(view.frozen_h), b = 0.5 * h * h, rate = damping_rate(view, view.frozen_h);
    const Lane *mass = Math::at(view.mass), *drag = Math::at(view.drag);
    Panel* S = panels(view);
    Springs::clear(view.sections, S);
    for (int i = 0; i < size * view.sections; ++i)
      S[i / size][i % size][size + i % size] = mass[i / 3] + 0.5 * h * drag[i / 3];
    Springs::for_each(view.sections, [&](const Place& spring) {
      const Lane* frozen = Math::at(view.direction) + 3 * spring.number;
      const Lane n[3] = {frozen[0], frozen[1], frozen[2]};
      const Lane g = Math::at(view.across)[spring.number];
      Springs::add(spring, n, b * stiffness_along(view, rate, spring), b * g, S);
    });
    if (view.push) add_push(view, b * 0.0625, S);
  }
  /// The centre of a cross-section is the mean of four corners: all of them are coupled alike.
  static void add_push(const BatchView& view, Lane weight, Panel* S) {
    for (int s = 0; s < view.sections; ++s) {
      const Lane* K = Math::at(view.push_stiffness) + 9 * s;
      for (int i = 0; i < batch::section_size; ++i)
        for (int j = 0; j <= i; ++j) S[s][i][Matrix::size + j] += weight * K[3 * (i % 3) + j % 3];
    }
  }
};

}  // namespace stiffly
