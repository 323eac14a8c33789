#include "stiffly/integrators/v_imex.hpp"

#include "stiffly/integrators/memory_reader.hpp"

namespace stiffly {

IntegratorTraits VImex::info() {
  return {.name = "v-imex",
          .family = "IMEX",
          .order = 2,
          .summary = "fixed stiff linear part by the midpoint rule, the rest explicit",
          .reference = "Stern & Grinspun 2009",
          .symplectic = true};
}

const IntegratorTraits& VImex::traits() const {
  static const IntegratorTraits traits = info();
  return traits;
}

void VImex::start(const SecondOrderSystem& system, const State& state) {
  system_ = &system;
  acceleration_.start(system);
  a_ = work_ = predicted_ = Vector(state.unknowns(), state.y.backend());
  linearize(state);
}

void VImex::linearize(const State& at) {
  linearized_at_ = at;
  system_->linear_part(at, linear_);
  factor_step_ = 0;
}

void VImex::slow_acceleration(double t, ConstVectorView x, ConstVectorView v, Vector& a) {
  acceleration_.evaluate(t, x, v, a);
  ++system_->counters().product;
  linear_.stiffness.apply(x, work_);
  system_->mass().solve(work_, work_);
  axpy(1.0, work_, a);
}

Step VImex::step(const State& from, double h, bool) {
  if (h != factor_step_) {
    BlockMatrix matrix(linear_.stiffness.shared_pattern());
    system_->mass().add_to(1.0, matrix);
    matrix.add(h * h / 4, linear_.stiffness);
    ++system_->counters().factorization;
    factor_.factorize(matrix);
    factor_step_ = h;
  }
  Step result{State(from.time + h, from.y), {}, {}};
  const VectorView x = result.state.x(), v = result.state.v();
  slow_acceleration(from.time, x, v, a_);
  axpy(h / 2, a_, v);

  // (M + ¼h²K_0) w = M v − ½h K_0 x with w = (v + v⁺)/2
  Vector w(from.unknowns(), from.y.backend());
  ++system_->counters().product;
  linear_.stiffness.apply(x, work_);
  system_->mass().apply(v, w);
  axpy(-h / 2, work_, w);
  ++system_->counters().solve;
  factor_.solve(w, w);
  axpy(h, w, x);
  axpby(2.0, w, -1.0, v);

  copy(v, predicted_);
  axpy(h / 2, a_, predicted_);
  slow_acceleration(from.time + h, x, predicted_, a_);
  axpy(h / 2, a_, v);
  return result;
}

IntegratorMemory VImex::save() { return {.numbers = {linearized_at_.time}, .vectors = {linearized_at_.y}}; }

void VImex::restore(const IntegratorMemory& memory) {
  MemoryReader reader(memory, *system_);
  linearize(reader.state());
  reader.finish();
}

}  // namespace stiffly
