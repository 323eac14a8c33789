// M x'' = f(t, x, x'): everything an integrator may ask of the physics.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "stiffly/error.hpp"
#include "stiffly/linalg/block_matrix.hpp"
#include "stiffly/linalg/vector.hpp"
#include "stiffly/system/mass_matrix.hpp"
#include "stiffly/system/plastic_work.hpp"
#include "stiffly/system/touch.hpp"
#include "stiffly/work_meter.hpp"

namespace stiffly {

class MixedForce;

/// What a system remembers of its way, such as plastic strains; none where nothing has happened yet.
using History = std::shared_ptr<const std::vector<double>>;

/// Where the system is: y = (x, v) one after the other in one vector.
struct State {
  double time = 0;
  Vector y;
  History history = {};  ///< known where a step ends, not within it

  State() = default;
  State(double t, Vector values) : time(t), y(std::move(values)) {}
  /// From positions and velocities in host memory.
  State(double t, std::span<const double> x, std::span<const double> v);

  std::size_t unknowns() const { return y.size() / 2; }
  ConstVectorView x() const { return y.part(0, unknowns()); }
  ConstVectorView v() const { return y.part(unknowns(), unknowns()); }
  VectorView x() { return y.part(0, unknowns()); }
  VectorView v() { return y.part(unknowns(), unknowns()); }
};

/// K = −∂f/∂x and C = −∂f/∂v, on one pattern. The symmetric part of K is apart from its antisymmetric one,
/// which only follower forces and dashpots have: energy norms and factorisations use the symmetric part. What
/// a system does not have stays empty.
struct Tangent {
  BlockMatrix stiffness;    ///< symmetric part of K
  BlockMatrix circulatory;  ///< antisymmetric part of K
  BlockMatrix damping;      ///< C, symmetric
};

/// Where energy comes from and goes to, W:  d/dt(kinetic + potential) = supports + fields − Σ dissipated.
struct EnergyFlow {
  double supports = 0;                  ///< brought in by supports that move
  double fields = 0;                    ///< brought in by fields and loads that change in time
  std::vector<double> dissipated = {};  ///< by each of dissipators(); below 0 where it brings energy in
};

/// A system of N second-order equations. It knows nothing of time stepping. The public functions count; the
/// physics is in the do_… ones.
class SecondOrderSystem {
 public:
  virtual ~SecondOrderSystem() = default;
  virtual std::size_t unknowns() const = 0;
  virtual const MassMatrix& mass() const = 0;

  /// f(t, x, v)
  void force(double t, ConstVectorView x, ConstVectorView v, VectorView f) const;
  /// K and C at (t, x, v). `out` may hold an earlier result, whose memory is then used again.
  void tangent(double t, ConstVectorView x, ConstVectorView v, Tangent& out) const;
  /// ∂f/∂t at fixed x and v. Only asked for where `autonomous()` is false.
  void force_rate(double t, ConstVectorView x, ConstVectorView v, VectorView out) const;
  /// F(y) = (v, M⁻¹f)
  void rate(const State& state, VectorView out) const;
  /// ∂F/∂t = (0, M⁻¹ ∂f/∂t); empty where F does not depend on t.
  Vector time_rate(const State& state) const;

  /// Potential of the conservative forces.
  virtual double potential_energy(double t, ConstVectorView x) const = 0;
  /// The part of it that weight and other fields have.
  virtual double field_energy(double t, ConstVectorView x) const;
  /// Steps of central differences in t: ε^{1/3}, that of least total error.
  static double time_difference(double t);
  double kinetic_energy(ConstVectorView v) const;
  double energy(const State& state) const;

  /// What takes energy out of the motion, by name: dampers, wind.
  virtual std::vector<std::string> dissipators() const { return {}; }
  /// Nothing where the system is autonomous and conservative. Does not count as work.
  virtual EnergyFlow energy_flow(const State& state) const;

  /// Forces may depend on the way that led to a state, such as where something has yielded. They go on from
  /// the history that was recalled last, which does not change within a step: every stage sees the same.
  /// Throws InputError where this history is not one of this system.
  virtual void recall(const History& history) const { static_cast<void>(history); }
  /// Drops what is kept from one state to the next to save time, such as who is near whom: what comes after
  /// depends on nothing before.
  virtual void forget() const {}
  /// A step that is accepted ends at `state`: what has happened in it is kept, and its history is that.
  /// Neither forces nor energy jump.
  virtual void settle(State& state) const { static_cast<void>(state); }
  /// Of what yields, as the history has it; none where nothing does.
  virtual std::optional<PlasticWork> plastic_work() const { return std::nullopt; }

  /// What touches; none where nothing can.
  virtual std::optional<Touch> touch(const State& state) const;
  /// At most h: a step from this state in which nothing meets of which its forces do not know yet.
  virtual double longest_step(const State& state, double h) const;

  /// Whether barriers keep things apart, which no iteration may pass.
  virtual bool has_barriers() const { return false; }
  /// The share of the straight way from x₀ at t₀ to x₁ at t₁ along which nothing meets. What follows a script
  /// goes straight from where it is at t₀ to where it is at t₁.
  virtual double clear_share(double t0, ConstVectorView x0, double t1, ConstVectorView x1) const {
    static_cast<void>(t0), static_cast<void>(x0), static_cast<void>(t1), static_cast<void>(x1);
    return 1;
  }

  /// What is prescribed at t, by supports, fields and motors, in numbers; as many at any time.
  virtual std::vector<double> drives(double t) const {
    static_cast<void>(t);
    return {};
  }

  /// How far obstacles go from one time to another, at most, m.
  virtual double obstacles_carried(double from, double to) const {
    static_cast<void>(from), static_cast<void>(to);
    return 0;
  }

  /// Whether f does not depend on t explicitly.
  virtual bool autonomous() const { return true; }
  /// Whether its energy can only be kept or lost: nothing drives it.
  virtual bool passive() const { return autonomous(); }
  /// Whether f is the gradient of a potential: it does not depend on v, and no motor follows the body.
  virtual bool conservative() const { return true; }
  /// The constant linear part K_0 (and C_0) that splitting methods use (Gautschi, exponential Runge–Kutta):
  /// the tangent at `start` unless the model knows better.
  virtual void linear_part(const State& start, Tangent& out) const;
  /// The forces with the strains of elements as unknowns of their own; the system must outlive it.
  virtual std::unique_ptr<MixedForce> mixed_force() const;
  /// An unknown in the user's words: "particle 12, y".
  virtual std::string describe(std::size_t unknown) const;

  WorkMeter& counters() const { return counters_; }
  /// What a force takes on the nominal machine of effort.hpp, s: choices between methods rest on it.
  virtual double force_effort() const;

 protected:
  virtual void do_force(double t, ConstVectorView x, ConstVectorView v, VectorView f) const = 0;
  virtual void do_tangent(double t, ConstVectorView x, ConstVectorView v, Tangent& out) const = 0;
  /// Central difference in t unless overridden.
  virtual void do_force_rate(double t, ConstVectorView x, ConstVectorView v, VectorView out) const;

 private:
  friend class MixedForce;
  mutable WorkMeter counters_;
};

/// What to tell a user whose implicit system cannot be factorised: where, and what to do.
SimulationError not_positive_definite(const SecondOrderSystem& system, const NotPositiveDefinite& error);

}  // namespace stiffly
