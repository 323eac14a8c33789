"""φ-functions of matrices times vectors: φ_0(z) = e^z, φ_{k+1}(z) = (φ_k(z) − 1/k!)/z."""

from __future__ import annotations

from math import factorial
from typing import Any, Sequence

import numpy as np
import scipy.sparse
import scipy.sparse.linalg

from . import _core
from ._core import InputError

#: Unit round-off, times some: the tolerance where nobody says one.
_TOLERANCE = 1e-12


class _Matrix:
    """A real square matrix, times a sign, as the evaluators take it."""

    def __init__(self, A: Any, sign: float = 1.0) -> None:
        self.sparse = None
        if isinstance(A, scipy.sparse.linalg.LinearOperator):
            self.operator = A if sign > 0 else -A
        else:
            self.sparse = scipy.sparse.csr_matrix(A, dtype=float) * sign
            if not np.isfinite(self.sparse.data).all():
                raise InputError("the matrix has entries that are not finite")

    def apply(self) -> Any:
        if self.sparse is None:
            return self.operator.matvec
        return self.sparse.indptr, self.sparse.indices, self.sparse.data

    def shifted_inverse(self, sigma: float) -> Any:
        """A function that solves with I − σA, or None where that is singular."""
        shifted = scipy.sparse.identity(self.sparse.shape[0], format="csc") - sigma * self.sparse.tocsc()
        try:
            return scipy.sparse.linalg.splu(shifted).solve
        except RuntimeError:
            return None

    def known(self) -> dict:
        if self.sparse is None:
            return {"skew": False, "spectral_bound": None, "shifted_inverse": None}
        absolute = abs(self.sparse)
        bound = min(absolute.sum(axis=0).max(), absolute.sum(axis=1).max()) if self.sparse.nnz else 0.0
        return {"skew": (self.sparse + self.sparse.T).count_nonzero() == 0, "spectral_bound": float(bound),
                "shifted_inverse": self.shifted_inverse}


def _size_of(A: Any) -> int:
    shape = np.shape(A) if not hasattr(A, "shape") else A.shape
    if len(shape) != 2 or shape[0] != shape[1]:
        raise InputError(f"the matrix must be square, not of shape {tuple(shape)}")
    return int(shape[0])


def _is_complex(A: Any) -> bool:
    return np.issubdtype(getattr(A, "dtype", None) or np.asarray(A).dtype, np.complexfloating)


def _as_real(A: Any) -> Any:
    """The matrix [[Re A, −Im A], [Im A, Re A]], which does to (Re x, Im x) what A does to x."""
    if isinstance(A, scipy.sparse.linalg.LinearOperator):
        n = A.shape[0]

        def product(x: np.ndarray) -> np.ndarray:
            y = A.matvec(x[:n] + 1j * x[n:])
            return np.concatenate([y.real, y.imag])

        return scipy.sparse.linalg.LinearOperator((2 * n, 2 * n), matvec=product, dtype=float)
    A = scipy.sparse.csr_matrix(A)
    return scipy.sparse.bmat([[A.real, -A.imag], [A.imag, A.real]], format="csr")


def _real_combination(A: Any, n: int, b: list, times: np.ndarray, tolerance: float, evaluator: str) -> tuple:
    """Σ_j t^j φ_j(tA) b_j at rising positive times for the operator ±A."""
    matrix = _Matrix(A)
    last = float(times[-1])
    # w(c) = Σ c^j φ_j(chA) b_j with t = ch: b_j h^j for t^j.
    vectors = [None if v is None else v * last**j for j, v in enumerate(b)]
    nodes = [float(t) / last for t in times[:-1]] + [1.0]
    return _core.phi_combination(matrix.apply(), n, matrix.known(), last, vectors, nodes, tolerance, 0.0, evaluator)


