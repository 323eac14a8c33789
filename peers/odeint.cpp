// Boost.odeint: explicit methods.
#include <fmt/format.h>
#include <boost/numeric/odeint/stepper/controlled_runge_kutta.hpp>
#include <boost/numeric/odeint/stepper/dense_output_runge_kutta.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta4.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_dopri5.hpp>
#include <boost/numeric/odeint/stepper/velocity_verlet.hpp>
#include <boost/version.hpp>

#include <cmath>

#include "peers/libraries.hpp"
#include "peers/peer.hpp"
#include "stiffly/control/dense_output.hpp"

namespace stiffly::study {
namespace {

namespace odeint = boost::numeric::odeint;
using Values = std::vector<double>;

void require_finite(bool finite, double t) {
  if (!finite) throw SimulationError(fmt::format("forces are not finite at t = {:.6g} s", t));
}

/// The classical method on y = (x, v).
class RungeKutta4 {
 public:
  explicit RungeKutta4(const State& start) : y_(to_host(start.y)) {}
  void step(PeerRun& run, double t, double h) {
    stepper_.do_step([&](const Values& y, Values& out,
                         double time) { require_finite(run.rate(time, y.data(), out.data()), time); },
                     y_, t, h);
  }
  State state(double t) const { return State(t, Vector(std::span(y_))); }

 private:
  odeint::runge_kutta4<Values> stepper_;
  Values y_;
};

class VelocityVerlet {
 public:
  explicit VelocityVerlet(const State& start) : y_(to_host(start.x()), to_host(start.v())) {}
  void step(PeerRun& run, double t, double h) {
    stepper_.do_step(
        [&](const Values& x, const Values& v, Values& a, double time) {
          require_finite(run.force(time, x.data(), v.data(), a.data()), time);
          const VectorView view(host_backend(), a.data(), a.size());
          run.system().mass().solve(view, view);
        },
        y_, t, h);
  }
  State state(double t) const { return State(t, y_.first, y_.second); }

 private:
  odeint::velocity_verlet<Values> stepper_;
  std::pair<Values, Values> y_;
};

/// Equal steps from the start, the last one shortened to end at the last moment. Moments within a step are
/// taken from the cubic through its ends.
template <class Stepper>
class ConstantSteps final : public Peer {
 public:
  explicit ConstantSteps(std::string name) : Peer(std::move(name), Knob::step) {}

 private:
  void integrate(PeerRun& run, double h) override {
    Stepper stepper(run.start());
    State before = run.start();
    long& steps = run.result().steps;
    while (!run.done()) {
      const double regular = run.start().time + static_cast<double>(steps + 1) * h;
      const double next = regular > run.end() - 1e-9 * h ? run.end() : regular;
      stepper.step(run, before.time, next - before.time);
      ++steps;
      const State after = stepper.state(next);
      run.record_until(next, [&](double moment, double* out) {
        const State at = interpolate(before, after, moment);
        std::copy_n(host(at.y).data(), at.y.size(), out);
      });
      before = after;
    }
  }
};

/// Root mean square of the error over what is tolerated, in place of odeint's own maximum norm.
class ErrorChecker {
 public:
  ErrorChecker(const MotionTolerance& tolerance, long& tests) : tolerance_(&tolerance), tests_(&tests) {}

  template <class Algebra, class Derivative, class Time>
  double error(Algebra&, const Values&, const Derivative&, const Values& error, Time) const {
    ++*tests_;
    const std::size_t n = error.size() / 2;
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i)
      sum +=
          std::pow(error[i] / tolerance_->position(), 2) + std::pow(error[n + i] / tolerance_->velocity(), 2);
    const double rms = std::sqrt(sum / static_cast<double>(2 * n));
    return std::isfinite(rms) ? rms : std::numeric_limits<double>::max();
  }

 private:
  const MotionTolerance* tolerance_;
  long* tests_;
};

class DormandPrince final : public Peer {
 public:
  explicit DormandPrince(std::string name) : Peer(std::move(name), Knob::tolerance) {}

 private:
  void integrate(PeerRun& run, double setting) override {
    using Stepper = odeint::runge_kutta_dopri5<Values>;
    using Controlled = odeint::controlled_runge_kutta<Stepper, ErrorChecker>;
    MotionTolerance tolerance(run, setting);
    long tests = 0;
    odeint::dense_output_runge_kutta<Controlled> stepper(Controlled(ErrorChecker(tolerance, tests)));
    stepper.initialize(to_host(run.start().y), run.start().time, tolerance.first_step());
    const auto rate = [&](const Values& y, Values& out, double t) { run.rate(t, y.data(), out.data()); };
    Values at;
    while (!run.done()) {
      stepper.do_step(rate);
      ++run.result().steps;
      run.result().rejected_steps = tests - run.result().steps;
      const double t = stepper.current_time();
      tolerance.see(t, stepper.current_state().data());
      run.record_until(t, [&](double moment, double* out) {
        at.resize(2 * run.unknowns());
        stepper.calc_state(moment, at);
        std::copy(at.begin(), at.end(), out);
      });
    }
  }
};

template <class Implementation>
PeerInfo info(std::string name, std::string summary, Knob knob) {
  return {name,
          "Boost.odeint",
          fmt::format("{}.{}.{}", BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100),
          std::move(summary),
          knob,
          [name] { return std::make_unique<Implementation>(name); }};
}

}  // namespace

std::vector<PeerInfo> odeint_peers() {
  return {info<ConstantSteps<RungeKutta4>>("odeint-rk4", "the classical Runge–Kutta method of order 4",
                                           Knob::step),
          info<DormandPrince>("odeint-dopri5", "Dormand–Prince 5(4) with step control and dense output",
                              Knob::tolerance),
          info<ConstantSteps<VelocityVerlet>>(
              "odeint-verlet", "velocity Verlet, of order 2 where forces do not depend on velocities",
              Knob::step)};
}

}  // namespace stiffly::study
