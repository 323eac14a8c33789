#include "stiffly/integrators/projected.hpp"

#include "stiffly/integrators/same_state.hpp"

namespace stiffly {

Projected::Projected(std::unique_ptr<Integrator> method, std::shared_ptr<ContactProjection> projection)
    : method_(std::move(method)), projection_(std::move(projection)), traits_(method_->traits()) {
  traits_.own_dense_output = false;
  traits_.multistep = true;  // it is told of jumps
}

void Projected::start(const SecondOrderSystem& system, const State& state) {
  system_ = &system;
  end_ = {};
  jumped_ = false;
  method_->start(system, state);
}

void Projected::settle(const State& from, double h) {
  if (!is_same_state(end_, from, h)) return;
  if (jumped_) method_->start(*system_, from);
  jumped_ = false;
}

Step Projected::step(const State& from, double h, bool want_error) {
  settle(from, h);
  jumped_ = false;
  Step out = advance(from, h, want_error, 0);
  end_ = out.state;
  return out;
}

Step Projected::advance(const State& from, double h, bool want_error, int halvings) {
  constexpr int most_halvings = 6;
  Step out = method_->step(from, h, want_error);
  out.projection = projection_->project(from, out.state);
  const ProjectionReport& did = *out.projection;
  if (did.deepest > projection_->law().depth && halvings < most_halvings) {
    const Step half = advance(from, h / 2, false, halvings + 1);
    if (jumped_) method_->start(*system_, half.state);
    jumped_ = false;
    Step rest = advance(half.state, h / 2, false, halvings + 1);
    rest.error = std::move(out.error);
    rest.middle = half.state;
    ProjectionReport both = *half.projection;
    both += *rest.projection;
    ++both.halvings;
    rest.projection = both;
    return rest;
  }
  jumped_ = did.passes > 0;
  return out;
}

IntegratorMemory Projected::save() {
  if (!end_.y.empty()) settle(end_, 1);
  return method_->save();
}

void Projected::restore(const IntegratorMemory& memory) { method_->restore(memory); }

}  // namespace stiffly
