"""Joint values of a body: the default ones, and equivalent ones nearer to others."""

import math

import numpy as np

from ik_node.kinematics.forward import REVOLUTE
from ik_node.model.body import Body


def neutral(body: Body) -> np.ndarray:
    """Return q (n,): zero where that is inside the limits, else the middle of them."""
    inside = (body.lower <= 0.0) & (body.upper >= 0.0)
    with np.errstate(invalid='ignore'):
        middle = 0.5 * (body.lower + body.upper)
    nearest = np.clip(0.0, body.lower, body.upper)
    return np.where(inside, 0.0, np.where(np.isfinite(middle), middle, nearest))


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
