"""Runs of scenes, and the folders they leave."""

from __future__ import annotations

import json
import os
import signal
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Iterator

import numpy as np

from . import _core
from ._core import FileError, InputError, Scene, SimulationError, State
from .scene_tables import load_scene


@dataclass(frozen=True)
class RunResult:
    """What a run came to."""

    report: dict  #: what run.json says
    state: State  #: the last one; of a failed run, the last good one
    positions: np.ndarray  #: of all particles at the end, a row each
    velocities: np.ndarray  #: of all particles at the end, a row each
    energy: dict[str, np.ndarray]  #: over time: t, kinetic, potential, total


@contextmanager
def _ctrl_c_ends(stop: _core._StopRequest) -> Iterator[None]:
    """The first Ctrl-C asks the run to end, the second is as usual. Only the main thread gets signals."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)

    def ask(_signal: int, _frame: Any) -> None:
        stop.set()
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, ask)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if stop:
        raise KeyboardInterrupt


def run(
    scene: Scene | str | os.PathLike,
    folder: str | os.PathLike = "",
    *,
    resume: str | os.PathLike = "",
    vtu: bool = False,
    step: Callable[[State, dict], Any] | None = None,
    frame: Callable[[State], Any] | None = None,
    choice: Callable[[float, str, str], Any] | None = None,
    search: Callable[[int, float, float], Any] | None = None,
    check: bool = True,
) -> RunResult:
    """Simulates a scene as its settings say, and writes results into the folder, where one is given.

    While it goes on: `step(state, summary)` after every step, which ends the run by returning False; `frame(state)`
    with each frame; `choice(time, integrator, reason)` when the integrator "auto" has chosen; `search(runs, tolerance,
    error)` after every run on the way to an error bound. Ctrl-C ends the run after its step, with all results written,
    and raises KeyboardInterrupt then. `resume` is the folder of a run that was interrupted.

    A run that fails raises SimulationError, with all results up to there written; with `check=False` it is returned,
    and its report has the status "failed" and the error.
    """
    made = scene if isinstance(scene, Scene) else load_scene(scene)
    stop = _core._StopRequest()
    functions = {"step": step, "frame": frame, "choice": choice, "search": search}
    with _ctrl_c_ends(stop):
        report, state, energy = _core.run(made, os.fspath(folder), os.fspath(resume), vtu, functions, stop)
    if check and report["status"] == "failed":
        raise SimulationError(report["error"])
    return RunResult(report, state, made.positions(state), made.velocities(state), energy)


class Frames:
    """How everything moved: frames.h5 of a run, one frame in memory at a time."""

    def __init__(self, path: str | os.PathLike) -> None:
        """Opens the file."""
        self._file = _core._FrameReader(os.fspath(path))
        self.times = self._file.numbers("time")

    def __len__(self) -> int:
        """How many frames there are."""
        return len(self.times)

    def position(self, number: int) -> np.ndarray:
        """Where all particles are in a frame, a row each; negative numbers count from the end."""
        return self._file.frame("position", self._index(number))

    def velocity(self, number: int) -> np.ndarray:
        """How fast all particles are in a frame, a row each; negative numbers count from the end."""
        return self._file.frame("velocity", self._index(number))

    def elements(self, name: str) -> np.ndarray:
        """What there is to draw: rows of particles' numbers of "springs", "triangles" or "tetrahedra"."""
        if name not in ("springs", "triangles", "tetrahedra"):
            raise InputError(f"there are springs, triangles and tetrahedra, not '{name}'")
        return self._file.integers(name)

    def _index(self, number: int) -> int:
        index = number + len(self) if number < 0 else number
        if not 0 <= index < len(self):
            raise IndexError(f"there are {len(self)} frames, so there is no frame {number}")
        return index


class RunFolder:
    """What a run left in its folder."""

    def __init__(self, path: str | os.PathLike) -> None:
        """Reads run.json; everything else is read when it is asked for."""
        self.path = Path(path)
        try:
            self.report: dict = json.loads((self.path / "run.json").read_text(encoding="utf-8"))
        except OSError as error:
            raise FileError(f"{self.path} is no folder of a finished run: {error}") from None
        except ValueError as error:
            raise InputError(f"{self.path / 'run.json'} is damaged: {error}") from None

    def _table(self, name: str) -> dict[str, np.ndarray]:
        path = self.path / name
        try:
            made = np.genfromtxt(path, delimiter=",", names=True, ndmin=1)
        except OSError as error:
            raise FileError(str(error)) from None
        return {column: made[column] for column in made.dtype.names}

    @property
    def energy(self) -> dict[str, np.ndarray]:
        """Columns of energy.csv: t, kinetic, potential, total, …"""
        return self._table("energy.csv")

    @property
    def counters(self) -> dict[str, np.ndarray]:
        """Columns of counters.csv: steps and work since the start."""
        return self._table("counters.csv")

    @property
    def final(self) -> dict[str, np.ndarray]:
        """The last state, of a failed run the last good one: `position` and `velocity`, a row for each particle."""
        table = self._table("last_good.csv" if self.report["status"] == "failed" else "final.csv")
        return {"position": np.stack([table[c] for c in ("x", "y", "z")], axis=1),
                "velocity": np.stack([table[c] for c in ("vx", "vy", "vz")], axis=1)}

    @property
    def frames(self) -> Frames:
        """How everything moved."""
        return Frames(self.path / "frames.h5")


def open_run(folder: str | os.PathLike) -> RunFolder:
    """The results of a run, from its folder."""
    return RunFolder(folder)
