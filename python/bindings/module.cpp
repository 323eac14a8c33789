// The module _core: what Python sees of the library. The package around it (python/stiffly) gives it its
// shape.
#include <thread>

#include "common.hpp"
#include "stiffly/control/blow_up.hpp"
#include "stiffly/control/methods.hpp"
#include "stiffly/error.hpp"
#include "stiffly/forces/registry.hpp"
#include "stiffly/phi/registry.hpp"
#include "stiffly/threads.hpp"
#include "stiffly/version.hpp"

namespace stiffly::python {
namespace {

/// The exceptions of error.hpp, each also of the kind that Python has for it. They live as long as the
/// process.
struct Exceptions {
  PyObject *error, *input, *simulation, *blow_up, *refusal, *not_definite, *out_of_time, *file;
};

Exceptions& exceptions() {
  static Exceptions all;
  return all;
}

PyObject* new_exception(py::module_& m, const char* name, const char* text, std::vector<PyObject*> bases) {
  py::tuple tuple(bases.size());
  for (std::size_t i = 0; i < bases.size(); ++i) tuple[i] = py::reinterpret_borrow<py::object>(bases[i]);
  PyObject* made =
      PyErr_NewExceptionWithDoc((std::string("stiffly.") + name).c_str(), text, tuple.ptr(), nullptr);
  if (!made) throw py::error_already_set();
  m.add_object(name, made);
  return made;
}

void translate(std::exception_ptr thrown) {
  const Exceptions& e = exceptions();
  const auto raise = [](PyObject* type, const std::exception& error) { PyErr_SetString(type, error.what()); };
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const InputError& error) {
    raise(e.input, error);
  } catch (const NotPositiveDefinite& error) {
    raise(e.not_definite, error);
  } catch (const BlowUp& error) {
    raise(e.blow_up, error);
  } catch (const PhiRefusal& error) {
    raise(e.refusal, error);
  } catch (const SimulationError& error) {
    raise(e.simulation, error);
  } catch (const OutOfTime& error) {
    raise(e.out_of_time, error);
  } catch (const FileError& error) {
    raise(e.file, error);
  } catch (const Error& error) {
    raise(e.error, error);
  }
}

py::dict traits_dict(const IntegratorTraits& t) {
  return py::dict("name"_a = t.name, "family"_a = t.family, "order"_a = t.order,
                  "embedded_order"_a = t.embedded_order ? py::cast(*t.embedded_order) : py::none(),
                  "summary"_a = t.summary, "reference"_a = t.reference, "uses_evaluator"_a = t.uses_evaluator,
                  "implicit"_a = t.implicit, "a_stable"_a = t.a_stable, "l_stable"_a = t.l_stable,
                  "symplectic"_a = t.symplectic);
}

py::list list_integrators() {
  py::list out;
  for (const MethodInfo& m : methods()) {
    py::dict entry = traits_dict(m);
    entry["automatic"] = m.automatic;
    if (m.automatic) entry["order"] = py::none();
    out.append(entry);
  }
  return out;
}

py::list list_evaluators() {
  py::list out;
  for (const EvaluatorInfo& e : evaluators()) {
    py::dict entry;
    entry["name"] = e.name;
    entry["family"] = e.family;
    entry["summary"] = e.summary;
    entry["reference"] = e.reference;
    out.append(entry);
  }
  return out;
}

py::list list_forces() {
  py::list out;
  for (const ForceInfo& f : forces()) {
    py::dict entry;
    entry["name"] = f.name;
    entry["summary"] = f.summary;
    entry["keys"] = f.keys;
    out.append(entry);
  }
  return out;
}

std::map<const SecondOrderSystem*, std::thread::id>& users() {
  static std::map<const SecondOrderSystem*, std::thread::id> all;
  return all;
}

}  // namespace

void add_errors(py::module_& m) {
  Exceptions& e = exceptions();
  e.error =
      new_exception(m, "Error", "Base of everything that stiffly raises on purpose.", {PyExc_Exception});
  e.input =
      new_exception(m, "InputError", "Wrong input: a scene, an option, a name, an argument out of range.",
                    {e.error, PyExc_ValueError});
  e.simulation = new_exception(m, "SimulationError",
                               "The computation cannot go on: a blow-up, a tolerance out of reach.",
                               {e.error, PyExc_RuntimeError});
  e.blow_up = new_exception(m, "BlowUp", "The solution is no longer finite, or gained energy out of nothing.",
                            {e.simulation});
  e.refusal =
      new_exception(m, "PhiRefusal", "An evaluator cannot meet the tolerance, and says why.", {e.simulation});
  e.not_definite = new_exception(m, "NotPositiveDefinite",
                                 "A matrix that had to be positive definite is not.", {e.simulation});
  e.out_of_time = new_exception(m, "OutOfTime", "The time allowed for the work is over.", {e.error});
  e.file = new_exception(m, "FileError", "A file could not be read or written.", {e.error, PyExc_OSError});
  py::register_exception_translator(translate);
}

void check_size(const Array& a, std::size_t size, const char* what) {
  if (static_cast<std::size_t>(a.size()) != size)
    throw InputError(std::string(what) + " has " + std::to_string(a.size()) + " entries, but " +
                     std::to_string(size) + " are needed");
}

py::object from_json(const std::string& text) { return py::module_::import("json").attr("loads")(text); }

void check_signals() {
  const py::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

InUse::InUse(const SecondOrderSystem& system) : system_(&system) {
  check(system);
  first_ = users().emplace(&system, std::this_thread::get_id()).second;
}

InUse::~InUse() {
  if (first_) users().erase(system_);
}

void InUse::check(const SecondOrderSystem& system) {
  const auto found = users().find(&system);
  if (found != users().end() && found->second != std::this_thread::get_id())
    throw InputError("another thread uses this system; make one for each thread");
}

}  // namespace stiffly::python

PYBIND11_MODULE(_core, m) {
  using namespace stiffly;
  using namespace stiffly::python;
  m.doc() = "The compiled part of stiffly; use the package `stiffly`.";
  m.attr("version") = std::string(version);
  add_errors(m);
  add_systems(m);
  add_own_physics(m);
  add_steppers(m);
  add_scenes(m);
  add_phi(m);
  add_studies(m);
  m.def("integrators", list_integrators,
        "All integrators as dictionaries: name, family, order, embedded_order, summary, reference, and what "
        "they are (implicit, a_stable, l_stable, symplectic, uses_evaluator, automatic).");
  m.def("evaluators", list_evaluators,
        "All evaluators of φ-functions as dictionaries: name, family, summary, reference.");
  m.def("forces", list_forces,
        "All forces as dictionaries: name, summary, and the keys by which a scene asks for them.");
  m.def("thread_count", thread_count, "Threads that the library uses.");
  m.def("set_thread_count", set_thread_count, py::arg("threads"),
        "Sets the number of threads that the library uses from now on. Results do not depend on it.");
}
