"""The initial guesses of restarts of a body."""

import numpy as np

from ik_node.model.body import Body

_PARTS = (0.3, 1.0, 0.6, 1.0)  # of the way from q0 to a random configuration, by turns
_ROOT_SHIFT = 0.3              # m, deviation of a moving root's place


def random_start(body: Body, q0: np.ndarray, number: int, rng: np.random.Generator) -> np.ndarray:
    """Return the start (n,) of a restart: part of the way from q0 (n,) to a random configuration.

    Joints are drawn evenly from their limits, from q0 ± π where there are none; the place of a
    moving root about its own in q0.
    """
    lower = np.where(np.isfinite(body.lower), body.lower, q0 - np.pi)
    upper = np.where(np.isfinite(body.upper), body.upper, q0 + np.pi)
    q = rng.uniform(lower, np.maximum(lower, upper))
    free = body.prismatic & ~(np.isfinite(body.lower) & np.isfinite(body.upper))
    q[free] = q0[free] + _ROOT_SHIFT * rng.standard_normal(int(free.sum()))
    part = _PARTS[number % len(_PARTS)]
    return np.clip(q0 + part * (q - q0), body.lower, body.upper)
