// What a spring does, whatever its ends are: tension, energy, and their derivatives by the vector between the
// ends.
#pragma once

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

/// Tension T(Δ), its derivative T'(Δ) and the energy ∫T.
inline double tension(const SpringMaterial& m, double stretch) {
  const double r = stretch / m.rest_length;
  return m.stiffness * stretch * (m.law == SpringLaw::cubic ? 1 + r * r : 1);
}
inline double tension_rate(const SpringMaterial& m, double stretch) {
  const double r = stretch / m.rest_length;
  return m.stiffness * (m.law == SpringLaw::cubic ? 1 + 3 * r * r : 1);
}
inline double stored_energy(const SpringMaterial& m, double stretch) {
  const double r = stretch / m.rest_length;
  return 0.5 * m.stiffness * stretch * stretch * (m.law == SpringLaw::cubic ? 1 + 0.5 * r * r : 1);
}

/// A spring shrunk to (almost) a point has no direction: it pulls nowhere rather than anywhere.
inline bool collapsed(const SpringMaterial& m, double length) { return !(length > 1e-12 * m.rest_length); }

/// (T + d ê·w) ê: what pulls the first end along `e`, which leads from it to the second; `w` is de/dt.
inline Eigen::Vector3d spring_pull(const SpringMaterial& m, const Eigen::Vector3d& e,
                                   const Eigen::Vector3d& w) {
  const double length = e.norm();
  if (collapsed(m, length)) return Eigen::Vector3d::Zero();
  double pull = tension(m, length - m.rest_length);
  if (m.damping > 0) pull += m.damping * e.dot(w) / length;
  return pull / length * e;
}

/// Derivatives of the pull by e (symmetric and antisymmetric part) and by w.
struct SpringTangent {
  Eigen::Matrix3d stiffness, circulatory, damping;
};

/// With P = I − êêᵀ:  T' êêᵀ + T/|e| P + d/|e| (ê wᵀP + (ê·w) P), and d êêᵀ by the velocity.
/// `circulatory` and `damping` are set only where there is a dashpot.
inline SpringTangent spring_tangent(const SpringMaterial& m, const Eigen::Vector3d& e,
                                    const Eigen::Vector3d& w) {
  using Eigen::Matrix3d;
  SpringTangent out;
  const double length = e.norm();
  if (collapsed(m, length)) {
    out.stiffness = out.circulatory = out.damping = Matrix3d::Zero();
    return out;
  }
  const Eigen::Vector3d direction = e / length;
  const Matrix3d along = direction * direction.transpose();
  const Matrix3d across = Matrix3d::Identity() - along;
  const double stretch = length - m.rest_length;
  out.stiffness = tension_rate(m, stretch) * along + tension(m, stretch) / length * across;
  if (m.damping > 0) {
    const Matrix3d turning = m.damping / length * direction * (across * w).transpose();
    out.stiffness += 0.5 * (turning + turning.transpose()) + m.damping / length * direction.dot(w) * across;
    out.circulatory = 0.5 * (turning - turning.transpose());
    out.damping = m.damping * along;
  }
  return out;
}

}  // namespace stiffly
