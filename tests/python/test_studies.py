"""Comparisons and studies give plain dictionaries."""

import json

import numpy as np
import pytest

import stiffly
from conftest import net


@pytest.fixture
def scene():
    return stiffly.scene({"duration": 0.117, "gravity": [0, 0, -9.81]}, **net())


def test_compare(scene):
    lines = []
    found = stiffly.compare(scene, ["verlet", "rk4", "dopri5:tolerance"], 0.02, repeats=1, cache="none",
                            progress=lines.append)
    json.dumps(found)  # plain
    assert found["bound"] == 0.02 and found["norm"] == "position" and lines
    results = {row["name"]: row for row in found["results"]}
    assert set(results) == {"verlet", "rk4", "dopri5:tolerance"}
    assert all(row["error"] <= 0.02 for row in results.values())
    # The largest step of the method of higher order is the larger one.
    assert results["rk4"]["setting"] > results["verlet"]["setting"]


def test_precision_falls_with_the_order(scene):
    curves = stiffly.precision(scene, ["verlet", "rk4", "dopri5:tolerance"], steps=[0.0041, 0.00205, 0.001025],
                               tolerances=[1e-3, 1e-5], error=1e-7, agreement=0.1, cache="none")
    assert [curve["integrator"] for curve in curves] == ["verlet", "rk4", "dopri5:tolerance"]
    assert [curve["knob"] for curve in curves] == ["step", "step", "tolerance"]
    for curve, order in zip(curves, (2, 4)):
        errors = [trial["error"] for trial in curve["trials"]]
        assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.4)
        assert all(trial["failure"] == "" and trial["steps"] > 0 for trial in curve["trials"])
    assert curves[2]["trials"][1]["error"] < curves[2]["trials"][0]["error"]


def test_energy_history():
    scene = stiffly.load_scene("fput", duration=0.5)
    first, second = stiffly.energy_history(scene, ["verlet", "backward-euler"], step=0.0013)
    assert first["integrator"] == "verlet" and first["failure"] == "" and first["t"].shape == first["energy"].shape
    lost = [1 - curve["energy"][-1] / curve["energy"][0] for curve in (first, second)]
    assert abs(lost[0]) < 1e-2 < lost[1]  # symplectic, and strongly damping


@pytest.mark.parametrize("method", ["rk4", "bdf2", "verlet"])
def test_convergence(method):
    found = stiffly.convergence(method, "wave")
    assert found["integrator"] == method and found["slope"] == pytest.approx(found["order"], abs=0.2)
    own = stiffly.convergence(method, "wave", steps=[0.1, 0.031])
    assert own["step"].tolist() == [0.1, 0.031] and own["error"][0] > own["error"][1] > 0


def test_stability():
    found = stiffly.stability("backward-euler")
    left, right, bottom, top = found["extent"]
    rows, columns = found["radius"].shape
    z = (left + (np.arange(columns) + 0.5) * (right - left) / columns)[None, :] \
        + 1j * (top - (np.arange(rows) + 0.5) * (top - bottom) / rows)[:, None]
    stable, clear = found["radius"] <= 1, np.abs(np.abs(1 / (1 - z)) - 1) > 0.05
    assert np.mean(stable[clear] == (np.abs(1 / (1 - z)) <= 1)[clear]) > 0.99


def test_mistakes_are_named(scene):
    for call, message in [
        (lambda: stiffly.compare(scene, ["verlett"]), "verlet"),
        (lambda: stiffly.compare(scene, ["verlet:size"]), "after the colon"),
        (lambda: stiffly.compare(scene, error=-1), "error"),
        (lambda: stiffly.compare(scene, norm="size"), "size"),
        (lambda: stiffly.compare(scene, moments=0), "moments"),
        (lambda: stiffly.compare(scene, repeats=0), "repeats"),
        (lambda: stiffly.compare(scene, agreement=0.7), "agreement"),
        (lambda: stiffly.compare(scene, time_limit=0), "limits"),
        (lambda: stiffly.convergence("rk4", "waves"), "wave"),
        (lambda: stiffly.stability("rk44"), "rk4"),
    ]:
        with pytest.raises(stiffly.InputError, match=message):
            call()
