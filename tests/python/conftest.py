"""What the tests of the Python module share."""

from pathlib import Path

import numpy as np
import pytest

import stiffly

ROOT = Path(__file__).resolve().parents[2]


def net(seed: int = 7, particles: int = 9) -> dict:
    """Columns of a random net of springs, all with ugly numbers, its first two particles pinned."""
    random = np.random.default_rng(seed)
    position = random.uniform(-0.731, 0.937, (particles, 3))
    pinned = np.arange(particles) < 2
    velocity = np.where(pinned[:, None], 0.0, random.normal(0, 0.313, (particles, 3)))
    ends = np.array([(i, j) for i in range(particles) for j in range(i + 1, min(i + 4, particles))])
    return {
        "particles": {"position": position, "velocity": velocity, "mass": random.uniform(0.013, 0.091, particles),
                      "pinned": pinned},
        "springs": {"ends": ends, "stiffness": random.uniform(11.7, 171.3, len(ends)), "damping": 0.0137},
    }


def same_bits(a, b) -> bool:
    return np.asarray(a).tobytes() == np.asarray(b).tobytes()


@pytest.fixture
def chain():
    return stiffly.load_scene("chain", duration=0.07, step=0.0033)
