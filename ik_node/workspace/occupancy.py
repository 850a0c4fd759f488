"""Results per voxel, computed by forward kinematics only."""

from typing import NamedTuple

import numpy as np

from ik_node.model.chain import Chain
from ik_node.workspace.voxel_grid import VoxelGrid
from ik_node.workspace.voxels import Voxels


class Occupancy(NamedTuple):
    """One entry for each voxel of a grid; the `offset` of voxels without results is infinite."""

    samples: np.ndarray
    """(v,) how many of the sampled configurations put the tip inside."""
    manipulability: np.ndarray
    """(v,) the best √det(J Jᵀ) of all configurations with the tip inside."""
    conditioning: np.ndarray
    """(v,) the best σ_min/σ_max, 0 to 1."""
    offset: np.ndarray
    """(v,) smallest distance of the tip from the centre, m, in the directions in which it moves."""
    configuration: np.ndarray
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

    origin: np.ndarray
    """(3,) m."""
    edge: float
    shape: np.ndarray
    """(3,)."""
    fixed_axes: np.ndarray
    """(3,) whether the tip never moves along the axis."""
    task_axes: np.ndarray
    """(6,) which axes of the tip belong to the task."""
    length: float
    """m, what a metre is divided by to compare with a radian."""


def grid_of(voxels: Voxels, weights: np.ndarray, length: float) -> Grid:
    """Return a grid for `mark`; weights (6,): see `TaskRank`; length in m."""
    return Grid(np.array(voxels.origin), voxels.edge, np.array(voxels.shape, dtype=np.int64),
                np.array(voxels.fixed_axes), weights > 0.0, length)


def mark(chain: Chain, grid: Grid, configurations: np.ndarray, weight: int,
         found: Occupancy) -> None:
    """Enter configurations (k, n), rad or m, into the voxels of their tips.

    weight: what each counts among the samples. For the entries see `workspace.voxel_grid`.
    """
    VoxelGrid(chain.record, grid, found).mark(configurations, weight)
