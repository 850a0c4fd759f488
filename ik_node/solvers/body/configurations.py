"""Equivalent joint values of a body, nearer to others."""

import math

import numpy as np

from ik_node.model.body import Body


def nearest_turn(q: np.ndarray, q0: np.ndarray, turns: np.ndarray) -> np.ndarray:
    """Return q (n,) with the entries of `Body.turns` at the turn nearest to q0's."""
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
