"""Postures spread evenly over what the joints allow."""

import math

import numpy as np

from ik_node.exceptions import UnsupportedError
from ik_node.kinematics.reach import reach
from ik_node.model.chain import Chain


class Postures:
    """A quasi-random sequence of postures inside the limits (Sobol', scrambled by the seed)."""

    def __init__(self, chain: Chain, seed: int = 0) -> None:
        """Begin the sequence. Raises UnsupportedError for a sliding joint without limits."""
        from scipy.stats import qmc  # half a second that those who only ask for ranks need not wait
        self.lower, self.upper = ranges(chain)
        self._sequence = qmc.Sobol(chain.n_joints, seed=seed)

    def next(self, power: int) -> np.ndarray:
        """Return the next 2^power postures (2^power, n), rad or m."""
        spread = self._sequence.random(2 ** power)
        return self.lower + spread * (self.upper - self.lower)


def ranges(chain: Chain, slide: float | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return (lower, upper), (n,) each, finite, rad or m, that hold every posture once.

    A joint that can turn for ever, or further than a turn, gets one turn: the rest is the same
    posture again. slide: how far, m, to either side a sliding joint goes that has no limits.
    Raises UnsupportedError where there is one and this is not given.
    """
    lower, upper = chain.lower.copy(), chain.upper.copy()
    for k in np.flatnonzero(~np.isfinite(upper - lower)):
        if chain.prismatic[k] and slide is None:
            raise UnsupportedError(f'joint {chain.joint_names[k]!r} slides without limits: there '
                                   'is no bound to where the tip can get; give it limits')
        half = slide if chain.prismatic[k] and slide is not None else math.pi
        if math.isfinite(lower[k]):
            upper[k] = lower[k] + 2.0 * half
        elif math.isfinite(upper[k]):
            lower[k] = upper[k] - 2.0 * half
        else:
            lower[k], upper[k] = -half, half
    wide = chain.arrays.turns & (upper - lower > 2.0 * math.pi)
    middle = 0.5 * (lower + upper)
    return np.where(wide, middle - math.pi, lower), np.where(wide, middle + math.pi, upper)


def length_scale(chain: Chain) -> float:
    """Return the length, m, that makes metres of an arm comparable with radians: its reach.

    1 m where the tip cannot move, or has no bound.
    """
    _, radius = reach(chain.arrays)
    return radius if math.isfinite(radius) and radius > 0.0 else 1.0


def scaled_tip_jacobians(chain: Chain, postures: np.ndarray, length: float) -> np.ndarray:
    """Return the Jacobians (k, 6, n) along the tip's own axes, linear rows divided by `length`.

    postures: (k, n), rad or m; length: m.
    """
    jacobians = np.empty((len(postures), 6, chain.n_joints))
    for J, q in zip(jacobians, postures):
        R_tip_base = chain.forward(q)[:3, :3].T
        J_base = chain.jacobian(q)
        J[:3] = R_tip_base @ J_base[:3] / length
        J[3:] = R_tip_base @ J_base[3:]
    return jacobians