def phi_combination(
    A: Any,
    b: Sequence[Any],
    times: Any = 1.0,
    *,
    tolerance: float = _TOLERANCE,
    evaluator: str = "auto",
    report: bool = False,
) -> Any:
    """Σ_j t^j φ_j(tA) b_j: the solution at t of u' = Au + b_1 + t b_2 + t²/2! b_3 + …, u(0) = b_0.

    A is a square array, a SciPy sparse matrix or a LinearOperator, real or complex; `b` is a list of vectors, None for
    a zero one; `times` is one time or several, of any sign, and the result has a row for each of several. The error of
    each result is at most `tolerance` times its norm, or the evaluator refuses (PhiRefusal). With `report`, returns
    also a dictionary of what it cost.
    """
    n = _size_of(A)
    given = [None if v is None else np.asarray(v) for v in b]
    if not given or all(v is None for v in given):
        raise InputError("b needs at least one vector")
    for v in given:
        if v is not None and v.shape != (n,):
            raise InputError(f"vectors must have {n} entries, not the shape {v.shape}")
    if _is_complex(A) or any(v is not None and _is_complex(v) for v in given):
        stacked = [None if v is None else np.concatenate([v.real, v.imag]).astype(float) for v in given]
        made, cost = phi_combination(_as_real(A), stacked, times, tolerance=tolerance, evaluator=evaluator, report=True)
        out = made[..., :n] + 1j * made[..., n:]
        return (out, cost) if report else out
    vectors = [None if v is None else v.astype(float) for v in given]
    if np.iscomplexobj(times):
        raise InputError("times must be real: what is complex belongs into the matrix")
    wanted = np.asarray(times, dtype=float)
    if wanted.ndim > 1 or not np.isfinite(wanted).all():
        raise InputError("times must be one finite number, or a list of them")
    flat = np.atleast_1d(wanted)
    out = np.empty((flat.size, n))
    out[flat == 0] = 0.0 if vectors[0] is None else vectors[0]
    cost: dict = {}
    for sign in (1.0, -1.0):
        chosen = sign * flat > 0
        if not chosen.any():
            continue
        rising, back = np.unique(sign * flat[chosen], return_inverse=True)
        # φ_j(tA) with t = −s: t^j φ_j(tA) b_j = s^j φ_j(s(−A)) (−1)^j b_j.
        signed = [None if v is None else v * sign**j for j, v in enumerate(vectors)]
        values, found = _real_combination(A if sign > 0 else -_negatable(A), n, signed, rising, tolerance, evaluator)
        out[chosen] = values[back]
        cost = found if not cost else {k: v if isinstance(v, str) else v + found[k] for k, v in cost.items()}
    result = out.reshape(wanted.shape + (n,))
    return (result, cost) if report else result


def _negatable(A: Any) -> Any:
    return A if hasattr(A, "__neg__") else np.asarray(A)


def phi(
    k: int,
    A: Any,
    b: Any,
    t: float = 1.0,
    *,
    tolerance: float = _TOLERANCE,
    evaluator: str = "auto",
    report: bool = False,
) -> Any:
    """φ_k(tA) b, for one vector b or for the columns of a matrix.

    A is a square array, a SciPy sparse matrix or a LinearOperator, real or complex, and t of any sign. The error of
    each vector is at most `tolerance` times its norm, or the evaluator refuses (PhiRefusal). `evaluator` is one of
    stiffly.evaluators(). With `report`, returns also a dictionary of what it cost (a list of them for several columns).
    """
    if k != int(k) or k < 0:
        raise InputError(f"k must be a whole number from 0 on, not {k}")
    n = _size_of(A)
    columns = np.asarray(b)
    if columns.ndim not in (1, 2) or columns.shape[0] != n:
        raise InputError(f"b must have {n} rows, not the shape {columns.shape}")
    if columns.ndim == 2:
        made = [phi(k, A, column, t, tolerance=tolerance, evaluator=evaluator, report=True) for column in columns.T]
        values = np.stack([value for value, _ in made], axis=1) if made else columns
        return (values, [cost for _, cost in made]) if report else values
    if t == 0:
        zero = columns / factorial(k)
        return (zero, {}) if report else zero
    value, cost = phi_combination(A, [None] * k + [columns], t, tolerance=tolerance, evaluator=evaluator, report=True)
    value = value / float(t) ** k
    return (value, cost) if report else value


def expm_multiply(
    A: Any,
    B: Any,
    start: float | None = None,
    stop: float | None = None,
    num: int | None = None,
    endpoint: bool | None = None,
    traceA: Any = None,
    *,
    tolerance: float = _TOLERANCE,
    evaluator: str = "auto",
) -> np.ndarray:
    """e^A B, or e^{tA} B at evenly spaced times, with the signature of scipy.sparse.linalg.expm_multiply.

    Without `start`, `stop`, `num` and `endpoint` the result has the shape of B; with them one more axis in front, for
    the times that numpy.linspace gives. `traceA` has no effect: the evaluators do not need it.
    """
    del traceA
    n = _size_of(A)
    B = np.asarray(B)
    if B.ndim not in (1, 2) or B.shape[0] != n:
        raise InputError(f"B must have {n} rows, not the shape {B.shape}")
    if all(argument is None for argument in (start, stop, num, endpoint)):
        return phi(0, A, B, tolerance=tolerance, evaluator=evaluator)
    if start is None or stop is None:
        raise InputError("start and stop are given together")
    times = np.linspace(start, stop, 50 if num is None else num, endpoint=True if endpoint is None else endpoint)
    columns = B[:, None] if B.ndim == 1 else B
    made = [phi_combination(A, [column], times, tolerance=tolerance, evaluator=evaluator) for column in columns.T]
    out = np.stack(made, axis=2) if made else np.empty((times.size, n, 0))
    return out[:, :, 0] if B.ndim == 1 else out
