// Comparisons and studies, as dictionaries.
#include "common.hpp"
#include "stiffly/study/compare.hpp"
#include "stiffly/study/comparison_text.hpp"
#include "stiffly/study/convergence.hpp"
#include "stiffly/study/energy_history.hpp"
#include "stiffly/study/named_candidate.hpp"
#include "stiffly/study/stability.hpp"
#include "stiffly/study/sweep.hpp"
#include "stiffly/text.hpp"

namespace stiffly::python {

using namespace study;
namespace {

using Names = std::vector<std::string>;
using HolderPointer = std::shared_ptr<SceneHolder>;

/// Where lines about how a study goes on are sent, and Ctrl-C is looked for.
StudyProgress progress_to(const py::object& function) {
  return [&function](const std::string& line) {
    const py::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (!function.is_none()) function(line);
  };
}

Candidates named(const Names& names, const IntegratorOptions& options) {
  Candidates out;
  for (const std::string& name : names) out.push_back(make_named(name, options));
  return out;
}

std::vector<Candidate*> pointers(const Candidates& candidates) {
  std::vector<Candidate*> out;
  for (const auto& candidate : candidates) out.push_back(candidate.get());
  return out;
}

/// How errors are measured: bound, agreement of the reference as a part of it, norm, number of moments,
/// limits.
struct Quality {
  double error, agreement;
  Norm norm;
  int moments;
  double time_limit, reference_limit;
  std::string cache;

  explicit Quality(const py::dict& d)
      : error(d["error"].cast<double>()),
        agreement(d["agreement"].cast<double>()),
        norm(find_norm(d["norm"].cast<std::string>())),
        moments(d["moments"].cast<int>()),
        time_limit(d["time_limit"].cast<double>()),
        reference_limit(d["reference_limit"].cast<double>()),
        cache(d["cache"].cast<std::string>()) {
    if (!(error > 0 && std::isfinite(error))) throw InputError("error must be positive and finite");
    if (!(agreement > 0 && agreement <= 0.5)) throw InputError("agreement must lie between 0 and 0.5");
    if (moments < 1) throw InputError("moments must be at least 1");
    if (!(time_limit > 0 && reference_limit > 0)) throw InputError("limits must be positive");
  }
};

/// A scene with its reference.
struct Referenced {
  std::vector<double> moments;
  Reference reference;
  Problem problem;

