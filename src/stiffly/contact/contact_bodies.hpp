// Bodies as they touch each other: thick points, segments and triangles between nodes.
#pragma once

#include <span>
#include <vector>

#include "stiffly/contact/near_pairs.hpp"

namespace stiffly {

/// The mean of some particles: one of them, or the four of a fibre's cross-section, whose middle it is.
struct ContactNode {
  std::vector<int> particles;
};

struct ContactBodies {
  std::vector<ContactNode> nodes;
  std::vector<ThickElement> elements;  ///< their corners are nodes
  std::vector<int> body;               ///< of each node
  /// Whether a body touches itself, too. What is in reach there when it is drawn belongs to its shape and
  /// never touches.
  bool themselves = true;

  /// Of an element.
  int body_of(int element) const {
    return body[static_cast<std::size_t>(elements[static_cast<std::size_t>(element)].corners[0])];
  }
  /// Positions or velocities of the nodes, from those of all particles.
  void gather(std::span<const double> particles, std::vector<double>& out) const;
};

}  // namespace stiffly
