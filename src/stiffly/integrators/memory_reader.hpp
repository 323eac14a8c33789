// The memory of a method, taken apart with a look at every piece.
#pragma once

#include <limits>

#include "stiffly/integrators/integrator.hpp"

namespace stiffly {

/// What was saved is not what the method saves. The message names the array as checkpoints do:
/// "integrator/numbers", "integrator/vector2".
class DamagedMemory : public InputError {
 public:
  using InputError::InputError;
};

/// Pieces come in the order in which the method put them together. Each must be there and finite, and of the
/// size and range that the method expects; otherwise DamagedMemory.
class MemoryReader {
 public:
  MemoryReader(const IntegratorMemory& memory, const SecondOrderSystem& system)
      : memory_(memory), unknowns_(system.unknowns()) {}

  double number(double least = -std::numeric_limits<double>::max(),
                double most = std::numeric_limits<double>::max());
  /// Accelerations, say: one entry for every unknown.
  Vector vector() { return vector(unknowns_); }
  Vector vector(std::size_t size);
  /// A number, its time, and the vector of positions and velocities.
  State state();
  /// The same of the past: its time is before the other one.
  State state_before(double time);

  std::size_t numbers_left() const { return memory_.numbers.size() - next_number_; }
  std::size_t vectors_left() const { return memory_.vectors.size() - next_vector_; }
  /// Nothing may be left over.
  void finish() const;

 private:
  const IntegratorMemory& memory_;
  std::size_t unknowns_;
  std::size_t next_number_ = 0, next_vector_ = 0;
};

}  // namespace stiffly
