"""What is known of every voxel: marked by forward kinematics, and by nothing else."""

import math
from typing import NamedTuple

import numpy as np

from ik_node._jit import allocating
from ik_node.kinematics.forward import chain_frames
from ik_node.kinematics.jacobian import chain_jacobian
from ik_node.solvers.jacobian.linear import row_svd
from ik_node.workspace.voxels import Voxels


class Occupancy(NamedTuple):
    """One entry for each voxel of a grid; what no posture reached has `offset` infinite."""

    samples: np.ndarray
    """(v,) how many of the sampled postures put the tip inside."""
    manipulability: np.ndarray
    """(v,) the best √det(J Jᵀ) of all postures with the tip inside."""
    conditioning: np.ndarray
    """(v,) the best σ_min/σ_max, 0 to 1."""
    offset: np.ndarray
    """(v,) how near the centre the tip came, m, in the directions in which it moves."""
    posture: np.ndarray
    """(v, n) the posture that did, rad or m."""

    @classmethod
    def empty(cls, voxels: Voxels, joints: int) -> 'Occupancy':
        """Return the entries of a grid of which nothing is known."""
        v = voxels.size
        return cls(np.zeros(v, np.int64), np.zeros(v), np.zeros(v), np.full(v, np.inf),
                   np.empty((v, joints)))

    @property
    def reached(self) -> np.ndarray:
        """(v,) whether a posture is known that puts the tip inside."""
        return np.isfinite(self.offset)


class Grid(NamedTuple):
    """A grid and a task as the kernel takes them."""

    origin: np.ndarray
    """(3,) m."""
    edge: float
    shape: np.ndarray
    """(3,)."""
    flat: np.ndarray
    """(3,) whether the tip never moves that way."""
    asked: np.ndarray
    """(6,) which axes of the tip count."""
    length: float
    """m, what a metre is divided by to compare with a radian."""


def grid_of(voxels: Voxels, weights: np.ndarray, length: float) -> Grid:
    """Return a grid for `mark`; weights (6,): see `TaskRank`; length in m."""
    return Grid(np.array(voxels.origin), voxels.edge, np.array(voxels.shape, dtype=np.int64),
                np.array(voxels.flat), weights > 0.0, length)


@allocating
def mark(chain, grid, postures, weight, found):
    """Enter postures (k, n), rad or m, into the voxels their tips are in.

    chain: `ChainArrays`; grid: `Grid`; weight: what each counts among the samples; found:
    `Occupancy`. The Jacobian's rows are those of the asked axes, along the tip's own:
    manipulability √det(J Jᵀ) = Π σᵢ [Yoshikawa 1985], in m and rad, and σ_min/σ_max with the
    linear rows divided by the length scale.
    """
    n = postures.shape[1]
    frames = np.zeros((chain.column.shape[0] + 1, 4, 4))
    J, rows, W, U = np.zeros((6, n)), np.zeros((6, n)), np.zeros((6, n)), np.zeros((6, 6))
    unit = 1.0
    for i in range(3):
        if grid.asked[i]:
            unit *= grid.length
    for index in range(postures.shape[0]):
        q = postures[index]
        chain_frames(chain, q, frames)
        tip = frames[-1]
        voxel, offset = 0, 0.0
        for i in range(3):
            place = (tip[i, 3] - grid.origin[i]) / grid.edge
            if not 0.0 <= place < grid.shape[i]:
                voxel = -1
                break
            whole = int(place)
            voxel = voxel * grid.shape[i] + whole
            if not grid.flat[i]:
                offset += (place - whole - 0.5) ** 2
        if voxel < 0:
            continue
        found.samples[voxel] += weight
        offset = grid.edge * math.sqrt(offset)
        if offset < found.offset[voxel]:
            found.offset[voxel] = offset
            for k in range(n):
                found.posture[voxel, k] = q[k]
        chain_jacobian(chain, frames, tip, J)
        for i in range(6):
            first = 0 if i < 3 else 3
            scale = 1.0 / grid.length if i < 3 else 1.0
            column = i - first
            for k in range(n):
                rows[i, k] = 0.0
                if grid.asked[i]:
                    rows[i, k] = scale * (tip[0, column] * J[first, k]
                                          + tip[1, column] * J[first + 1, k]
                                          + tip[2, column] * J[first + 2, k])
        largest = row_svd(rows, W, U)
        smallest, product = math.inf, unit
        for i in range(6):
            if grid.asked[i]:
                sigma = 0.0
                for k in range(n):
                    sigma += W[i, k] * W[i, k]
                sigma = math.sqrt(sigma)
                product *= sigma
                smallest = min(smallest, sigma)
        found.manipulability[voxel] = max(found.manipulability[voxel], product)
        if largest > 0.0:
            found.conditioning[voxel] = max(found.conditioning[voxel], smallest / largest)
