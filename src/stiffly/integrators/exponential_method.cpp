#include "stiffly/integrators/exponential_method.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "stiffly/integrators/memory_reader.hpp"
#include "stiffly/integrators/same_state.hpp"

namespace stiffly {
namespace {

/// Everything known at the start of a step: y, F(y), J, ∂F/∂t.
struct Linearization {
  const SecondOrderSystem& system;
  const State& at;
  Vector rate;       // F(y)
  Vector time_rate;  // ∂F/∂t, empty where F does not depend on t or J is fixed
  OscillatorJacobian& jacobian;

  /// D(U) = F(t+ch, U) − F(y) − J(U−y) − ch ∂F/∂t for U = y + increment
  Vector remainder(double ch, const Vector& increment) const {
    State stage(at.time + ch, at.y);
    axpy(1.0, increment, stage.y);
    Vector D(at.y.size(), at.y.backend()), linear(D);
    system.rate(stage, D);
    axpy(-1.0, rate, D);
    jacobian.apply(increment, linear);
    axpy(-1.0, linear, D);
    if (!time_rate.empty()) axpy(-ch, time_rate, D);
    return D;
  }

  /// b_1 = hF and b_2 = h² ∂F/∂t: the linear flow, w(c) = c hφ_1(c hJ)F + c²h² φ_2(c hJ)∂F/∂t.
  PhiCombination flow(double h) const {
    PhiCombination b(rate.size());
    b.add(1, h, rate);
    if (!time_rate.empty()) b.add(2, h * h, time_rate);
    return b;
  }
};

/// b ← b + h Σ terms(hJ) D at node c; the evaluator puts c^k before φ_k, the tables do not.
void add_terms(PhiCombination& b, const std::vector<PhiTerm>& terms, double node, double h, const Vector& D,
               double sign = 1) {
  for (const PhiTerm& term : terms)
    if (term.node == node) b.add(term.phi, sign * h * term.factor / std::pow(node, term.phi), D);
}

}  // namespace

IntegratorTraits ExponentialMethod::traits_of(const ExponentialTableau& tableau) {
  return {.name = tableau.name,
          .family = tableau.linear_part == LinearPart::dynamic ? "exponential Rosenbrock"
                                                               : "exponential Runge–Kutta",
          .order = tableau.order,
          .embedded_order = tableau.embedded_order,
          .summary = tableau.summary,
          .reference = tableau.reference,
          .uses_evaluator = true,
          .own_dense_output = true};
}

ExponentialMethod::ExponentialMethod(const ExponentialTableau& tableau, const IntegratorOptions& options)
    : tableau_(tableau),
      traits_(traits_of(tableau)),
      phi_(options),
      amplification_(std::max(1.0, weight_size(tableau))) {}

void ExponentialMethod::start(const SecondOrderSystem& system, const State& state) {
  system_ = &system;
  linearized_at_ = state;
  system.linear_part(state, tangent_);
  phi_.start(system, tangent_);
  output_phi_.reset();
  last_ = {};
}

IntegratorMemory ExponentialMethod::save() {
  output_phi_.reset();
  return {.numbers = {linearized_at_.time, phi_.save()}, .vectors = {linearized_at_.y}};
}

void ExponentialMethod::restore(const IntegratorMemory& memory) {
  MemoryReader reader(memory, *system_);
  const State linearized_at = reader.state();
  start(*system_, linearized_at);
  phi_.restore(reader);
  reader.finish();
}

OscillatorJacobian ExponentialMethod::jacobian_at(const State& from, double h) {
  last_ = {};
  if (tableau_.linear_part == LinearPart::dynamic) system_->tangent(from.time, from.x(), from.v(), tangent_);
  return phi_.jacobian(*system_, tangent_, h);
}

ExponentialMethod::Sum ExponentialMethod::stages(const State& from, double h, OscillatorJacobian& jacobian,
                                                 PhiSolver& phi, PhiReport& report) {
  Linearization here{*system_, from, Vector(from.y.size(), from.y.backend()), {}, jacobian};
  system_->rate(from, here.rate);
  if (tableau_.linear_part == LinearPart::dynamic) here.time_rate = system_->time_rate(from);

  // The flow at all nodes in one sweep: c_i hφ_1(c_i hJ)F
  std::map<double, Vector> flow;
  for (const double c : tableau_.nodes) flow.emplace(c, Vector());
  std::vector<double> nodes;
  for (const auto& [c, value] : flow) nodes.push_back(c);
  if (!nodes.empty()) {
    auto values = phi.evaluate(jacobian, h, here.flow(h), nodes, amplification_, report);
    for (std::size_t i = 0; i < nodes.size(); ++i) flow[nodes[i]] = std::move(values[i]);
  }

  // U_i = y + c_i hφ_1(c_i hJ)F + h Σ_j a_ij(hJ) D_j, and D_i
  std::vector<Vector> D(tableau_.nodes.size());
  for (std::size_t i = 0; i < D.size(); ++i) {
    Vector increment = flow[tableau_.nodes[i]];
    if (i < tableau_.couplings.size()) {
      std::map<double, PhiCombination> by_node;
      for (const auto& [stage, terms] : tableau_.couplings[i])
        for (const PhiTerm& term : terms) by_node.emplace(term.node, PhiCombination(increment.size()));
      for (auto& [node, b] : by_node) {
        for (const auto& [stage, terms] : tableau_.couplings[i])
          add_terms(b, terms, node, h, D[static_cast<std::size_t>(stage) - 2]);
        axpy(1.0, phi.evaluate(jacobian, h, b, node, amplification_, report), increment);
      }
    }
    D[i] = here.remainder(tableau_.nodes[i] * h, increment);
  }

  // hφ_1(hJ)F + h Σ_i b_i(hJ) D_i
  PhiCombination sum = here.flow(h);
  for (const auto& [stage, terms] : tableau_.weights)
    add_terms(sum, terms, 1, h, D[static_cast<std::size_t>(stage) - 2]);
  return {from, h, std::move(sum), std::move(D)};
}

Step ExponentialMethod::step(const State& from, double h, bool want_error) {
  OscillatorJacobian jacobian = jacobian_at(from, h);
  Step result{State(from.time + h, from.y), {}, {}};
  last_ = stages(from, h, jacobian, phi_, result.phi);
  axpy(1.0, phi_.evaluate(jacobian, h, last_.b, 1.0, 1.0, result.phi), result.state.y);

  // y⁺ − ŷ⁺ = h Σ_i (b_i − b̂_i)(hJ) D_i
  const std::vector<Vector> D = std::move(last_.remainders);
  if (want_error && tableau_.embedded_order) {
    PhiCombination difference(from.y.size());
    for (const auto& [stage, terms] : tableau_.weights)
      add_terms(difference, terms, 1, h, D[static_cast<std::size_t>(stage) - 2]);
    for (const auto& [stage, terms] : tableau_.embedded)
      add_terms(difference, terms, 1, h, D[static_cast<std::size_t>(stage) - 2], -1);
    result.error = phi_.evaluate(jacobian, h, difference, 1.0, 1.0, result.phi);
  }
  return result;
}

std::vector<State> ExponentialMethod::within(const State& from, const State& to,
                                             std::span<const double> times) {
  const double h = to.time - from.time;
  PhiReport report;
  if (!output_phi_) output_phi_ = phi_.apart();
  const bool known = is_same_state(last_.from, from, h) && std::abs(last_.h - h) < 1e-3 * h;
  OscillatorJacobian jacobian = known ? phi_.jacobian(*system_, tangent_, h) : jacobian_at(from, h);
  if (!known) last_ = stages(from, h, jacobian, *output_phi_, report);
  return from_increments(from, times,
                         output_phi_->evaluate(jacobian, h, last_.b, fractions(from, h, times), 1.0, report));
}

}  // namespace stiffly
