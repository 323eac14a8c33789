"""States, integrators and steppers."""

import gc

import numpy as np
import pytest

import stiffly
from conftest import net, same_bits


def test_states_are_views_of_their_memory():
    state = stiffly.State([1.0, 2.0, 3.0], [4.0, 5.0, 6.0], time=0.25)
    assert state.unknowns == 3 and state.time == 0.25
    assert np.shares_memory(state.x, state.y) and np.shares_memory(state.v, state.y)
    assert state.x.ctypes.data == state.x.ctypes.data  # the same each time
    state.x[1] = 7.5
    assert state.y.tolist() == [1, 7.5, 3, 4, 5, 6]
    other = state.copy()
    other.x[:] = 0
    assert state.x.tolist() == [1, 7.5, 3]
    with pytest.raises(stiffly.InputError, match="v has 1 entries"):
        stiffly.State([1.0, 2.0], [3.0])


def test_views_outlive_their_states():
    views = []
    for k in range(50):
        views.append(stiffly.State(np.full(10_000, float(k)), np.zeros(10_000)).x)
    gc.collect()
    assert all((view == k).all() for k, view in enumerate(views))


def test_states_of_callbacks_may_be_kept():
    kept = []
    scene = stiffly.scene({"duration": 1}, **net())
    stiffly.simulate(scene.system, scene.start, 0.05, step=0.0031, integrator="verlet",
                     callback=lambda state, summary: kept.append((state, state.x, state.x.copy())))
    gc.collect()
    assert len(kept) == 18  # the start and 17 steps
    assert all(same_bits(view, copy) for _, view, copy in kept)
    assert len({copy.tobytes() for _, _, copy in kept}) == 18


def test_integrators_step_as_simulations_do():
    scene = stiffly.scene({"duration": 1}, **net())
    for method in ("verlet", "exprb42", "backward-euler"):
        integrator = stiffly.Integrator(method, scene.system, scene.start)
        assert integrator.name == method and integrator.order in (1, 2, 4) and integrator.system is scene.system
        state = scene.start
        for _ in range(10):
            made = integrator.step(state, 0.0031)
            assert isinstance(made, stiffly.Step) and made.error is None
            state = made.state
        whole, summary = stiffly.simulate(scene.system, scene.start, 0.031, step=0.0031, integrator=method)
        assert summary["steps"] == 10
        assert np.allclose(state.y, whole.y, rtol=0, atol=1e-9)


def test_error_estimates_and_costs():
    scene = stiffly.scene({"duration": 1}, **net())
    integrator = stiffly.Integrator("exprb42", scene.system, scene.start, {"phi_tolerance": 1e-10})
    made = integrator.step(scene.start, 0.0031, want_error=True)
    assert made.error.shape == scene.start.y.shape and 0 < np.linalg.norm(made.error) < 1e-2
    assert made.phi["products"] > 0
    integrator.start(scene.start)
    assert np.allclose(integrator.step(scene.start, 0.0031).state.y, made.state.y, atol=1e-9)
    state = made.state
    del made, integrator
    gc.collect()
    assert np.isfinite(state.y).all()  # it keeps what it is part of


def test_steppers_step():
    scene = stiffly.scene({"duration": 1}, **net())
    stepper = stiffly.Stepper(scene.system, scene.start, 0.05, tolerance=1e-5, integrator="dopri5")
    assert stepper.time == 0 and not stepper.done and stepper.integrator == "dopri5"
    first = stepper.advance()
    assert isinstance(first, stiffly.StepRecord) and first.h == stepper.time > 0 and first.rejected >= 0
    assert first.phi["products"] == 0
    halfway = stepper.within([first.h / 2])[0]
    assert halfway.time == first.h / 2
    state = stepper.state
    lengths = [first.h] + [made.h for made in stepper]
    assert stepper.done and sum(lengths) == pytest.approx(0.05) and stepper.time == pytest.approx(0.05)
    assert state.time == first.h  # it was a copy
    assert stepper.counters["force"] >= 6 * len(lengths)
    assert stepper.energy == pytest.approx(scene.system.energy(stepper.state))
    assert stepper.system is scene.system
    whole, _ = stiffly.simulate(scene.system, scene.start, 0.05, tolerance=1e-5, integrator="dopri5")
    assert same_bits(whole.y, stepper.state.y)


def test_order_of_steps_in_python():
    """The error of a fourth-order method falls by sixteen as the step halves: steps are what they say."""
    scene = stiffly.scene({"duration": 1}, **net())
    exact, _ = stiffly.simulate(scene.system, scene.start, 0.0713, tolerance=1e-11, integrator="dopri5")
    errors = []
    for steps in (9, 18, 36):
        integrator, state = stiffly.Integrator("rk4", scene.system, scene.start), scene.start
        for _ in range(steps):
            state = integrator.step(state, 0.0713 / steps).state
        errors.append(np.linalg.norm(state.y - exact.y))
    slopes = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(np.abs(slopes - 4) < 0.35)


