// What a spring does, whatever its ends are: tension, energy, and their derivatives by the vector between the
// ends.
#pragma once

#include <concepts>
#include <Eigen/Core>
#include <string>

namespace stiffly {

enum class SpringLaw {
  linear,  ///< tension k Δ, with Δ = |e| − l
  cubic,   ///< tension k Δ (1 + (Δ/l)²): as stiff at rest, hardening beyond
};

struct SpringMaterial {
  double stiffness = 0;    ///< k, N/m
  double rest_length = 0;  ///< l, m
  double damping = 0;      ///< d of the dashpot beside it, N s/m
  SpringLaw law = SpringLaw::linear;
};

/// Throws InputError, its message starting with `where`, unless stiffness and damping are ≥ 0, the rest
/// length is > 0 and all are finite.
void check(const SpringMaterial& material, const std::string& where);

/// A material, or a spring that has the same members: the functions below are in the innermost loops, where
/// copies show.
template <class S>
concept SpringLike = requires(const S& s) {
  { s.stiffness } -> std::convertible_to<double>;
  { s.rest_length } -> std::convertible_to<double>;
  { s.damping } -> std::convertible_to<double>;
  { s.law } -> std::convertible_to<SpringLaw>;
};

/// Tension T(Δ), its derivative T'(Δ) and the energy ∫T.
double tension(const SpringLike auto& s, double stretch) {
  const double r = stretch / s.rest_length;
  return s.stiffness * stretch * (s.law == SpringLaw::cubic ? 1 + r * r : 1);
}
double tension_rate(const SpringLike auto& s, double stretch) {
  const double r = stretch / s.rest_length;
  return s.stiffness * (s.law == SpringLaw::cubic ? 1 + 3 * r * r : 1);
}
double stored_energy(const SpringLike auto& s, double stretch) {
  const double r = stretch / s.rest_length;
  return 0.5 * s.stiffness * stretch * stretch * (s.law == SpringLaw::cubic ? 1 + 0.5 * r * r : 1);
}

/// The mean tension (U(b) − U(a))/(b − a) between two stretches, and its derivative by b.
double mean_tension(const SpringLike auto& s, double a, double b) {
  const double hardening =
      s.law == SpringLaw::cubic ? (a * a + b * b) / (2 * s.rest_length * s.rest_length) : 0;
  return 0.5 * s.stiffness * (a + b) * (1 + hardening);
}
double mean_tension_rate(const SpringLike auto& s, double a, double b) {
  const double hardening =
      s.law == SpringLaw::cubic ? (a * a + 2 * a * b + 3 * b * b) / (2 * s.rest_length * s.rest_length) : 0;
  return 0.5 * s.stiffness * (1 + hardening);
}

/// A spring shrunk to (almost) a point has no direction: it pulls nowhere rather than anywhere.
bool collapsed(const SpringLike auto& s, double length) { return !(length > 1e-12 * s.rest_length); }

/// (T + d ê·w)/|e|: times `e`, which leads from the first end to the second, this is the pull on the first.
/// `rate()` gives w = de/dt and is asked only where there is a dashpot.
template <class Rate>
double pull_per_length(const SpringLike auto& s, const Eigen::Vector3d& e, const Rate& rate) {
  const double length = e.norm();
  if (collapsed(s, length)) return 0;
  double pull = tension(s, length - s.rest_length);
  if (s.damping > 0) pull += s.damping * e.dot(rate()) / length;
  return pull / length;
}

/// Derivatives of the pull by e (symmetric and antisymmetric part) and by w.
struct SpringTangent {
  Eigen::Matrix3d stiffness, circulatory, damping;
};

/// With P = I − êêᵀ:  T' êêᵀ + T/|e| P + d/|e| (ê wᵀP + (ê·w) P), and d êêᵀ by the velocity.
/// `circulatory` and `damping` are set only where there is a dashpot.
template <class Rate>
SpringTangent spring_tangent(const SpringLike auto& s, const Eigen::Vector3d& e, const Rate& rate) {
  using Eigen::Matrix3d;
  SpringTangent out;
  const double length = e.norm();
  if (collapsed(s, length)) {
    out.stiffness = out.circulatory = out.damping = Matrix3d::Zero();
    return out;
  }
  const Eigen::Vector3d direction = e / length;
  const Matrix3d along = direction * direction.transpose();
  const Matrix3d across = Matrix3d::Identity() - along;
  const double stretch = length - s.rest_length;
  out.stiffness = tension_rate(s, stretch) * along + tension(s, stretch) / length * across;
  if (s.damping > 0) {
    const Eigen::Vector3d w = rate();
    const Matrix3d turning = s.damping / length * direction * (across * w).transpose();
    out.stiffness += 0.5 * (turning + turning.transpose()) + s.damping / length * direction.dot(w) * across;
    out.circulatory = 0.5 * (turning - turning.transpose());
    out.damping = s.damping * along;
  }
  return out;
}

}  // namespace stiffly
