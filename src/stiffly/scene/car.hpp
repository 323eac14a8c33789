// A car-like shell with an inner structure, of particles and springs.
#pragma once

#include "stiffly/scene/body.hpp"

namespace stiffly {

/// The defaults are the full size of the scene `crash`.
struct CarParameters {
  double length = 4.2;      ///< m, along x, the front at x = 0; all else is in proportion
  int stations = 421;       ///< rings of particles from the middle of the front to that of the rear
  int sides = 240;          ///< particles in a ring
  int coarse = 4;           ///< the structure inside has every so many-th station and side
  int layers = 3;           ///< of it
  double total_mass = 75;   ///< kg, shared by area
  double structural = 1e4;  ///< N/m, of springs between neighbours and across meshes
  double bending = 100;     ///< N/m, of springs between next but one
  double damping = 0;       ///< N s/m, of the dashpots beside structural springs
  std::array<double, 3> velocity = {0, 0, 0};  ///< m/s
};

/// Rings of particles around a rounded box with bonnet, cabin, boot and wheel arches; inside it smaller
/// copies of the shell, coarser, one within the other and tied to each other. Throws InputError for counts
/// that are too small or do not fit each other, and for lengths, masses and stiffnesses that are not
/// positive.
Body make_car(const CarParameters& parameters, const std::array<double, 3>& gravity);

}  // namespace stiffly
