"""Forces and systems written in Python."""

import gc
import threading
import weakref

import numpy as np
import pytest
import scipy.sparse

import stiffly
from conftest import net, same_bits


class Springs(stiffly.Force):
    """Linear springs, written down once more."""

    def __init__(self, ends, stiffness, lengths, damping=0.0):
        self.ends, self.stiffness, self.lengths, self.damping = np.asarray(ends), stiffness, lengths, damping
        self.depends_on_velocity = self.circulatory = damping > 0

    def pairs(self):
        return self.ends

    def _directions(self, x):
        d = x[self.ends[:, 1]] - x[self.ends[:, 0]]
        length = np.linalg.norm(d, axis=1)
        return d / length[:, None], length

    def energy(self, t, x):
        return 0.5 * np.sum(self.stiffness * (self._directions(x)[1] - self.lengths) ** 2)

    def force(self, t, x, v):
        n, length = self._directions(x)
        speed = np.sum(n * (v[self.ends[:, 1]] - v[self.ends[:, 0]]), axis=1)
        pull = (self.stiffness * (length - self.lengths) + self.damping * speed)[:, None] * n
        out = np.zeros_like(x)
        np.add.at(out, self.ends[:, 0], pull)
        np.add.at(out, self.ends[:, 1], -pull)
        return out

    def tangent(self, t, x, v):
        n, length = self._directions(x)
        K, C = np.zeros((x.size, x.size)), np.zeros((x.size, x.size))
        for s, (i, j) in enumerate(self.ends):
            across = (np.eye(3) - np.outer(n[s], n[s])) / length[s]
            dv = v[j] - v[i]
            tension = self.stiffness[s] * (length[s] - self.lengths[s]) + self.damping * n[s] @ dv
            block = self.stiffness[s] * np.outer(n[s], n[s]) + tension * across
            block += self.damping * np.outer(n[s], across @ dv)
            for a, b, sign in ((i, i, 1), (j, j, 1), (i, j, -1), (j, i, -1)):
                K[3 * a : 3 * a + 3, 3 * b : 3 * b + 3] += sign * block
                C[3 * a : 3 * a + 3, 3 * b : 3 * b + 3] += sign * self.damping * np.outer(n[s], n[s])
        return (K, C) if self.damping else K


def springs_of(tables: dict, damping: float = 0.0) -> Springs:
    x, springs = tables["particles"]["position"], tables["springs"]
    ends = springs["ends"]
    return Springs(ends, springs["stiffness"], np.linalg.norm(x[ends[:, 1]] - x[ends[:, 0]], axis=1), damping)


@pytest.mark.parametrize("damping", [0.0, 0.731])
def test_check_passes_what_is_right(damping):
    tables = net()
    found = stiffly.check(springs_of(tables, damping), tables["particles"]["position"], displacement=0.05)
    assert set(found) == {"force", "tangent", "damping"} and max(found.values()) < 1e-7
    assert (found["damping"] > 0) == (damping > 0)


def test_check_takes_systems_of_the_library():
    assert max(stiffly.check(stiffly.scene({"duration": 1}, **net()).system, displacement=0.05).values()) < 1e-7


@pytest.mark.parametrize("method, message", [
    ("energy", "not −∇energy"), ("force", "not −∇energy"), ("tangent", "not −∂f/∂x"), ("damping", "not what tangent"),
])
def test_check_finds_mistakes(method, message):
    tables = net()
    wrong = springs_of(tables, 0.731)
    right = getattr(wrong, "tangent" if method == "damping" else method)
    if method == "damping":
        wrong.tangent = lambda t, x, v: (right(t, x, v)[0], 1.001 * right(t, x, v)[1])
    elif method == "tangent":
        wrong.tangent = lambda t, x, v: (1.001 * right(t, x, v)[0], right(t, x, v)[1])
    else:
        setattr(wrong, method, lambda *state: 1.001 * right(*state))
    with pytest.raises(stiffly.InputError, match=message):
        stiffly.check(wrong, tables["particles"]["position"], displacement=0.05)


# The two formulations of a step agree to the accuracy of their iterations and evaluations. What averages the forces of
# elements over a step, which a force in Python does not have, takes the middle instead: another method of its order.
AVERAGING = [m["name"] for m in stiffly.integrators() if m["name"].startswith("energy-")]


