// A flag in the wind, or a cloth that lies: a sheet of springs.
#pragma once

#include <optional>

#include "stiffly/forces/spring_law.hpp"
#include "stiffly/forces/wind.hpp"
#include "stiffly/scene/body.hpp"
#include "stiffly/scene/sheet.hpp"

namespace stiffly {

/// The defaults are the full size of the scene `flag`; counts, stiffnesses and the law are the paper's.
struct FlagParameters {
  SheetParameters sheet;
  double area_density = 0.15;  ///< kg/m², shared equally by the particles
  double structural = 1e4;     ///< of springs between neighbours, N/m
  double shear = 1e3;          ///< along diagonals, N/m
  double bending = 1e2;        ///< between next but one, N/m
  double damping = 0;          ///< of the springs between neighbours, N s/m
  SpringLaw law = SpringLaw::cubic;
  enum class Held {
    pole,
    corners,
    nothing
  } held = Held::pole;  ///< the whole side at the pole, or its corners
  /// Where the middle of a sheet is that lies in a plane z = const; none: it hangs at its pole.
  std::optional<std::array<double, 3>> lying = {};
  Wind wind;
  double drag = 0.6;  ///< ½ρC_D, kg/m³: pressure is this times the square of the normal velocity
};

/// Throws InputError for parameters that make no sheet or no wind.
Body make_flag(const FlagParameters& parameters, const std::array<double, 3>& gravity);

}  // namespace stiffly
