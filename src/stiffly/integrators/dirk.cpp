#include "stiffly/integrators/dirk.hpp"

#include <cmath>
#include <Eigen/LU>
#include <numbers>

#include "stiffly/integrators/memory_reader.hpp"

namespace stiffly {
namespace {

const double root2 = std::numbers::sqrt2, root3 = std::numbers::sqrt3;

IntegratorTraits implicit(IntegratorTraits traits) {
  traits.family = "DIRK";
  traits.implicit = true;
  return traits;
}

ButcherTableau sdirk2() {
  const double g = 1 - root2 / 2;
  return {.traits = implicit({.name = "sdirk2",
                              .order = 2,
                              .embedded_order = 1,
                              .summary = "two stages, stiffly accurate",
                              .reference = "Alexander 1977",
                              .a_stable = true,
                              .l_stable = true}),
          .c = {g, 1},
          .a = {{g}, {1 - g, g}},
          .b = {1 - g, g},
          .b_hat = {1, 0}};
}

ButcherTableau sdirk3() {
  const double g = 0.43586652150845899941601945;
  const double alpha = 1 - 4 * g + 2 * g * g, beta = -1 + 6 * g - 9 * g * g + 3 * g * g * g;
  const double b2 = -3 * alpha * alpha / (4 * beta), c2 = (2 - 9 * g + 6 * g * g) / (3 * alpha);
  const double b1_hat = (c2 - 0.5) / (c2 - g);  // order 2 from the first two stages [Cash 1979]
  return {.traits = implicit({.name = "sdirk3",
                              .order = 3,
                              .embedded_order = 2,
                              .summary = "three stages, stiffly accurate",
                              .reference = "Alexander 1977; estimate Cash 1979",
                              .a_stable = true,
                              .l_stable = true}),
          .c = {g, c2, 1},
          .a = {{g}, {c2 - g, g}, {1 - b2 - g, b2, g}},
          .b = {1 - b2 - g, b2, g},
          .b_hat = {b1_hat, 1 - b1_hat, 0}};
}

/// The stages have order 2, so any weights that integrate quadratics exactly have order 3: the estimate
/// [Hosea & Shampine 1996].
ButcherTableau tr_bdf2(const char* name, const char* summary, double g, bool l_stable) {
  const double w = 1 / (2 * (2 - g));
  const double b2 = 1 / (6 * g * (1 - g)), b3 = (2 - 3 * g) / (6 * (1 - g));
  return {.traits = implicit({.name = name,
                              .order = 2,
                              .embedded_order = 3,
                              .summary = summary,
                              .reference = "Bank et al. 1985; Bathe 2007",
                              .a_stable = true,
                              .l_stable = l_stable}),
          .c = {0, g, 1},
          .a = {{}, {g / 2, g / 2}, {w, w, (1 - g) / (2 - g)}},
          .b = {w, w, (1 - g) / (2 - g)},
          .b_hat = {1 - b2 - b3, b2, b3}};
}

ButcherTableau nc34() {
  const double g = (3 + 2 * root3 * std::cos(std::numbers::pi / 18)) / 6;
  const double b1 = 1 / (6 * (1 - 2 * g) * (1 - 2 * g));
  return {.traits = implicit({.name = "sdirk-nc34",
                              .order = 4,
                              .summary = "three stages, algebraically stable",
                              .reference = "Nørsett 1974; Crouzeix 1975",
                              .a_stable = true}),
          .c = {g, 0.5, 1 - g},
          .a = {{g}, {0.5 - g, g}, {2 * g, 1 - 4 * g, g}},
          .b = {b1, 1 - 2 * b1, b1},
          .b_hat = {}};
}

/// The printed digits satisfy the conditions of order 3 to 7e-11 only; Newton's method on b·c = 1/2, b·c² =
/// 1/3, b·Ac = 1/6 in (b_3, c_2, c_3) gives the rest.
ButcherTableau sdirk3345() {
  const double g = 1.068579021301629;
  double b3 = 0.6696236404609742, c2 = 0.08902038200616, c3 = 0.7027675575254050;
  for (int i = 0; i < 5; ++i) {
    const double b2 = 1 - b3;
    const double r1 = b2 * c2 + b3 * c3 - 0.5;
    const double r2 = b2 * c2 * c2 + b3 * c3 * c3 - 1.0 / 3;
    const double r3 = b2 * ((c2 - g) * g + g * c2) + b3 * ((c3 - g) * c2 + g * c3) - 1.0 / 6;
    Eigen::Matrix3d J;
    J << c3 - c2, b2, b3,  //
        c3 * c3 - c2 * c2, 2 * b2 * c2, 2 * b3 * c3, -((c2 - g) * g + g * c2) + (c3 - g) * c2 + g * c3,
        2 * g * b2 + b3 * (c3 - g), b3 * (c2 + g);
    const Eigen::Vector3d d = J.inverse() * Eigen::Vector3d(r1, r2, r3);
    b3 -= d(0), c2 -= d(1), c3 -= d(2);
  }
  return {.traits = implicit({.name = "sdirk3345",
                              .order = 3,
                              .summary = "three stages, dispersion order 4, dissipation order 5",
                              .reference = "Franco, Gómez & Rández 1997",
                              .a_stable = true}),
          .c = {g, c2, c3},
          .a = {{g}, {c2 - g, g}, {0, c3 - g, g}},
          .b = {0, 1 - b3, b3},
          .b_hat = {}};
}

ButcherTableau sdirk4347() {
  const double g = 1.2805797612753055, b4 = 0.4453994092277531;
  const double c2 = 0.3489302860638736, c3 = 0.7586985719573739, c4 = 0.1778747841442887;
  return {.traits = implicit({.name = "sdirk4347",
                              .order = 3,
                              .summary = "four stages, dispersion order 4, dissipation order 7",
                              .reference = "Franco, Gómez & Rández 1997",
                              .a_stable = true}),
          .c = {g, c2, c3, c4},
          .a = {{g}, {c2 - g, g}, {0, c3 - g, g}, {0, 0, c4 - g, g}},
          .b = {0, 0, 1 - b4, b4},
          .b_hat = {}};
}

std::vector<ButcherTableau> make_butcher_tableaus() {
  const double ncs = (3 + root3) / 6;
  return {// The rate at the start is for the estimate alone: half the difference to the trapezoidal rule.
          {.traits = implicit({.name = "backward-euler",
                               .order = 1,
                               .embedded_order = 2,
                               .summary = "implicit Euler, BDF1: damps everything it does not resolve",
                               .reference = "Curtiss & Hirschfelder 1952",
                               .a_stable = true,
                               .l_stable = true}),
           .c = {0, 1},
           .a = {{}, {0, 1}},
           .b = {0, 1},
           .b_hat = {0.5, 0.5}},
          {.traits = implicit({.name = "implicit-midpoint",
                               .order = 2,
                               .summary = "symplectic, keeps quadratic invariants",
                               .reference = "Hairer, Lubich & Wanner 2006",
                               .a_stable = true,
                               .symplectic = true}),
           .c = {0.5},
           .a = {{0.5}},
           .b = {1},
           .b_hat = {}},
          {.traits = implicit({.name = "trapezoidal",
                               .order = 2,
                               .summary = "conjugate to the midpoint rule",
                               .reference = "Crank & Nicolson 1947",
                               .a_stable = true,
                               .symplectic = true}),
           .c = {0, 1},
           .a = {{}, {0.5, 0.5}},
           .b = {0.5, 0.5},
           .b_hat = {}},
          sdirk2(),
          sdirk3(),
          tr_bdf2("tr-bdf2", "trapezoidal step to γ = 2 − √2, then BDF2", 2 - root2, true),
          tr_bdf2("tr-bdf2-half", "the same with γ = 1/2 (Bathe's method)", 0.5, true),
          {.traits = implicit({.name = "sdirk-ncs23",
                               .order = 3,
                               .summary = "two stages, algebraically stable",
                               .reference = "Nørsett 1974; Crouzeix 1975; Scherer 1977",
                               .a_stable = true}),
           .c = {ncs, 1 - ncs},
           .a = {{ncs}, {1 - 2 * ncs, ncs}},
           .b = {0.5, 0.5},
           .b_hat = {}},
          nc34(),
          sdirk3345(),
          sdirk4347()};
}

double entry(const std::vector<double>& row, std::size_t j) { return j < row.size() ? row[j] : 0.0; }

}  // namespace

std::span<const ButcherTableau> dirk_tableaus() {
  static const std::vector<ButcherTableau> all = make_butcher_tableaus();
  return all;
}

Dirk::Dirk(const ButcherTableau& tableau, const IntegratorOptions& options)
    : tableau_(tableau), solver_(options) {}

void Dirk::start(const SecondOrderSystem& system, const State& state) {
  system_ = &system;
  solver_.start(system, state);
  guesses_.clear();
}

Step Dirk::step(const State& from, double h, bool want_error) {
  const auto& [traits, c, a, b, b_hat] = tableau_;
  const bool estimate = want_error && !b_hat.empty();
  const std::size_t n = from.unknowns(), stages = b.size();
  Step result{State(from.time + h, from.y), {}, {}};
  if (estimate) result.error = Vector(2 * n, from.y.backend());
  solver_.begin_step(from);
  if (guesses_.empty()) guesses_.assign(stages, Vector(n, from.y.backend()));

  std::vector<Vector> G(stages);
  for (std::size_t i = 0; i < stages; ++i) {
    const double aii = entry(a[i], i);
    if (aii == 0 && b[i] == 0 && !estimate) {  // not used at all
      bool used = false;
      for (std::size_t k = i + 1; k < stages; ++k) used = used || entry(a[k], i) != 0;
      if (!used) continue;
    }
    State base(from.time + c[i] * h, from.y);
    for (std::size_t j = 0; j < i; ++j)
      if (entry(a[i], j) != 0) axpy(h * entry(a[i], j), G[j], base.y);
    G[i] = Vector(2 * n, from.y.backend());
    if (aii == 0) {
      system_->rate(base, G[i]);
    } else {
      const Stage stage = Stage::first_order(base.time, base.x(), base.v(), aii * h);
      solver_.solve(stage, guesses_[i]);
      const VectorView velocity = G[i].part(0, n);
      copy(stage.q, velocity);
      axpy(stage.c, guesses_[i], velocity);
      copy(guesses_[i], G[i].part(n, n));
    }
    if (b[i] != 0) axpy(h * b[i], G[i], result.state.y);
    if (estimate && b[i] != b_hat[i]) axpy(h * (b[i] - b_hat[i]), G[i], *result.error);
  }
  return result;
}

IntegratorMemory Dirk::save() {
  IntegratorMemory memory{.numbers = {static_cast<double>(guesses_.size())}, .vectors = guesses_};
  solver_.save(memory);
  return memory;
}

void Dirk::restore(MemoryReader& memory) {
  guesses_.clear();
  const std::size_t all = tableau_.b.size();
  if (memory.number(0, static_cast<double>(all)) > 0)  // else saved before the first step
    for (std::size_t i = 0; i < all; ++i) guesses_.push_back(memory.vector());
  solver_.restore(memory);
}

void Dirk::restore(const IntegratorMemory& memory) {
  MemoryReader reader(memory, *system_);
  restore(reader);
  reader.finish();
}

}  // namespace stiffly
