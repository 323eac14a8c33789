"""A force of one's own: every particle is drawn to a ring, and a chain falls onto it.

    ./stiffly python examples/own_force.py
"""

import numpy as np
import scipy.sparse

import stiffly


class Ring(stiffly.Force):
    """Energy ½kd² of each particle at distance d from a circle of radius R in the plane z = 0."""

    def __init__(self, stiffness, radius):
        self.stiffness, self.radius = stiffness, radius

    def pairs(self):
        return []  # it acts on each particle by itself

    def energy(self, t, x):
        rho = np.hypot(x[:, 0], x[:, 1])
        return 0.5 * self.stiffness * np.sum((rho - self.radius) ** 2 + x[:, 2] ** 2)

    def force(self, t, x, v):
        rho = np.hypot(x[:, 0], x[:, 1])[:, None]
        nearest = np.hstack([x[:, :2] / rho * self.radius, np.zeros((len(x), 1))])
        return self.stiffness * (nearest - x)

    def tangent(self, t, x, v):
        blocks = []
        for p in x:
            rho = np.hypot(p[0], p[1])
            n = p[:2] / rho
            block = np.eye(3)
            block[:2, :2] -= self.radius / rho * (np.eye(2) - np.outer(n, n))
            blocks.append(self.stiffness * block)
        return scipy.sparse.block_diag(blocks)


def main():
    count = 20
    position = np.column_stack([np.linspace(0.5, 1.5, count), np.full(count, 0.2), np.full(count, 0.4)])
    links = np.column_stack([np.arange(count - 1), np.arange(1, count)])
    ring = Ring(stiffness=3.0, radius=1.0)
    print("check:", stiffly.check(ring, position))

    scene = stiffly.scene(
        {"duration": 1.0, "tolerance": 1e-4, "integrator": "exprb42"},
        particles={"position": position, "mass": 0.01},
        springs={"ends": links, "stiffness": 200.0},
        forces=[ring],
    )
    result = stiffly.run(scene)
    drift = np.ptp(result.energy["total"]) / result.energy["total"][0]
    print(f"{result.report['steps']} steps, energy kept to {drift:.1e}")


if __name__ == "__main__":
    main()
