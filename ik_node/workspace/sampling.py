"""Configurations spread evenly inside the limits, and scales of an arm."""

import math

import numpy as np

from ik_node.kinematics.reach import reach
from ik_node.model.chain import Chain
from ik_node.support.exceptions import UnsupportedError


class ConfigurationSampler:
    """Quasi-random configurations inside the limits (Sobol', scrambled by the seed)."""

    def __init__(self, chain: Chain, seed: int = 0) -> None:
        """Begin the sequence. Raises UnsupportedError for a prismatic joint without limits."""
        from scipy.stats import qmc  # late: it takes half a second
        self.lower, self.upper = ranges(chain)
        self._sequence = qmc.Sobol(chain.n_joints, seed=seed)

    def next(self, power: int) -> np.ndarray:
        """Return the next 2^power configurations (2^power, n), rad or m."""
        spread = self._sequence.random(2 ** power)
        return self.lower + spread * (self.upper - self.lower)


def ranges(chain: Chain, travel: float | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return finite (lower, upper), (n,) each, rad or m, that hold every configuration once.

    A revolute joint with a range of more than a turn gets one turn: the rest repeats. travel: m,
    the range to either side of a prismatic joint without limits. Raises UnsupportedError for such a
    joint without it.
    """
    lower, upper = chain.lower.copy(), chain.upper.copy()
    for k in np.flatnonzero(~np.isfinite(upper - lower)):
        if chain.prismatic[k] and travel is None:
            raise UnsupportedError(f'joint {chain.joint_names[k]!r} is prismatic without '
                                   'limits, so the workspace is unbounded; give it limits')
        half = travel if chain.prismatic[k] and travel is not None else math.pi
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
    """Return the length, m, that scales metres of an arm to radians: its reach.

    1 m where the tip cannot move, or has no bound.
    """
    _, radius = reach(chain.arrays)
    return radius if math.isfinite(radius) and radius > 0.0 else 1.0


def scaled_tip_jacobians(chain: Chain, configurations: np.ndarray, length: float) -> np.ndarray:
    """Return the Jacobians (k, 6, n) along the tip's own axes, linear rows divided by `length`.

    configurations: (k, n), rad or m; length: m.
    """
    jacobians = np.empty((len(configurations), 6, chain.n_joints))
    for J, q in zip(jacobians, configurations):
        R_tip_base = chain.forward(q)[:3, :3].T
        J_base = chain.jacobian(q)
        J[:3] = R_tip_base @ J_base[:3] / length
        J[3:] = R_tip_base @ J_base[3:]
    return jacobians
