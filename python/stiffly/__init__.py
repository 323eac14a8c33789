"""Stiff elastodynamics: scenes, integrators, φ-functions.

A run of a scene that comes with the program, or of one made of arrays::

    import stiffly

    result = stiffly.run(stiffly.load_scene("chain", duration=0.5))
    print(result.report["steps"], result.positions[-1])

Bodies are systems M x'' = f(t, x, x'); all quantities are in SI units. Mistakes raise `InputError`, computations that
cannot go on `SimulationError`, files that cannot be read or written `FileError`; all are `Error`.
"""

from pathlib import Path as _Path

from . import _core
from ._core import (
    BlowUp,
    Error,
    FileError,
    InputError,
    Integrator,
    NotPositiveDefinite,
    OutOfTime,
    ParticleSystem,
    PhiRefusal,
    Scene,
    SimulationError,
    State,
    Step,
    StepRecord,
    System,
    add_scene_folder,
    evaluators,
    forces,
    integrators,
    scenes,
    set_thread_count,
    thread_count,
)
from .own_physics import Equations, Force, check
from .phi_functions import expm_multiply, phi, phi_combination
from .runs import Frames, RunFolder, RunResult, open_run, run
from .scene_tables import load_scene, particle_system, scene, scene_of_equations, to_toml
from .stepping import Stepper, simulate
from .studies import compare, convergence, energy_history, precision, stability

__version__ = _core.version

__all__ = [
    "BlowUp", "Equations", "Error", "FileError", "Force", "Frames", "InputError", "Integrator", "NotPositiveDefinite",
    "OutOfTime", "ParticleSystem", "PhiRefusal", "RunFolder", "RunResult", "Scene", "SimulationError", "State", "Step",
    "StepRecord", "Stepper", "System", "add_scene_folder", "check", "compare", "convergence", "energy_history",
    "evaluators", "expm_multiply", "forces", "integrators", "load_scene", "open_run", "particle_system", "phi",
    "phi_combination", "precision", "run", "scene", "scene_of_equations", "scenes", "set_thread_count", "simulate",
    "stability", "thread_count", "to_toml",
]

# Where the package was installed with its scenes, they are beside it.
if (_Path(__file__).parent / "scenes").is_dir():
    add_scene_folder(str(_Path(__file__).parent / "scenes"))
