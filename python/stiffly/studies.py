"""Methods compared, as plain dictionaries and lists, which pandas and matplotlib take."""

from __future__ import annotations

import os
from typing import Any, Callable, Sequence

from . import _core
from ._core import Scene
from .scene_tables import load_scene


def _scene(scene: Scene | str | os.PathLike) -> Scene:
    return scene if isinstance(scene, Scene) else load_scene(scene)


def _quality(error: float, norm: str, moments: int, agreement: float, time_limit: float, reference_limit: float,
             cache: str) -> dict:
    return {"error": error, "norm": norm, "moments": moments, "agreement": agreement, "time_limit": time_limit,
            "reference_limit": reference_limit, "cache": cache}


def compare(
    scene: Scene | str | os.PathLike,
    integrators: Sequence[str] = (),
    error: float = 0.1,
    *,
    norm: str = "position",
    moments: int = 10,
    repeats: int = 3,
    agreement: float = 0.05,
    time_limit: float = 60.0,
    reference_limit: float = 600.0,
    cache: str = "",
    progress: Callable[[str], Any] | None = None,
) -> dict:
    """Which integrator is fastest at equal quality: the largest step within the error, and its time, of each.

    Names are those of `stiffly compare`: NAME, NAME+EVALUATOR, NAME:tolerance; without any, one or two of each kind.
    `norm` is position, displacement, velocity, energy or area. Errors are those against a reference on which two
    independent methods agree to `agreement` times the error; `cache` is the folder of references from earlier calls,
    "none" for none. The dictionary has the keys of `stiffly compare --json`; its `results` are a row for each method.
    """
    quality = _quality(error, norm, moments, agreement, time_limit, reference_limit, cache)
    return _core.compare(_scene(scene), list(integrators), quality, repeats, progress)


def precision(
    scene: Scene | str | os.PathLike,
    integrators: Sequence[str] = (),
    *,
    steps: Sequence[float] = (0.02, 0.01, 0.005, 0.0025),
    tolerances: Sequence[float] = (1e-2, 1e-3, 1e-4, 1e-5),
    error: float = 0.01,
    norm: str = "position",
    moments: int = 10,
    agreement: float = 0.05,
    time_limit: float = 60.0,
    reference_limit: float = 600.0,
    cache: str = "",
    progress: Callable[[str], Any] | None = None,
) -> list[dict]:
    """Work and precision: each method at every step (or tolerance, of NAME:tolerance), the coarsest first.

    `error` is the smallest error of interest: the reference is better than it by `agreement`. Returns a dictionary for
    each method: integrator, knob, and trials, each with setting, error, seconds, steps, counters and failure.
    """
    quality = _quality(error, norm, moments, agreement, time_limit, reference_limit, cache)
    return _core.precision(_scene(scene), list(integrators), list(steps), list(tolerances), quality, progress)


def energy_history(
    scene: Scene | str | os.PathLike,
    integrators: Sequence[str],
    *,
    step: float = 0.01,
    tolerance: float = 1e-3,
    time_limit: float = 60.0,
) -> list[dict]:
    """Energy over time of each method, at a constant step or, of NAME:tolerance, at the tolerance.

    Returns a dictionary for each: integrator, arrays t and energy, and why it failed, empty where it did not.
    """
    return _core.energy_history(_scene(scene), list(integrators), step, tolerance, time_limit)


def convergence(integrator: str, equation: str = "wave", *, steps: Sequence[float] = (), **options: Any) -> dict:
    """Errors over steps on an equation with a known solution: growth, decay, overdamped, damped-spring or wave.

    Returns integrator, order, arrays step and error, and the measured slope. Options are those of `simulate`.
    """
    return _core.convergence(integrator, equation, list(steps), options)


def stability(integrator: str) -> dict:
    """The stability region of a method, from its own steps.

    Returns integrator, extent (left, right, bottom, top of the complex plane of hλ) and radius, an array of rows from
    the top: the spectral radius of one step, NaN where none could be made. matplotlib's imshow takes both.
    """
    return _core.stability(integrator)
