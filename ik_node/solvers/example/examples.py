"""Examples of a chain: configurations with the poses of their tips, as points to search in."""

from typing import NamedTuple

import numpy as np

from ik_node.model.chain import Chain
from ik_node.solvers.goal import Goal

_TURNED = 0.5  # entries of rotation matrices against positions in arm lengths, as in `restarts`


class Features(NamedTuple):
    """The axes of a goal in which examples are compared."""

    position: bool
    orientation: bool


def features_of(goal: Goal) -> Features:
    """Return the axes that a goal constrains wholly; both kinds where neither is."""
    position, orientation = (goal.weights[:3] > 0.0).all(), (goal.weights[3:] > 0.0).all()
    return Features(bool(position), bool(orientation)) if position or orientation else Features(
        True, True)


class Examples:
    """Configurations (k, n), rad or m, and the poses of the tip (k, 4, 4), m.

    - `free`: (n,) whether a joint turns without limits: whole turns of it mean nothing.
    """

    def __init__(self, chain: Chain, q: np.ndarray, length: float) -> None:
        """Bring the configurations inside the limits. length: of the arm, m."""
        self._length, self.forward = length, chain.forward
        self.free = ~np.isfinite(chain.lower) & ~np.isfinite(chain.upper) & chain.turns
        q = np.array(q)
        q[:, self.free] = np.unwrap(q[:, self.free], axis=0)  # a motion passes π without a jump
        self.q = np.clip(q, chain.lower, chain.upper)
        self.poses = np.array([chain.forward(row) for row in self.q])

    def between(self, most: int) -> np.ndarray:
        """Return at most so many configurations (k, n), each halfway between two neighbours."""
        from scipy.spatial import cKDTree  # late: it takes a third of a second
        if len(self.q) < 2:
            return np.empty((0, self.q.shape[1]))
        number = np.unique(np.linspace(0, len(self.q) - 1, most).astype(int))
        _, neighbours = cKDTree(self.q).query(self.q[number], k=2)
        return 0.5 * (self.q[number] + self.q[neighbours[:, 1]])

    def points(self, features: Features, poses: np.ndarray) -> np.ndarray:
        """Return poses (k, 4, 4) as points (k, d), positions in arm lengths."""
        parts = []
        if features.position:
            parts.append(poses[:, :3, 3] / self._length)
        if features.orientation:
            parts.append(_TURNED * poses[:, :3, :3].reshape(len(poses), 9))
        return np.hstack(parts)


def gap(features: Features, pose: np.ndarray, other: np.ndarray) -> str:
    """Return how far a pose (4, 4) is from another one, in words."""
    parts = []
    if features.position:
        parts.append(f'{np.linalg.norm(pose[:3, 3] - other[:3, 3]):.3g} m')
    if features.orientation:
        cosine = 0.5 * (np.trace(pose[:3, :3].T @ other[:3, :3]) - 1.0)
        parts.append(f'{np.arccos(np.clip(cosine, -1.0, 1.0)):.3g} rad')
    return ' and '.join(parts)
