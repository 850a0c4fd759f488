"""Results per voxel of a grid, computed by forward kinematics only."""

import numpy as np

from ik_node.model.chain import Chain
from ik_node.workspace.sampling import reach_scale, scaled_tip_jacobians
from ik_node.workspace.voxels import Voxels

_BLOCK = 1 << 13  # configurations at once


class Occupancy:
    """What configurations of a chain put into `Voxels`, with one entry for each voxel (v,).

    - `samples`: how many of the sampled configurations put the tip inside.
    - `manipulability`, `conditioning`: the best √det(J Jᵀ) = Π σᵢ [Yoshikawa 1985], in m and rad,
      and σ_min/σ_max, 0 to 1, of all configurations with the tip inside.
    - `offset`: the smallest distance of the tip from the centre, m, in the directions in which it
      moves; infinite without any. `configuration`: (v, n) the one with this distance, rad or m.
    """

    def __init__(self, chain: Chain, voxels: Voxels, task_axes: np.ndarray) -> None:
        """Begin without results; task_axes (6,): which rows of J count, in the tip's frame."""
        self.chain, self.voxels, self._axes = chain, voxels, np.asarray(task_axes, bool)
        self._length, v = reach_scale(chain), voxels.size
        self.samples, self.offset = np.zeros(v, np.int64), np.full(v, np.inf)
        self.manipulability, self.conditioning = np.zeros(v), np.zeros(v)
        self.configuration = np.empty((v, chain.n_joints))

    @property
    def reached(self) -> np.ndarray:
        """(v,) whether a configuration was found that puts the tip inside."""
        return np.isfinite(self.offset)

    def mark(self, configurations: np.ndarray, weight: int) -> None:
        """Enter configurations (k, n), rad or m, into the voxels of their tips.

        weight: what each counts among the samples.
        """
        for first in range(0, len(configurations), _BLOCK):
            self._mark(configurations[first:first + _BLOCK], weight)

    def _mark(self, q: np.ndarray, weight: int) -> None:
        voxels = self.voxels
        places = (self.chain.record.poses(q)[:, :3, 3] - voxels.origin) / voxels.edge
        inside = ((places >= 0.0) & (places < voxels.shape)).all(axis=1)
        q, places = q[inside], places[inside]
        numbers = np.ravel_multi_index(tuple(places.astype(int).T), voxels.shape)
        np.add.at(self.samples, numbers, weight)
        offset = voxels.edge * np.linalg.norm(
            (places % 1.0 - 0.5)[:, ~np.array(voxels.fixed_axes)], axis=1)
        nearer = np.flatnonzero(offset < self.offset[numbers])
        nearer = nearer[np.argsort(offset[nearer], kind='stable')[::-1]]  # the nearest stays
        self.offset[numbers[nearer]] = offset[nearer]
        self.configuration[numbers[nearer]] = q[nearer]
        if not self._axes.any():  # nothing moves the tip, as where joints cancel each other
            return
        J = scaled_tip_jacobians(self.chain, q, self._length)[:, self._axes]
        squares = np.linalg.eigvalsh(J @ J.transpose(0, 2, 1)).clip(0.0)  # σᵢ², ascending
        product = self._length ** self._axes[:3].sum() * np.sqrt(squares.prod(axis=1))
        np.maximum.at(self.manipulability, numbers, product)
        np.maximum.at(self.conditioning, numbers, np.sqrt(
            squares[:, 0] / np.maximum(squares[:, -1], np.finfo(float).tiny)))
