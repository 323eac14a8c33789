"""Forces and whole systems written in Python, and the check that they are what they say."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np
import scipy.sparse

from . import _core
from ._core import InputError

#: Largest number of particles, or unknowns, that are all taken to be coupled where nothing says which are.
_MOST_DENSE = 600
#: Of −∂f/∂x, relative: beyond this it is not symmetric.
_ASYMMETRY = 1e-6

_Triplets = "tuple[np.ndarray, np.ndarray, np.ndarray]"


def _triplets(matrix: Any, size: int, what: str) -> scipy.sparse.coo_matrix:
    made = scipy.sparse.coo_matrix(matrix, dtype=float)
    if made.shape != (size, size):
        raise InputError(f"{what} must be a matrix of {size} × {size}, not {made.shape[0]} × {made.shape[1]}")
    made.sum_duplicates()
    return made


def _parts(name: str, tangent: Any, size: int, circulatory: bool, damped: bool) -> tuple:
    """−∂f/∂x as symmetric and antisymmetric part, and −∂f/∂v, as the compiled part wants them."""

    def entries(matrix: Any) -> tuple:
        m = scipy.sparse.coo_matrix(matrix)
        return m.row, m.col, m.data

    both = isinstance(tangent, tuple)
    if damped and not both:
        raise InputError(f"tangent() of {name} must give (−∂f/∂x, −∂f/∂v), as it depends on velocities")
    if both and not damped:
        raise InputError(f"tangent() of {name} gives a second matrix: set depends_on_velocity = True")
    stiffness = _triplets(tangent[0] if both else tangent, size, f"tangent() of {name}")
    turning = (stiffness - stiffness.T) / 2
    largest = abs(stiffness).max() if stiffness.nnz else 0.0
    if not circulatory and turning.nnz and abs(turning).max() > _ASYMMETRY * largest:
        raise InputError(f"−∂f/∂x of {name} is not symmetric: set circulatory = True if that is meant")
    damping = None
    if damped:
        damping = _triplets(tangent[1], size, f"−∂f/∂v of {name}")
        damping = entries((damping + damping.T) / 2)
    return entries((stiffness + stiffness.T) / 2), entries(turning) if circulatory else None, damping


class _Physics:
    """What forces and whole systems have in common: energy, force, tangent, and what the compiled part asks for."""

    #: Whether f depends on velocities. It then has a part with no potential: f(t, x, v) − f(t, x, 0).
    depends_on_velocity = False
    #: Whether f depends on time.
    depends_on_time = False
    #: Whether −∂f/∂x is not symmetric, as of forces that turn with a body.
    circulatory = False

    @property
    def name(self) -> str:
        """What messages call it: the name of the class."""
        return type(self).__name__

    def energy(self, t: float, x: np.ndarray) -> float:
        """Potential energy, J: that of f(t, x, 0)."""
        raise NotImplementedError(f"{self.name} needs energy(t, x)")

    def force(self, t: float, x: np.ndarray, v: np.ndarray) -> np.ndarray:
        """f(t, x, v), N: an array of the shape of x."""
        raise NotImplementedError(f"{self.name} needs force(t, x, v)")

    def tangent(self, t: float, x: np.ndarray, v: np.ndarray) -> Any:
        """−∂f/∂x, dense or sparse, a row for each entry of x; a tuple (−∂f/∂x, −∂f/∂v) where f depends on velocities.

        Of particles, entry 3i + d is direction d of particle i.
        """
        raise NotImplementedError(f"{self.name} needs tangent(t, x, v)")

    # The same with shapes checked.

    def _energy(self, t: float, x: np.ndarray) -> float:
        return float(self.energy(t, x))

    def _force(self, t: float, x: np.ndarray, v: np.ndarray) -> np.ndarray:
        made = np.asarray(self.force(t, x, v), dtype=float)
        if made.shape != x.shape:
            raise InputError(f"force() of {self.name} must give an array of shape {x.shape}, not {made.shape}")
        return made

    def _tangent(self, t: float, x: np.ndarray, v: np.ndarray) -> tuple:
        return _parts(self.name, self.tangent(t, x, v), x.size, self.circulatory, self.depends_on_velocity)


class Force(_Physics):
    """A force on particles: derive from it, and add objects of the class to scenes and systems.

    Methods see all particles in the order in which they were given, as arrays of n rows; `x` and `v` may be kept, but
    changes to them have no effect. Attributes of the class say what the force depends on.
    """

    #: Whether inner forces alone: then the angular momentum of a free body is watched.
    keeps_angular_momentum = False

    def pairs(self) -> Sequence | None:
        """Pairs of particles that the force couples, a row each; an empty list where it acts on each alone.

        None, which is the default, couples all with all: for small systems.
        """
        return None

    def _pairs(self, particles: int) -> np.ndarray:
        pairs = self.pairs()
        if pairs is not None:
            return np.asarray(pairs, dtype=np.int32).reshape(-1, 2)
        if particles > _MOST_DENSE:
            raise InputError(f"{self.name} needs pairs(): {particles} particles are too many to couple all with all")
        return np.argwhere(np.triu(np.ones((particles, particles), dtype=bool), 1)).astype(np.int32)


class Equations(_Physics):
    """A whole system M x'' = f(t, x, x') with any unknowns: derive from it, and simulate objects of the class."""

    #: How many unknowns there are: to be set by the class or its __init__.
    unknowns: int = 0
    #: M: one mass for all, one for each unknown, or a symmetric positive definite matrix, dense or sparse.
    mass: Any = 1.0
    #: Whether nothing feeds the motion: its energy can only be kept or lost, unless f depends on time.
    passive = True

    def pattern(self) -> Any:
        """A matrix whose entries that are not zero are those that the tangent, or the mass, may have.

        None, which is the default, is a full matrix: for small systems.
        """
        return None

    def _pattern(self) -> tuple:
        pattern = self.pattern()
        if pattern is None:
            if self.unknowns > 3 * _MOST_DENSE:
                raise InputError(f"{self.name} needs pattern(): {self.unknowns} unknowns are too many for a full matrix")
            pattern = np.ones((self.unknowns, self.unknowns))
        made = _triplets(pattern, self.unknowns, f"pattern() of {self.name}")
        return made.row, made.col

    def _mass(self) -> tuple:
        if scipy.sparse.issparse(self.mass) or np.ndim(self.mass) == 2:
            made = _triplets(self.mass, self.unknowns, f"mass of {self.name}")
            return False, (made.row, made.col, made.data)
        try:
            return True, np.broadcast_to(np.asarray(self.mass, dtype=float), (self.unknowns,)).copy()
        except ValueError:
            raise InputError(f"mass of {self.name} must be one number, or one for each unknown") from None


def _mismatch(difference: Any, expected: np.ndarray, sizes: Sequence[float], scale: float = 0.0) -> float:
    """Of a central difference and what it should be, relative, at the step size at which they agree best."""
    best = np.inf
    for h in sizes:
        found = np.atleast_1d(difference(h))
        largest = max(scale, np.linalg.norm(expected), np.linalg.norm(found))
        best = min(best, 0.0 if largest == 0 else np.linalg.norm(found - expected) / largest)
    return float(best)


def _check_at(system: _core.System, t: float, x: np.ndarray, v: np.ndarray, displacement: float,
              random: np.random.Generator) -> dict:
    dx, dv = random.standard_normal(x.size), random.standard_normal(x.size)
    sizes = [max(1.0, np.abs(x).max()) * 10.0**-k for k in range(2, 8)]
    still = np.zeros_like(v)
    tangent = system.tangent(t, x, v)
    K = tangent["stiffness"] @ dx + (0 if tangent["circulatory"] is None else tangent["circulatory"] @ dx)
    C = still if tangent["damping"] is None else tangent["damping"] @ dv
    return {
        # Where a force vanishes, what it is at a displacement says how large it is.
        "force": _mismatch(
            lambda h: (system.potential_energy(t, x - h * dx) - system.potential_energy(t, x + h * dx)) / (2 * h),
            np.atleast_1d(system.force(t, x, still) @ dx), sizes, displacement * abs(dx @ K)),
        "tangent": _mismatch(
            lambda h: (system.force(t, x - h * dx, v) - system.force(t, x + h * dx, v)) / (2 * h), K, sizes),
        "damping": _mismatch(
            lambda h: (system.force(t, x, v - h * dv) - system.force(t, x, v + h * dv)) / (2 * h), C, sizes),
    }


def check(
    physics: Force | Equations | _core.System,
    x: Any = None,
    v: Any = None,
    *,
    t: float = 0.0,
    displacement: float = 0.1,
    states: int = 5,
    tolerance: float = 1e-5,
    seed: int = 1,
) -> dict:
    """Checks by finite differences that force = −∇energy, tangent = −∂f/∂x and damping = −∂f/∂v.

    At `x` and `v` and at random states around them, off by about `displacement` (and as much per second). Of a Force,
    `x` has n rows; of a ParticleSystem it may be left out. Returns the largest relative mismatches, a dictionary of
    `force`, `tangent` and `damping`; raises InputError where one is above the tolerance.
    """
    if isinstance(physics, Force):
        if x is None:
            raise InputError("check of a Force needs the positions x of some particles, n rows")
        rows = np.asarray(x, dtype=float).reshape(-1, 3)
        system: _core.System = _core.ParticleSystem(
            rows, np.ones(len(rows)), np.zeros_like(rows), [False] * len(rows), [physics])
    else:
        system = _core.own_system(physics)
    if x is None and isinstance(system, _core.ParticleSystem):
        x = system.initial_state().x
    if x is None:
        raise InputError("check needs x, the unknowns at which to look")
    at = np.asarray(x, dtype=float).ravel()
    rate = np.zeros_like(at) if v is None else np.asarray(v, dtype=float).ravel()
    if at.size != system.unknowns or rate.size != system.unknowns:
        raise InputError(f"x and v need {system.unknowns} entries each")
    random = np.random.default_rng(seed)
    worst = {"force": 0.0, "tangent": 0.0, "damping": 0.0}
    for k in range(states):
        off = 0.0 if k == 0 else displacement
        found = _check_at(system, t, at + off * random.standard_normal(at.size),
                          rate + displacement * random.standard_normal(at.size), displacement, random)
        worst = {name: max(worst[name], found[name]) for name in worst}
    meanings = {"force": "force(t, x, 0) is not −∇energy", "tangent": "tangent() is not −∂f/∂x",
                "damping": "−∂f/∂v is not what tangent() says"}
    for name, value in worst.items():
        if not value <= tolerance:
            raise InputError(f"{meanings[name]}: they differ by {value:.1e}, relative")
    return worst
