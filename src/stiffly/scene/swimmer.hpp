// A bacterium: a head and a helical flagellum that a motor turns against it.
#pragma once

#include <vector>

#include "stiffly/fibres/fibre.hpp"
#include "stiffly/scene/body.hpp"

namespace stiffly {

/// The head is a spheroid along x about the origin, covered by rings of particles that springs join, all with
/// all. The flagellum is a fibre of cuboids behind it, towards −x: a straight stub on the axis, then a helix
/// whose radius grows to its full size, r(z) = R (1 − exp(−(z/w)²)), w a third of a turn [Higdon 1979].
/// Springs hold the centres of its first two cross-sections to the head and leave it free to turn about the
/// line through them.
struct SwimmerParameters {
  double head_length = 0.05, head_width = 0.025;  ///< m
  int head_rings = 3, head_sides = 6;             ///< 2 + rings × sides particles
  double head_stiffness = 3e5;                    ///< of the head's springs and of those of the hinge, N/m
  double length = 0.12;                           ///< of the flagellum, along the axis, m
  double radius = 0.009, pitch = 0.046;           ///< of the helix, m
  bool right_handed = false;
  int sections = 25;  ///< of the flagellum, of four particles each
  double thickness = 0.004;
  FibreMaterial material = {2e9, 3e8, 1000};  ///< of the flagellum; the head is as dense
};

/// Throws InputError for what make_fibre refuses.
Body make_swimmer(const SwimmerParameters& parameters, const std::array<double, 3>& gravity);

}  // namespace stiffly
