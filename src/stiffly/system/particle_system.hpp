// Particles in space under a set of forces, as a second-order system.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "stiffly/system/force.hpp"
#include "stiffly/system/motion.hpp"
#include "stiffly/system/second_order_system.hpp"

namespace stiffly {

/// Particles as a user describes them, in the user's order.
struct Particles {
  std::vector<std::array<double, 3>> position;
  std::vector<std::array<double, 3>> velocity;
  std::vector<double> mass;
  std::vector<bool> pinned;

  std::size_t size() const { return position.size(); }
};

/// Of the free particles, angular momentum about their centre of mass.
struct Momentum {
  Eigen::Vector3d linear = Eigen::Vector3d::Zero();   ///< N s
  Eigen::Vector3d angular = Eigen::Vector3d::Zero();  ///< N m s
};

/// M x'' = Σ forces on the free particles; pinned ones stay where they are, or follow a motion, and are no
/// unknowns. Inside, free particles come first; `order()` gives the user's number of each, `rank()` the
/// reverse.
class ParticleSystem final : public SecondOrderSystem {
 public:
  /// Throws InputError (naming the particle) on bad masses, positions or velocities.
  explicit ParticleSystem(const Particles& particles);

  /// Forces speak of particles in the inner order. `finish` comes after the last one.
  void add(std::unique_ptr<Force> force);
  /// What drives it without being one of its forces, as obstacles do where contact is projected away.
  void driven_by(std::shared_ptr<const Force> other) { drivers_.push_back(std::move(other)); }
  /// Pinned `particles` (the user's numbers) follow `motion` from their positions as given; forces see where
  /// they are and how fast at every time. Throws InputError (naming the particle) where one is not pinned or
  /// already moves.
  void prescribe(std::span<const int> particles, std::shared_ptr<const Motion> motion);
  /// Whatever can yield does from now on, by this law. Whether anything can; before `finish`.
  bool let_yield(const PlasticLaw& law);
  /// Fixes the sparsity pattern; call before use, and again where forces were added since.
  void finish();

  /// What `describe` calls the particles, in the inner order, where this is a part of something larger.
  void call_particles(std::vector<int> names) { names_ = std::move(names); }

  /// Particles that follow a motion.
  struct Group {
    std::vector<int> particles;  ///< inner order, ascending
    std::vector<double> start;
    std::shared_ptr<const Motion> motion;
  };
  std::span<const Group> motions() const { return moving_; }

  std::size_t particles() const { return order_.size(); }
  std::size_t free_particles() const { return free_; }
  std::span<const int> order() const { return order_; }
  std::span<const int> rank() const { return rank_; }
  /// Masses of all particles in the inner order.
  std::span<const double> masses() const { return masses_; }
  std::span<const std::unique_ptr<Force>> forces() const { return forces_; }
  State initial_state() const;
  /// Of all particles, in the inner order: where pinned ones are unless they follow a motion.
  std::span<const double> start_positions() const { return start_x_; }
  /// Positions (or velocities) of all particles, pinned ones too, in the user's order.
  std::vector<std::array<double, 3>> positions(const State& state) const;
  std::vector<std::array<double, 3>> velocities(const State& state) const;
  const std::shared_ptr<const BlockPattern>& pattern() const { return pattern_; }

  std::size_t unknowns() const override { return 3 * free_; }
  const MassMatrix& mass() const override { return mass_; }
  /// Replaces the diagonal mass (before `finish`); its blocks join the pattern.
  void set_mass(MassMatrix mass, std::vector<std::pair<int, int>> pairs);
  double potential_energy(double t, ConstVectorView x) const override;
  double field_energy(double t, ConstVectorView x) const override;
  /// The forces that do more than their energy says.
  std::vector<std::string> dissipators() const override;
  EnergyFlow energy_flow(const State& state) const override;
  void recall(const History& history) const override;
  void forget() const override {
    for (const auto& force : forces_) force->forget();
  }
  void settle(State& state) const override;
  std::optional<PlasticWork> plastic_work() const override;
  std::optional<Touch> touch(const State& state) const override;
  double longest_step(const State& state, double h) const override;
  /// What one force says of it, prescribed particles going where they are told to, be it that they only begin
  /// to.
  double longest_step(const Force& force, const State& state, double h) const;
  bool has_barriers() const override;
  double clear_share(double t0, ConstVectorView x0, double t1, ConstVectorView x1) const override;
  Momentum momentum(const State& state) const;
  /// Σm|x − c|² of the free particles about their centre of mass.
  double moment_of_inertia(const State& state) const;
  /// Whether nothing changes the angular momentum: nothing is pinned, and no force does.
  bool keeps_spin() const;
  bool autonomous() const override;
  bool passive() const override;
  std::vector<double> drives(double t) const override;
  double obstacles_carried(double from, double to) const override;
  bool conservative() const override;
  std::string describe(std::size_t unknown) const override;
  double force_effort() const override { return force_effort_; }
  std::unique_ptr<MixedForce> mixed_force() const override;
  /// All particles as forces see them, from the free ones: those that follow a motion are where they are at
  /// t, other pinned ones are left as they are. An empty v leaves all_v as it is for the free ones.
  void place(double t, ConstVectorView x, ConstVectorView v, std::span<double> all_x,
             std::span<double> all_v) const;
  /// `out` with zeros, ready for the tangents of the forces.
  void prepare(Tangent& out) const;
  /// Adds what things that touch contribute: on a wider pattern, with these pairs, which stays the same
  /// object while the pairs do.
  void add_touching(std::vector<std::pair<int, int>> pairs, const std::function<void(Tangent&)>& add,
                    Tangent& out) const;

 protected:
  void do_force(double t, ConstVectorView x, ConstVectorView v, VectorView f) const override;
  void do_tangent(double t, ConstVectorView x, ConstVectorView v, Tangent& out) const override;

 private:
  History present_history() const;
  Configuration configuration(double t, ConstVectorView x, ConstVectorView v) const;
  /// Of the free particles.
  Eigen::Vector3d centre_of_mass(const State& state) const;
  /// Brings the prescribed particles to where they are at t.
  void place_prescribed(double t, std::span<double> all_x, std::span<double> all_v) const;
  std::vector<std::array<double, 3>> in_user_order(std::span<const double> free,
                                                   std::span<const double> prescribed) const;

  std::size_t free_ = 0;
  std::vector<int> order_, rank_;
  std::vector<double> masses_;
  std::vector<double> start_x_, start_v_;  ///< all particles, inner order
  MassMatrix mass_;
  std::vector<std::pair<int, int>> mass_pairs_;
  std::vector<std::unique_ptr<Force>> forces_;
  std::vector<std::shared_ptr<const Force>> drivers_;  ///< that are no forces
  std::shared_ptr<const BlockPattern> pattern_;
  double force_effort_ = 0;  ///< s
  History untouched_;        ///< of forces that have been through nothing; none where none has a history
  mutable History history_;  ///< the one that forces go on from
  std::vector<Group> moving_;
  std::vector<int> names_;                             ///< empty: those of order_
  std::vector<bool> follows_;                          ///< one of the motions; inner order
  mutable std::vector<double> all_x_, all_v_;          ///< overwritten at each evaluation
  mutable std::vector<std::pair<int, int>> touching_;  ///< pairs that the wide pattern has beside the others
  mutable std::shared_ptr<const BlockPattern> wide_pattern_;
};

}  // namespace stiffly
