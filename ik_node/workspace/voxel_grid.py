"""Results per voxel of a grid, computed by forward kinematics only."""

import math
from typing import Any

import cython
import numpy as np

from ik_node.kinematics import forward, jacobian
from ik_node.kinematics.forward import ChainRecord
from ik_node.solvers.kernel import linear
from ik_node.solvers.kernel.settings import ArmData
from ik_node.support.arrays import InMatrix, Long, Memory, OutIntegers, OutMatrix, OutVector

INF = math.inf


class VoxelGrid:
    """`Voxels`, the `task_axes` (6,) of the tip, and an `Occupancy`, which `mark` changes.

    `length`: m, what a metre is divided by to compare with a radian.
    """

    def __init__(self, chain: ChainRecord, voxels: Any, task_axes: np.ndarray, length: float,
                 found: Any) -> None:
        """Copy `Voxels`; use the arrays of an `Occupancy`, which must fit to them.

        Raises ValueError where an array has another size.
        """
        self.chain, self.memory = chain, Memory()
        self.work = ArmData(chain.m, chain.n)
        self.origin, self.edge = self.memory.vector(voxels.origin), voxels.edge
        self.shape = self.memory.integers(voxels.shape)
        self.fixed_axes = self.memory.integers(voxels.fixed_axes)
        self.task_axes, self.length = self.memory.integers(task_axes), length
        self.samples: OutIntegers = found.samples
        self.manipulability: OutVector = found.manipulability
        self.conditioning: OutVector = found.conditioning
        self.offset: OutVector = found.offset
        self.configuration: OutMatrix = found.configuration
        if (len(voxels.origin), len(voxels.fixed_axes), len(task_axes)) != (3, 3, 6) or any(
                len(array) != voxels.size for array in found) or (
                found.configuration.shape[1] != chain.n):
            raise ValueError('a grid has three axes, and arrays of one entry for each voxel')

    def mark(self, configurations: InMatrix, weight: Long) -> None:
        """Enter configurations (k, n), rad or m, into the voxels of their tips.

        weight: what each counts among the samples. The Jacobian's rows are those of the task axes,
        in the tip's frame: manipulability √det(J Jᵀ) = Π σᵢ [Yoshikawa 1985], in m and rad, and
        σ_min/σ_max with the linear rows divided by the length scale. For one thread at a time.
        """
        chain, work = self.chain, self.work
        if configurations.shape[1] != chain.n:
            raise ValueError(f'configurations must have {chain.n} values')
        with cython.nogil:
            for index in range(configurations.shape[0]):
                for k in range(chain.n):
                    work.q[k] = configurations[index, k]
                forward.chain_frames(chain, work.q, work.frames)
                voxel, offset = self.voxel_of_tip()
                if voxel < 0:
                    continue
                self.samples[voxel] += weight
                if offset < self.offset[voxel]:
                    self.offset[voxel] = offset
                    for k in range(chain.n):
                        self.configuration[voxel, k] = work.q[k]
                manipulability, conditioning = self.dexterity()
                self.manipulability[voxel] = max(self.manipulability[voxel], manipulability)
                self.conditioning[voxel] = max(self.conditioning[voxel], conditioning)

    def voxel_of_tip(self) -> tuple[Long, float]:
        """Return the voxel that the tip is in, −1 for none, and the `offset` from its centre."""
        tip = self.work.frames[self.chain.m]
        voxel, squared = 0, 0.0
        for i in range(3):
            place = (tip[i][3] - self.origin[i]) / self.edge
            if not 0.0 <= place < self.shape[i]:
                return -1, INF
            whole: Long = int(place)
            voxel = voxel * self.shape[i] + whole
            if not self.fixed_axes[i]:
                off = place - whole - 0.5
                squared += off * off
        return voxel, self.edge * math.sqrt(squared)

    def dexterity(self) -> tuple[float, float]:
        """Return (√det(J Jᵀ), σ_min/σ_max) at work.frames; see `mark`."""
        n, F, J, W = self.chain.n, self.work.frames, self.work.J, self.work.W
        tip = F[self.chain.m]
        jacobian.chain_jacobian(self.chain, F, tip, J)
        for k in range(n):
            for first in range(0, 6, 3):
                scale = 1.0 if first else 1.0 / self.length
                x, y, z = J[k][first], J[k][first + 1], J[k][first + 2]
                for i in range(3):
                    J[k][first + i] = scale * (tip[0][i] * x + tip[1][i] * y + tip[2][i] * z)
                    if not self.task_axes[first + i]:
                        J[k][first + i] = 0.0
        largest = linear.row_svd(J, n, W, self.work.U)
        smallest, product = INF, 1.0
        for i in range(3):
            if self.task_axes[i]:
                product *= self.length
        for i in range(6):
            if self.task_axes[i]:
                sigma = linear.row_length(W, n, i)
                product *= sigma
                smallest = min(smallest, sigma)
        return product, smallest / largest if largest > 0.0 else 0.0