  Referenced(const Scene& scene, const Quality& q, const StudyProgress& progress)
      : moments(even_moments(scene.body.start, scene.simulation.duration, q.moments)),
        reference(find(scene, q, moments, progress)),
        problem{&scene, moments, ErrorMeasure(scene.body, q.norm, reference.states())} {}
  static Reference find(const Scene& scene, const Quality& q, std::span<const double> moments,
                        const StudyProgress& progress) {
    Candidates methods;
    const double agreement = q.agreement * q.error;
    for (const std::string& name : reference_methods())
      methods.push_back(make_reference_method(name, scene.simulation.options, agreement));
    return find_reference(scene, moments, pointers(methods),
                          {.norm = q.norm,
                           .agreement = agreement,
                           .time_limit = q.reference_limit,
                           .cache = q.cache.empty() ? reference_folder()
                                                    : std::filesystem::path(q.cache == "none" ? "" : q.cache),
                           .progress = progress});
  }
};

py::dict to_dict(const Measurement& m) {
  return py::dict("setting"_a = m.setting, "error"_a = m.error, "seconds"_a = m.seconds, "steps"_a = m.steps,
                  "rejected_steps"_a = m.rejected_steps, "max_energy_drift"_a = m.max_energy_drift,
                  "counters"_a = python::to_dict(m.work), "failure"_a = m.failure);
}

py::object compare_methods(const HolderPointer& holder, const Names& integrators, const py::dict& quality,
                           int repeats, const py::object& progress) {
  const Scene& scene = holder->get();
  const InUse use(scene.system());
  const Quality q(quality);
  if (repeats < 1) throw InputError("repeats must be at least 1");
  const Candidates candidates =
      named(integrators.empty() ? usual_integrators() : integrators, scene.simulation.options);
  const StudyProgress tell = progress_to(progress);
  std::string json;
  {
    const py::gil_scoped_release unlocked;
    const Referenced at(scene, q, tell);
    json = comparison_json(
        compare(at.problem, at.reference, pointers(candidates),
                {.bound = q.error, .time_limit = q.time_limit, .repeats = repeats, .progress = tell}));
  }
  return from_json(json);
}

py::list precision_of(const HolderPointer& holder, const Names& integrators, const std::vector<double>& steps,
                      const std::vector<double>& tolerances, const py::dict& quality,
                      const py::object& progress) {
  const Scene& scene = holder->get();
  const InUse use(scene.system());
  const Quality q(quality);
  const Candidates candidates =
      named(integrators.empty() ? usual_integrators() : integrators, scene.simulation.options);
  const StudyProgress tell = progress_to(progress);
  std::vector<std::vector<Measurement>> curves;
  {
    const py::gil_scoped_release unlocked;
    const Referenced at(scene, q, tell);
    for (const auto& candidate : candidates)
      curves.push_back(work_precision(at.problem, *candidate,
                                      candidate->knob() == Knob::step ? steps : tolerances, q.time_limit));
  }
  py::list out;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    py::list trials;
    for (const Measurement& trial : curves[i]) trials.append(to_dict(trial));
    out.append(py::dict("integrator"_a = candidates[i]->name(),
                        "knob"_a = candidates[i]->knob() == Knob::step ? "step" : "tolerance",
                        "trials"_a = trials));
  }
  return out;
}

py::list energy_of(const HolderPointer& holder, const Names& integrators, double step, double tolerance,
                   double time_limit) {
  const Scene& scene = holder->get();
  const InUse use(scene.system());
  py::list out;
  for (const auto& candidate : named(integrators, scene.simulation.options)) {
    check_signals();
    const double setting = candidate->knob() == Knob::step ? step : tolerance;
    EnergyCurve curve;
    {
      const py::gil_scoped_release unlocked;
      curve = energy_history(scene, scene.simulation.duration, *candidate, setting, time_limit);
    }
    py::dict entry;
    entry["integrator"] = curve.name;
    entry["t"] = array_of(curve.times);
    entry["energy"] = array_of(curve.energies);
    entry["failure"] = curve.trial.failure;
    out.append(entry);
  }
  return out;
}

py::dict convergence_of(const std::string& integrator, const std::string& equation,
                        const std::vector<double>& steps, const py::dict& options) {
  const std::vector<TestEquation> equations = paper_equations();
  const TestEquation& chosen = find_by_name(equations, equation, "equation");
  const IntegratorOptions method = integrator_options(options);
  ErrorCurve curve;
  {
    const py::gil_scoped_release unlocked;
    curve =
        measure_errors(chosen, integrator, steps.empty() ? halvings(chosen.duration, 4, 10) : steps, method);
  }
  std::vector<double> used, errors;
  for (const ErrorSample& sample : curve.samples) {
    used.push_back(sample.step);
    errors.push_back(sample.error);
  }
  return py::dict("integrator"_a = curve.integrator, "order"_a = curve.order, "step"_a = array_of(used),
                  "error"_a = array_of(errors), "slope"_a = curve.slope());
}

py::dict stability_of(const std::string& integrator) {
  const IntegratorInfo& info = find_by_name(integrators(), integrator, "integrator");
  StabilityRegion region;
  {
    const py::gil_scoped_release unlocked;
    region = stability_region(info);
  }
  return py::dict("integrator"_a = region.integrator,
                  "extent"_a = py::make_tuple(region.left, region.right, -region.top, region.top),
                  "radius"_a = array_of(region.radius).reshape({region.rows, region.columns}));
}

}  // namespace

void add_studies(py::module_& m) {
  m.def("compare", compare_methods, py::arg("scene"), py::arg("integrators"), py::arg("quality"),
        py::arg("repeats"), py::arg("progress"), "See stiffly.compare.");
  m.def("precision", precision_of, py::arg("scene"), py::arg("integrators"), py::arg("steps"),
        py::arg("tolerances"), py::arg("quality"), py::arg("progress"), "See stiffly.precision.");
  m.def("energy_history", energy_of, py::arg("scene"), py::arg("integrators"), py::arg("step"),
        py::arg("tolerance"), py::arg("time_limit"), "See stiffly.energy_history.");
  m.def("convergence", convergence_of, py::arg("integrator"), py::arg("equation"), py::arg("steps"),
        py::arg("options"), "See stiffly.convergence.");
  m.def("stability", stability_of, py::arg("integrator"), "See stiffly.stability.");
}

}  // namespace stiffly::python
