"""Any system through time."""

from __future__ import annotations

from typing import Any, Callable, Iterator

from . import _core
from ._core import State


def simulate(
    system: Any,
    start: State,
    duration: float,
    *,
    step: float = 0.0,
    tolerance: float = 0.0,
    integrator: str = "auto",
    callback: Callable[[State, dict], Any] | None = None,
    **options: Any,
) -> tuple[State, dict]:
    """Simulates a System, or Equations, from a state on, and returns the last state and a summary.

    Give one of `step` (constant steps, s) and `tolerance` (steps are chosen for it). `callback(state, summary)` is
    called at the start and after every step with a state that may be kept; returning False ends the simulation.
    Further options: evaluator, phi_tolerance, phi_norm, reformulation, newton, linear_solver, newton_tolerance,
    largest_angle. Raises BlowUp and other SimulationErrors where it cannot go on.
    """
    return _core.simulate(system, start, integrator, duration, step, tolerance, callback, options)


class Stepper(_core._Stepper):
    """A system that goes through time one step at a time.

    Iterating over it makes steps to the end::

        for made in stiffly.Stepper(system, start, 1.0, tolerance=1e-3):
            print(made.h)
    """

    def __init__(
        self,
        system: Any,
        start: State,
        duration: float,
        *,
        step: float = 0.0,
        tolerance: float = 0.0,
        integrator: str = "auto",
        **options: Any,
    ) -> None:
        """The arguments are those of `simulate`."""
        super().__init__(system, start, integrator, duration, step, tolerance, options)

    def __iter__(self) -> Iterator[_core.StepRecord]:
        """Makes the steps up to the end."""
        while not self.done:
            yield self.advance()
