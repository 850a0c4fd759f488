"""Results per voxel, computed by forward kinematics only."""

import math
from typing import NamedTuple

import numpy as np

from ik_node._jit import Booleans, Integers, Matrix, Vector, allocating, entry
from ik_node.kinematics.forward import ChainArrays, chain_frames
from ik_node.kinematics.jacobian import chain_jacobian
from ik_node.solvers.jacobian.linear import row_svd
from ik_node.workspace.voxels import Voxels


class Occupancy(NamedTuple):
    """One entry for each voxel of a grid; the `offset` of voxels without results is infinite."""

    samples: Integers
    """(v,) how many of the sampled configurations put the tip inside."""
    manipulability: Vector
    """(v,) the best √det(J Jᵀ) of all configurations with the tip inside."""
    conditioning: Vector
    """(v,) the best σ_min/σ_max, 0 to 1."""
    offset: Vector
    """(v,) smallest distance of the tip from the centre, m, in the directions in which it moves."""
    configuration: Matrix
    """(v, n) the configuration with this distance, rad or m."""

    @classmethod
    def empty(cls, voxels: Voxels, joints: int) -> 'Occupancy':
        """Return the entries of a grid without results."""
        v = voxels.size
        return cls(np.zeros(v, np.int64), np.zeros(v), np.zeros(v), np.full(v, np.inf),
                   np.empty((v, joints)))

    @property
    def reached(self) -> np.ndarray:
        """(v,) whether a configuration was found that puts the tip inside."""
        return np.isfinite(self.offset)


class Grid(NamedTuple):
    """A grid and a task, for the kernel."""

    origin: Vector
    """(3,) m."""
    edge: float
    shape: Integers
    """(3,)."""
    fixed_axes: Booleans
    """(3,) whether the tip never moves along the axis."""
    task_axes: Booleans
    """(6,) which axes of the tip belong to the task."""
    length: float
    """m, what a metre is divided by to compare with a radian."""


def grid_of(voxels: Voxels, weights: np.ndarray, length: float) -> Grid:
    """Return a grid for `mark`; weights (6,): see `TaskRank`; length in m."""
    return Grid(np.array(voxels.origin), voxels.edge, np.array(voxels.shape, dtype=np.int64),
                np.array(voxels.fixed_axes), weights > 0.0, length)


@entry
@allocating
def mark(chain: ChainArrays, grid: Grid, configurations: Matrix, weight: int,
         found: Occupancy) -> None:
    """Enter configurations (k, n), rad or m, into the voxels of their tips.

    chain: `ChainArrays`; grid: `Grid`; weight: what each counts among the samples; found:
    `Occupancy`. The Jacobian's rows are those of the task axes, in the tip's frame:
    manipulability √det(J Jᵀ) = Π σᵢ [Yoshikawa 1985], in m and rad, and σ_min/σ_max with the
    linear rows divided by the length scale.
    """
    n = configurations.shape[1]
    frames = np.zeros((chain.column.shape[0] + 1, 4, 4))
    J, rows, W, U = np.zeros((6, n)), np.zeros((6, n)), np.zeros((6, n)), np.zeros((6, 6))
    unit = 1.0
    for i in range(3):
        if grid.task_axes[i]:
            unit *= grid.length
    for index in range(configurations.shape[0]):
        q = configurations[index]
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
            if not grid.fixed_axes[i]:
                offset += (place - whole - 0.5) ** 2
        if voxel < 0:
            continue
        found.samples[voxel] += weight
        offset = grid.edge * math.sqrt(offset)
        if offset < found.offset[voxel]:
            found.offset[voxel] = offset
            for k in range(n):
                found.configuration[voxel, k] = q[k]
        chain_jacobian(chain, frames, tip, J)
        for i in range(6):
            first = 0 if i < 3 else 3
            scale = 1.0 / grid.length if i < 3 else 1.0
            column = i - first
            for k in range(n):
                rows[i, k] = 0.0
                if grid.task_axes[i]:
                    rows[i, k] = scale * (tip[0, column] * J[first, k]
                                          + tip[1, column] * J[first + 1, k]
                                          + tip[2, column] * J[first + 2, k])
        largest = row_svd(rows, W, U)
        smallest, product = math.inf, unit
        for i in range(6):
            if grid.task_axes[i]:
                sigma = 0.0
                for k in range(n):
                    sigma += W[i, k] * W[i, k]
                sigma = math.sqrt(sigma)
                product *= sigma
                smallest = min(smallest, sigma)
        found.manipulability[voxel] = max(found.manipulability[voxel], product)
        if largest > 0.0:
            found.conditioning[voxel] = max(found.conditioning[voxel], smallest / largest)
