// Particles divided into pieces that nothing connects.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace stiffly {

/// The connected components of the free particles. Prescribed particles do not connect: each belongs to every
/// piece that is coupled to it. Particles are in the inner order of the whole system; within a piece they
/// keep that order, so that free ones come first there too.
class Partition {
 public:
  /// The component of each free particle, numbered by their first ones, and pairs of all particles that
  /// forces couple: those with prescribed ones say where these belong.
  Partition(std::span<const int> components, std::span<const std::pair<int, int>> pairs);

  std::size_t pieces() const { return particles_.size(); }
  std::size_t free(std::size_t piece) const { return free_[piece]; }
  std::span<const int> particles(std::size_t piece) const { return particles_[piece]; }
  /// The piece of things joined by a force: that of the free ones among them; none if none is free.
  std::optional<std::size_t> piece_of(std::span<const int> particles) const;
  /// The number within a piece of a particle that belongs to it.
  int number(std::size_t piece, int particle) const;

 private:
  std::vector<int> piece_;  ///< of each free particle
  std::vector<std::size_t> free_;
  std::vector<std::vector<int>> particles_;
};

/// Entries of all particles as each piece has them.
template <class T>
std::vector<std::vector<T>> divided(const Partition& partition, std::span<const T> entries) {
  std::vector<std::vector<T>> out(partition.pieces());
  for (std::size_t piece = 0; piece < out.size(); ++piece)
    for (const int particle : partition.particles(piece))
      out[piece].push_back(entries[static_cast<std::size_t>(particle)]);
  return out;
}

}  // namespace stiffly
