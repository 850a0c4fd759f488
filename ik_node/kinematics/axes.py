"""The axes of a chain as lines in space."""

import numpy as np

from ik_node.kinematics.structures import ChainArrays


def axes_at_zero(chain: ChainArrays) -> tuple[np.ndarray, np.ndarray]:
    """Return (points, directions): a point on every axis, and the tip, (m + 1, 3), and (m, 3).

    chain: `ChainArrays`. At q = 0, base frame, m.
    """
    points, directions = [], []
    T = np.eye(4)
    for placement in chain.placement:
        T = T @ placement
        points.append(T[:3, 3].copy())
        directions.append(T[:3, 2].copy())
    return np.array(points), np.array(directions[:-1])
