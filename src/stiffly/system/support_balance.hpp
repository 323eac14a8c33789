// What moving supports do to the momentum of a system, and so to its energy.
#pragma once

#include <optional>

#include "stiffly/system/particle_system.hpp"

namespace stiffly {

/// The work of supports from the balance of momentum, where all of them move as one rigid body: over a while
/// they bring in ∫ rate dt and the change of `carried`. Stiff links pull at their supports with forces that
/// no long step resolves; momentum knows what comes of them.
class SupportBalance {
 public:
  /// Only for systems of particles whose supports all follow one motion.
  explicit SupportBalance(const SecondOrderSystem& system);

  struct Values {
    double rate = 0;     ///< W
    double carried = 0;  ///< J
  };
  /// None where the balance does not hold.
  std::optional<Values> at(const State& state) const;
  /// How far and how fast the particles of a state would go along with the supports, at most, in the mass
  /// norm: what a drive that is only about to begin will bring them to, about. Zero where there is no such.
  struct Along {
    double distance = 0, speed = 0;
  };
  Along along(const State& state, double duration) const;

 private:
  const ParticleSystem* system_ = nullptr;
  const Motion* motion_ = nullptr;  ///< of all supports; null: there is no such
};

}  // namespace stiffly
