"""Runs and their folders."""

import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import stiffly
from conftest import net, same_bits


def test_folder_has_what_was_returned(tmp_path, chain):
    result = stiffly.run(chain, tmp_path / "out")
    folder = stiffly.open_run(tmp_path / "out")
    assert isinstance(folder, stiffly.RunFolder) and isinstance(result, stiffly.RunResult)
    assert folder.report["status"] == result.report["status"] == "done"
    assert folder.report["steps"] == result.report["steps"] == 22  # 0.07/0.0033 = 21.2
    assert same_bits(folder.final["position"], result.positions)
    assert same_bits(folder.final["velocity"], result.velocities)
    assert same_bits(folder.energy["total"], result.energy["total"])
    assert folder.counters["steps"][-1] == 22
    frames = folder.frames
    assert isinstance(frames, stiffly.Frames) and len(frames) == len(frames.times) > 2
    assert same_bits(frames.position(0), chain.positions(chain.start))
    assert np.allclose(frames.position(-1), result.positions, atol=1e-6 if frames.times[-1] == 0.07 else 1e-2)
    assert same_bits(frames.velocity(0), chain.velocities(chain.start))
    assert same_bits(frames.elements("springs"), chain.springs)
    with pytest.raises(IndexError):
        frames.position(len(frames))
    with pytest.raises(stiffly.InputError):
        frames.elements("hexahedra")


def test_a_scene_runs_again_with_the_same_bits(chain):
    assert same_bits(stiffly.run(chain).state.y, stiffly.run(chain).state.y)


def test_functions_are_told(chain):
    times, frames = [], []
    stiffly.run(chain, step=lambda state, summary: times.append((state.time, summary["steps"])),
                frame=lambda state: frames.append(state))
    assert [steps for _, steps in times] == list(range(23))
    assert times[-1][0] == pytest.approx(0.07)
    assert frames[0].time == 0 and len({frame.time for frame in frames}) == len(frames) > 2
    choices = []
    stiffly.run(stiffly.load_scene("chain", duration=0.05, tolerance=1e-2, integrator="auto"),
                choice=lambda t, name, reason: choices.append((t, name, reason)))
    assert choices and choices[0][0] == 0 and choices[0][1] in choices[0][2]


def test_error_bounds_tell_of_their_search():
    told = []
    result = stiffly.run(stiffly.scene({"duration": 0.317, "error": 0.01, "integrator": "dopri5"}, **net()),
                         search=lambda runs, tolerance, error: told.append((runs, tolerance)))
    assert result.report["status"] == "done" and result.report["error"]["estimated"] <= 0.01
    assert [runs for runs, _ in told] == list(range(1, len(told) + 1)) and len(told) >= 2


def test_returning_false_ends_a_run_that_resumes(tmp_path):
    def scene():
        return stiffly.scene({"duration": 0.5, "step": 0.0013, "integrator": "exprb42"}, **net())

    part = stiffly.run(scene(), tmp_path / "part", step=lambda state, summary: summary["steps"] < 200)
    assert part.report["status"] == "interrupted"
    rest = stiffly.run(scene(), resume=tmp_path / "part")
    whole = stiffly.run(scene(), tmp_path / "whole")
    assert rest.report["status"] == "done" and same_bits(rest.positions, whole.positions)


def test_failures_raise(tmp_path):
    scene = stiffly.load_scene("chain", duration=2, step=0.05, integrator="verlet")
    with pytest.raises(stiffly.SimulationError, match="step"):
        stiffly.run(scene, tmp_path / "out")
    assert stiffly.open_run(tmp_path / "out").report["status"] == "failed"
    assert np.isfinite(stiffly.open_run(tmp_path / "out").final["position"]).all()
    result = stiffly.run(scene, check=False)
    assert result.report["status"] == "failed" and result.report["error"]


def test_exceptions_of_functions_pass(tmp_path, chain):
    def raise_it(state, summary):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        stiffly.run(chain, tmp_path / "out", step=raise_it)
    assert stiffly.run(chain).report["status"] == "done"  # the scene came back


def test_a_scene_is_simulated_once_at_a_time(chain):
    refused = []

    def nested(state, summary):
        for use in (lambda: stiffly.run(chain), lambda: chain.start):
            try:
                use()
            except stiffly.InputError as error:
                refused.append(str(error))

    stiffly.run(chain, step=nested)
    assert len(refused) == 2 * 23 and "is being simulated" in refused[0]


def test_missing_folders(tmp_path):
    with pytest.raises(stiffly.FileError):
        stiffly.open_run(tmp_path)
    (tmp_path / "run.json").write_text("{")
    with pytest.raises(stiffly.InputError, match="damaged"):
        stiffly.open_run(tmp_path)
    with pytest.raises(OSError):  # a FileError is one
        stiffly.run(stiffly.load_scene(tmp_path / "nothing.toml"))


INTERRUPTED = """
import sys, numpy as np, stiffly
class Still(stiffly.Force):
    def energy(self, t, x): return 0.0
    def force(self, t, x, v): return np.zeros_like(x)
    def tangent(self, t, x, v): return np.zeros((x.size, x.size))
scene = stiffly.load_scene("chain", duration=1000, step=0.0031, integrator="exprb42")
if sys.argv[2] == "python": scene.add_force(Still())
def tell(state, summary):
    if summary["steps"] == 3: print("going", flush=True)
try:
    stiffly.run(scene, sys.argv[1], step=tell)
except KeyboardInterrupt:
    sys.exit(77)
"""


@pytest.mark.parametrize("forces", ["compiled", "python"])
def test_ctrl_c_ends_a_run_with_its_results(tmp_path, forces):
    process = subprocess.Popen([sys.executable, "-c", INTERRUPTED, str(tmp_path / "out"), forces],
                               stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "going\n"
    time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 77
    folder = stiffly.open_run(tmp_path / "out")
    assert folder.report["status"] == "interrupted"
    assert np.isfinite(folder.final["position"]).all()
