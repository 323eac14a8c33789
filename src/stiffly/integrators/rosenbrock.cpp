#include "stiffly/integrators/rosenbrock.hpp"

#include "stiffly/integrators/memory_reader.hpp"

namespace stiffly {
namespace {

RosenbrockTableau ros3pl() {
  return {.traits = {.name = "ros3pl",
                     .family = "Rosenbrock",
                     .order = 3,
                     .embedded_order = 2,
                     .summary = "four stages, a W-method",
                     .reference = "Lang & Teleaga 2008; paper 003 A.2.1",
                     .a_stable = true,
                     .l_stable = true},
          .gamma = 0.435866521508459,
          .alpha = {0, 0.5, 1, 1},
          .gamma_sum = {0.435866521508459, -0.064133478491541, 0.111028172512505, 0},
          .a = {{},
                {1.147140180139521},
                {2.463070773030053, 1.147140180139521},
                {2.463070773030053, 1.147140180139521, 0}},
          .c = {{},
                {-2.631861185781065},
                {-1.302364158113095, 2.769432022251304},
                {-1.552568958732400, 2.587743501215153, -1.416993298352020}},
          .m = {2.463070773030053, 1.147140180139521, 0, 1},
          .difference = {2.463070773030053 - 2.346947683513665, 1.147140180139521 - 0.456530569451895,
                         -0.056949243945495, 1 - 0.738684936166224}};
}

std::vector<RosenbrockTableau> make_rosenbrock_tableaus() {
  return {{.traits = {.name = "baraff-witkin",
                      .family = "Rosenbrock",
                      .order = 1,
                      .summary = "linearly implicit Euler: one Newton step of backward Euler",
                      .reference = "Baraff & Witkin 1998",
                      .a_stable = true,
                      .l_stable = true},
           .gamma = 1,
           .alpha = {0},
           .gamma_sum = {1},
           .a = {{}},
           .c = {{}},
           .m = {1},
           .difference = {}},
          ros3pl(),
          [] {
            RosenbrockTableau w = ros3pl();
            w.traits.name = "ros3pl-w";
            w.traits.order = 2;
            w.traits.summary = "the same with the Jacobian of the start: one factorisation per step size";
            w.inexact = true;
            return w;
          }(),
          {.traits = {.name = "ros3prl2",
                      .family = "Rosenbrock",
                      .order = 3,
                      .embedded_order = 2,
                      .summary = "four stages, no order reduction",
                      .reference = "Rang 2015",
                      .a_stable = true,
                      .l_stable = true},
           .gamma = 0.435866521508459,
           .alpha = {0, 1.30759956452538, 1, 1},
           .gamma_sum = {0.435866521508459, -0.871733043016921, -0.8339865967040412, 0},
           .a = {{}, {3}, {4.588560720558092, 1.147140180139521}, {4.588560720558092, 1.147140180139521, 0}},
           .c = {{},
                 {-6.882841080837141},
                 {-12.579179703104524, -2.9475127180857186},
                 {3.556592450580385, -0.4663124315128337, 3.545260255335102}},
           .m = {4.5885607205580925, 1.1471401801395211, 0, 1},
           .difference = {0.8808636262903982, 0.3041167493114213, 0.14248471842891264, 0.26131506383377634}}};
}

}  // namespace

std::span<const RosenbrockTableau> rosenbrock_tableaus() {
  static const std::vector<RosenbrockTableau> all = make_rosenbrock_tableaus();
  return all;
}

void Rosenbrock::start(const SecondOrderSystem& system, const State& state) {
  system_ = &system;
  inverse_.reset();
  if (tableau_.inexact) linearize(state);
}

void Rosenbrock::linearize(const State& at) {
  system_->tangent(at.time, at.x(), at.v(), tangent_);
  if (tableau_.inexact) linearized_at_ = at;
}

IntegratorMemory Rosenbrock::save() {
  inverse_.reset();
  if (!tableau_.inexact) return {};
  return {.numbers = {linearized_at_.time}, .vectors = {linearized_at_.y}};
}

void Rosenbrock::restore(const IntegratorMemory& memory) {
  MemoryReader reader(memory, *system_);
  if (tableau_.inexact) linearize(reader.state());
  reader.finish();
}

Step Rosenbrock::step(const State& from, double h, bool want_error) {
  const SecondOrderSystem& system = *system_;
  const std::size_t n = from.unknowns(), stages = tableau_.m.size();
  if (!tableau_.inexact) linearize(from);
  const OscillatorJacobian jacobian(system.mass(), tangent_, 1 / h, system.counters());
  const double sigma = tableau_.gamma * h;
  try {
    inverse_ = jacobian.shifted_inverse(sigma, std::move(inverse_));
  } catch (const NotPositiveDefinite& error) {
    throw not_positive_definite(system, error);
  }
  const Vector time_rate = system.time_rate(from);
  Step result{State(from.time + h, from.y), {}, {}};
  const bool estimate = want_error && !tableau_.difference.empty();
  if (estimate) result.error = Vector(2 * n, from.y.backend());
  std::vector<Vector> G;
  Vector right(2 * n, from.y.backend());
  for (std::size_t i = 0; i < stages; ++i) {
    State stage(from.time + tableau_.alpha[i] * h, from.y);
    for (std::size_t j = 0; j < i; ++j) axpy(tableau_.a[i][j], G[j], stage.y);
    system.rate(stage, right);
    for (std::size_t j = 0; j < i; ++j) axpy(tableau_.c[i][j] / h, G[j], right);
    if (!time_rate.empty()) axpy(tableau_.gamma_sum[i] * h, time_rate, right);
    scale(sigma, right);
    G.emplace_back(2 * n, from.y.backend());
    inverse_->solve(right, G.back());
    axpy(tableau_.m[i], G.back(), result.state.y);
    if (estimate) axpy(tableau_.difference[i], G.back(), *result.error);
  }
  return result;
}

}  // namespace stiffly