def test_systems_tell_what_they_are():
    tables = net()
    system, start = stiffly.particle_system(**tables, simulation={"gravity": [0, 0, -1.7]})
    masses = np.repeat(tables["particles"]["mass"][2:], 3)
    assert isinstance(system, stiffly.System) and isinstance(system, stiffly.ParticleSystem)
    assert system.unknowns == 21 and system.order.tolist() == [2, 3, 4, 5, 6, 7, 8, 0, 1]
    assert np.allclose(system.apply_mass(start.x), masses * start.x)
    assert system.kinetic_energy(start.v) == pytest.approx(0.5 * np.sum(masses * start.v**2))
    assert system.energy(start) == pytest.approx(system.kinetic_energy(start.v) + system.potential_energy(0, start.x))
    f = system.force(0, start.x, start.v)
    assert np.allclose(system.rate(start), np.concatenate([start.v, f / masses]))
    tangent = system.tangent(0, start.x, start.v)
    assert tangent["stiffness"].shape == (21, 21) and tangent["damping"].shape == (21, 21)
    assert system.autonomous and not system.conservative and system.dissipators == ["springs"]
    assert "particle 2" in system.describe(0)
    assert system.counters["force"] >= 2
    assert same_bits(system.initial_state().y, start.y)
    assert same_bits(system.positions(start), tables["particles"]["position"])
    assert same_bits(system.velocities(start), tables["particles"]["velocity"])


def test_mistakes_are_named():
    scene = stiffly.scene({"duration": 1}, **net())
    system, start = scene.system, scene.start
    small = stiffly.State([0.0], [0.0])
    for call, message in [
        (lambda: stiffly.simulate(system, start, 1), "give one of"),
        (lambda: stiffly.simulate(system, start, 1, step=0.1, tolerance=0.1), "give one of"),
        (lambda: stiffly.simulate(system, start, 1, step=0.1, integrator="rk5"), "rk"),
        (lambda: stiffly.simulate(system, start, 1, step=0.1, evalator="auto"), "unknown option.*evalator"),
        (lambda: stiffly.simulate(system, start, 1, step=0.1, phi_norm="max"), "phi_norm"),
        (lambda: stiffly.simulate(system, start, 1, step=0.1, phi_tolerance="x"), "phi_tolerance"),
        (lambda: stiffly.simulate(system, small, 1, step=0.1), "unknowns"),
        (lambda: stiffly.Stepper(system, small, 1, step=0.1), "unknowns"),
        (lambda: stiffly.Integrator("verlet", system, start).step(start, -1.0), "positive"),
        (lambda: stiffly.Integrator("verlet", system, start).step(small, 0.1), "unknowns"),
        (lambda: stiffly.Integrator("verlet", system, small), "unknowns"),
        (lambda: system.force(0, start.x[1:], start.v), "x has 20 entries"),
        (lambda: system.energy(small), "unknowns"),
        (lambda: system.describe(99), "99"),
        (lambda: scene.positions(small), "unknowns"),
    ]:
        with pytest.raises(stiffly.InputError, match=message):
            call()
    with pytest.raises(stiffly.BlowUp) as caught:
        stiffly.simulate(system, start, 10, step=0.9, integrator="rk4")
    assert isinstance(caught.value, stiffly.SimulationError) and isinstance(caught.value, stiffly.Error)


def test_exceptions_are_those_of_the_library():
    assert issubclass(stiffly.InputError, (stiffly.Error, ValueError)) and issubclass(stiffly.InputError, ValueError)
    assert issubclass(stiffly.FileError, stiffly.Error) and issubclass(stiffly.FileError, OSError)
    for kind in (stiffly.BlowUp, stiffly.PhiRefusal, stiffly.NotPositiveDefinite):
        assert issubclass(kind, stiffly.SimulationError)
    assert issubclass(stiffly.OutOfTime, stiffly.Error) and not issubclass(stiffly.OutOfTime, stiffly.SimulationError)


def test_registries_and_threads():
    names = [m["name"] for m in stiffly.integrators()]
    assert "exprb42" in names and "auto" in names and len(set(names)) == len(names)
    assert all(m["order"] is None if m["automatic"] else m["order"] >= 1 for m in stiffly.integrators())
    assert {"springs", "gravity"} <= {f["name"] for f in stiffly.forces()}
    before = stiffly.thread_count()
    stiffly.set_thread_count(1)
    assert stiffly.thread_count() == 1
    stiffly.set_thread_count(before)
    with pytest.raises(stiffly.InputError):
        stiffly.set_thread_count(0)
