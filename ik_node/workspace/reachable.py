"""Which voxels a tip can be put into.

**Reachable** is a voxel if some posture inside the joint limits puts the tip inside it (no matter
how it is turned). Its **centre is reachable** if some posture puts the tip there, to the solvers'
tolerance. Every voxel that is reported has such a posture, which forward kinematics confirms.

Postures come from two sources. Samples, spread over the limits, find the workspace but miss what
few postures lead to: its border above all. Inverse kinematics therefore asks for the centre of
every voxel next to a reached one, from the posture of that neighbour, until nothing new turns up; a
voxel whose centre is out of reach still counts where the best attempt ends inside it.
What is missed, then, are voxels that only a corner of the workspace juts into, and parts of the
workspace that no sample has met and that touch no other.
"""

import numpy as np

from ik_node.model.chain import Chain
from ik_node.workspace.occupancy import Grid, Occupancy, mark
from ik_node.workspace.postures import Postures
from ik_node.workspace.progress import Tell
from ik_node.workspace.seeker import Seeker
from ik_node.workspace.voxels import Voxels

AT_CENTRE = 2e-6     # m: twice the solvers' tolerance

_BLOCK = 13          # power of two of postures drawn at once
_RESTARTS = 6


def mark_samples(chain: Chain, grid: Grid, found: Occupancy, count: int, seed: int,
                 tell: Tell) -> None:
    """Enter `count` postures spread over the limits."""
    postures = Postures(chain, seed)
    for first in range(0, count, 1 << _BLOCK):
        mark(chain.arrays, grid, postures.next(_BLOCK)[:count - first], 1, found)
        tell(min((first + (1 << _BLOCK)) / count, 1.0))


class Border:
    """Grows a sampled workspace, by inverse kinematics, to where it ends."""

    def __init__(self, chain: Chain, voxels: Voxels, grid: Grid, found: Occupancy,
                 seed: int = 0) -> None:
        """Prepare to ask for positions, along the base's axes in which the tip moves."""
        self.chain, self.voxels, self.grid, self.found = chain, voxels, grid, found
        weights = np.zeros(6)
        weights[:3] = ~grid.flat
        # A tip that never moves reaches its one voxel with the first sample.
        self.seeker = Seeker(chain, weights, _RESTARTS, seed) if weights.any() else None

    def grow(self, tell: Tell) -> None:
        """Ask for the neighbours of reached voxels until no new one is reached."""
        asked = np.zeros(self.voxels.size, dtype=bool)
        reached = self.found.reached
        new = np.flatnonzero(reached)
        done = 0
        while self.seeker is not None and len(new):
            voxels, starts = self._neighbours(new)
            postures = np.empty((len(voxels), self.chain.n_joints))
            for i, centre in enumerate(self.voxels.centres(voxels)):
                postures[i], _ = self.seeker.find(_at(centre), self.found.posture[starts[i]],
                                                  thorough=not asked[voxels[i]])
                tell((done + i) / (done + 2 * len(voxels)))
            mark(self.chain.arrays, self.grid, postures, 0, self.found)
            asked[voxels] = True
            done += len(voxels)
            new = np.flatnonzero(self.found.reached & ~reached)
            reached = self.found.reached
        tell(1.0)

    def ask_for_centres(self, tell: Tell) -> np.ndarray:
        """Return (v,) whether a voxel's centre is reachable; ask where no posture is there yet."""
        voxels = np.flatnonzero(self.found.reached & (self.found.offset > AT_CENTRE))
        if self.seeker is not None:
            postures = self.found.posture[voxels]
            for i, centre in enumerate(self.voxels.centres(voxels)):
                postures[i], _ = self.seeker.find(_at(centre), postures[i])
                tell(i / len(voxels))
            mark(self.chain.arrays, self.grid, postures, 0, self.found)
        tell(1.0)
        return self.found.offset <= AT_CENTRE

    def _neighbours(self, new: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return (unreached neighbours (k,) of voxels, the nearest reached one of each (k,))."""
        reached = self.found.reached
        pairs = []
        for step in self.voxels.steps():
            to = self.voxels.neighbours(new, step)
            fresh = (to >= 0) & ~reached[to]
            pairs.append((to[fresh], new[fresh]))
        voxels, starts = (np.concatenate(side) for side in zip(*pairs))
        voxels, first = np.unique(voxels, return_index=True)
        return voxels, starts[first]


def _at(position: np.ndarray) -> np.ndarray:
    T = np.eye(4)
    T[:3, 3] = position
    return T
