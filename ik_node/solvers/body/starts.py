"""Random starts of a body, and joint values brought near a start."""

import math

import numpy as np

from ik_node.kinematics.forward import REVOLUTE
from ik_node.model.body import Body
from ik_node.model.body_frames import slides

_PARTS = (0.3, 1.0, 0.6, 1.0)  # of the way from q0 to a random configuration, by turns
_ROOT_SHIFT = 0.3              # m, deviation of a moving root's place


def neutral(body: Body) -> np.ndarray:
    """Return q (n,): zero where that is inside the limits, else the middle of them."""
    inside = (body.lower <= 0.0) & (body.upper >= 0.0)
    with np.errstate(invalid='ignore'):
        middle = 0.5 * (body.lower + body.upper)
    nearest = np.clip(0.0, body.lower, body.upper)
    return np.where(inside, 0.0, np.where(np.isfinite(middle), middle, nearest))


def random_start(body: Body, q0: np.ndarray, number: int, rng: np.random.Generator) -> np.ndarray:
    """Return the start (n,) of a restart: part of the way from q0 (n,) to a random configuration.

    Joints are drawn evenly from their limits, from q0 ± π where there are none; the place of a
    moving root about its own in q0.
    """
    lower = np.where(np.isfinite(body.lower), body.lower, q0 - np.pi)
    upper = np.where(np.isfinite(body.upper), body.upper, q0 + np.pi)
    q = rng.uniform(lower, np.maximum(lower, upper))
    free = slides(body) & ~(np.isfinite(body.lower) & np.isfinite(body.upper))
    q[free] = q0[free] + _ROOT_SHIFT * rng.standard_normal(int(free.sum()))
    part = _PARTS[number % len(_PARTS)]
    return np.clip(q0 + part * (q - q0), body.lower, body.upper)


def turning_columns(body: Body) -> np.ndarray:
    """Return which entries of q (n,) may change by 2π: unlimited, revolute, by whole ratios."""
    arrays = body.arrays
    turns = np.isinf(body.lower) & np.isinf(body.upper)
    for kind, column, ratio in zip(arrays.kind, arrays.column, arrays.ratio):
        if column >= 0 and (kind != REVOLUTE or ratio != round(ratio)):
            turns[column] = False
    return turns


def nearest_turn(q: np.ndarray, q0: np.ndarray, turns: np.ndarray) -> np.ndarray:
    """Return q (n,) with the entries of `turning_columns` at the turn nearest to q0's."""
    shift = 2.0 * np.pi * np.round((q - q0) / (2.0 * np.pi))
    return np.where(turns, q - shift, q)


def shorten_root(body: Body, q: np.ndarray) -> np.ndarray:
    """Return q (n,) with the rotation vector of a floating root no longer than 1.5 π.

    The same rotation by another vector: at a length of 2π the vector's derivatives vanish.
    """
    if body.root == 'floating':
        w = q[3:6]
        angle = math.sqrt(w @ w)
        if angle > 1.5 * math.pi:
            q = q.copy()
            q[3:6] *= 1.0 - 2.0 * np.pi * round(angle / (2.0 * np.pi)) / angle
    return q
