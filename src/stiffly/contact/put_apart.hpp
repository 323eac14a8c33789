// Bodies that begin in each other.
#pragma once

#include <span>

#include "stiffly/contact/contact_bodies.hpp"

namespace stiffly {

/// Moves particles, three numbers each, as little as can be in the measure of their masses, such that no two
/// bodies overlap: until gaps are between 0 and the depth, or it is no use. Those whose 1/m is 0 stay.
void put_apart(const ContactBodies& bodies, std::span<const double> inverse_mass, double depth,
               std::span<double> x);

}  // namespace stiffly
