// A system of particles taken apart into those that move independently of each other.
#pragma once

#include "stiffly/system/particle_system.hpp"
#include "stiffly/system/partition.hpp"

namespace stiffly {

struct Piece {
  std::unique_ptr<ParticleSystem> system;
  std::vector<int> particles;  ///< the free ones, by their numbers in the whole system's inner order

  /// Its part of a state of the whole.
  State part_of(const State& whole) const;
  /// The reverse.
  void put(const State& part, State& whole) const;
};

/// Pieces whose motions together are that of the system: one where all is connected. Throws InputError
/// (naming the force) where a force cannot be divided, or the mass matrix is not diagonal.
std::vector<Piece> pieces_of(const ParticleSystem& system);

}  // namespace stiffly
