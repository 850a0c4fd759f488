"""Low-discrepancy samples, reproducible by a seed, and initial guesses that they spread out."""

import functools
import math
from typing import NamedTuple

import numpy as np

from ik_node.model.joint_space import JointSpace


def low_discrepancy(count: int, n: int, seed: int, first: int = 1) -> np.ndarray:
    """Return `count` points (count, n) in [0, 1), more evenly distributed than random ones.

    The additive recurrence x + i/φⁱ with φ the root of φⁿ⁺¹ = φ + 1, which is what the golden
    section is in one dimension [Roberts 2018, R sequence]; the seed shifts it as a whole. first:
    the number of the first point.
    """
    shift, steps = _recurrence(n, seed)
    points: np.ndarray = (shift + np.arange(first, first + count)[:, None] * steps) % 1.0
    return points


@functools.lru_cache(maxsize=64)
def _recurrence(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the shift and the step (n,) of the recurrence."""
    phi = 2.0
    for _ in range(60):
        phi = (1.0 + phi) ** (1.0 / (n + 1))
    return np.random.default_rng(seed).random(n), phi ** -np.arange(1.0, n + 1)


class Ranges(NamedTuple):
    """What initial guesses and populations are spread over; (n,) each, rad or m."""

    lower: np.ndarray
    upper: np.ndarray
    turns: np.ndarray  # none of the joints turns round


def spread_ranges(space: JointSpace, q0: np.ndarray, length: float) -> Ranges:
    """Return the limits, and q0 (n,) ± π, or lengths, where there are none."""
    half = math.pi * np.where(space.prismatic, length, 1.0)
    return Ranges(np.where(np.isfinite(space.lower), space.lower, q0 - half),
                  np.where(np.isfinite(space.upper), space.upper, q0 + half),
                  np.zeros(len(q0)))


def initial_guess(space: JointSpace, q0: np.ndarray, number: int, seed: int,
                  length: float) -> np.ndarray:
    """Return the initial guess (n,) of restart `number`, from 0; see `spread_ranges`."""
    lower, upper, _ = spread_ranges(space, q0, length)
    q: np.ndarray = lower + (upper - lower) * low_discrepancy(
        1, space.n_joints, seed, 1 + number)[0]
    return q


def one_turn_ranges(space: JointSpace) -> tuple[np.ndarray, np.ndarray]:
    """Return the limits (n,); a turn from the limit where there is a single one, −π … π without."""
    lower = np.where(np.isfinite(space.lower), space.lower,
                     np.where(np.isfinite(space.upper), space.upper - 2.0 * math.pi, -math.pi))
    unlimited = ~np.isfinite(space.upper - space.lower)
    return lower, np.where(unlimited, lower + 2.0 * math.pi, space.upper)
