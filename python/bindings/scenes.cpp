// Scenes and their runs.
#include <atomic>

#include "common.hpp"
#include "stiffly/files/hdf5.hpp"
#include "stiffly/mesh/builder.hpp"
#include "stiffly/results/scene_run.hpp"
#include "stiffly/scene/specification.hpp"
#include "stiffly/system/particle_system.hpp"

namespace stiffly::python {
namespace {

using HolderPointer = std::shared_ptr<SceneHolder>;

/// Asks a run to end after its step; for handlers of signals.
struct StopRequest {
  std::atomic<bool> set = false;
};

// ---- scenes from dictionaries: the tables of a scene file, with values in place of text ----

template <class T>
Value cast_value(const Key& key, const py::handle& value, const Origin& origin) {
  try {
    if (!py::isinstance<py::bool_>(value) || std::is_same_v<T, bool>) return value.cast<T>();
  } catch (const py::cast_error&) {
  }
  refuse(origin,
         "'" + key.name + "' must be " + describe(key.type) + ", not " + py::repr(value).cast<std::string>());
}

Value value_of(const Key& key, const py::handle& value, const Origin& origin) {
  switch (key.type) {
    case ValueType::number:
      return cast_value<double>(key, value, origin);
    case ValueType::integer:
      return cast_value<std::int64_t>(key, value, origin);
    case ValueType::boolean:
      return cast_value<bool>(key, value, origin);
    case ValueType::text:
      return cast_value<std::string>(key, value, origin);
    case ValueType::vector:
      return cast_value<std::array<double, 3>>(key, value, origin);
    case ValueType::pair:
      return cast_value<std::array<std::int64_t, 2>>(key, value, origin);
    case ValueType::numbers:
      return cast_value<std::vector<double>>(key, value, origin);
    case ValueType::integers:
      return cast_value<std::vector<std::int64_t>>(key, value, origin);
    default:
      return cast_value<std::vector<std::array<double, 3>>>(key, value, origin);
  }
}

Values table_of(const Section& section, const py::handle& dictionary, const Origin& origin) {
  Values out(section, origin);
  for (const auto& [name, value] : dictionary.cast<py::dict>()) {
    const auto text = name.cast<std::string>();
    if (text == "kind" && section.name == "model") continue;
    const Key& key = find_key(section, text, origin);
    out.set(key, value_of(key, value, origin), origin);
  }
  return out;
}

/// Takes a table out of the dictionary; an empty one where there is none.
py::object take_table(py::dict& tables, const char* name) {
  return tables.contains(name) ? py::object(tables.attr("pop")(name)) : py::object(py::dict());
}

std::shared_ptr<const mesh::Mesh> make_mesh(const Array& points,
                                            const py::array_t<std::int64_t, py::array::c_style>& elements) {
  mesh::MeshBuilder builder("mesh", mesh::Place::number);
  for (py::ssize_t i = 0; i + 2 < points.size(); i += 3)
    builder.point(points.data()[i], points.data()[i + 1], points.data()[i + 2], i / 3);
  const py::ssize_t corners = elements.shape(1);
  for (py::ssize_t i = 0; i < elements.shape(0); ++i) {
    const std::span element(elements.data() + corners * i, static_cast<std::size_t>(corners));
    corners == 4 ? builder.tetrahedron(element, i) : builder.polygon(element, i);
  }
  return std::make_shared<const mesh::Mesh>(builder.finish());
}

HolderPointer scene_from_tables(const std::string& name, const py::dict& given, const py::object& mesh) {
  py::dict tables(py::reinterpret_borrow<py::object>(given.attr("copy")()));
  SceneFile file;
  file.path = name;
  file.simulation = table_of(simulation_section(), take_table(tables, "simulation"), Origin("simulation"));
  const py::object model = take_table(tables, "model");
  const std::string kind =
      model.contains("kind") ? model["kind"].cast<std::string>() : std::string("particles");
  file.model = table_of(model_section(kind, Origin("model")), model, Origin("model"));
  file.damping = table_of(damping_section(), take_table(tables, "damping"), Origin("damping"));
  file.contact = table_of(contact_section(), take_table(tables, "contact"), Origin("contact"));
  file.fluid = table_of(fluid_section(), take_table(tables, "fluid"), Origin("fluid"));
  file.plasticity = table_of(plasticity_section(), take_table(tables, "plasticity"), Origin("plasticity"));
  for (const RepeatedSection& repeated : repeated_sections()) {
    const Section& section = repeated.section();
    if (!tables.contains(section.name.c_str())) continue;
    const py::list rows(tables.attr("pop")(section.name));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      (file.*repeated.list)
          .push_back(table_of(section, rows[i], Origin(section.name + " " + std::to_string(i))));
      (file.*repeated.list).back().check_complete();
    }
  }
  file.root = table_of(root_section(), tables, Origin("scene"));
  if (!mesh.is_none()) {
    const auto parts = mesh.cast<py::tuple>();
    file.mesh =
        make_mesh(parts[0].cast<Array>(), parts[1].cast<py::array_t<std::int64_t, py::array::c_style>>());
    file.model.set(find_key(file.model.section(), "file", {}), Value(std::string("arrays")), Origin("mesh"));
  }
  return std::make_shared<SceneHolder>(SceneHolder{.scene = make_scene(file)});
}

HolderPointer load(const std::string& name_or_path,
                   const std::vector<std::pair<std::string, std::string>>& settings) {
  std::vector<Override> overrides;
  for (const auto& [key, value] : settings) overrides.push_back({key, value, "setting"});
  return std::make_shared<SceneHolder>(SceneHolder{.scene = load_scene(find_scene(name_or_path), overrides)});
}

/// A scene around equations that are written in Python.
HolderPointer scene_of_equations(const std::string& name, const py::object& equations, const State& start,
                                 const py::dict& simulation) {
  SceneFile file;
  file.path = name;
  file.root = Values(root_section(), Origin("scene"));
  file.simulation = table_of(simulation_section(), simulation, Origin("simulation"));
  file.model = Values(model_section("particles"), Origin("model"));
  file.damping = Values(damping_section(), Origin("damping"));
  file.contact = Values(contact_section(), Origin("contact"));
  file.fluid = Values(fluid_section(), Origin("fluid"));
  file.plasticity = Values(plasticity_section(), Origin("plasticity"));
  Body body;
  body.system = make_own_system(equations);
  body.start = start;
  check_state(*body.system, start);
  return std::make_shared<SceneHolder>(SceneHolder{.scene = make_scene(file, std::move(body))});
}

ParticleSystem& particles_of(Scene& scene) {
  auto* system = dynamic_cast<ParticleSystem*>(scene.body.system.get());
  if (!system) throw InputError("forces act on particles in space; the unknowns of this scene are others");
  return *system;
}

// ---- runs ----

py::dict energies(const Record& record) {
  py::dict out;
  const auto column = [&](const char* name, const auto& entry) {
    py::array_t<double> values = new_array(record.energies.size());
    for (std::size_t i = 0; i < record.energies.size(); ++i)
      values.mutable_data()[i] = entry(record.energies[i]);
    out[name] = values;
  };
  column("t", [](const EnergySample& e) { return e.time; });
  column("kinetic", [](const EnergySample& e) { return e.kinetic; });
  column("potential", [](const EnergySample& e) { return e.potential; });
  column("total", [](const EnergySample& e) { return e.total; });
  return out;
}

/// Functions of the user's by the names of RunObserver's members; None where there is none.
RunObserver observer_of(const py::dict& functions, const StepCallback& step, const StopRequest& stop) {
  RunObserver out;
  out.step = [&step, &stop](const State& state, const SimulationSummary& summary) {
    return step(state, summary) && !stop.set;
  };
  const auto function = [&functions](const char* name) {
    return functions.contains(name) && !functions[name].is_none();
  };
  if (function("frame"))
    out.frame = [&functions](const State& state) {
      const py::gil_scoped_acquire lock;
      functions["frame"](std::make_shared<State>(state));
    };
  if (function("choice"))
    out.choice = [&functions](const ChoiceRecord& choice) {
      const py::gil_scoped_acquire lock;
      functions["choice"](choice.time, choice.integrator, choice.reason);
    };
  if (function("search"))
    out.search = [&functions](const ErrorSearch& search) {
      const py::gil_scoped_acquire lock;
      const ErrorRun& last = search.runs().back();
      functions["search"](search.runs().size(), last.tolerance, search.estimate());
    };
  return out;
}

py::tuple run(const HolderPointer& holder, const std::string& folder, const std::string& resume, bool vtu,
              const py::dict& functions, const StopRequest& stop) {
  Scene& scene = holder->get();
  const InUse use(*scene.body.system);
  const py::object step = functions.contains("step") ? py::object(functions["step"]) : py::none();
  const StepCallback tell(step);
  const RunObserver observer = observer_of(functions, tell, stop);
  /// Gives the scene back, however the run ends.
  struct Loan {
    SceneHolder& holder;
    SceneRun run;
    Loan(SceneHolder& from, const RunOptions& options) : holder(from), run(std::move(from.scene), options) {
      holder.running = true;
    }
    ~Loan() {
      holder.scene = std::move(run).take_scene();
      holder.running = false;
    }
  } loan(*holder, {.folder = folder, .resume = resume, .vtu = vtu});
  RunReport report;
  {
    const py::gil_scoped_release unlocked;
    report = loan.run.simulate(observer);
  }
  return py::make_tuple(from_json(run_json(report)), std::make_shared<State>(loan.run.state()),
                        energies(loan.run.record()));
}

py::array_t<double> frame_row(const Hdf5Reader& file, const std::string& name, std::size_t number) {
  const std::vector<std::size_t> shape = file.shape(name);
  if (shape.empty() || number >= shape[0])
    throw py::index_error("there are " + std::to_string(shape.empty() ? 0 : shape[0]) + " frames");
  return array_of(file.row(name, number)).reshape({-1, 3});
}

py::array_t<int> integer_rows(const Hdf5Reader& file, const std::string& name) {
  const std::vector<int> values = file.integers(name);
  const std::vector<std::size_t> shape = file.shape(name);
  return py::array_t<int>(std::vector<py::ssize_t>(shape.begin(), shape.end()), values.data());
}

}  // namespace

