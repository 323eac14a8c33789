// A force on particles: energy, force, tangent.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "stiffly/effort.hpp"
#include "stiffly/system/plastic_work.hpp"
#include "stiffly/system/second_order_system.hpp"
#include "stiffly/system/touch.hpp"

namespace stiffly {

class Partition;
struct PlasticLaw;

/// All particles as forces see them: three entries each, the `free` movable ones first, then those whose
/// motion is prescribed.
struct Configuration {
  double time = 0;
  std::size_t free = 0;
  std::span<const double> x;
  std::span<const double> v;
};

/// What a force on particles is averaged over (ForcePath, with all particles): positions where the step
/// begins, none for a stage, and the state where it ends, whose velocities are the means over the step.
struct ParticlePath {
  double start_time = 0;
  std::span<const double> start = {};
  std::span<const double> start_strain = {};
  Configuration end = {};
  double theta = 0.5;

  bool is_step() const { return !start.empty(); }
};

struct ParticleShare {
  int particle;
  double share;
};

/// The inverse of an iteration's matrix S, as seen by what pushes particles: a·W S⁻¹Wᵀa for W x = Σ share_i
/// x_i over free particles.
class Compliance {
 public:
  virtual ~Compliance() = default;
  virtual double along(std::span<const ParticleShare> shares, const Eigen::Vector3d& a) const = 0;
};

/// How far a force moves a free particle of mass m within an iteration: by `position`/m, and its velocity by
/// `velocity`/m.
struct IterationScale {
  double position = 0;  ///< s²
  double velocity = 0;  ///< s
  std::span<const double> masses = {};
};

/// The elements of a force whose strains are unknowns beside the positions (MixedForce says how they are
/// used). Strains of all elements stand one after the other.
class MixedElements {
 public:
  virtual ~MixedElements() = default;
  /// Whether they come and go as things touch and part: only such elements are told where an iteration
  /// begins, and asked for pairs.
  virtual bool touching() const { return false; }
  /// An iteration begins, with a guess of where the path ends.
  virtual void begin(const ParticlePath& guess, const IterationScale& scale) {
    static_cast<void>(guess), static_cast<void>(scale);
  }
  virtual std::size_t strains() const = 0;
  virtual void measure(const Configuration& q, std::span<double> strain) const = 0;
  /// Freezes B and D, and adds K = BᵀDB + G and C.
  virtual void freeze(const ParticlePath& path, std::span<const double> strain, Tangent& out) = 0;
  /// f ← f + f(x, ε) − BᵀDκ, and κ
  virtual void add_force(const ParticlePath& path, std::span<const double> strain, std::span<double> gap,
                         std::span<double> f) const = 0;
  /// ε ← ε + κ + B(dx, dv), with the changes of the free particles.
  virtual void follow(std::span<const double> dx, std::span<const double> dv, std::span<const double> gap,
                      std::span<double> strain) const = 0;

  /// What touches couples particles that no pattern knows beforehand: pairs of what was frozen, and its
  /// tangent, which `freeze` leaves out.
  virtual void add_touching_pairs(std::vector<std::pair<int, int>>& pairs) const { static_cast<void>(pairs); }
  virtual void add_touching_tangent(Tangent& out) const { static_cast<void>(out); }
  /// The matrix of what was frozen is there, until the next one is.
  virtual void respond(const Compliance& matrix) { static_cast<void>(matrix); }
  /// What was learnt from matrices before is forgotten: a run that begins here goes on in the same way.
  virtual void restart() {}
};

/// What a force without a potential does to the energy, W.
struct ForcePower {
  double dissipated = 0;  ///< −Σ f·v over all particles
  double supports = 0;    ///< the same over the prescribed ones alone: whoever moves them provides it

  ForcePower& operator+=(const ForcePower& other) {
    dissipated += other.dissipated;
    supports += other.supports;
    return *this;
  }
};

/// One kind of force. Each must pass the triangle test: force = −∇energy, tangent = −∇force.
class Force {
 public:
  virtual ~Force() = default;
  virtual std::string name() const = 0;
  /// Potential energy; 0 for forces that have none.
  virtual double energy(const Configuration& q) const = 0;
  /// f ← f + force on the free particles.
  virtual void add_force(const Configuration& q, std::span<double> f) const = 0;
  /// Pairs of free particles that this force couples.
  virtual void add_pairs(std::size_t free, std::vector<std::pair<int, int>>& pairs) const = 0;
  /// Called once with the pattern of the whole system, to look up where blocks go.
  virtual void attach(std::size_t free, const BlockPattern& pattern) = 0;
  /// Adds −∂f/∂x and −∂f/∂v.
  virtual void add_tangent(const Configuration& q, Tangent& tangent) const = 0;

