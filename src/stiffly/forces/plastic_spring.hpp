// A spring that yields: beyond its yield point its rest length flows after the ends.
#pragma once

#include <algorithm>
#include <cmath>

#include "stiffly/forces/springs.hpp"

namespace stiffly {

/// When something yields, and how it hardens.
struct PlasticLaw {
  double yield = 0;      ///< strain ε_y at which it yields first
  double hardening = 0;  ///< H/k, the slope of the yield force over plastic elongation, by the stiffness
};

/// With plastic elongation s and the sum of its changes p, both as they were when the step began: the tension
/// k e, e = Δ − s, is at most T_y + Hp, T_y = k ε_y l. What is beyond flows, Δp = (|ke| − T_y − Hp)/(k + H),
/// and leaves the tension on the line of slope kH/(k + H) that starts where it yields. As a function of the
/// elongation that has a potential,
///   W = ½k(|e| − Δp)² + ½H(p + Δp)² + T_y(p + Δp),
/// elastic energy, what hardening stores, and heat: within a step the spring is a nonlinear elastic one, for
/// every method, and where the step ends s and p move on without a jump of tension or W. A spring that turns
/// back within a step does so along the line on which it came. [return mapping: Simo and Hughes 1998, §1.2;
/// its potential: Ortiz and Stainier 1999]
struct PlasticSpring : Spring {
  double yield = 0;      ///< T_y, N
  double hardening = 0;  ///< H, N/m
  double set = 0;        ///< s, m
  double flow = 0;       ///< p, m

  PlasticSpring() = default;
  /// Linear, whatever the law of the spring.
  PlasticSpring(const Spring& spring, const PlasticLaw& plastic)
      : Spring(spring),
        yield(spring.stiffness * plastic.yield * spring.rest_length),
        hardening(spring.stiffness * plastic.hardening) {}

  /// Δp, of the sign of the tension.
  double flow_at(double stretch) const {
    const double elastic = stiffness * (stretch - set);
    const double beyond = std::abs(elastic) - yield - hardening * flow;
    return beyond > 0 ? std::copysign(beyond / (stiffness + hardening), elastic) : 0.0;
  }
};

inline double tension(const PlasticSpring& s, double stretch) {
  return s.stiffness * (stretch - s.set - s.flow_at(stretch));
}

inline double tension_rate(const PlasticSpring& s, double stretch) {
  return s.flow_at(stretch) == 0 ? s.stiffness : s.stiffness * s.hardening / (s.stiffness + s.hardening);
}

inline double stored_energy(const PlasticSpring& s, double stretch) {
  const double flow = s.flow_at(stretch), p = s.flow + std::abs(flow), elastic = stretch - s.set - flow;
  return 0.5 * s.stiffness * elastic * elastic + 0.5 * s.hardening * p * p + s.yield * p;
}

/// The mean of the tension, piece by piece of its three lines: no difference of energies that are nearly
/// the same.
inline double mean_tension(const PlasticSpring& s, double a, double b) {
  const double low = std::min(a, b), high = std::max(a, b);
  if (!(high > low && s.stiffness > 0)) return tension(s, a);
  const double reach = (s.yield + s.hardening * s.flow) / s.stiffness;
  double sum = 0, from = low;
  for (const double corner : {s.set - reach, s.set + reach, high}) {
    const double to = std::clamp(corner, from, high);
    sum += 0.5 * (tension(s, from) + tension(s, to)) * (to - from);
    from = to;
  }
  return sum / (high - low);
}

inline double mean_tension_rate(const PlasticSpring& s, double a, double b) {
  if (std::abs(b - a) < 1e-9 * s.rest_length) return 0.5 * tension_rate(s, b);
  return (tension(s, b) - mean_tension(s, a, b)) / (b - a);
}

using PlasticSprings = SpringNetwork<PlasticSpring>;
extern template class SpringNetwork<PlasticSpring>;

}  // namespace stiffly
