// One step of a time integration method, and what is known about it beforehand.
#pragma once

#include <memory>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stiffly/contact/projection_law.hpp"
#include "stiffly/phi/evaluator.hpp"
#include "stiffly/system/second_order_system.hpp"

namespace stiffly {

class ContactProjection;
class ParticleConstraints;

/// In which variables φ-functions of the Jacobian are computed. All give the same trajectory.
enum class Reformulation {
  square_root_free,  ///< (x, v) with the energy inner product: any size, no fill-in
  explicit_root,     ///< u = (Ω x, v) with a dense Ω = √(M⁻¹K): small systems only
};

/// What a user may choose about a method besides its name.
struct IntegratorOptions {
  std::string evaluator = "auto";  ///< of φ-functions, by name
  /// Error of each φ evaluation, relative to the increment it makes.
  double phi_tolerance = 1e-6;
  PhiNorm phi_norm = PhiNorm::energy;
  Reformulation reformulation = Reformulation::square_root_free;

  std::string newton = "mixed";            ///< of implicit stages, by name
  std::string linear_solver = "cholesky";  ///< within Newton's method, by name
  /// Error of implicit stages, relative to the velocities.
  double newton_tolerance = 1e-9;
  /// Vibrations are followed exactly where a step spans less than this, in radians (ResolvedModes).
  double largest_angle = 5 * std::numbers::pi;
  /// Velocities prescribed for single particles in implicit stages; may be changed between steps.
  std::shared_ptr<const ParticleConstraints> constraints = {};
  /// What is done about contact at the end of each step (Projected); none: nothing.
  std::shared_ptr<ContactProjection> projection = {};
};

struct IntegratorTraits {
  std::string name = {};
  std::string family = {};  ///< "exponential Rosenbrock", "exponential Runge–Kutta", "Gautschi", …
  int order = 0;
  std::optional<int> embedded_order =
      {};                    ///< of the comparison behind the error estimate; none where there is no estimate
  std::string summary = {};  ///< one line
  std::string reference = {};
  bool uses_evaluator = false;      ///< whether the φ options apply
  bool implicit = false;            ///< whether the options of Newton's method apply
  bool follows_vibrations = false;  ///< whether `largest_angle` applies
  bool multistep = false;           ///< whether a step depends on more than the state it begins with
  double step_growth = 3;           ///< by which a step may be longer than the one before
  bool keeps_factor = false;  ///< whether steps of one length share a factor: lengths then change rarely
  /// Radians of an undamped oscillation that a step may span before it grows; none: any, or not even the
  /// least.
  std::optional<double> oscillation_limit = {};
  bool a_stable = false;          ///< bounded for y' = λy, Re λ < 0, at any step
  bool l_stable = false;          ///< and damps to zero as hλ → −∞
  bool symplectic = false;        ///< no drift of the energy where forces are conservative
  bool own_dense_output = false;  ///< whether `Integrator::within` knows what happens within a step
};

struct Step {
  State state;                       ///< at t + h
  std::optional<Vector> error;       ///< y − ŷ, if it was asked for and the method has an estimate
  PhiReport phi;                     ///< of all φ evaluations of the step
  std::optional<State> middle = {};  ///< of one that was made as two
  std::optional<ProjectionReport> projection = {};  ///< of contact, where that is projected away
};

/// What a method remembers from earlier steps.
struct IntegratorMemory {
  std::vector<double> numbers;
  std::vector<Vector> vectors;
};

/// A method bound to a system. `start` comes first and again after every jump of the state from outside.
class Integrator {
 public:
  virtual ~Integrator() = default;
  virtual const IntegratorTraits& traits() const = 0;

  /// Binds the method to `system`, which must outlive it, and forgets all earlier steps.
  virtual void start(const SecondOrderSystem& system, const State& state) = 0;

  /// From `from` (whose time is t_n) to t_n + h, h > 0; h may differ from call to call. `from` is not changed
  /// and need not be the last result: a rejected step is simply made again with another h. The result may be
  /// not finite if the step blew up; looking for that is the caller's business. Throws SimulationError where
  /// no result exists (a solver or an evaluator gives up).
  virtual Step step(const State& from, double h, bool want_error) = 0;

  /// At most h: the step from there in which nothing meets that it could not see.
  virtual double longest_step(const State& /*from*/, double h) { return h; }

  /// States at rising times within the step from `from` to `to`, by the method's own formula: usually of the
  /// last step, else what that needs is computed again. What later steps do does not depend on whether it was
  /// called. Empty for methods without `own_dense_output`, whose steps are interpolated.
  virtual std::vector<State> within(const State& /*from*/, const State& /*to*/,
                                    std::span<const double> /*times*/) {
    return {};
  }

  /// What a continuation from the last result needs besides the state. Anything else that was learnt on the
  /// way (the size of Krylov spaces, factors kept as preconditioners) is dropped, so that this run and one
  /// that is restored go on alike, bit for bit.
  virtual IntegratorMemory save() { return {}; }
  /// After start() with the state that belongs to the memory. Throws DamagedMemory (see MemoryReader) for
  /// what the method would not have saved: memories come from files.
  virtual void restore(const IntegratorMemory& memory);
};

}  // namespace stiffly
