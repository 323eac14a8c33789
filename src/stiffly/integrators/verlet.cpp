#include "stiffly/integrators/verlet.hpp"

namespace stiffly {

IntegratorTraits Verlet::traits_of(VerletForm form) {
  IntegratorTraits traits{.family = "Verlet",
                          .order = 2,
                          .reference = "Hairer, Lubich & Wanner 2003",
                          .oscillation_limit = 2,
                          .symplectic = true};
  switch (form) {
    case VerletForm::symplectic_euler:
      traits.name = "symplectic-euler";
      traits.order = 1;
      traits.summary = "the leapfrog on a staggered grid, velocities half a step behind; stable for hω < 2";
      break;
    case VerletForm::velocity:
      traits.name = "verlet";
      traits.summary = "Störmer–Verlet, kick–drift–kick; stable for hω < 2";
      break;
    case VerletForm::position:
      traits.name = "verlet-position";
      traits.summary = "Störmer–Verlet, drift–kick–drift; stable for hω < 2";
      break;
  }
  return traits;
}

void Verlet::start(const SecondOrderSystem& system, const State& state) {
  acceleration_.start(system);
  a_ = predicted_ = Vector(state.unknowns(), state.y.backend());
}

Step Verlet::step(const State& from, double h, bool) {
  Step result{State(from.time + h, from.y), {}, {}};
  const VectorView x = result.state.x(), v = result.state.v();
  switch (form_) {
    case VerletForm::symplectic_euler:
      acceleration_.evaluate(from.time, x, v, a_);
      axpy(h, a_, v);
      axpy(h, v, x);
      break;
    case VerletForm::velocity:
      acceleration_.evaluate(from.time, x, v, a_);
      axpy(h / 2, a_, v);
      axpy(h, v, x);
      copy(v, predicted_);
      axpy(h / 2, a_, predicted_);
      acceleration_.evaluate(from.time + h, x, predicted_, a_);
      axpy(h / 2, a_, v);
      break;
    case VerletForm::position:
      axpy(h / 2, v, x);
      acceleration_.evaluate(from.time + h / 2, x, v,
                             a_);  // of v_n, where v_{n+1/2} is meant: corrected once
      if (!acceleration_.conservative()) {
        copy(v, predicted_);
        axpy(h / 2, a_, predicted_);
        acceleration_.evaluate(from.time + h / 2, x, predicted_, a_);
      }
      axpy(h, a_, v);
      axpy(h / 2, v, x);
      break;
  }
  return result;
}

}  // namespace stiffly
