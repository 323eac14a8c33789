// A few fibres side by side in memory, one per lane of the kernels.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>
#include <vector>

#include "stiffly/fibres/batch_array.hpp"
#include "stiffly/fibres/batch_kernel_table.hpp"
#include "stiffly/fibres/fibre.hpp"
#include "stiffly/fibres/fibre_obstacles.hpp"
#include "stiffly/system/motion.hpp"

namespace stiffly {

/// A fibre that moves: the four particles of its root are held, or follow a motion.
struct MovingFibre {
  std::size_t number = 0;  ///< in messages
  /// Springs are linear; each has a dashpot of the same share of its stiffness, or none has.
  FibreShape shape;
  /// Where it starts, three numbers per particle; empty: the position of the shape, at rest.
  std::vector<double> position = {}, velocity = {};
  /// Force per velocity of each particle, kg/s: of the air, and where masses are damped. Empty: none.
  std::vector<double> drag = {};
  /// Constant force on each particle beside its weight, N: of a wind, drag times its velocity. Empty: none.
  std::vector<double> force = {};
  /// Of the root; none: it stays where the fibre starts.
  std::shared_ptr<const Motion> motion = {};
  /// That push it away; none: there are none.
  std::shared_ptr<const ObstacleGroups> obstacles = {};
};

/// How far the middles of the free cross-sections of a fibre move, or how fast, and how these turn: vectors
/// along the axes.
struct SectionWay {
  std::vector<Eigen::Vector3d> middle, turn;
};

/// W fibres with the same number of cross-sections as the longest of them has. This is all that a computation
/// keeps of them from one meeting of all fibres to the next; BatchWorkspace is what it needs in between.
class FibreBatch {
 public:
  /// One fibre per lane; lanes that are left over have a copy of the first. Throws InputError, "fibre NUMBER:
  /// …", for sizes that do not fit together, springs that join no neighbours, are not linear or differ in
  /// their dashpots' share, and values that are not finite.
  FibreBatch(const BatchKernelTable& kernels, std::span<const MovingFibre> fibres,
             const Eigen::Vector3d& gravity);
  FibreBatch(FibreBatch&&) = default;  // the arrays stay where they are

  const BatchKernelTable& kernels() const { return *kernels_; }
  int lanes() const { return kernels_->lanes; }
  /// Lanes in use.
  int fibres() const { return static_cast<int>(identities_.size()); }
  int sections() const { return view_.sections; }
  int segments(int lane) const { return identity(lane).segments; }
  std::size_t number(int lane) const { return identity(lane).number; }
  const ObstacleGroups* obstacles(int lane) const { return identity(lane).obstacles.get(); }

  /// Three numbers for each particle of a fibre, its root included.
  std::vector<double> positions(int lane) const;
  /// Of the free particles.
  std::vector<double> velocities(int lane) const;
  /// Middles of cross-sections, the root's first: three numbers each, and the velocities of the free ones.
  void centre_line(int lane, double* x, double* v) const;
  /// 1/m of the middle of each free cross-section: how far it gives way to a force at it, which its four
  /// particles share.
  void inverse_masses(int lane, double* out) const;
  double dashpot_time(int lane) const { return view_.damping_time[lane]; }
  /// The free cross-sections move and turn as rigid ones do, and get velocities likewise. Elongations are
  /// those of where they are then. Returns the energy that this takes, J, at t.
  double displace(int lane, double t, const SectionWay& way, const SectionWay& faster);

  /// Where the root of a lane is at t: 12 entries of `x`, W apart; and how fast, where `v` is given.
  void place_root(int lane, double t, double* x, double* v = nullptr) const;
  /// Whether the root of a lane follows a motion.
  bool is_driven(int lane) const { return identity(lane).motion != nullptr; }

  /// The arrays; those of an iteration are not set.
  const BatchView& view() const { return view_; }
  /// Positions at the start of the free particles, and those at the last three ends of steps, in any order.
  const double* start() const { return start_; }
  double* past(int slot) { return past_[slot]; }
  /// The acceleration on the way to the present state.
  double* acceleration() { return acceleration_; }
  static constexpr int past_slots = 3;

  /// All that changes, of all lanes, in one piece.
  std::span<double> changing_memory();
  /// What it was like, of one lane.
  void put_back(int lane, std::span<const double> memory);
  /// All numbers that change, of one lane.
  std::vector<double> save(int lane) const;
  /// How many there are, with so many cross-sections.
  static std::size_t saved_size(int sections);
  /// Throws InputError where they are not as many or not finite.
  void restore(int lane, std::span<const double> numbers);

  /// Bytes that a batch of so many fibres keeps.
  static std::size_t memory(int lanes, int sections, int fibres);

 private:
  struct Identity {
    std::size_t number;
    int segments;
    std::shared_ptr<const Motion> motion;
    std::vector<double> root;  ///< where it starts
    std::shared_ptr<const ObstacleGroups> obstacles;
  };
  const Identity& identity(int lane) const { return identities_[static_cast<std::size_t>(lane)]; }
  void load(int lane, const MovingFibre& fibre, const Eigen::Vector3d& gravity);
  void load_springs(int lane, const MovingFibre& fibre);
  std::vector<std::pair<double*, int>> changing() const;
  /// Kinetic and elastic energy of a lane, that of its weight and of obstacles at t, J. Elongations become
  /// those of its positions.
  double measured_energy(int lane, double t);

  const BatchKernelTable* kernels_;
  std::vector<Identity> identities_;
  LineVector memory_;
  BatchView view_;
  double *start_, *acceleration_, *past_[past_slots];
};

}  // namespace stiffly
