"""φ-functions against SciPy."""

import inspect
from math import factorial

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse
import scipy.sparse.linalg

import stiffly

UNIT = np.finfo(float).eps


def dense_phi(k: int, A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """φ_k(A) b from scipy's exponential of the augmented matrix [[A, b e_1ᵀ], [0, N]]."""
    n = len(b)
    if k == 0:
        return scipy.linalg.expm(A) @ b
    W = np.zeros((n + k, n + k), dtype=np.result_type(A, b))
    W[:n, :n] = A
    W[:n, n] = b
    W[n:, n:] = np.eye(k, k, 1)
    return scipy.linalg.expm(W)[:n, -1]


def relative(found: np.ndarray, expected: np.ndarray) -> float:
    return float(np.linalg.norm(found - expected) / np.linalg.norm(expected))


def random_matrix(seed: int):
    """Of all kinds: sizes, densities, norms, symmetric, skew, far from normal; with what its exponential may lose."""
    random = np.random.default_rng(seed)
    n = int(random.integers(2, 170))
    A = scipy.sparse.random(n, n, density=random.uniform(0.02, 0.6), random_state=seed, data_rvs=random.standard_normal)
    kind = seed % 4
    if kind == 1:
        A = -(A @ A.T)  # semidefinite: decay
    elif kind == 2:
        A = A - A.T  # skew: oscillation
    elif kind == 3:
        A = scipy.sparse.triu(A)  # far from normal
    norm = scipy.sparse.linalg.norm(A, 1) or 1.0
    A = A * (10.0 ** random.uniform(-2, 1.5) / norm)
    return A.tocsr(), random.standard_normal(n), random


@pytest.mark.parametrize("seed", range(100))
def test_random_matrices(seed):
    A, b, random = random_matrix(seed)
    k, tolerance = seed % 5, 10.0 ** -random.uniform(4, 11)
    t = random.choice([-1.0, 1.0]) * random.uniform(0.3, 1.7)
    expected = dense_phi(k, t * A.toarray(), b)
    bound = tolerance + 1e3 * UNIT * max(1.0, scipy.linalg.norm(scipy.linalg.expm(abs(t) * abs(A.toarray())), 1)
                                         * np.linalg.norm(b) / np.linalg.norm(expected))
    for form in (A, A.toarray(), A.tocsc(), scipy.sparse.linalg.aslinearoperator(A)):
        assert relative(stiffly.phi(k, form, b, t, tolerance=tolerance), expected) <= bound


@pytest.mark.parametrize("evaluator", [e["name"] for e in stiffly.evaluators()])
def test_every_evaluator(evaluator):
    n = 90
    A = 40.0 * scipy.sparse.diags([-1.0, 1.0], [-1, 1], shape=(n, n))  # skew: all of them take it
    b = np.random.default_rng(5).standard_normal(n)
    value, report = stiffly.phi(1, A, b, 0.73, tolerance=1e-7, evaluator=evaluator, report=True)
    assert relative(value, dense_phi(1, 0.73 * A.toarray(), b)) <= 1e-7
    assert report["evaluator"] and report["products"] + report["solves"] > 0
    assert evaluator == "auto" or evaluator in report["evaluator"]


def test_stiff_matrices_are_solved_with():
    n = 400
    A = -3.1e5 * scipy.sparse.diags([-1, 2, -1], [-1, 0, 1], shape=(n, n))
    b = np.sin(np.linspace(0, 3, n))
    value, report = stiffly.phi(1, A, b, tolerance=1e-6, evaluator="rational", report=True)
    assert relative(value, dense_phi(1, A.toarray(), b)) <= 1e-6
    assert 0 < report["solves"] < 100


def test_combinations_and_times():
    A, _, random = random_matrix(12)
    n = A.shape[0]
    b = [random.standard_normal(n), None, random.standard_normal(n), random.standard_normal(n)]
    times = [0.71, -0.37, 0.0, 1.3, 0.71]
    values = stiffly.phi_combination(A, b, times, tolerance=1e-9)
    for t, value in zip(times, values):
        expected = sum(t**j * dense_phi(j, t * A.toarray(), v) for j, v in enumerate(b) if v is not None)
        assert relative(value, expected) <= 1e-8
    assert stiffly.phi_combination(A, b, 0.71).shape == (n,)


def test_columns_complex_and_zero_time():
    A, _, random = random_matrix(9)
    n = A.shape[0]
    B = random.standard_normal((n, 3)) + 1j * random.standard_normal((n, 3))
    C = A + 0.3j * scipy.sparse.identity(n)
    for matrix in (A, C):
        made = stiffly.phi(2, matrix, B, tolerance=1e-9)
        operator = stiffly.phi(2, scipy.sparse.linalg.aslinearoperator(matrix), B[:, 0], tolerance=1e-9)
        for column in range(3):
            assert relative(made[:, column], dense_phi(2, matrix.toarray(), B[:, column])) <= 1e-8
        assert relative(operator, made[:, 0]) <= 1e-8
    assert np.allclose(stiffly.phi(3, A, B, 0), B / factorial(3))


def test_expm_multiply_has_scipys_signature():
    ours = list(inspect.signature(stiffly.expm_multiply).parameters.values())
    theirs = list(inspect.signature(scipy.sparse.linalg.expm_multiply).parameters.values())
    assert [(p.name, p.default) for p in ours[: len(theirs)]] == [(p.name, p.default) for p in theirs]


@pytest.mark.parametrize("arguments", [
    {}, {"traceA": 0.0}, {"start": 0.0, "stop": 1.3, "num": 7}, {"start": 0.31, "stop": 1.7, "num": 5, "endpoint": True},
    {"start": 0.0, "stop": 2.0, "num": 4, "endpoint": False}, {"start": 0.1, "stop": 0.9},
])
@pytest.mark.parametrize("columns", [0, 2])
def test_expm_multiply_against_scipy(arguments, columns):
    A, b, random = random_matrix(8)
    B = random.standard_normal((len(b), columns)) if columns else b
    expected = scipy.sparse.linalg.expm_multiply(A, B, **arguments)
    found = stiffly.expm_multiply(A, B, **arguments)
    assert found.shape == expected.shape
    assert relative(found, expected) <= 1e-11


def test_mistakes_are_named():
    A, b, _ = random_matrix(4)
    n = len(b)
    for call, message in [
        (lambda: stiffly.phi(-1, A, b), "k must be"),
        (lambda: stiffly.phi(1, A[:-1], b), "square"),
        (lambda: stiffly.phi(1, A, b[1:]), f"{n} rows"),
        (lambda: stiffly.phi(1, A, b, tolerance=-1), "tolerance"),
        (lambda: stiffly.phi(1, A, b, np.nan), "finite"),
        (lambda: stiffly.phi(1, A, b, 1j), "must be real"),
        (lambda: stiffly.phi(1, A * np.nan, b), "finite"),
        (lambda: stiffly.phi(1, A, b, evaluator="krylof"), "krylof"),
        (lambda: stiffly.phi_combination(A, [None]), "at least one"),
        (lambda: stiffly.phi_combination(A, [b, b[1:]]), f"{n} entries"),
        (lambda: stiffly.expm_multiply(A, b, start=0.0), "together"),
    ]:
        with pytest.raises(stiffly.InputError, match=message):
            call()
    with pytest.raises(stiffly.PhiRefusal):
        stiffly.phi(1, A, b, tolerance=1e-30)
    with pytest.raises(stiffly.PhiRefusal, match="finite"):
        stiffly.phi(1, A, b * np.inf)


def test_exceptions_of_a_product_pass():
    def fail(x):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        stiffly.phi(1, scipy.sparse.linalg.LinearOperator((5, 5), matvec=fail, dtype=float), np.ones(5))
