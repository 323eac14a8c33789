// What models make.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "stiffly/system/elements.hpp"
#include "stiffly/system/second_order_system.hpp"
#include "stiffly/warning.hpp"

namespace stiffly {

/// A fibre: its particles stand one after the other, four to a cross-section.
struct Strand {
  int first_particle = 0, sections = 0;
};

/// The equations, where they start, and what there is to draw. Numbers of particles are the user's.
struct Body {
  std::unique_ptr<SecondOrderSystem> system;
  State start;
  std::vector<Triangle> triangles;           ///< surface, if it has one
  std::vector<Tetrahedron> tetrahedra;       ///< volume, if it is of such
  std::vector<std::pair<int, int>> springs;  ///< their ends
  std::vector<Strand> strands;               ///< fibres
  std::vector<std::string> notes;            ///< for the user: what was repaired
  Warnings warnings;
};

}  // namespace stiffly
