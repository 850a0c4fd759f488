"""Dexterity: the part of all orientations that the tip can take at a reachable voxel.

The **dexterity** of a voxel is the part, 0 to 1, of a set of evenly spread orientations that the
tip can take at the voxel's centre; a voxel is **dexterous** where it takes them all. It is the
reachability index of the capability map [Zacharias, Borst & Hirzinger, Capturing Robot Workspace
Structure: Representing Robot Capabilities, IROS 2007]. Rotations about axes that the arm leaves
free (`TaskRank.weights`) do not count; where all are free, as of a planar 2R, dexterity is 0.
Without a closed form some orientations may be missed, since restarts are bounded: on a Panda one
in a hundred.
"""

import numpy as np

from ik_node.model.chain import Chain
from ik_node.workspace.reachable import Progress, ReachabilitySolver
from ik_node.workspace.sampling import orientations
from ik_node.workspace.voxels import Voxels

_RESTARTS = 8
_NEARLY = 0.8           # from here on a voxel may be dexterous, and missing orientations …
_RESTARTS_OF_FEW = 50   # … are searched with more restarts


def dexterity(chain: Chain, voxels: Voxels, weights: np.ndarray, numbers: np.ndarray,
              configurations: np.ndarray, count: int, progress: Progress,
              seed: int = 0) -> np.ndarray:
    """Return the part (k,), 0 to 1, of `count` orientations reachable at voxels' centres.

    weights: (6,) the axes of the task; numbers: (k,) voxels whose centres are reachable;
    configurations: (k, n) a configuration for each centre, rad or m.
    """
    rows, part = np.arange(len(numbers)), np.zeros(len(numbers))
    if weights[3:].any() and len(numbers):
        search = _Search(chain, voxels, numbers, configurations, orientations(chain, count, seed))
        solver = ReachabilitySolver(chain, weights, _RESTARTS, seed)
        search.sweep(rows, solver, True, lambda done: progress(0.7 * done))
        search.sweep(rows[::-1], solver, False, lambda done: progress(0.7 + 0.1 * done))
        part = search.reachable.mean(axis=1)
        few = rows[(part >= _NEARLY) & (part < 1.0)]
        search.sweep(few, ReachabilitySolver(chain, weights, _RESTARTS_OF_FEW, seed), True,
                     lambda done: progress(0.8 + 0.2 * done))
        part = search.reachable.mean(axis=1)
    progress(1.0)
    return part


class _Search:
    """Voxels (k,) and orientations (m,): which are reachable, with their configurations."""

    def __init__(self, chain: Chain, voxels: Voxels, numbers: np.ndarray,
                 configurations: np.ndarray, R_base_goal: np.ndarray) -> None:
        k, m = len(numbers), len(R_base_goal)
        self.reachable = np.zeros((k, m), dtype=bool)
        self._solutions = np.empty((k, m, chain.n_joints), dtype=np.float32)  # as initial guesses
        self._configurations, self._centres = configurations, voxels.centres(numbers)
        self._beside = _beside(voxels, numbers)
        self._T_base_goal = np.tile(np.eye(4), (m, 1, 1))
        self._T_base_goal[:, :3, :3] = R_base_goal

    def sweep(self, rows: np.ndarray, solver: ReachabilitySolver, thorough: bool,
              progress: Progress) -> None:
        """Solve, voxel by voxel, for the orientations without a solution yet.

        The initial guess is the solution of a neighbour; without one that of the voxel itself, if
        the search is thorough.
        """
        for done, i in enumerate(rows, start=1):
            self._T_base_goal[:, :3, 3] = self._centres[i]
            for k in np.flatnonzero(~self.reachable[i]):
                solved = self._beside[i][self.reachable[self._beside[i], k]]
                if not len(solved) and not thorough:
                    continue
                q0 = (self._solutions[solved[0], k].astype(float) if len(solved)
                      else self._configurations[i])
                q, self.reachable[i, k] = solver.find(self._T_base_goal[k], q0, thorough)
                self._solutions[i, k] = q
            progress(done / len(rows))


def _beside(voxels: Voxels, numbers: np.ndarray) -> list[np.ndarray]:
    """Return, for each of the voxels (k,), which of them share a face with it."""
    place = np.full(voxels.size + 1, -1)  # the last for what lies outside the grid, number −1
    place[numbers] = np.arange(len(numbers))
    around = np.array([place[voxels.neighbours(numbers, step)] for step in voxels.steps()
                       if sum(map(abs, step)) == 1])
    return [row[row >= 0] for row in around.T.reshape(len(numbers), -1)]
