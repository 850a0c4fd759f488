"""Configurations spread evenly inside the limits, orientations, and the scale of an arm."""

import math

import numpy as np

from ik_node.kinematics.reach import extent
from ik_node.model.chain import Chain
from ik_node.solvers.kernel.low_discrepancy import low_discrepancy
from ik_node.spatial import matrix_from_quaternion, rotation_exp
from ik_node.support.exceptions import UnsupportedError

_SAMPLES = 64         # configurations show the axes of rotation of the tip
_ONE_AXIS = 1e-3      # of the largest singular value: smaller ones are rounding in the file

# The constants of the spirals: φ = √2, and ψ the positive root of ψ⁴ = ψ + 4.
_PHI = math.sqrt(2.0)
_PSI = 1.533751168755204288118041


def configurations(chain: Chain, count: int, seed: int = 0) -> np.ndarray:
    """Return configurations (count, n) spread over the limits, rad or m."""
    lower, upper = ranges(chain)
    return lower + low_discrepancy(count, chain.n_joints, seed, 0) * (upper - lower)


def ranges(chain: Chain, travel: float | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return finite (lower, upper), (n,) each, rad or m, that hold every configuration once.

    travel: m, the range to either side of a prismatic joint without limits. Raises UnsupportedError
    for such a joint without it.
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


def orientations(chain: Chain, count: int, seed: int = 0) -> np.ndarray:
    """Return `count` orientations R_base_tip (count, 3, 3) that are spread evenly.

    For a tip that only turns about one axis of the base (a planar arm, a SCARA): rotations about
    this axis, the first that of the neutral configuration. For any other: a set on SO(3).
    """
    axis = only_axis(chain, seed)
    if axis is None:
        return super_fibonacci(count)
    R_base_tip = chain.forward(chain.neutral())[:3, :3]
    return np.array([rotation_exp(2.0 * math.pi * k / count * axis) @ R_base_tip
                     for k in range(count)])


def super_fibonacci(count: int) -> np.ndarray:
    """Return `count` rotations (count, 3, 3) spread over SO(3) almost evenly.

    [Alexa, Super-Fibonacci Spirals: Fast, Low-Discrepancy Sampling of SO(3), CVPR 2022, alg. 1].
    """
    s = np.arange(count) + 0.5
    r, R = np.sqrt(s / count), np.sqrt(1.0 - s / count)
    alpha, beta = 2.0 * math.pi * s / _PHI, 2.0 * math.pi * s / _PSI
    quaternions = np.column_stack([r * np.sin(alpha), r * np.cos(alpha),
                                   R * np.sin(beta), R * np.cos(beta)])
    return np.array([matrix_from_quaternion(quaternion) for quaternion in quaternions])


def only_axis(chain: Chain, seed: int) -> np.ndarray | None:
    """Return the axis (3,), base frame, about which alone the tip turns; None for others."""
    J = np.hstack([chain.jacobian(q)[3:] for q in configurations(chain, _SAMPLES, seed)])
    U, sigma, _ = np.linalg.svd(J, full_matrices=False)
    if sigma[0] == 0.0 or sigma[1] > _ONE_AXIS * sigma[0]:
        return None
    return U[:, 0]


def reach_scale(chain: Chain) -> float:
    """Return the length, m, that scales metres of an arm to radians: its reach.

    1 m where the tip cannot move, or has no bound.
    """
    radius = extent(chain.arrays).reach
    return radius if math.isfinite(radius) and radius > 0.0 else 1.0


def scaled_tip_jacobians(chain: Chain, configurations: np.ndarray, length: float) -> np.ndarray:
    """Return the Jacobians (k, 6, n) in tip axes at (k, n), linear rows divided by a length, m."""
    R_tip_base = chain.record.poses(configurations)[:, :3, :3].transpose(0, 2, 1)
    J = np.reshape([chain.record.jacobian(q) for q in configurations], (-1, 6, chain.n_joints))
    J[:, :3], J[:, 3:] = R_tip_base @ J[:, :3] / length, R_tip_base @ J[:, 3:]
    return J
