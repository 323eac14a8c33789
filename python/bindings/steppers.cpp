// Integrators, steppers and simulations of any system.
#include "common.hpp"
#include "stiffly/control/methods.hpp"
#include "stiffly/integrators/registry.hpp"

namespace stiffly::python {
namespace {

/// Takes an option out of the dictionary.
template <class T>
void take(py::dict& options, const char* key, T& target) {
  if (!options.contains(key)) return;
  try {
    target = options[key].cast<T>();
  } catch (const py::cast_error&) {
    throw InputError(std::string("the option '") + key +
                     "' has a value of the wrong type: " + py::repr(options[key]).cast<std::string>());
  }
  options.attr("pop")(key);
}

/// One of two names; the first means false.
bool take_choice(py::dict& options, const char* key, const char* first, const char* second) {
  std::string chosen = first;
  take(options, key, chosen);
  if (chosen != first && chosen != second)
    throw InputError(std::string("the option '") + key + "' is \"" + first + "\" or \"" + second +
                     "\", not \"" + chosen + "\"");
  return chosen == second;
}

/// A system with its method, which go through time together.
class BoundStepper {
 public:
  BoundStepper(const py::object& system, const State& start, const std::string& method, const StepPlan& plan,
               const py::dict& options)
      : system_(as_system(system)) {
    check_state(*system_, start);
    const InUse use(*system_);
    const IntegratorOptions chosen = integrator_options(options);
    const py::gil_scoped_release unlocked;
    stepper_ = make_stepper(method, *system_, start, plan, chosen);
  }

  const StepRecord& advance() {
    const InUse use(*system_);
    check_signals();
    const py::gil_scoped_release unlocked;
    return stepper_->advance();
  }
  std::vector<State> within(const std::vector<double>& times) { return stepper_->within(times); }
  const Stepper& get() const { return *stepper_; }
  const SystemPointer& system() const { return system_; }

 private:
  SystemPointer system_;
  std::unique_ptr<Stepper> stepper_;
};

/// An integrator with the system that it was started for.
class BoundIntegrator {
 public:
  BoundIntegrator(const std::string& name, const py::object& system, const State& state,
                  const py::dict& options)
      : system_(as_system(system)), integrator_(make_integrator(name, integrator_options(options))) {
    start(state);
  }
  void start(const State& state) {
    check_state(*system_, state);
    const InUse use(*system_);
    const py::gil_scoped_release unlocked;
    integrator_->start(*system_, state);
  }
  Step step(const State& from, double h, bool want_error) {
    if (!(h > 0) || !std::isfinite(h)) throw InputError("h must be positive and finite");
    check_state(*system_, from);
    const InUse use(*system_);
    check_signals();
    const py::gil_scoped_release unlocked;
    return integrator_->step(from, h, want_error);
  }
  const IntegratorTraits& traits() const { return integrator_->traits(); }
  const SystemPointer& system() const { return system_; }

