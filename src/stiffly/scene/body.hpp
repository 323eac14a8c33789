// What models make.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stiffly/contact/repulsion_law.hpp"
#include "stiffly/fibres/fibre_contact.hpp"
#include "stiffly/fibres/head.hpp"
#include "stiffly/fibres/strand.hpp"
#include "stiffly/scene/obstacle_surface.hpp"
#include "stiffly/system/elements.hpp"
#include "stiffly/system/second_order_system.hpp"
#include "stiffly/warning.hpp"

namespace stiffly {

class ContactProjection;

/// A head that keeps the fibres which grow on it away.
struct SolidHead {
  Head head;
  RepulsionLaw law;
  double radius = 0;                          ///< of the fibres, m
  std::size_t first_strand = 0, strands = 0;  ///< those that grow on it
};

/// Particles that a motor can turn against others.
struct MotorMount {
  std::vector<int> rotor = {}, stator = {};
};

/// The equations, where they start, and what there is to draw. Numbers of particles are the user's.
struct Body {
  std::unique_ptr<SecondOrderSystem> system;
  State start;
  std::vector<Triangle> triangles;           ///< surface, if it has one
  std::vector<Tetrahedron> tetrahedra;       ///< volume, if it is of such
  std::vector<std::pair<int, int>> springs;  ///< their ends
  std::vector<Strand> strands;               ///< fibres
  std::vector<SolidHead> heads;              ///< that push them
  std::vector<ObstacleSurface> obstacles;    ///< to be drawn
  std::vector<MotorMount> motors;            ///< where [[motor]] goes
  /// Of contact at the end of each step, where a scene asks for it.
  std::shared_ptr<ContactProjection> projection = {};
  /// The same of fibres that go in batches, where there is nothing else that touches.
  std::optional<FibreContactLaw> fibre_contact = {};
  bool touches = false;            ///< its parts may meet each other, whatever connects them
  std::vector<std::string> notes;  ///< for the user: what was repaired
  Warnings warnings;
};

}  // namespace stiffly
