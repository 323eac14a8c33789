// Fibres as scene files ask for them.
#pragma once

#include "stiffly/contact/obstacle_repulsion.hpp"
#include "stiffly/forces/springs.hpp"
#include "stiffly/scene/body_builder.hpp"
#include "stiffly/scene/model.hpp"

namespace stiffly {

/// The keys of [[fibres]], and of [model] with kind = "fibres".
std::vector<Key> fibre_keys();

/// Particles of fibres on their way to a body, after those that are there already; numbers are the user's.
struct FibreParts {
  Particles particles = {};
  std::vector<Spring> springs = {};
  std::vector<Strand> strands = {};
  std::vector<Triangle> triangles = {};  ///< of what they grow on
  std::vector<SolidHead> heads = {};
  struct Air {
    std::vector<std::pair<int, double>> coefficients;  ///< particle, N s/m
    Eigen::Vector3d wind;
  };
  std::vector<Air> drag = {};  ///< of each group that has some
};

/// Adds the fibres of one table. Throws InputError with the fibre's number; the line is up to the caller.
void add_fibres(const Values& group, const Surroundings& around, FibreParts& out);

/// Adds what is needed besides springs: drag.
void add_drag(const FibreParts& parts, BodyBuilder& builder);

/// Balls about the middles of cross-sections, from that number on, in the inner order of the system.
void add_sections(std::span<const Strand> strands, int first_section, double radius,
                  const ParticleSystem& system, ContactBalls& out);

/// Adds the push of heads, which move as the roots of their fibres do.
void add_heads(Body& body);

}  // namespace stiffly