 private:
  SystemPointer system_;
  std::unique_ptr<Integrator> integrator_;
};

StepPlan plan_of(double duration, double step, double tolerance) {
  if ((step > 0) == (tolerance > 0))
    throw InputError("give one of step (constant steps) and tolerance (steps chosen for it)");
  return {.duration = duration, .step = step > 0 ? step : duration, .tolerance = tolerance};
}

py::tuple simulate_system(const py::object& equations, const State& start, const std::string& method,
                          double duration, double step, double tolerance, const py::object& callback,
                          const py::dict& options) {
  const StepPlan plan = plan_of(duration, step, tolerance);
  const SystemPointer system = as_system(equations);
  check_state(*system, start);
  const InUse use(*system);
  const IntegratorOptions chosen = integrator_options(options);
  const StepCallback tell(callback);
  State end;
  SimulationSummary summary;
  {
    const py::gil_scoped_release unlocked;
    const auto stepper = make_stepper(method, *system, start, plan, chosen);
    summary =
        simulate(*stepper, start, {.duration = plan.duration, .step = plan.step, .tolerance = plan.tolerance},
                 [&](const State& state, const SimulationSummary& s) { return tell(state, s); });
    end = stepper->state();
  }
  return py::make_tuple(std::make_shared<State>(std::move(end)), to_dict(summary));
}

}  // namespace

bool StepCallback::operator()(const State& state, const SimulationSummary& summary) const {
  const py::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  if (function_.is_none()) return true;
  const py::object answer = function_(std::make_shared<State>(state), to_dict(summary));
  return answer.is_none() || answer.cast<bool>();
}

IntegratorOptions integrator_options(const py::dict& given) {
  py::dict rest(py::reinterpret_borrow<py::object>(given.attr("copy")()));
  IntegratorOptions out;
  take(rest, "evaluator", out.evaluator);
  take(rest, "phi_tolerance", out.phi_tolerance);
  take(rest, "newton", out.newton);
  take(rest, "linear_solver", out.linear_solver);
  take(rest, "newton_tolerance", out.newton_tolerance);
  take(rest, "largest_angle", out.largest_angle);
  if (take_choice(rest, "phi_norm", "energy", "smoothed")) out.phi_norm = PhiNorm::smoothed;
  if (take_choice(rest, "reformulation", "square-root-free", "explicit-root"))
    out.reformulation = Reformulation::explicit_root;
  if (!rest.empty())
    throw InputError("unknown option " + py::repr(py::list(rest)).cast<std::string>() +
                     "; there are evaluator, phi_tolerance, phi_norm, reformulation, newton, linear_solver, "
                     "newton_tolerance and largest_angle");
  return out;
}

py::dict to_dict(const PhiReport& r) {
  return py::dict("evaluator"_a = r.evaluator, "products"_a = r.products, "solves"_a = r.solves,
                  "factorizations"_a = r.factorizations, "substeps"_a = r.substeps, "rejected"_a = r.rejected,
                  "largest_basis"_a = r.largest_basis, "error_estimates"_a = r.error_estimates);
}

py::dict to_dict(const Counters& c) {
  return py::dict("force"_a = c.force, "product"_a = c.product, "tangent"_a = c.tangent,
                  "factorization"_a = c.factorization, "solve"_a = c.solve, "inner"_a = c.inner);
}

py::dict to_dict(const SimulationSummary& s) {
  return py::dict("steps"_a = s.steps, "rejected_steps"_a = s.rejected_steps,
                  "simulated_seconds"_a = s.simulated_seconds, "wall_seconds"_a = s.wall_seconds,
                  "initial_energy"_a = s.initial_energy, "final_energy"_a = s.final_energy,
                  "max_energy_drift"_a = s.max_energy_drift, "energy_given_up"_a = s.energy_given_up,
                  "interrupted"_a = s.interrupted, "counters"_a = to_dict(s.counters));
}

void add_steppers(py::module_& m) {
  py::class_<StepRecord>(m, "StepRecord", "A step that was made.")
      .def_readonly("h", &StepRecord::h, "Its length, s.")
      .def_readonly("rejected", &StepRecord::rejected, "Attempts before it.")
      .def_property_readonly(
          "phi", [](const StepRecord& r) { return to_dict(r.phi); }, "What its φ evaluations cost.");
  py::class_<Step>(m, "Step", "The result of Integrator.step.")
      .def_property_readonly(
          "state",
          [](const py::object& s) {
            auto& step = s.cast<Step&>();
            return py::cast(&step.state, py::return_value_policy::reference_internal, s);
          },
          "The state at t + h.")
      .def_property_readonly(
          "error",
          [](const Step& s) -> py::object {
            if (!s.error) return py::none();
            return array_of(to_host(*s.error));
          },
          "The estimate of its error; None where none was asked for, or the method has none.")
      .def_property_readonly(
          "phi", [](const Step& s) { return to_dict(s.phi); }, "What its φ evaluations cost.");

  py::class_<BoundIntegrator>(m, "Integrator",
                              "A method bound to a system, one step at a time, without control.")
      .def(py::init<const std::string&, const py::object&, const State&, const py::dict&>(), py::arg("name"),
           py::arg("system"), py::arg("state"), py::arg("options") = py::dict(),
           "Makes the method of that name ready to go on from the state.")
      .def("start", &BoundIntegrator::start, py::arg("state"),
           "Forgets all earlier steps: to be called after every jump of the state.")
      .def("step", &BoundIntegrator::step, py::arg("state"), py::arg("h"), py::arg("want_error") = false,
           "One step of length h from the state, which is not changed.")
      .def_property_readonly(
          "name", [](const BoundIntegrator& i) { return i.traits().name; }, "Of the method.")
      .def_property_readonly(
          "order", [](const BoundIntegrator& i) { return i.traits().order; }, "Of the method.")
      .def_property_readonly("system", &BoundIntegrator::system, "What it is bound to.");

  py::class_<BoundStepper>(m, "_Stepper", "Behind stiffly.Stepper.")
      .def(py::init([](const py::object& system, const State& start, const std::string& method,
                       double duration, double step, double tolerance, const py::dict& options) {
             return std::make_unique<BoundStepper>(system, start, method, plan_of(duration, step, tolerance),
                                                   options);
           }),
           py::arg("system"), py::arg("start"), py::arg("integrator"), py::arg("duration"), py::arg("step"),
           py::arg("tolerance"), py::arg("options"), "See stiffly.Stepper.")
      .def("advance", &BoundStepper::advance, py::return_value_policy::copy,
           "Makes one step and tells about it.")
      .def("within", &BoundStepper::within, py::arg("times"),
           "States at rising times within the last step, to the order of the method.")
      .def_property_readonly(
          "state", [](const BoundStepper& s) { return std::make_shared<State>(s.get().state()); },
          "After the last step: a copy, which later steps do not change.")
      .def_property_readonly(
          "time", [](const BoundStepper& s) { return s.get().state().time; }, "Reached, s.")
      .def_property_readonly(
          "energy", [](const BoundStepper& s) { return s.get().energy(); }, "After the last step, J.")
      .def_property_readonly(
          "done", [](const BoundStepper& s) { return s.get().done(); }, "Whether the end is reached.")
      .def_property_readonly(
          "integrator", [](const BoundStepper& s) { return s.get().traits().name; },
          "Name of the method in use.")
      .def_property_readonly("system", &BoundStepper::system, "What goes through time.")
      .def_property_readonly(
          "counters", [](const BoundStepper& s) { return to_dict(s.get().work()); }, "Work since the start.");

  m.def("simulate", simulate_system, py::arg("system"), py::arg("start"), py::arg("integrator"),
        py::arg("duration"), py::arg("step"), py::arg("tolerance"), py::arg("callback"), py::arg("options"),
        "See stiffly.simulate.");
}

}  // namespace stiffly::python
