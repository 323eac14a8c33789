"""Scenes from arrays are those from files, bit for bit."""

import inspect
import re
import tomllib

import numpy as np
import pytest

import stiffly
from stiffly import scene_tables
from conftest import ROOT, net, same_bits


def assert_same_run(a: stiffly.Scene, b: stiffly.Scene) -> None:
    first, second = stiffly.run(a), stiffly.run(b)
    assert first.report["steps"] == second.report["steps"] > 0
    assert same_bits(first.state.y, second.state.y)
    assert same_bits(first.positions, second.positions)
    assert same_bits(first.energy["total"], second.energy["total"])
    assert not same_bits(first.positions, a.positions(a.start))  # it moves


@pytest.mark.parametrize("integrator", ["verlet", "exprb42", "bdf2", "auto"])
def test_equals_its_own_toml(tmp_path, integrator):
    tables = net() | {
        "girders": {"ends": [[0, 8], [8, 2]], "axial": [1713.1, 911.7], "bending": 13.3},
        "weighted_springs": {"first": [[0, 3], [4]], "second": [[5, 6, 7], [8, 1]], "stiffness": [31.7, 17.9],
                             "first_weights": [[0.3, 0.7], [1.0]], "second_weights": [[0.2, 0.5, 0.3], [0.1, 0.9]]},
        "fields": {"x": "0.31*sin(7.3*t)", "acts_as": "force"},
        "motions": [{"particles": [1], "y": "0.037*sin(3.1*t)"}],
        "damping": {"mass_factor": 0.0317, "stiffness_factor": 1.7e-5},
    }
    simulation = {"duration": 0.217, "step": 0.0031, "gravity": [0.1, -0.3, -9.81], "integrator": integrator}
    file = tmp_path / "net.toml"
    file.write_text(stiffly.to_toml(simulation, **tables))
    assert_same_run(stiffly.scene(simulation, **tables), stiffly.load_scene(file))


def test_obstacles_equal_their_own_toml(tmp_path):
    points = np.array([[0.013, 0.007, 0.31], [0.31, 0.0, 0.137], [0.37, 0.01, 0.137]])
    tables = {
        "particles": {"position": points, "mass": np.array([0.2, 0.1, 0.1])},
        "springs": {"ends": [[1, 2]], "stiffness": 913.0},
        "contact": {"stiffness": 3.1e3, "range": 0.03, "radius": 0.02},
        "obstacles": [{"shape": "sphere", "point": np.array([0, 0, 0.12]), "radius": 0.11},
                      {"shape": "half-space", "z": "0.05*t"},
                      {"shape": "box", "sides": [3, 3, 2], "hollow": True}],
    }
    simulation = {"duration": 0.217, "step": 0.0031, "gravity": [0, 0, -9.81], "integrator": "newmark"}
    file = tmp_path / "falling.toml"
    file.write_text(stiffly.to_toml(simulation, **tables))
    made = stiffly.scene(simulation, **tables)
    assert_same_run(made, stiffly.load_scene(file))
    # They are there: without the floor and the ball it falls further.
    free = stiffly.run(stiffly.scene(simulation, **(tables | {"obstacles": tables["obstacles"][2:]})))
    assert free.positions[0, 2] < stiffly.run(made).positions[0, 2] - 0.001


def test_fluid_and_motors_equal_their_own_toml(tmp_path):
    angles = np.arange(3) * 2 * np.pi / 3
    ring = np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=1) * 0.01
    pairs = [[0, 1], [1, 2], [2, 0], [3, 4], [4, 5], [5, 3], [0, 3], [1, 4], [2, 5]]
    tables = {
        "particles": {"position": np.concatenate([ring, ring + [0, 0, 0.013]]), "mass": 1e-3},
        "springs": {"ends": pairs, "stiffness": 0.71},
        "fluid": {"viscosity": 0.13, "blob": 0.003},
        "motors": {"torque": "3e-6*sin(9.1*t)", "rotor": [3, 4, 5], "stator": [0, 1, 2]},
    }
    simulation = {"duration": 0.117, "step": 0.0031, "integrator": "bdf2"}
    file = tmp_path / "twisted.toml"
    file.write_text(stiffly.to_toml(simulation, **tables))
    made = stiffly.scene(simulation, **tables)
    assert_same_run(made, stiffly.load_scene(file))
    still = stiffly.scene(simulation, **{key: value for key, value in tables.items() if key != "motors"})
    assert not same_bits(stiffly.run(still).positions, stiffly.run(made).positions)