@pytest.mark.parametrize("method", [m["name"] for m in stiffly.integrators()])
def test_a_force_in_python_runs_under_every_integrator(method):
    tables = net(11)
    tables["springs"]["damping"] = 0.0
    force = springs_of(tables)
    stiffly.check(force, tables["particles"]["position"], displacement=0.05)
    simulation = {"duration": 0.0231, "step": 0.00071, "integrator": method, "gravity": [0.3, 0, -9.81],
                  "phi_tolerance": 1e-11, "newton_tolerance": 1e-12}
    compiled = stiffly.run(stiffly.scene(simulation, **tables))
    own = stiffly.run(stiffly.scene(simulation, particles=tables["particles"], forces=[force]))
    moved = np.abs(compiled.positions - tables["particles"]["position"]).max()
    assert own.report["steps"] == compiled.report["steps"] == 33 and moved > 0.003
    allowed = 1e-3 if method in AVERAGING or method == "auto" else 1e-8
    assert np.abs(own.positions - compiled.positions).max() < allowed * moved


@pytest.mark.parametrize("method", ["exprb42", "ros3pl", "dopri5"])
def test_damping_in_python(tmp_path, method):
    tables = net(11)
    tables["springs"]["damping"] = 0.317
    simulation = {"duration": 0.0531, "tolerance": 1e-4, "integrator": method}
    compiled = stiffly.run(stiffly.scene(simulation, **tables), tmp_path / "compiled")
    forces = [springs_of(tables, 0.317)]
    own = stiffly.run(stiffly.scene(simulation, particles=tables["particles"], forces=forces), tmp_path / "own")
    assert np.allclose(own.positions, compiled.positions, atol=3e-5)
    losses = [sum(r.report["energy"]["dissipated"].values()) for r in (own, compiled)]
    assert losses[0] == pytest.approx(losses[1], rel=1e-3) and losses[0] > 0


class Pendulum(stiffly.Equations):
    """x = angle of a mathematical pendulum of length l: l² x'' = −g l sin x."""

    unknowns = 1

    def __init__(self, length=0.731, g=9.81):
        self.length, self.g, self.mass = length, g, length**2

    def energy(self, t, x):
        return -self.g * self.length * np.cos(x[0])

    def force(self, t, x, v):
        return -self.g * self.length * np.sin(x)

    def tangent(self, t, x, v):
        return [[self.g * self.length * np.cos(x[0])]]


def test_a_pendulum_has_its_period():
    from scipy.special import ellipk

    pendulum, angle = Pendulum(), 1.9
    assert max(stiffly.check(pendulum, [angle]).values()) < 1e-8
    period = 4 * np.sqrt(pendulum.length / pendulum.g) * ellipk(np.sin(angle / 2) ** 2)
    state, summary = stiffly.simulate(pendulum, stiffly.State([angle], [0.0]), 3 * period, tolerance=1e-7,
                                      integrator="dopri5")
    assert state.time == pytest.approx(3 * period)
    assert abs(state.x[0] - angle) < 1e-4 and abs(state.v[0]) < 1e-3
    assert summary["max_energy_drift"] < 1e-5


@pytest.mark.parametrize("method", [m["name"] for m in stiffly.integrators()])
def test_equations_run_under_every_integrator(method):
    state, _ = stiffly.simulate(Pendulum(), stiffly.State([0.3], [0.1]), 0.2, step=0.0011, integrator=method)
    exact, _ = stiffly.simulate(Pendulum(), stiffly.State([0.3], [0.1]), 0.2, tolerance=1e-10, integrator="dopri5")
    order = next(m["order"] for m in stiffly.integrators() if m["name"] == method)
    assert np.abs(state.y - exact.y).max() < (5e-3 if order == 1 else 5e-5)


class Oscillator(stiffly.Equations):
    """Mx'' + Cx' + Kx = f cos(ωt), M a matrix: its exact solution is known by eigenvectors."""

    depends_on_velocity = depends_on_time = True

    def __init__(self, sparse):
        random = np.random.default_rng(2)
        self.unknowns = 5
        shape = scipy.sparse.csr_matrix if sparse else np.asarray
        root = random.standard_normal((5, 5))
        self.mass = shape(np.diag([1.3, 0.7, 2.1, 0.9, 1.7]) + 0.2)
        self.K, self.C = shape(root @ root.T + 3 * np.eye(5)), shape(0.31 * np.eye(5))
        self.f = random.standard_normal(5)

    def load(self, t):
        return self.f * np.cos(2.3 * t)

    def energy(self, t, x):
        return 0.5 * x @ (self.K @ x) - self.load(t) @ x

    def force(self, t, x, v):
        return self.load(t) - self.K @ x - self.C @ v

    def tangent(self, t, x, v):
        return self.K, self.C


