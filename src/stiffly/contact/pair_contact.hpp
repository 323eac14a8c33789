// Two elements that push and rub each other.
#pragma once

#include "stiffly/contact/friction_slip.hpp"
#include "stiffly/contact/proximity.hpp"

namespace stiffly {

/// Corners one after the other, as in ProximityDistance.
using PairVector = Eigen::Matrix<double, 12, 1>;
using PairMatrix = Eigen::Matrix<double, 12, 12>;

/// The nearest points of a pair and the line between them, e = Σ w_i x_i.
struct PairContact {
  Proximity proximity;
  double distance = 0;
  double length = 0;                                 ///< |e|: more than a rounded distance, by a little
  Eigen::Vector3d normal = Eigen::Vector3d::Zero();  ///< e/|e|; zero where they are in one place
  double steepness = 1;                              ///< |e|/distance: the gradient has w_i n times this

  PairContact(const Proximity& nearest, const Corners& corners);
  /// w_i a for each corner i
  PairVector spread(const Eigen::Vector3d& a) const;
};

/// −μ p T(u) at the nearest points, with the velocities of the corners; u = Σ w_i v_i is how fast one passes
/// the other, without its part along the normal.
struct PairSlip : FrictionSlip {
  PairSlip(const PairContact& contact, const Corners& velocities, const FrictionLaw& law);
};

/// −∂f/∂x of the push and, with friction, −∂f/∂x and −∂f/∂v of both.
PairMatrix push_tangent(const PairContact& contact, const Corners& corners, const RepulsionLaw& law,
                        double gap);
struct SlipTangent {
  PairMatrix stiffness, damping;
};
SlipTangent slip_tangent(const PairContact& contact, const Corners& corners, const Corners& velocities,
                         const RepulsionLaw& law, const FrictionLaw& friction, double gap);

}  // namespace stiffly
