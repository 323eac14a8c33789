// States and systems.
#include "common.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly::python {
namespace {

std::shared_ptr<State> make_state(const Array& x, const Array& v, double time) {
  check_size(v, static_cast<std::size_t>(x.size()), "v");
  return std::make_shared<State>(time, entries(x), entries(v));
}

/// Entries of a part of the state's vector, in place: the array keeps the state alive.
py::array_t<double> part_of(const py::object& state, std::size_t first, std::size_t count) {
  auto& s = state.cast<State&>();
  return py::array_t<double>(static_cast<py::ssize_t>(count), s.y.data() + first, state);
}

/// As a BSR matrix of SciPy; None where the system has none.
py::object to_scipy(const BlockMatrix& a) {
  if (a.empty()) return py::none();
  const auto blocks = static_cast<py::ssize_t>(a.pattern().blocks()),
             b = py::ssize_t(a.pattern().block_size());
  py::array_t<double> values({blocks, b, b}, a.values().data());
  const auto columns = a.pattern().columns();
  const auto starts = a.pattern().starts();
  py::array_t<int> indices(static_cast<py::ssize_t>(columns.size()), columns.data());
  py::array_t<std::int64_t> pointers(static_cast<py::ssize_t>(starts.size()), starts.data());
  const auto n = a.unknowns();
  return py::module_::import("scipy.sparse")
      .attr("bsr_matrix")(py::make_tuple(values, indices, pointers), py::arg("shape") = py::make_tuple(n, n));
}

void check_vectors(const SecondOrderSystem& system, const Array& x, const Array& v) {
  InUse::check(system);
  check_size(x, system.unknowns(), "x");
  check_size(v, system.unknowns(), "v");
}

py::array_t<double> force(const SecondOrderSystem& system, double t, const Array& x, const Array& v) {
  check_vectors(system, x, v);
  py::array_t<double> out = new_array(system.unknowns());
  system.force(t, view(x), view(v), writable(out));
  return out;
}

py::dict tangent(const SecondOrderSystem& system, double t, const Array& x, const Array& v) {
  check_vectors(system, x, v);
  Tangent made;
  system.tangent(t, view(x), view(v), made);
  return py::dict("stiffness"_a = to_scipy(made.stiffness), "circulatory"_a = to_scipy(made.circulatory),
                  "damping"_a = to_scipy(made.damping));
}

py::array_t<double> rate(const SecondOrderSystem& system, const State& state) {
  InUse::check(system);
  check_state(system, state);
  py::array_t<double> out = new_array(2 * system.unknowns());
  system.rate(state, writable(out));
  return out;
}

py::array_t<double> apply_mass(const SecondOrderSystem& system, const Array& x) {
  check_size(x, system.unknowns(), "x");
  py::array_t<double> out = new_array(system.unknowns());
  system.mass().apply(view(x), writable(out));
  return out;
}

double energy(const SecondOrderSystem& system, const State& state) {
  InUse::check(system);
  check_state(system, state);
  return system.energy(state);
}

double potential_energy(const SecondOrderSystem& system, double t, const Array& x) {
  InUse::check(system);
  check_size(x, system.unknowns(), "x");
  return system.potential_energy(t, view(x));
}

double kinetic_energy(const SecondOrderSystem& system, const Array& v) {
  check_size(v, system.unknowns(), "v");
  return system.kinetic_energy(view(v));
}

Particles particles(const Array& position, const Array& mass, const Array& velocity,
                    const std::vector<bool>& pinned) {
  const auto n = static_cast<std::size_t>(mass.size());
  check_size(position, 3 * n, "position");
  check_size(velocity, 3 * n, "velocity");
  if (pinned.size() != n) throw InputError("pinned needs one entry for each particle");
  Particles out{
      .position = {}, .velocity = {}, .mass = {entries(mass).begin(), entries(mass).end()}, .pinned = pinned};
  const auto points = [n](const Array& rows) {
    std::vector<Point> made(n);
    for (std::size_t i = 0; i < 3 * n; ++i) made[i / 3][i % 3] = rows.data()[i];
    return made;
  };
  out.position = points(position);
  out.velocity = points(velocity);
  return out;
}

std::shared_ptr<ParticleSystem> make_particle_system(const Array& position, const Array& mass,
                                                     const Array& velocity, const std::vector<bool>& pinned,
                                                     const py::list& forces) {
  auto out = std::make_shared<ParticleSystem>(particles(position, mass, velocity, pinned));
  for (const auto& force : forces) add_own_force(*out, py::reinterpret_borrow<py::object>(force));
  out->finish();
  return out;
}

void add_state(py::module_& m) {
  py::class_<State, std::shared_ptr<State>>(
      m, "State", "Where a system is: positions x and velocities v at a time, one after the other in y.")
      .def(py::init(&make_state), py::arg("x"), py::arg("v"), py::arg("time") = 0.0,
           "A state with copies of x and v.")
      .def_readwrite("time", &State::time, "Time, s.")
      .def_property_readonly(
          "x", [](const py::object& s) { return part_of(s, 0, s.cast<State&>().unknowns()); },
          "Positions, as a writable array of the state's own memory.")
      .def_property_readonly(
          "v",
          [](const py::object& s) {
            const std::size_t n = s.cast<State&>().unknowns();
            return part_of(s, n, n);
          },
          "Velocities, as a writable array of the state's own memory.")
      .def_property_readonly(
          "y", [](const py::object& s) { return part_of(s, 0, s.cast<State&>().y.size()); },
          "Positions, then velocities, as a writable array of the state's own memory.")
      .def_property_readonly("unknowns", &State::unknowns, "How many positions there are.")
      .def(
          "copy", [](const State& s) { return std::make_shared<State>(s); },
          "The same state in memory of its own.")
      .def("__repr__", [](const State& s) {
        return "<stiffly.State of " + std::to_string(s.unknowns()) +
               " unknowns at t = " + py::repr(py::float_(s.time)).cast<std::string>() + " s>";
      });
}

}  // namespace