def test_what_feeds_itself_may_grow():
    class Growing(stiffly.Equations):
        unknowns, depends_on_velocity, passive = 1, True, False

        def energy(self, t, x):
            return 0.5 * x @ x

        def force(self, t, x, v):
            return 0.6 * v - x

        def tangent(self, t, x, v):
            return [[1.0]], [[-0.6]]

    state, _ = stiffly.simulate(Growing(), stiffly.State([0.1], [0.03]), 9.7, tolerance=1e-6, integrator="dopri5")
    omega = np.sqrt(1 - 0.09)  # x = 0.1 exp(0.3 t) cos(ωt), as v(0) = 0.03
    assert state.x[0] == pytest.approx(0.1 * np.exp(0.3 * 9.7) * np.cos(omega * 9.7), abs=1e-4)


@pytest.mark.parametrize("sparse", [False, True])
def test_mass_matrices_damping_and_loads(tmp_path, sparse):
    from scipy.linalg import expm

    equations = Oscillator(sparse)
    dense = lambda m: m.toarray() if sparse else m  # noqa: E731
    M, K, C = dense(equations.mass), dense(equations.K), dense(equations.C)
    # (x, v, cos, sin)' is linear with constant coefficients.
    A = np.zeros((12, 12))
    A[:5, 5:10] = np.eye(5)
    A[5:10, :10] = -np.linalg.solve(M, np.hstack([K, C]))
    A[5:10, 10] = np.linalg.solve(M, equations.f)
    A[10, 11], A[11, 10] = -2.3, 2.3
    x, v = np.linspace(-0.3, 0.7, 5), np.linspace(0.9, -0.1, 5)
    exact = (expm(1.37 * A) @ np.concatenate([x, v, [1, 0]]))[:10]
    start = stiffly.State(x, v)
    assert max(stiffly.check(equations, x).values()) < 1e-7
    for method in ("dopri5", "sdirk3", "exprb42"):
        state, _ = stiffly.simulate(equations, start, 1.37, tolerance=1e-7, integrator=method)
        assert np.abs(state.y - exact).max() < 1e-4
    scene = stiffly.scene_of_equations(equations, start, {"duration": 1.37, "tolerance": 1e-7, "integrator": "dopri5"})
    report = stiffly.run(scene, tmp_path / "out").report
    assert report["energy"]["dissipated"]["Oscillator"] > 0
    assert abs(report["energy"]["numerical_error"]) < 1e-4 * abs(report["energy"]["initial"])
    assert np.allclose(stiffly.open_run(tmp_path / "out").final["position"][:, 0], exact[:5], atol=1e-4)


def test_large_systems_have_a_pattern():
    class Chain(stiffly.Equations):
        unknowns = 3000
        mass = 0.01
        K = scipy.sparse.diags([-1, 2, -1], [-1, 0, 1], shape=(3000, 3000), format="csr") * 1e3

        def energy(self, t, x):
            return 0.5 * x @ (self.K @ x)

        def force(self, t, x, v):
            return -(self.K @ x)

        def tangent(self, t, x, v):
            return self.K

    start = stiffly.State(np.sin(np.linspace(0, np.pi, 3002)[1:-1]), np.zeros(3000))
    with pytest.raises(stiffly.InputError, match="pattern"):
        stiffly.simulate(Chain(), start, 0.1, step=0.01)
    Chain.pattern = lambda self: self.K
    state, _ = stiffly.simulate(Chain(), start, 0.1, step=0.0071, integrator="implicit-midpoint")
    omega = 2 * np.sqrt(1e3 / 0.01) * np.sin(np.pi / 3001 / 2)
    assert np.allclose(state.x, start.x * np.cos(0.1 * omega), atol=1e-4)
    Chain.pattern = lambda self: scipy.sparse.identity(3000)
    with pytest.raises(stiffly.InputError, match=r"\(0, 1\)"):
        stiffly.simulate(Chain(), start, 0.1, step=0.01, integrator="bdf2")