def test_all_tables_of_scene_files_have_arguments():
    names = set(re.findall(r"^### \[+(\w+)\]+$", (ROOT / "docs" / "scenes.md").read_text(), re.MULTILINE))
    assert {"contact", "obstacle", "motor", "fluid", "particle"} <= names
    arguments = set(inspect.signature(stiffly.scene).parameters)
    assert names - {scene_tables._LISTS.get(argument, argument) for argument in arguments} == set()


@pytest.mark.parametrize("name", ["pendulum", "shaken"])
def test_equals_a_file_written_by_hand(name):
    path = ROOT / "examples" / f"{name}.toml"
    tables = tomllib.loads(path.read_text())
    lists = {"particles": tables.pop("particle"), "springs": tables.pop("spring", None),
             "girders": tables.pop("girder", None), "motions": tables.pop("motion", None)}
    tables["simulation"] = {**tables["simulation"], "duration": 0.3}
    assert_same_run(stiffly.scene(**tables, **lists), stiffly.load_scene(path, duration=0.3))


def test_mesh_from_arrays_equals_the_file(tmp_path):
    random = np.random.default_rng(3)
    points = np.array([[x, y, z] for x in range(4) for y in range(2) for z in range(2)], dtype=float) * 0.137
    points += random.uniform(-0.011, 0.011, points.shape)
    corner = [0, 2, 1, 3, 4, 6, 5, 7]  # of a cube of this numbering, x slowest
    cube = [[corner[i] for i in tet] for tet in ([0, 1, 3, 7], [0, 1, 7, 5], [0, 5, 7, 4], [0, 3, 2, 7], [0, 6, 4, 7],
                                                 [0, 2, 6, 7])]
    tetrahedra = np.array([[4 * k + i for i in tet] for k in range(3) for tet in cube])
    volumes = [np.linalg.det(points[t[1:]] - points[t[0]]) for t in tetrahedra]
    tetrahedra = np.array([t if v > 0 else t[[0, 2, 1, 3]] for t, v in zip(tetrahedra, volumes)])
    text = "MeshVersionFormatted 2\nDimension 3\nVertices\n%d\n" % len(points)
    text += "".join("%r %r %r 0\n" % tuple(p.tolist()) for p in points)
    text += "Tetrahedra\n%d\n" % len(tetrahedra) + "".join("%d %d %d %d 0\n" % tuple(t + 1) for t in tetrahedra)
    (tmp_path / "beam.mesh").write_text(text + "End\n")
    model = {"kind": "mesh", "material": "neo-hookean", "young": 31713.0, "poisson": 0.317, "density": 913.0,
             "pinned_normal": [1, 0, 0], "pinned_below": 0.02}
    simulation = {"duration": 0.117, "step": 0.0031, "gravity": [0, 0, -9.81], "integrator": "exprb42"}
    (tmp_path / "beam.toml").write_text(stiffly.to_toml(simulation, model=model | {"file": "beam.mesh"}))
    made = stiffly.scene(simulation, model=model, mesh=(points, tetrahedra))
    assert made.tetrahedra.shape == tetrahedra.shape
    assert_same_run(made, stiffly.load_scene(tmp_path / "beam.toml"))


def test_what_a_scene_tells():
    tables = net()
    scene = stiffly.scene({"duration": 1}, **tables, name="net", title="a net")
    assert (scene.name, scene.title, scene.kind) == ("net", "a net", "particles")
    assert scene.settings["simulation"]["duration"] == 1
    assert same_bits(scene.springs, tables["springs"]["ends"].astype(np.int32))
    assert len(scene.triangles) == len(scene.tetrahedra) == 0
    assert same_bits(scene.positions(scene.start), tables["particles"]["position"])
    assert same_bits(scene.velocities(scene.start), tables["particles"]["velocity"])
    assert scene.system.particles == 9 and scene.system.free_particles == 7
    assert scene.warnings == [] and scene.notes == []
    verlet = stiffly.load_scene("chain", integrator="verlet", phi_tolerance=1e-3)
    assert any("no-effect" in warning for warning in verlet.warnings)
    assert "coil" in [entry["name"] for entry in stiffly.scenes()]


