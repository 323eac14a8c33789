// The fibres of a system of particles, where it has nothing else.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "stiffly/control/energy_books.hpp"
#include "stiffly/fibres/batch_simulation.hpp"
#include "stiffly/fibres/strand.hpp"
#include "stiffly/forces/air_drag.hpp"
#include "stiffly/forces/force_field.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly {

class ObstacleRepulsion;

/// A system read as fibres that batches can take: all that moves is fibres held at their roots; forces are
/// linear springs within each with dashpots in proportion to them, fields that do not change, drag, and
/// obstacles. The system must outlive it.
class SystemFibres {
 public:
  /// None, and the reason in `why`, where the system is more than that.
  static std::optional<SystemFibres> find(const ParticleSystem& system, std::span<const Strand> strands,
                                          std::string& why);

  std::size_t size() const { return segments_.size(); }
  std::span<const int> segments() const { return segments_; }
  /// For batches, whose weight is in their forces; `start` may be dropped afterwards.
  FibreSupply supply(const State& start) const;
  /// Unknowns of fibre i begin here in the system's, and there are 12 for each segment.
  std::size_t first_unknown(std::size_t i) const { return 3 * static_cast<std::size_t>(first_free_[i]); }

  bool has_obstacles() const { return obstacles_ != nullptr; }
  /// From the first free cross-section to the tip, m.
  double mean_length(const State& state) const;
  /// Of what the fibres did, in the order of dissipators(), up to a state.
  EnergyTotals totals(const FibreSimulation& fibres, const State& start, const State& now) const;

 private:
  /// What slows a fibre down, beside its dashpots.
  struct Drag {
    const AirDrag* air = nullptr;
    double per_mass = 0;  ///< 1/s
    int dissipator = -1;  ///< its number; −1: there is none
  };

  explicit SystemFibres(const ParticleSystem& system) : system_(&system) {}
  /// Each returns the reason why not, or nothing.
  std::string place(std::span<const Strand> strands);
  std::string read_forces();
  std::string read_drag();
  std::string read_motions();
  std::size_t free_sections() const;
  std::string bind_springs(const Springs& springs);
  std::string read_obstacles(const ObstacleRepulsion& force, int dissipator);
  MovingFibre fibre(std::size_t i, const std::vector<double>& x, const std::vector<double>& v) const;

  const ParticleSystem* system_;
  std::vector<int> segments_, first_particle_, first_free_;
  std::vector<int> fibre_of_;  ///< of each particle in the inner order; −1: none
  const Springs* springs_ = nullptr;
  int spring_dissipator_ = -1;
  std::vector<std::size_t> first_spring_;  ///< of each fibre in the next
  std::vector<int> spring_order_;
  std::vector<const ForceField*> fields_;
  std::shared_ptr<ObstacleGroups> obstacles_;  ///< none: there are none
  int friction_dissipator_ = -1;
  std::vector<Drag> drags_;  ///< of each fibre
  std::vector<std::shared_ptr<const Motion>> motions_;
};

}  // namespace stiffly
