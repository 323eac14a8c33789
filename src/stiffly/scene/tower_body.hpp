// The tower as a body: a network of girders on a stiff foot, set swaying.
#pragma once

#include <array>

#include "stiffly/scene/body.hpp"
#include "stiffly/scene/tower.hpp"

namespace stiffly {

/// The defaults are the full size of the scene `tower`; number of particles and stiffnesses are the paper's.
struct TowerBodyParameters {
  TowerParameters tower;
  double total_mass = 5000;    ///< kg, shared equally by the particles
  double stiff_part = 0.357;   ///< share of the height that is stiff: up to the second platform
  double lower = 1e8;          ///< stiffness of girders whose middle is in the stiff part, N/m
  double upper = 1e4;          ///< of those above, N/m
  double bending_share = 0.1;  ///< stiffness across a girder over that along it, 0 … 1
  double push = 0;             ///< velocity of the tip at the start, m/s along x
};

/// The feet are held. The push grows with the square of the height above the stiff part, as a bent beam does.
/// Throws InputError for parameters that make no tower.
Body make_tower_body(const TowerBodyParameters& parameters, const std::array<double, 3>& gravity);

}  // namespace stiffly
