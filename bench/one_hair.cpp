// One hair whose root is shaken: what every method with a tolerance takes for a tip within 1 % of its way.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "bench.hpp"
#include "shaken_hair.hpp"
#include "stiffly/control/methods.hpp"
#include "stiffly/effort.hpp"
#include "stiffly/stopwatch.hpp"

namespace stiffly::bench {
namespace {

constexpr double duration = 1;       ///< s
constexpr double bound = 0.01;       ///< of the way of the tip
constexpr double most_seconds = 60;  ///< of the processor, that a method may take

constexpr double reference_seconds = 600;

struct OneHairRun {
  Eigen::Vector3d tip = Eigen::Vector3d::Constant(std::numeric_limits<double>::quiet_NaN());
  double counted = 0, seconds = 0;
  long steps = 0;
  Counters work;
  std::string name, failure;
};

OneHairRun run_one_hair(const Scene& scene, const std::string& method, const StepPlan& plan,
                        const IntegratorOptions& options = {}, double limit = most_seconds) {
  OneHairRun out;
  const double counted = effort_seconds(), before = processor_seconds();
  try {
    const auto stepper = make_stepper(method, scene.system(), scene.body.start, plan, options);
    while (!stepper->done()) {
      const StepRecord& step = stepper->advance();
      out.steps += step.steps;
      const double h = step.h;
      if (processor_seconds() - before > limit)
        throw SimulationError(
            fmt::format("{:.0f} s are over at t = {:.3f} s, after {} steps, the last one of {:.1e} s", limit,
                        stepper->state().time, out.steps, h));
    }
    out.tip = tip_of(stepper->state());
    out.work = stepper->work();
    out.name = stepper->traits().name;
  } catch (const Error& error) {
    out.failure = error.what();
  }
  out.counted = effort_seconds() - counted;
  out.seconds = processor_seconds() - before;
  return out;
}

bool run() {
  const Scene scene = shaken_hair();
  // Formulas and solvers of their stages differ.
  const StepPlan tiny{.duration = duration, .step = 2e-5};
  const OneHairRun a = run_one_hair(scene, "tr-bdf2", tiny,
                                    {.newton = "line-search", .newton_tolerance = 1e-9}, reference_seconds),
                   b = run_one_hair(scene, "implicit-midpoint", tiny,
                                    {.newton = "mixed", .newton_tolerance = 1e-9}, reference_seconds);
  if (!a.failure.empty() || !b.failure.empty()) {
    fmt::print("no reference: {} {}\n", a.failure, b.failure);
    return false;
  }
  const double way = (a.tip - tip_of(scene.body.start)).norm(), apart = (a.tip - b.tip).norm();
  fmt::print(
      "the tip is {:.1f} mm from its start; tr-bdf2 with Newton's method and the implicit "
      "midpoint rule with strains as unknowns, both at 20 µs, are {:.2g} mm apart {}\n",
      1e3 * way, 1e3 * apart, verdict(apart < 0.05 * bound * way));
  bool met = apart < 0.05 * bound * way;
  double least = std::numeric_limits<double>::infinity(), automatic = least;
  std::string best;
  fmt::print("{:<22} {:>6} {:>9} {:>7} {:>8} {:>8} {:>8} {:>9} {:>9}\n", "method", "tol.", "tip, mm", "steps",
             "factors", "solves", "forces", "products", "counted s");
  for (const MethodInfo& method : methods()) {
    if (!method.automatic && !method.embedded_order) continue;
    bool good = false;
    for (const double tolerance : {1e-2, 1e-3, 1e-4}) {
      const OneHairRun run = run_one_hair(scene, method.name, {.duration = duration, .tolerance = tolerance});
      const double error = (run.tip - a.tip).norm();
      good = error <= bound * way;
      if (!run.failure.empty()) {
        fmt::print("{:<22} {:>6g} {}\n", method.name, tolerance, run.failure);
        if (run.seconds > most_seconds) break;
        continue;
      }
      fmt::print("{:<22} {:>6g} {:>9.3f} {:>7} {:>8} {:>8} {:>8} {:>9} {:>9.3f} {}\n",
                 method.automatic ? "auto: " + run.name : method.name, tolerance, 1e3 * error, run.steps,
                 run.work.factorization, run.work.solve, run.work.force, run.work.product, run.counted,
                 good ? "" : "beyond 1 %");
      std::fflush(stdout);
      if (!good) continue;
      if (method.automatic)
        automatic = run.counted;
      else if (run.counted < least)
        least = run.counted, best = method.name;
      break;
    }
    met = met && good;
  }
  fmt::print("the least has {}, {:.3f} s; auto takes {:.2f} times that (bound 1.5) {}\n", best, least,
             automatic / least, verdict(automatic <= 1.5 * least));
  return met && automatic <= 1.5 * least;
}

}  // namespace

Section one_hair() {
  return {"one-hair", "one hair whose root is shaken: every method with a tolerance, the tip within 1 %",
          run};
}

}  // namespace stiffly::bench
