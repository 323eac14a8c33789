// What the parts of the module share.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <span>
#include <string>

#include "stiffly/control/simulation.hpp"
#include "stiffly/scene/scene.hpp"
#include "stiffly/system/elements.hpp"

namespace stiffly::python {

namespace py = pybind11;
using namespace py::literals;  // py::dict("name"_a = value, …)

/// Whatever NumPy takes for an array of doubles; one that is such already is not copied.
using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;
using SystemPointer = std::shared_ptr<SecondOrderSystem>;

void add_errors(py::module_& m);
void add_systems(py::module_& m);
void add_own_physics(py::module_& m);
void add_steppers(py::module_& m);
void add_scenes(py::module_& m);
void add_phi(py::module_& m);
void add_studies(py::module_& m);

inline std::span<const double> entries(const Array& a) {
  return {a.data(), static_cast<std::size_t>(a.size())};
}
inline ConstVectorView view(const Array& a) {
  return {host_backend(), a.data(), static_cast<std::size_t>(a.size())};
}
inline VectorView writable(py::array_t<double>& a) {
  return {host_backend(), a.mutable_data(), static_cast<std::size_t>(a.size())};
}
inline py::array_t<double> new_array(std::size_t size) {
  return py::array_t<double>(static_cast<py::ssize_t>(size));
}
inline py::array_t<double> array_of(std::span<const double> values) {
  return py::array_t<double>(static_cast<py::ssize_t>(values.size()), values.data());
}
/// One row for each, of as many columns as they have entries.
template <class T, std::size_t columns>
py::array_t<T> rows_of(std::span<const std::array<T, columns>> rows) {
  py::array_t<T> out({static_cast<py::ssize_t>(rows.size()), static_cast<py::ssize_t>(columns)});
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::copy(rows[i].begin(), rows[i].end(), out.mutable_data(static_cast<py::ssize_t>(i)));
  return out;
}
/// Throws InputError unless it has that many entries.
void check_size(const Array& a, std::size_t size, const char* what);

/// Throws InputError unless it is a state of that system.
void check_state(const SecondOrderSystem& system, const State& state);

/// What JSON text says, as dictionaries and lists.
py::object from_json(const std::string& text);

/// Throws KeyboardInterrupt where the user asked for it. For threads without the interpreter's lock.
void check_signals();

/// A system works in memory of its own, so that only one thread may use it at a time. While this lives, calls
/// from others are refused. Made and ended with the interpreter's lock.
class InUse {
 public:
  explicit InUse(const SecondOrderSystem& system);
  ~InUse();
  InUse(const InUse&) = delete;
  InUse& operator=(const InUse&) = delete;
  /// Throws InputError where another thread uses it.
  static void check(const SecondOrderSystem& system);

 private:
  const SecondOrderSystem* system_;
  bool first_ = false;
};

/// A system of equations or a force that is written in Python (own_physics.cpp).
std::unique_ptr<SecondOrderSystem> make_own_system(const py::object& equations);
void add_own_force(ParticleSystem& system, const py::object& force);
/// The system of the library, or one of Python's equations.
SystemPointer as_system(const py::object& object);

IntegratorOptions integrator_options(const py::dict& options);
py::dict to_dict(const PhiReport& report);
py::dict to_dict(const Counters& counters);
py::dict to_dict(const SimulationSummary& summary);

/// What is told after every step: a function of the user's (or None), which ends the run by returning False.
/// Ctrl-C is looked for.
class StepCallback {
 public:
  explicit StepCallback(const py::object& function) : function_(function) {}
  bool operator()(const State& state, const SimulationSummary& summary) const;

 private:
  const py::object& function_;  ///< by reference: copies would need the interpreter's lock
};

/// A scene, which is lent to a run and comes back.
struct SceneHolder {
  Scene scene;
  bool running = false;

  /// Throws InputError while it runs.
  Scene& get();
};

}  // namespace stiffly::python
