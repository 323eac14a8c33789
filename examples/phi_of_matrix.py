"""φ-functions of one's own matrix: heat with a source, in one step of any length.

    ./stiffly python examples/phi_of_matrix.py
"""

import numpy as np
import scipy.sparse

import stiffly


def main():
    n = 300
    x = np.linspace(0, 1, n + 2)[1:-1]
    A = (n + 1) ** 2 * scipy.sparse.diags([1, -2, 1], [-1, 0, 1], shape=(n, n))  # ∂²/∂x²
    source = np.sin(np.pi * x)
    # u' = Au + source, u(0) = 0: u(t) = t φ_1(tA) source, which is known here.
    for t in (0.01, 0.1, 1.0):
        u, report = stiffly.phi(1, A, source, t, tolerance=1e-6, report=True)
        eigenvalue = -((2 * (n + 1) * np.sin(np.pi / (2 * (n + 1)))) ** 2)
        exact = (np.exp(t * eigenvalue) - 1) / eigenvalue * source
        error = np.linalg.norm(t * u - exact) / np.linalg.norm(exact)
        print(f"t = {t}: error {error:.1e} by {report['evaluator']}, {report['products']} products, {report['solves']} solves")


if __name__ == "__main__":
    main()
