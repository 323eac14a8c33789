// Exponential methods on fibres: what stiffness costs them, and what lanes gain for them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "bench.hpp"
#include "fibre_kernels.hpp"
#include "shaken_hair.hpp"
#include "stiffly/control/methods.hpp"
#include "stiffly/error.hpp"
#include "stiffly/fibres/batch_choice.hpp"
#include "stiffly/fibres/system_fibres.hpp"
#include "stiffly/integrators/exponential_tableau.hpp"

namespace stiffly::bench {
namespace {

/// What given steps took.
struct GivenSteps {
  double cpu = 0;  ///< s
  long steps = 0;
  Counters work;
  Eigen::Vector3d tip;
  std::string failure;
};

GivenSteps make_steps(const Scene& scene, const std::string& method, const StepPlan& plan,
                      const IntegratorOptions& options) {
  GivenSteps out;
  const double begin = clock_of(CLOCK_PROCESS_CPUTIME_ID);
  try {
    const auto stepper = make_stepper(method, scene.system(), scene.body.start, plan, options);
    while (!stepper->done()) out.steps += stepper->advance().steps;
    out.work = stepper->work();
    out.tip = tip_of(stepper->state());
  } catch (const SimulationError& error) {
    out.failure = error.what();
  }
  out.cpu = clock_of(CLOCK_PROCESS_CPUTIME_ID) - begin;
  return out;
}

/// Springs of 1e4 to 1e10 N/m, the root moved by half a millimetre. The stiffest ones have about E · 4e-8 m.
/// Dashpots as stiff as these would make the tangent so unsymmetric that φ-functions of steps this long are
/// refused.
bool stiffness_with_rational_evaluators() {
  std::vector<double> cpu;
  bool all = true;
  for (double k = 1e4; k < 2e10; k *= 10) {
    const Scene scene = shaken_hair({.amplitude = 0.0005, .young = k / 4e-8, .damping = 0});
    GivenSteps best;
    best.cpu = std::numeric_limits<double>::infinity();
    for (int repeat = 0; repeat < 3; ++repeat) {
      GivenSteps run =
          make_steps(scene, "exprb42", {.duration = 0.2, .step = 0.002},
                     {.evaluator = "rational", .phi_tolerance = 1e-2, .phi_norm = PhiNorm::smoothed});
      if (run.cpu < best.cpu) best = std::move(run);
    }
    if (!best.failure.empty()) {
      fmt::print("  springs of {:.0e} N/m, after {} steps: {}\n", k, best.steps, best.failure);
      all = false;
      continue;
    }
    const auto per_step = [&](std::int64_t n) {
      return static_cast<double>(n) / static_cast<double>(best.steps);
    };
    fmt::print(
        "  springs of {:.0e} N/m: {:.2f} ms, {:.1f} factors, {:.1f} solves and {:.1f} products a step\n", k,
        1e3 * best.cpu / static_cast<double>(best.steps), per_step(best.work.factorization),
        per_step(best.work.solve), per_step(best.work.product));
    cpu.push_back(best.cpu);
  }
  const double spread = cpu.empty() ? 1 : std::ranges::max(cpu) / std::ranges::min(cpu);
  fmt::print("  most over least {:.2f} (bound 1.1, all of them) {}\n", spread, verdict(all && spread <= 1.1));
  return all && spread <= 1.1;
}

/// Seconds of fibres in lanes, for one hair of many and the whole duration, and where its tip is then.
struct InLanes {
  double cpu;
  Eigen::Vector3d tip;
  FibreWork work;  ///< of one hair
};

InLanes in_lanes(const Scene& scene, const FibreSteps& steps) {
  const std::size_t copies = steps.exponential ? 16 : 64;
  std::string why;
  const auto& system = dynamic_cast<const ParticleSystem&>(scene.system());
  const std::optional<SystemFibres> fibres = SystemFibres::find(system, scene.body.strands, why);
  if (!fibres) throw SimulationError(why);
  FibreSupply one = fibres->supply(scene.body.start), many;
  many.segments.assign(copies, one.segments.front());
  many.fibre = [&](std::size_t) { return one.fibre(0); };
  FibreSimulation hair(many, Eigen::Vector3d::Zero(), steps);
  const double begin = clock_of(CLOCK_PROCESS_CPUTIME_ID);
  for (int frame = 1; hair.time() < steps.duration * (1 - 1e-9); ++frame)
    hair.advance(std::min(steps.duration, 0.04 * frame));
  const std::vector<double> x = hair.positions(0);
  return {(clock_of(CLOCK_PROCESS_CPUTIME_ID) - begin) / static_cast<double>(copies), centre_line(x).back(),
          hair.work(0)};
}

/// Exponentials of W matrices at once, nearly skew as those of vibrations are, beside multiply-adds that wait
/// for nothing.
void small_exponentials() {
  const BatchKernelTable& kernels = batch_kernels();
  const auto W = static_cast<std::size_t>(kernels.lanes);
  const double peak = peak_flops(1);
  for (const std::size_t m : {8u, 16u, 32u, 64u}) {
    LineVector A(W * m * m), E(A.size()), work(5 * A.size()), t(W), norm(W);
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < m; ++j)
        for (std::size_t lane = 0; lane < W; ++lane)
          A[(i * m + j) * W + lane] =
              i == j ? -0.1 : (i < j ? 1 : -1) * std::sin(static_cast<double>((i + 1) * (j + 1) + lane));
    std::ranges::fill(t, 1.0);
    double time = std::numeric_limits<double>::infinity();
    const long turns = 40000 / static_cast<long>(m * m);
    for (int repeat = 0; repeat < 8; ++repeat) {
      const double begin = clock_of(CLOCK_THREAD_CPUTIME_ID);
      for (long turn = 0; turn < turns; ++turn)
        kernels.exponential(static_cast<int>(m), A.data(), t.data(), E.data(), norm.data(), work.data());
      time = std::min(time, (clock_of(CLOCK_THREAD_CPUTIME_ID) - begin) / static_cast<double>(turns));
    }
    const double products = 6 + std::ceil(std::log2(std::ranges::max(norm) / 0.7));
    const double flops = 2 * static_cast<double>(m * m * m * W) * products;
    fmt::print("  {} × {}: {:.3g} a second, {:.0f} products each, {:.0f} % of the multiply-adds\n", m, m,
               static_cast<double>(W) / time, products, 100 * flops / time / peak);
  }
}

// The same method, step and tolerance both ways, beside the method that fibres are for.
bool what_lanes_gain() {
  constexpr double duration = 0.5, bound = 0.05;
  const Scene scene = shaken_hair();
  const InLanes exact = in_lanes(scene, {.duration = duration, .step = 2e-5, .iteration_tolerance = 1e-8});
  const double way = (exact.tip - tip_of(scene.body.start)).norm();
  const InLanes implicit = in_lanes(scene, {.duration = duration, .tolerance = 0.01});
  fmt::print(
      "  energy-momentum in lanes, tolerance 0.01: {:.3f} ms for each hair and {} s; tip off by {:.2f} %\n",
      1e3 * implicit.cpu, duration, 100 * (implicit.tip - exact.tip).norm() / way);
  const auto tableaus = exponential_tableaus();
  const auto exprb42 = std::ranges::find(tableaus, "exprb42", &ExponentialTableau::name);
  bool right = true, faster = true;
  for (const double h : {1.25e-4, 6.25e-5}) {
    InLanes lanes{std::numeric_limits<double>::infinity(), {}, {}};
    for (int repeat = 0; repeat < 2; ++repeat) {
      const InLanes again =
          in_lanes(scene, {.duration = duration, .step = h, .exponential = &*exprb42, .phi_tolerance = 1e-3});
      if (again.cpu < lanes.cpu) lanes = again;
    }
    const GivenSteps general =
        make_steps(scene, "exprb42", {.duration = duration, .step = h}, {.phi_tolerance = 1e-3});
    if (!general.failure.empty()) throw SimulationError(general.failure);
    const auto n = [](std::int64_t count) { return static_cast<double>(count); };
    const double error = (lanes.tip - exact.tip).norm() / way;
    fmt::print(
        "  exprb42, steps of {} ms: {:.0f} ms, {:.1f} solves and {:.1f} products a step, tip off by {:.2f} "
        "%\n"
        "    in lanes {:.1f} ms, {:.1f} factors, {:.1f} solves and {:.1f} products a step, tip off by {:.2f} "
        "%: {:.1f} "
        "times faster; {:.0f} times the time of energy-momentum\n",
        1e3 * h, 1e3 * general.cpu, n(general.work.solve) / n(general.steps),
        n(general.work.product) / n(general.steps), 100 * (general.tip - exact.tip).norm() / way,
        1e3 * lanes.cpu, n(lanes.work.factors) / n(lanes.work.steps),
        n(lanes.work.iterations) / n(lanes.work.steps), n(lanes.work.products) / n(lanes.work.steps),
        100 * error, general.cpu / lanes.cpu, lanes.cpu / implicit.cpu);
    right = right && error <= bound;
    faster = faster && lanes.cpu < general.cpu;
  }
  fmt::print("  tips within {} %, and lanes faster {}\n", 100 * bound, verdict(right && faster));
  return right && faster;
}

}  // namespace

bool exponentials_of_fibres() {
  fmt::print("exprb42 with the rational evaluator, one hair, steps of 2 ms:\n");
  const bool flat = stiffness_with_rational_evaluators();
  fmt::print("small exponentials, {} at once:\n", batch_kernels().lanes);
  small_exponentials();
  fmt::print("exponential methods in lanes, one hair shaken by 5 cm:\n");
  return what_lanes_gain() && flat;
}

}  // namespace stiffly::bench