void check_state(const SecondOrderSystem& system, const State& state) {
  if (state.unknowns() != system.unknowns())
    throw InputError("the state has " + std::to_string(state.unknowns()) + " unknowns, the system " +
                     std::to_string(system.unknowns()));
}

void add_systems(py::module_& m) {
  add_state(m);
  py::class_<SecondOrderSystem, SystemPointer>(m, "System",
                                               "M x'' = f(t, x, x'). One thread at a time may use it.")
      .def_property_readonly("unknowns", &SecondOrderSystem::unknowns, "How many equations there are.")
      .def("force", force, py::arg("t"), py::arg("x"), py::arg("v"), "f(t, x, v).")
      .def(
          "tangent", tangent, py::arg("t"), py::arg("x"), py::arg("v"),
          "−∂f/∂x and −∂f/∂v as sparse matrices: a dictionary of `stiffness` (symmetric part), `circulatory` "
          "(antisymmetric part of −∂f/∂x) and `damping`; None where the system has none.")
      .def("rate", rate, py::arg("state"), "y' = (v, M⁻¹f).")
      .def("apply_mass", apply_mass, py::arg("x"), "M x.")
      .def("energy", energy, py::arg("state"), "Kinetic and potential energy together, J.")
      .def("potential_energy", potential_energy, py::arg("t"), py::arg("x"),
           "Of the forces that have a potential, J.")
      .def("kinetic_energy", kinetic_energy, py::arg("v"), "½vᵀMv, J.")
      .def_property_readonly("autonomous", &SecondOrderSystem::autonomous,
                             "Whether f does not depend on the time.")
      .def_property_readonly("conservative", &SecondOrderSystem::conservative,
                             "Whether f does not depend on velocities.")
      .def_property_readonly("dissipators", &SecondOrderSystem::dissipators,
                             "Names of the forces that take energy out of the motion.")
      .def(
          "describe",
          [](const SecondOrderSystem& s, std::size_t unknown) {
            if (unknown >= s.unknowns()) throw InputError("there is no unknown " + std::to_string(unknown));
            return s.describe(unknown);
          },
          py::arg("unknown"), "An unknown in words: \"particle 12 (y)\".")
      .def_property_readonly(
          "counters",
          [](const SecondOrderSystem& s) { return to_dict(static_cast<const Counters&>(s.counters())); },
          "The work done so far: evaluations of forces and tangents, products, factorisations, solves.");

  const auto rows = [](const auto& list) { return rows_of<double, 3>(std::span<const Point>(list)); };
  py::class_<ParticleSystem, SecondOrderSystem, std::shared_ptr<ParticleSystem>>(
      m, "ParticleSystem",
      "Particles in space. x and v have three entries for each free particle, free ones in their order; "
      "pinned "
      "ones are no unknowns.")
      .def(py::init(&make_particle_system), py::arg("position"), py::arg("mass"), py::arg("velocity"),
           py::arg("pinned"), py::arg("forces"),
           "From arrays and forces written in Python; stiffly.particle_system takes all other forces too.")
      .def_property_readonly("particles", &ParticleSystem::particles, "How many there are.")
      .def_property_readonly("free_particles", &ParticleSystem::free_particles, "Those that are not pinned.")
      .def_property_readonly(
          "order",
          [](const ParticleSystem& s) {
            return py::array_t<int>(static_cast<py::ssize_t>(s.particles()), s.order().data());
          },
          "The numbers of the particles, free ones first: x[3*k:3*k+3] is where particle order[k] is.")
      .def("initial_state", &ParticleSystem::initial_state, "Where it starts.")
      .def(
          "positions",
          [rows](const ParticleSystem& s, const State& y) {
            InUse::check(s);
            check_state(s, y);
            return rows(s.positions(y));
          },
          py::arg("state"), "Of all particles, pinned ones too: an array of n rows.")
      .def(
          "velocities",
          [rows](const ParticleSystem& s, const State& y) {
            InUse::check(s);
            check_state(s, y);
            return rows(s.velocities(y));
          },
          py::arg("state"), "Of all particles, pinned ones too: an array of n rows.");
}

}  // namespace stiffly::python
