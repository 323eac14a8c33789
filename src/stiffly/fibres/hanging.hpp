// Fibres that hang at rest as they are drawn.
#pragma once

#include "stiffly/fibres/fibre.hpp"

namespace stiffly {

/// Changes the rest lengths so that the fibre, its first cross-section clamped, is in equilibrium under
/// `acceleration` where it is: with the axes n of the springs, Σ Wᵀ n t = −m g has many solutions t, and this
/// takes the one of least energy Σ t²/(2k), which is t = k n·W u for the u of K u = m g, K = Σ Wᵀ k n nᵀ W.
/// Throws InputError, "fibre NUMBER: …", where a spring would have to be shortened or drawn out by more than
/// six tenths: the fibre is too soft to hang like that.
void hang_as_drawn(FibreShape& shape, const Eigen::Vector3d& acceleration, std::size_t number = 0);

}  // namespace stiffly
