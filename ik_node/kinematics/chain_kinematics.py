"""Pose and Jacobian of a chain's tip, as arrays for callers in Python."""

from typing import Any

import numpy as np

from ik_node.kinematics import forward, jacobian
from ik_node.kinematics.forward import ChainRecord
from ik_node.support import arrays
from ik_node.support.arrays import InMatrix, InVector, Memory, OutPoses


class ChainFrames:
    """The frames (m + 1, 4, 4) of a chain at one q, m, and its Jacobian."""

    def __init__(self, chain: ChainRecord) -> None:
        self.memory = memory = Memory()
        self.frames = memory.poses(np.zeros((chain.m + 1, 4, 4)))
        self.J = memory.columns(np.zeros((chain.n, 6)))
        self.q = memory.vector(np.zeros(chain.n))


class ChainKinematics(ChainRecord):
    """A chain, and its forward kinematics. Threads may use it at the same time."""

    def __init__(self, arrays: Any) -> None:
        super().__init__(arrays)
        self.idle: list[Any] = []  # frames that no thread uses

    def pose(self, q: InVector) -> np.ndarray:
        """Return T_base_tip (4, 4), m, at q (n,), rad or m. Raises ValueError for another size."""
        work = self.begin(q)
        T = np.empty((4, 4))
        arrays.copy_pose(work.frames[self.m], T)
        self.idle.append(work)
        return T

    def poses(self, q: InMatrix) -> np.ndarray:
        """Return T_base_tip (m, 4, 4), m, at many joint configurations q (m, n); see `pose`."""
        found = np.empty((q.shape[0], 4, 4))
        T: OutPoses = found
        for i in range(q.shape[0]):
            work = self.begin(q[i])
            arrays.copy_pose(work.frames[self.m], T[i])
            self.idle.append(work)
        return found

    def jacobian(self, q: InVector) -> np.ndarray:
        """Return the Jacobian (6, n) at the tip: linear rows first, base frame; see `pose`."""
        work = self.begin(q)
        J = np.empty((6, self.n))
        jacobian.chain_jacobian(self, work.frames, work.frames[self.m], work.J)
        arrays.copy_columns(work.J, J)
        self.idle.append(work)
        return J

    def begin(self, q: InVector) -> ChainFrames:
        """Return frames at q (n,) that no other thread uses."""
        if q.shape[0] != self.n:
            raise ValueError(f'q must have {self.n} values, not {q.shape[0]}')
        try:
            work: ChainFrames = self.idle.pop()
        except IndexError:
            work = ChainFrames(self)
        arrays.read_vector(q, work.q)
        forward.chain_frames(self, work.q, work.frames)
        return work