def test_mistakes_are_named():
    tables = net()
    x = tables["particles"]["position"]

    def with_change(**change):
        force = springs_of(tables, change.pop("damping", 0.0))
        for name, value in change.items():
            setattr(force, name, value)
        return force

    for force, message in [
        (with_change(force=lambda t, x, v: x[1:]), "shape"),
        (with_change(tangent=lambda t, x, v: np.eye(4)), "27 × 27"),
        (with_change(tangent=lambda t, x, v: np.triu(np.ones((27, 27)))), "not symmetric"),
        (with_change(tangent=lambda t, x, v: (np.eye(27), np.eye(27))), "depends_on_velocity"),
        (with_change(damping=0.1, tangent=lambda t, x, v: np.eye(27)), "−∂f/∂v"),
        (with_change(pairs=lambda: [[0, 9]]), "particle 9"),
        (with_change(pairs=lambda: [[0, 1]]), r"couples particles \d and \d"),
        (stiffly.Force(), None),
    ]:
        with pytest.raises(NotImplementedError if message is None else stiffly.InputError, match=message):
            stiffly.check(force, x)
    with pytest.raises(stiffly.InputError, match="pairs"):
        stiffly.Force()._pairs(10_000)
    with pytest.raises(stiffly.InputError, match="needs the positions"):
        stiffly.check(springs_of(tables))
    with pytest.raises(stiffly.InputError, match="one number"):
        broken = Pendulum()
        broken.mass = [1, 2, 3]
        stiffly.check(broken, [0.1])
    with pytest.raises(stiffly.InputError, match="particles in space"):
        stiffly.load_scene("fput").add_force(springs_of(tables))


def test_angular_momentum_is_watched_where_a_force_keeps_it():
    """A free body that a damping method slows down: a warning says so where the force says that it should not."""
    tables = net()
    tables["particles"] |= {"pinned": False, "velocity": np.cross([0, 0, 3.0], tables["particles"]["position"])}
    warned = []
    for keeps in (False, True):
        force = springs_of(tables)
        force.keeps_angular_momentum = keeps
        scene = stiffly.scene({"duration": 1.3, "step": 0.037, "integrator": "backward-euler"},
                              particles=tables["particles"], forces=[force])
        warned.append(any("angular-momentum-error" in w for w in stiffly.run(scene).report["warnings"]))
    assert warned == [False, True]


def test_exceptions_of_forces_pass():
    force = springs_of(net())
    force.force = lambda t, x, v: 1 / 0
    for method in ("verlet", "exprb42", "auto"):
        scene = stiffly.scene({"duration": 1, "tolerance": 1e-3, "integrator": method},
                              particles=net()["particles"], forces=[force])
        with pytest.raises(ZeroDivisionError):
            stiffly.run(scene)


def test_objects_live_as_long_as_needed_and_no_longer():
    force = springs_of(net())
    seen = weakref.ref(force)
    scene = stiffly.scene({"duration": 0.01, "step": 0.003, "integrator": "verlet"}, particles=net()["particles"], forces=[force])
    system, start = scene.system, scene.start
    del force, scene
    gc.collect()
    assert np.isfinite(system.force(0, start.x, start.v)).all()  # the system keeps the scene, and that the force
    del system
    gc.collect()
    assert seen() is None


def test_one_thread_at_a_time():
    scene = stiffly.scene({"duration": 1}, **net())
    system, start = scene.system, scene.start
    refused = []

    def elsewhere():
        try:
            system.energy(start)
        except stiffly.InputError as error:
            refused.append(str(error))

    def callback(state, summary):
        assert np.isfinite(system.energy(state))  # here it may
        if summary["steps"] == 2:
            other = threading.Thread(target=elsewhere)
            other.start()
            other.join()

    stiffly.simulate(system, start, 0.01, step=0.0031, integrator="verlet", callback=callback)
    assert len(refused) == 1 and "another thread" in refused[0]
    assert np.isfinite(system.energy(start))


def test_threads_run_side_by_side():
    results = [None] * 4

    def work(k):
        results[k] = stiffly.run(stiffly.scene({"duration": 0.3, "step": 0.0031, "integrator": "exprb42"}, **net())).state.y

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(same_bits(results[0], result) for result in results)
