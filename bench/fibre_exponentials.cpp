// Exponential methods on fibres: what stiffness costs them, and what lanes could gain for them at most.
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

/// Seconds of energy-momentum in lanes, for one hair of many and the whole duration, and where its tip is
/// then.
struct InLanes {
  double cpu;
  Eigen::Vector3d tip;
};

InLanes in_lanes(const Scene& scene, const FibreSteps& steps) {
  constexpr std::size_t copies = 64;
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
  return {(clock_of(CLOCK_PROCESS_CPUTIME_ID) - begin) / copies, centre_line(x).back()};
}

// If orthogonalisation, small exponentials and forces cost nothing, a φ-function in lanes still takes a
// factor, and for each dimension of its space a product, or a solve and a product.
bool what_lanes_could_gain() {
  constexpr double duration = 0.5, bound = 0.05;
  const Scene scene = shaken_hair();
  const InLanes exact = in_lanes(scene, {.duration = duration, .step = 2e-5, .iteration_tolerance = 1e-8});
  const double way = (exact.tip - tip_of(scene.body.start)).norm();
  const InLanes implicit = in_lanes(scene, {.duration = duration, .tolerance = 0.01});
  fmt::print(
      "  energy-momentum in lanes, tolerance 0.01: {:.3f} ms for each hair and {} s; tip off by {:.2f} %\n",
      1e3 * implicit.cpu, duration, 100 * (implicit.tip - exact.tip).norm() / way);
  const KernelTimes all = kernel_times(batch_kernels(), 1);
  const double each = 1 / static_cast<double>(all_fibres);
  double general = 0, least = std::numeric_limits<double>::infinity();
  for (const double h : {1e-3, 5e-4, 2.5e-4, 1.25e-4, 6.25e-5}) {
    const GivenSteps run =
        make_steps(scene, "exprb42", {.duration = duration, .step = h}, {.phi_tolerance = 1e-3});
    if (!run.failure.empty()) {
      fmt::print("  exprb42, steps of {} ms: {}\n", 1e3 * h, run.failure);
      continue;
    }
    const auto n = [](std::int64_t count) { return static_cast<double>(count); };
    const double products = n(run.work.product) + n(run.work.solve);
    const double in_lanes_at_least = each * (n(run.work.factorization) * all.factor +
                                             n(run.work.solve) * all.solve + products * all.product);
    const double error = (run.tip - exact.tip).norm() / way;
    fmt::print(
        "  exprb42, steps of {} ms: {:.0f} ms, {:.1f} solves and {:.1f} products a step; tip off by {:.2f} "
        "%; the "
        "same in lanes at least {:.2f} ms\n",
        1e3 * h, 1e3 * run.cpu, n(run.work.solve) / n(run.steps), n(run.work.product) / n(run.steps),
        100 * error, 1e3 * in_lanes_at_least);
    if (error <= bound && in_lanes_at_least < least) least = in_lanes_at_least, general = run.cpu;
  }
  fmt::print(
      "  lanes could make exprb42 at most {:.0f} times faster, which is then {:.1f} times the time of "
      "energy-momentum\n",
      general / least, least / implicit.cpu);
  return least > implicit.cpu;  // else they should be built
}

}  // namespace

bool exponentials_of_fibres() {
  fmt::print("exprb42 with the rational evaluator, one hair, steps of 2 ms:\n");
  const bool flat = stiffness_with_rational_evaluators();
  fmt::print("exponential methods in lanes, one hair shaken by 5 cm:\n");
  return what_lanes_could_gain() && flat;
}

}  // namespace stiffly::bench
