// Hair that is combed in layers, so that none is in another, however many there are.
#pragma once

#include <span>

#include "stiffly/fibres/growth.hpp"
#include "stiffly/fibres/head.hpp"

namespace stiffly {

/// What one hair of a head is to be.
struct LayeredHair {
  Eigen::Vector3d direction;  ///< of its root, as `scalp` has it
  double length = 0;          ///< m
  double least_length = 0;    ///< m: it may end up to here where a short piece would be left, or segments
                              ///< are used up, or be longer where it would end before
  int segments = 0;
};

/// Hair combed back and to the sides from the middle of the forehead, centre lines at least as far from each
/// other as the thickest is thick. Throws InputError that says what to change where there is no place: hair
/// too thick or too much for this head, or of too few segments to go around it.
///
/// Each hair is in a half plane through an upright axis at the forehead, in which it turns at levels: rays
/// from the middle of the head, and below that horizontal lines. All hairs have the same levels, so that
/// between two of them one straight piece is above another if it is so at both. Hairs are laid from the nape
/// to the forehead, each as low as the head, the hairs within a thickness of its half plane and the last root
/// in front of it allow.
std::vector<CentreLine> layered(const Head& head, std::span<const LayeredHair> hairs, const Taper& taper);

}  // namespace stiffly
