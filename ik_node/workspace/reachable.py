"""Reachable voxels of a tip.

A voxel is **reachable** if some configuration inside the joint limits puts the tip inside it, in
any orientation. Its **centre is reachable** if some configuration puts the tip there, to the
solvers' tolerance. Every reported voxel has such a configuration, confirmed by forward kinematics.

Configurations come from two sources. Samples, spread over the limits, find the workspace but miss
regions with few configurations, above all its border. Inverse kinematics therefore solves for the
centre of every voxel next to a reached one, from the configuration of that neighbour, until no new
voxel is found; a voxel whose centre is out of reach still counts where the best attempt ends inside
it. Missed are voxels that the workspace enters only with a corner, and parts of the workspace that
no sample has met and that touch no other part.
"""

import numpy as np

from ik_node.model.chain import Chain
from ik_node.workspace.occupancy import Grid, Occupancy, mark
from ik_node.workspace.progress import Progress
from ik_node.workspace.reachability_solver import ReachabilitySolver
from ik_node.workspace.sampling import ConfigurationSampler
from ik_node.workspace.voxels import Voxels

AT_CENTRE = 2e-6     # m: twice the solvers' tolerance

_BLOCK = 13          # power of two of configurations drawn at once
_RESTARTS = 6


def mark_samples(chain: Chain, grid: Grid, found: Occupancy, count: int, seed: int,
                 progress: Progress) -> None:
    """Enter `count` configurations spread over the limits."""
    configurations = ConfigurationSampler(chain, seed)
    for first in range(0, count, 1 << _BLOCK):
        mark(chain, grid, configurations.next(_BLOCK)[:count - first], 1, found)
        progress(min((first + (1 << _BLOCK)) / count, 1.0))


class Border:
    """Extends a sampled workspace to its border by inverse kinematics."""

    def __init__(self, chain: Chain, voxels: Voxels, grid: Grid, found: Occupancy,
                 seed: int = 0) -> None:
        """Prepare to solve for positions, along the base's axes in which the tip moves."""
        self.chain, self.voxels, self.grid, self.found = chain, voxels, grid, found
        weights = np.zeros(6)
        weights[:3] = ~grid.fixed_axes
        # A tip that never moves reaches its one voxel with the first sample.
        self.solver = ReachabilitySolver(chain, weights, _RESTARTS, seed) if weights.any() else None

    def grow(self, progress: Progress) -> None:
        """Solve for the neighbours of reached voxels until no new one is reached."""
        visited = np.zeros(self.voxels.size, dtype=bool)
        reached = self.found.reached
        new = np.flatnonzero(reached)
        done = 0
        while self.solver is not None and len(new):
            voxels, starts = self._neighbours(new)
            configurations = np.empty((len(voxels), self.chain.n_joints))
            for i, centre in enumerate(self.voxels.centres(voxels)):
                configurations[i], _ = self.solver.find(
                    _at(centre), self.found.configuration[starts[i]],
                    thorough=not visited[voxels[i]])
                progress((done + i) / (done + 2 * len(voxels)))
            mark(self.chain, self.grid, configurations, 0, self.found)
            visited[voxels] = True
            done += len(voxels)
            new = np.flatnonzero(self.found.reached & ~reached)
            reached = self.found.reached
        progress(1.0)

    def reach_centres(self, progress: Progress) -> np.ndarray:
        """Return (v,) whether a voxel's centre is reachable; solve where that is not known yet."""
        voxels = np.flatnonzero(self.found.reached & (self.found.offset > AT_CENTRE))
        if self.solver is not None:
            configurations = self.found.configuration[voxels]
            for i, centre in enumerate(self.voxels.centres(voxels)):
                configurations[i], _ = self.solver.find(_at(centre), configurations[i])
                progress(i / len(voxels))
            mark(self.chain, self.grid, configurations, 0, self.found)
        progress(1.0)
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