def test_particle_system_is_that_of_the_scene():
    system, start = stiffly.particle_system(**net(), simulation={"gravity": [0, 0, -1.7]})
    scene = stiffly.scene({"duration": 1, "gravity": [0, 0, -1.7]}, **net())
    assert same_bits(system.rate(start), scene.system.rate(scene.start))


def test_settings_take_the_place_of_values():
    scene = stiffly.load_scene(ROOT / "examples" / "pendulum.toml", {"spring.0.stiffness": 1234.5}, duration=0.25,
                               gravity=np.array([0, 0, -1.5]))
    assert scene.settings["spring"][0]["stiffness"] == 1234.5
    assert scene.settings["simulation"]["gravity"] == [0, 0, -1.5]


def test_added_folders_are_looked_at_first(tmp_path):
    (tmp_path / "rope.toml").write_text(stiffly.to_toml({"duration": 0.3}, **net()))
    with pytest.raises(stiffly.InputError, match="unknown scene"):
        stiffly.load_scene("rope")
    stiffly.add_scene_folder(str(tmp_path))
    assert stiffly.load_scene("rope").settings["simulation"]["duration"] == 0.3


@pytest.mark.parametrize("change, message", [
    ({"particles": {"position": [[0, 0, 0]], "mas": 1}}, "unknown key 'mas'.*did you mean 'mass'"),
    ({"particles": {"position": [[0, 0, 0]], "mass": -0.1}}, "particle 0: 'mass'"),
    ({"particles": {"position": [[0, 0, 0]], "mass": True}}, "particle 0: 'mass' must be a number"),
    ({"particles": {"position": [[0, 0, 0]], "mass": "1"}}, "particle 0: 'mass' must be a number"),
    ({"particles": {"position": [[0, 0]], "mass": 1}}, "must have 3 columns"),
    ({"particles": {"position": np.zeros((3, 3)), "mass": [1, 2]}}, "differ in length"),
    ({"particles": {"position": [[0, 0, 0]]}}, "'mass'.*missing|needs.*'mass'|'mass'"),
    ({"particles": {"position": [[0, 0, np.nan]], "mass": 1}}, "particle 0: 'position'"),
    ({"springs": {"ends": [[0, 99]], "stiffness": 1}}, "spring 0 ends at particle 99"),
    ({"springs": {"ends": [[0.5, 1]], "stiffness": 1}}, "spring 0: 'ends' must be two whole numbers"),
    ({"simulation": {"duration": 1, "step": 0.1, "tolerance": 0.1}}, "give one of"),
    ({"simulation": {"duration": 1, "integrator": "verlett"}}, "did you mean 'verlet'"),
    ({"simulation": {"step": 0.1}}, "duration"),
    ({"model": {"kind": "coill"}}, "did you mean"),
    ({"title": 3}, "title"),
])
def test_mistakes_are_named(change, message):
    with pytest.raises(stiffly.InputError, match=message):
        stiffly.scene(**({"simulation": {"duration": 1}} | net() | change))


def test_mistakes_of_meshes_are_named():
    points = np.eye(4, 3)
    for elements, message in [([[0, 1, 2, 9]], "tetrahedron 0: .* not there"), ([[0, 1]], "three or four columns"),
                              ([[0.0, 1.0, 2.0, 3.0]], "whole numbers")]:
        with pytest.raises(stiffly.InputError, match=message):
            stiffly.scene({"duration": 1}, mesh=(points, np.array(elements)))


def test_a_file_has_no_place_for_arrays():
    with pytest.raises(stiffly.InputError, match="no place for"):
        stiffly.to_toml({"duration": 1}, mesh=(np.eye(4, 3), [[0, 1, 2, 3]]))
