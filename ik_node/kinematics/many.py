"""Forward kinematics of a chain at many joint configurations at once, with array operations."""

import numpy as np

from ik_node.kinematics.kinds import PRISMATIC, REVOLUTE, SPHERICAL_Z
from ik_node.kinematics.structures import ChainArrays


def tip_poses(chain: ChainArrays, q: np.ndarray) -> np.ndarray:
    """Return T_base_tip (m, 4, 4), m, at the joint configurations q (m, n), rad or m."""
    count = len(q)
    R = np.broadcast_to(chain.placement[0, :3, :3, None], (3, 3, count)).copy()
    p = np.broadcast_to(chain.placement[0, :3, 3, None], (3, count)).copy()
    for k, (kind, column, ratio) in enumerate(zip(chain.kind, chain.column, chain.ratio)):
        value = ratio * q[:, column]
        if kind == REVOLUTE:
            c, s = np.cos(value), np.sin(value)
            x, y = R[:, 0], R[:, 1]
            R[:, 0], R[:, 1] = c * x + s * y, c * y - s * x
        elif kind == PRISMATIC:
            p += value * R[:, 2]
        elif kind == SPHERICAL_Z:
            R = np.einsum('ijm,jkm->ikm', R, _exponentials(q[:, chain.column[k - 2:k + 1]].T))
        L = chain.placement[k + 1]
        p += np.tensordot(L[:3, 3], R, (0, 1))
        R = np.stack([L[0, j] * R[:, 0] + L[1, j] * R[:, 1] + L[2, j] * R[:, 2]
                      for j in range(3)], axis=1)
    T = np.zeros((count, 4, 4))
    T[:, :3, :3], T[:, :3, 3], T[:, 3, 3] = np.moveaxis(R, 2, 0), p.T, 1.0
    return T


def _exponentials(w: np.ndarray) -> np.ndarray:
    """Return the rotations (3, 3, m) of rotation vectors w (3, m), rad [Rodrigues]."""
    angle = np.sqrt((w * w).sum(axis=0))
    K = np.zeros((3, 3, w.shape[1]))
    K[0, 1], K[0, 2], K[1, 2] = -w[2], w[1], -w[0]
    K[1, 0], K[2, 0], K[2, 1] = w[2], -w[1], w[0]
    s = np.sinc(angle / np.pi)                     # sin θ / θ
    c = 0.5 * np.sinc(0.5 * angle / np.pi) ** 2    # (1 − cos θ) / θ²
    return np.eye(3)[..., None] + s * K + c * np.einsum('ijm,jkm->ikm', K, K)
