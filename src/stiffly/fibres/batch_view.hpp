// Where the numbers of a batch of fibres are in memory. Plain pointers, as kernels see them.
#pragma once

namespace stiffly {

namespace batch {

inline constexpr int corners = 4;        ///< particles of a cross-section
inline constexpr int section_size = 12;  ///< unknowns of a cross-section
inline constexpr int panel_size = section_size * 2 * section_size;
/// Springs of a cross-section: 16 from each corner a of the one before to each of its own corners b, number
/// 4a + b, then those within it.
inline constexpr int between = 16, within = 6, section_springs = between + within;
inline constexpr int pairs[within][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

}  // namespace batch

/// W fibres, one per lane: every array has its entries one after the other, W numbers each. All have as many
/// cross-sections: springs beyond the end of a shorter fibre have no stiffness, particles there hardly mass.
/// Section 0 is the root, whose motion is prescribed; the arrays of all others begin with section 1.
struct BatchView {
  int sections = 0;  ///< free ones
  /// θ − ½ of EnergyMomentum: elongations that a step does not resolve are damped where it is above 0.
  double extra_weight = 0;

  // What the fibres are.
  double* mass = nullptr;         ///< of each particle, kg
  double* drag = nullptr;         ///< of each particle, kg/s: the force is −drag·v
  double* load = nullptr;         ///< constant force on each particle, its weight included, N
  double* stiffness = nullptr;    ///< of each spring, N/m
  double* rest_length = nullptr;  ///< of each spring, m
  double* damping_time =
      nullptr;  ///< of all springs, s: a dashpot of so much times the stiffness beside each

  // Where a step of h begins: positions of roots and free particles, velocities, elongations.
  double* h = nullptr;
  double* x = nullptr;
  double* v = nullptr;
  double* strain = nullptr;

  // The iteration: accelerations, where they lead, elongations there, and by how much these are not yet what
  // the positions say.
  double* z = nullptr;
  double* end_x = nullptr;  ///< with roots
  double* end_strain = nullptr;
  double* gap = nullptr;
  double* residual = nullptr;
  /// Of obstacles on the centre of each cross-section, N; none: there are none.
  double* push = nullptr;

  // What is frozen with the factor: its step, and of each spring its direction and tension per length.
  double* frozen_h = nullptr;
  double* direction = nullptr;
  double* across = nullptr;
  double* push_stiffness = nullptr;  ///< −∂push/∂x⁺ of each cross-section, 3 × 3
  double* panels = nullptr;
  double* inverse_pivots = nullptr;
};

/// The derivative of the forces of W fibres at one state, spring by spring: with n the direction of a spring,
/// L its length, T its tension, w the velocity of one end against the other and d = βk its dashpot, the pull
/// changes by
///   dP = [k n nᵀ + g (I − n nᵀ) + n uᵀ] de + d n nᵀ dw,   g = (T + d n·w)/L,   u = (d/L)(I − n nᵀ) w.
/// Turning dashpots make this unsymmetric.
struct TangentView {
  double* direction = nullptr;  ///< n
  double* across = nullptr;     ///< g, of either sign
  double* turning = nullptr;    ///< u
  double* held = nullptr;       ///< max(T/L, 0): of the metric, which must be positive
};

/// Vectors (x, v, σ) of W Krylov spaces one after the other: displacements and velocities of free particles
/// and the border's entries. With each is kept what a product with it gives.
struct BasisView {
  int unknowns = 0;  ///< of x, and of v
  int border = 0;    ///< of σ
  double* vectors = nullptr;

  int stride() const { return 4 * unknowns + border; }
  int velocity() const { return unknowns; }
  int metric() const { return 2 * unknowns; }  ///< (K₊ + ςM) x
  int force() const { return 3 * unknowns; }   ///< −Kx − Cv
  int tail() const { return 4 * unknowns; }    ///< σ
};

}  // namespace stiffly