Scene& SceneHolder::get() {
  if (running) throw InputError("the scene is being simulated; make another one for another run");
  return scene;
}

void add_scenes(py::module_& m) {
  m.def(
      "add_scene_folder", [](const std::string& folder) { add_scene_folder(folder); }, py::arg("folder"),
      "A folder in which scenes are looked for by name, before all others.");
  m.def(
      "scenes",
      [] {
        py::list out;
        for (const SceneEntry& entry : scenes()) {
          py::dict item;
          item["name"] = entry.name;
          item["title"] = entry.title;
          item["file"] = entry.path.string();
          item["sizes"] = entry.sizes;
          out.append(item);
        }
        return out;
      },
      "The scenes that can be loaded by name, as dictionaries: name, title, file, sizes.");

  py::class_<SceneHolder, HolderPointer>(m, "Scene", "A scene, ready to be simulated.")
      .def_property_readonly(
          "name", [](SceneHolder& h) { return h.get().name; }, "Of its file.")
      .def_property_readonly(
          "title", [](SceneHolder& h) { return h.get().title; }, "One line about it.")
      .def_property_readonly(
          "kind", [](SceneHolder& h) { return h.get().kind; }, "Of its model.")
      .def_property_readonly(
          "settings", [](SceneHolder& h) { return from_json(h.get().resolved); },
          "All settings in effect, as a dictionary of its tables.")
      .def_property_readonly(
          "system", [](const HolderPointer& h) { return SystemPointer(h, h->get().body.system.get()); },
          "Its equations.")
      .def_property_readonly(
          "start", [](SceneHolder& h) { return std::make_shared<State>(h.get().body.start); },
          "Where it starts: a copy.")
      .def_property_readonly(
          "warnings",
          [](SceneHolder& h) {
            std::vector<std::string> out;
            for (const Warning& w : h.get().all_warnings()) out.push_back(w.text());
            return out;
          },
          "What a user should know of it, a line each.")
      .def_property_readonly(
          "notes", [](SceneHolder& h) { return h.get().body.notes; },
          "What was repaired in its mesh, a line each.")
      .def_property_readonly(
          "springs",
          [](SceneHolder& h) {
            std::vector<std::array<int, 2>> ends;
            for (const auto& [a, b] : h.get().body.springs) ends.push_back({a, b});
            return rows_of<int, 2>(ends);
          },
          "Ends of springs and girders, a row each.")
      .def_property_readonly(
          "triangles", [](SceneHolder& h) { return rows_of<int, 3>(h.get().body.triangles); },
          "Of its surface, a row of corners each.")
      .def_property_readonly(
          "tetrahedra", [](SceneHolder& h) { return rows_of<int, 4>(h.get().body.tetrahedra); },
          "Of its volume, a row of corners each.")
      .def(
          "positions",
          [](SceneHolder& h, const State& s) {
            check_state(h.get().system(), s);
            return rows_of<double, 3>(h.scene.positions(s));
          },
          py::arg("state"), "Of all particles in that state: an array of n rows.")
      .def(
          "velocities",
          [](SceneHolder& h, const State& s) {
            check_state(h.get().system(), s);
            return rows_of<double, 3>(h.scene.velocities(s));
          },
          py::arg("state"), "Of all particles in that state: an array of n rows.")
      .def(
          "add_force",
          [](SceneHolder& h, const py::object& force) {
            ParticleSystem& system = particles_of(h.get());
            add_own_force(system, force);
            system.finish();
          },
          py::arg("force"),
          "Adds a force that is written in Python: an object of a class from stiffly.Force.");

  py::class_<StopRequest>(m, "_StopRequest", "Asks a run to end after its step.")
      .def(py::init<>(), "Nothing is asked yet.")
      .def(
          "set", [](StopRequest& r) { r.set = true; }, "The run is to end.")
      .def("__bool__", [](const StopRequest& r) { return r.set.load(); });
  m.def("scene_from_tables", scene_from_tables, py::arg("name"), py::arg("tables"), py::arg("mesh"),
        "The scene of these tables, which are those of a scene file.");
  m.def("scene_of_equations", scene_of_equations, py::arg("name"), py::arg("equations"), py::arg("start"),
        py::arg("simulation"), "A scene around equations that are written in Python.");
  m.def("load_scene", load, py::arg("name_or_path"), py::arg("settings"), "See stiffly.load_scene.");
  m.def("run", run, py::arg("scene"), py::arg("folder"), py::arg("resume"), py::arg("vtu"),
        py::arg("functions"), py::arg("stop"), "See stiffly.run.");

  py::class_<Hdf5Reader>(m, "_FrameReader", "frames.h5 of a run.")
      .def(py::init([](const std::string& path) { return std::make_unique<Hdf5Reader>(path); }),
           py::arg("path"), "Opens the file.")
      .def("has", &Hdf5Reader::has, py::arg("name"), "Whether there is such a dataset.")
      .def(
          "numbers", [](const Hdf5Reader& f, const std::string& n) { return array_of(f.numbers(n)); },
          py::arg("name"), "All numbers of a dataset.")
      .def("integers", integer_rows, py::arg("name"), "A dataset of whole numbers.")
      .def("frame", frame_row, py::arg("name"), py::arg("number"), "One frame: an array of n rows.");
}

}  // namespace stiffly::python
