#include "stiffly/integrators/newmark.hpp"

#include "stiffly/integrators/memory_reader.hpp"
#include "stiffly/integrators/same_state.hpp"

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

Newmark::Point Newmark::start_at(const State& state) const {
  Vector a(state.unknowns(), state.y.backend());
  system_->force(state.time, state.x(), state.v(), a);
  system_->mass().solve(a, a);
  return {state, std::move(a)};
}

void Newmark::start(const SecondOrderSystem& system, const State& state) {
  system_ = &system;
  solver_.start(system, state);
  before_ = {};
  after_ = start_at(state);
}

void Newmark::go_on_from(const State& from, double h) {
  if (is_same_state(after_.state, from, h))
    std::swap(before_, after_);
  else if (!is_same_state(before_.state, from, h))  // else the last step is made again
    before_ = start_at(from);
}

Step Newmark::step(const State& from, double h, bool want_error) {
  go_on_from(from, h);
  after_ = {.state = {}, .acceleration = before_.acceleration};  // a start value; no result yet
  const Vector& a = before_.acceleration;
  Vector& a_next = after_.acceleration;
  const auto& [beta, gamma, alpha_m, alpha_f] = parameters_;
  Step result{State(from.time + h, from.y), {}, {}};
  const VectorView x = result.state.x(), v = result.state.v();
  axpy(h, from.v(), x);
  axpy(h * h * (0.5 - beta), a, x);
  axpy(h * (1 - gamma), a, v);

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
    stage.w = a;
    scale(alpha_m, stage.w);
  }
  solver_.solve(stage, a_next);
  axpy(h * h * beta, a_next, x);
  axpy(h * gamma, a_next, v);
  after_.state = result.state;
  if (want_error) {
    result.error = Vector(from.y.size(), from.y.backend());
    const VectorView e = result.error->part(0, from.unknowns());
    axpy(h * h * (beta - 1.0 / 6), a_next, e);
    axpy(-h * h * (beta - 1.0 / 6), a, e);
  }
  return result;
}

IntegratorMemory Newmark::save() {
  IntegratorMemory memory{.numbers = {}, .vectors = {after_.acceleration}};
  solver_.save(memory);
  return memory;
}

void Newmark::restore(const IntegratorMemory& memory) {
  MemoryReader reader(memory, *system_);
  after_.acceleration = reader.vector();
  solver_.restore(reader);
  reader.finish();
}

}  // namespace stiffly
