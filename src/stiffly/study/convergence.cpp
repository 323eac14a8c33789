#include "stiffly/study/convergence.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "stiffly/control/simulation.hpp"
#include "stiffly/integrators/registry.hpp"
#include "stiffly/text.hpp"

namespace stiffly::study {

double ErrorCurve::slope() const {
  const double roundoff = 1e-10 * size + 1e-14;
  const ErrorSample* coarse = nullptr;
  const ErrorSample* fine = nullptr;
  for (const ErrorSample& s : samples) {
    if (!std::isfinite(s.error) || s.error <= roundoff) continue;
    coarse = fine;
    fine = &s;
  }
  return coarse ? std::log(coarse->error / fine->error) / std::log(coarse->step / fine->step) : std::nan("");
}

std::vector<TestEquation> paper_equations() {
  std::vector<TestEquation> all;
  all.push_back(dahlquist(2));
  all.back().name = "growth";
  all.push_back(dahlquist(-15));
  all.back().name = "decay";
  all.push_back(overdamped());
  all.back().name = "overdamped";
  all.push_back(damped_spring());
  all.back().name = "damped-spring";
  all.push_back(wave());
  all.back().name = "wave";
  return all;
}

std::vector<double> halvings(double duration, int first, int last) {
  std::vector<double> out;
  for (int k = first; k <= last; ++k) out.push_back(std::ldexp(duration, -k));
  return out;
}

ErrorCurve measure_errors(const TestEquation& equation, const std::string& integrator,
                          std::span<const double> steps, const IntegratorOptions& options) {
  const IntegratorInfo& info = find_by_name(integrators(), integrator, "integrator");
  const Eigen::VectorXd exact = equation.exact(equation.duration);
  ErrorCurve curve{info.name, info.order, {}, exact.norm()};
  for (const double step : steps) {
    ErrorSample sample{.step = step,
                       .error = std::numeric_limits<double>::quiet_NaN(),
                       .seconds = 0,
                       .work = {},
                       .failure = ""};
    State state = equation.start;
    try {
      const auto method = info.make(options);
      const SimulationSummary s =
          simulate(*equation.system, *method, state, {.duration = equation.duration, .step = step});
      sample.seconds = s.wall_seconds;
      sample.work = s.counters;
      const std::vector<double> y = to_host(state.y);
      sample.error = (Eigen::VectorXd::Map(y.data(), std::ssize(y)) - exact).norm();
    } catch (const SimulationError& error) {
      sample.failure = error.what();
    }
    curve.samples.push_back(std::move(sample));
  }
  return curve;
}

}  // namespace stiffly::study
