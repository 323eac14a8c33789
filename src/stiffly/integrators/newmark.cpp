#include "stiffly/integrators/newmark.hpp"

namespace stiffly {

NewmarkParameters NewmarkParameters::generalized_alpha(double rho) {
  const double m = (2 * rho - 1) / (rho + 1), f = rho / (rho + 1);
  return {.beta = 0.25 * (1 - m + f) * (1 - m + f), .gamma = 0.5 - m + f, .alpha_m = m, .alpha_f = f};
}

IntegratorTraits Newmark::newmark() {
  return {.name = "newmark",
          .family = "Newmark",
          .order = 2,
          .embedded_order = 3,
          .summary = "average acceleration, β = 1/4, γ = 1/2",
          .reference = "Newmark 1959",
          .implicit = true,
          .a_stable = true};
}

IntegratorTraits Newmark::generalized_alpha() {
  return {.name = "generalized-alpha",
          .family = "Newmark",
          .order = 2,
          .embedded_order = 3,
          .summary = "ρ∞ = 0.8: damps what is not resolved, little of what is",
          .reference = "Chung & Hulbert 1993",
          .implicit = true,
          .multistep = true,
          .a_stable = true};
}

void Newmark::start(const SecondOrderSystem& system, const State& state) {
  system_ = &system;
  solver_.start(system, state);
  after_ = Vector(state.unknowns(), state.y.backend());
  system.force(state.time, state.x(), state.v(), after_);
  system.mass().solve(after_, after_);
  before_ = after_;
  before_time_ = after_time_ = state.time;
}

Step Newmark::step(const State& from, double h, bool want_error) {
  if (from.time == after_time_) {  // else the last step is made again
    before_ = after_;
    before_time_ = after_time_;
  }
  const auto& [beta, gamma, alpha_m, alpha_f] = parameters_;
  Step result{State(from.time + h, from.y), {}, {}};
  const VectorView x = result.state.x(), v = result.state.v();
  axpy(h, from.v(), x);
  axpy(h * h * (0.5 - beta), before_, x);
  axpy(h * (1 - gamma), before_, v);

  Stage stage{.t = from.time + (1 - alpha_f) * h,
              .p = Vector(x),
              .q = Vector(v),
              .b = (1 - alpha_f) * beta * h * h,
              .c = (1 - alpha_f) * gamma * h,
              .mu = 1 - alpha_m};
  if (alpha_f != 0) {
    axpby(alpha_f, from.x(), 1 - alpha_f, stage.p);
    axpby(alpha_f, from.v(), 1 - alpha_f, stage.q);
  }
  if (alpha_m != 0) {
    stage.w = before_;
    scale(alpha_m, stage.w);
  }
  after_ = before_;  // a start value
  solver_.solve(stage, after_);
  after_time_ = from.time + h;
  axpy(h * h * beta, after_, x);
  axpy(h * gamma, after_, v);
  if (want_error) {
    result.error = Vector(from.y.size(), from.y.backend());
    const VectorView e = result.error->part(0, from.unknowns());
    axpy(h * h * (beta - 1.0 / 6), after_, e);
    axpy(-h * h * (beta - 1.0 / 6), before_, e);
  }
  return result;
}

IntegratorMemory Newmark::save() {
  IntegratorMemory memory{.numbers = {after_time_}, .vectors = {after_}};
  solver_.save(memory);
  return memory;
}

void Newmark::restore(const IntegratorMemory& memory) {
  before_time_ = after_time_ = memory.numbers.at(0);
  before_ = after_ = memory.vectors.at(0);
  IntegratorMemory rest = memory;
  solver_.restore(rest);
}

}  // namespace stiffly