  /// Pairs of free particles that it couples at q, beside those of add_pairs: they come and go as things
  /// touch and part.
  virtual void add_touching_pairs(const Configuration& q, std::vector<std::pair<int, int>>& pairs) const {
    static_cast<void>(q), static_cast<void>(pairs);
  }
  /// Adds the tangent at these pairs; `tangent` has room for them.
  virtual void add_touching_tangent(const Configuration& q, Tangent& tangent) const {
    static_cast<void>(q), static_cast<void>(tangent);
  }

  /// Its elements with strains as unknowns, bound to the pattern of the whole system; the force must outlive
  /// them. None where a force has no strains.
  virtual std::unique_ptr<MixedElements> mixed_elements(std::size_t free, const BlockPattern& pattern) const {
    static_cast<void>(free), static_cast<void>(pattern);
    return nullptr;
  }

  /// The same force within each piece, whose particles have numbers of their own; empty where a force cannot
  /// be divided.
  virtual std::vector<std::unique_ptr<Force>> parts(const Partition& partition) const {
    static_cast<void>(partition);
    return {};
  }

  /// The same force with elements that yield; none where it has none that can.
  virtual std::unique_ptr<Force> yielding(const PlasticLaw& law) const {
    static_cast<void>(law);
    return nullptr;
  }
  /// What it remembers of its way (SecondOrderSystem::settle), as many numbers at any time; its energy has
  /// the work that this took.
  virtual void add_history(std::vector<double>& out) const { static_cast<void>(out); }
  /// Its own numbers come first; returns those of others.
  virtual std::span<const double> recall(std::span<const double> history) { return history; }
  /// As SecondOrderSystem::forget.
  virtual void forget() {}
  /// A step ends here. Whether the history has changed.
  virtual bool settle(const Configuration& q) {
    static_cast<void>(q);
    return false;
  }
  virtual PlasticWork plastic_work() const { return {}; }

  /// Whether not all that it does is in its energy: as of forces that depend on velocities, and of some that
  /// turn with the body.
  virtual bool has_power() const { return depends_on_velocity(); }
  /// Of its part that has no potential.
  virtual ForcePower power(const Configuration& q) const {
    static_cast<void>(q);
    return {};
  }
  /// What touches, of forces between things that do.
  virtual std::optional<Touch> touch(const Configuration& q) const {
    static_cast<void>(q);
    return std::nullopt;
  }
  /// At most h: the step in which nothing meets of which the force at q does not know yet.
  virtual double longest_step(const Configuration& q, double h) const {
    static_cast<void>(q);
    return h;
  }
  /// Whether it keeps things apart by a barrier, on one side of which they must stay at all times.
  virtual bool is_barrier() const { return false; }
  /// The share of the straight way of all particles from one place to another along which nothing meets.
  virtual double clear_share(const Configuration& from, const Configuration& to) const {
    static_cast<void>(from), static_cast<void>(to);
    return 1;
  }
  /// Whether it acts on each particle by itself, whatever the others do, as weight does.
  virtual bool is_field() const { return false; }
  /// Whether it leaves the angular momentum about the centre of mass alone.
  virtual bool keeps_spin() const { return true; }

  /// What a pair of particles that it couples takes, s (effort.hpp).
  virtual double effort_per_pair() const { return effort::pair; }

  /// Whether it brings energy in, though it does not depend on time, as a motor does.
  virtual bool drives() const { return false; }
  virtual bool depends_on_velocity() const { return false; }
  virtual bool depends_on_time() const { return false; }
  /// ∂U/∂t where it is known, W: differences in time would straddle what sets in suddenly.
  virtual std::optional<double> energy_rate(const Configuration& q) const {
    static_cast<void>(q);
    return std::nullopt;
  }
  /// ∂U/∂x_p·v_p over the prescribed particles where it is known, W: differences in time would reach over a
  /// barrier.
  virtual std::optional<double> support_rate(const Configuration& q) const {
    static_cast<void>(q);
    return std::nullopt;
  }
  /// What it prescribes at t, in numbers: how these change says which steps are short enough to see them.
  virtual void add_drives(double t, std::vector<double>& out) const {
    static_cast<void>(t), static_cast<void>(out);
  }
  /// How far what it brings along, such as obstacles, goes from one time to another, at most, m.
  virtual double carried(double from, double to) const {
    static_cast<void>(from), static_cast<void>(to);
    return 0;
  }
  /// Whether ∂f/∂x has an antisymmetric part.
  virtual bool circulatory() const { return false; }
};

}  // namespace stiffly
