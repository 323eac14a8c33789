// One step of a time integration method, and what is known about it beforehand.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "stiffly/phi/evaluator.hpp"
#include "stiffly/system/second_order_system.hpp"

namespace stiffly {

/// In which variables φ-functions of the Jacobian are computed. All give the same trajectory.
enum class Reformulation {
  square_root_free,  ///< (x, v) with the energy inner product: any size, no fill-in
  explicit_root,     ///< u = (Ω x, v) with a dense Ω = √(M⁻¹K): small systems only
};

/// What a user may choose about a method besides its name.
struct IntegratorOptions {
  std::string evaluator = "auto";  ///< of φ-functions, by name
  /// Error of each φ evaluation, relative to the increment it makes (in the energy norm).
  double phi_tolerance = 1e-6;
  Reformulation reformulation = Reformulation::square_root_free;
};

struct IntegratorTraits {
  std::string name;
  std::string family;  ///< "exponential Rosenbrock", "exponential Runge–Kutta", "Gautschi", …
  int order = 0;
  std::optional<int> embedded_order;  ///< of the error estimate; none where the method has none
  std::string summary;                ///< one line
  std::string reference;
  bool uses_evaluator = false;        ///< whether the φ options apply
};

struct Step {
  State state;                      ///< at t + h
  std::optional<Vector> error;      ///< y − ŷ, if it was asked for and the method has an estimate
  PhiReport phi;                    ///< of all φ evaluations of the step
};

/// A method bound to a system. `start` comes first and again after every jump of the state from outside.
class Integrator {
 public:
  virtual ~Integrator() = default;
  virtual const IntegratorTraits& traits() const = 0;

  /// Binds the method to `system`, which must outlive it, and forgets all earlier steps.
  virtual void start(const SecondOrderSystem& system, const State& state) = 0;

  /// From `from` (whose time is t_n) to t_n + h, h > 0; h may differ from call to call. `from` is not changed and
  /// need not be the last result: a rejected step is simply made again with another h. The result may be
  /// not finite if the step blew up; looking for that is the caller's business. Throws SimulationError where no
  /// result exists (a solver or an evaluator gives up).
  virtual Step step(const State& from, double h, bool want_error) = 0;
};

}  // namespace stiffly
