// One hair whose root is shaken: what every method with a tolerance takes for a tip within 1 % of its way.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "bench.hpp"
#include "stiffly/control/methods.hpp"
#include "stiffly/effort.hpp"
#include "stiffly/fibres/fibre.hpp"
#include "stiffly/scene/scene.hpp"
#include "stiffly/stopwatch.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly::bench {
namespace {

constexpr double duration = 1;       ///< s
constexpr double bound = 0.01;       ///< of the way of the tip
constexpr double most_seconds = 40;  ///< that a method may take

/// By 5 cm at 2 Hz and a little across, from rest on.
class RootShake final : public Motion {
 public:
  void place(double t, std::span<const double> start, std::span<double> x,
             std::span<double> v) const override {
    constexpr double ramp = 0.2;
    const double s = std::min(1.0, t / ramp), size = s * s * (3 - 2 * s),
                 growth = s < 1 ? 6 * s * (1 - s) / ramp : 0;
    for (std::size_t i = 0; i < start.size(); ++i) {
      const double amplitude = i % 3 == 0 ? 0.05 : i % 3 == 1 ? 0.006 : 0;
      const double omega = (i % 3 == 0 ? 4 : 6.6) * std::numbers::pi;
      x[i] = start[i] + amplitude * size * std::sin(omega * t);
      v[i] = amplitude * (growth * std::sin(omega * t) + size * omega * std::cos(omega * t));
    }
  }
};

Scene shaken_hair() {
  const std::vector<Override> hair = {{"model.segments", "[8,8]"},
                                      {"model.length", "0.2"},
                                      {"model.thickness", "9e-5"},
                                      {"model.tip_thickness", "4e-5"},
                                      {"model.young", "3.6e9"},
                                      {"model.density", "1320"},
                                      {"model.damping", "1e-4"},
                                      {"model.drag", "3e-5"},
                                      {"model.direction", "[0,0,-1]"},
                                      {"model.blow", "[0,0,0]"},
                                      {"simulation.duration", "1"},
                                      {"model.start", "hanging"},
                                      {"simulation.gravity", "[0,0,-9.81]"}};
  Scene scene = load_scene(find_scene("bristle"), hair);
  const int root[] = {0, 1, 2, 3};
  dynamic_cast<ParticleSystem&>(*scene.body.system).prescribe(root, std::make_shared<RootShake>());
  return scene;
}

Eigen::Vector3d tip(const State& state) { return centre_line(to_host(state.x())).back(); }

struct HairRun {
  Eigen::Vector3d tip = Eigen::Vector3d::Constant(std::numeric_limits<double>::quiet_NaN());
  double counted = 0, seconds = 0;
  long steps = 0;
  Counters work;
  std::string name, failure;
};

HairRun run_hair(const Scene& scene, const std::string& method, const StepPlan& plan,
                 const IntegratorOptions& options = {}) {
  HairRun out;
  const double counted = effort_seconds(), before = processor_seconds();
  try {
    const auto stepper = make_stepper(method, scene.system(), scene.body.start, plan, options);
    while (!stepper->done()) {
      out.steps += stepper->advance().steps;
      if (processor_seconds() - before > most_seconds) throw SimulationError("out of time");
    }
    out.tip = tip(stepper->state());
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
  // Neither has a tolerance; formulas and solvers of their stages differ.
  const HairRun a = run_hair(scene, "implicit-midpoint", {.duration = duration, .step = 1e-5},
                             {.newton = "newton", .newton_tolerance = 1e-10}),
                b = run_hair(scene, "trapezoidal", {.duration = duration, .step = 1e-5},
                             {.newton = "mixed", .newton_tolerance = 1e-10});
  if (!a.failure.empty() || !b.failure.empty()) {
    fmt::print("no reference: {} {}\n", a.failure, b.failure);
    return false;
  }
  const double way = (a.tip - tip(scene.body.start)).norm(), apart = (a.tip - b.tip).norm();
  fmt::print(
      "the tip is {:.1f} mm from its start; the implicit midpoint rule with Newton's method and the "
      "trapezoidal rule with strains as unknowns, both at 10 µs, are {:.2g} mm apart {}\n",
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
      const HairRun run = run_hair(scene, method.name, {.duration = duration, .tolerance = tolerance});
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
