"""Which part of all orientations a tip can take where it can get.

The **dexterity** of a voxel is the part, 0 to 1, of a set of evenly spread orientations that the
tip can take at the voxel's centre; **dexterous** is a voxel where it takes them all. It is the
reachability index of the capability map [Zacharias, Borst & Hirzinger, Capturing Robot Workspace
Structure: Representing Robot Capabilities, IROS 2007]. An orientation counts up to a turn about
the axes that the arm leaves free (`TaskRank.weights`): of a five-joint arm nobody asks for more.
An arm that serves no rotation beside its position, as a planar 2R, has dexterity 0: where its tip
is decides how it is turned.

Each orientation is asked of inverse kinematics, and counts where forward kinematics confirms the
answer. Without a closed form some may be missed, since restarts are bounded: on a Panda one in a
hundred.
"""

import numpy as np

from ik_node.model.chain import Chain
from ik_node.workspace.orientations import orientations
from ik_node.workspace.progress import Tell
from ik_node.workspace.seeker import Seeker
from ik_node.workspace.voxels import Voxels

_RESTARTS = 8
_NEARLY = 0.8           # from here on a voxel may well be dexterous, and what is missing …
_RESTARTS_OF_FEW = 50   # … is looked for harder


def dexterity(chain: Chain, voxels: Voxels, weights: np.ndarray, numbers: np.ndarray,
              postures: np.ndarray, count: int, tell: Tell, seed: int = 0) -> np.ndarray:
    """Return the part (k,), 0 to 1, of `count` orientations that is taken at voxels' centres.

    weights: (6,) the axes to ask for; numbers: (k,) voxels whose centres are reachable; postures:
    (k, n) some posture there, rad or m.
    """
    part = np.zeros(len(numbers))
    if weights[3:].any() and len(numbers):
        rows = np.arange(len(numbers))
        search = _Search(chain, voxels, numbers, postures, orientations(chain, count, seed))
        seeker = Seeker(chain, weights, _RESTARTS, seed)
        search.sweep(rows, seeker, True, lambda done: tell(0.7 * done))
        search.sweep(rows[::-1], seeker, False, lambda done: tell(0.7 + 0.1 * done))
        part = search.taken.mean(axis=1)
        few = rows[(part >= _NEARLY) & (part < 1.0)]
        search.sweep(few, Seeker(chain, weights, _RESTARTS_OF_FEW, seed), True,
                     lambda done: tell(0.8 + 0.2 * done))
        part = search.taken.mean(axis=1)
    tell(1.0)
    return part


class _Search:
    """Voxels (k,) and orientations (m,): which are taken, and how the arm stands then."""

    def __init__(self, chain: Chain, voxels: Voxels, numbers: np.ndarray, postures: np.ndarray,
                 R_base_goal: np.ndarray) -> None:
        k, m = len(numbers), len(R_base_goal)
        self.taken = np.zeros((k, m), dtype=bool)
        self._stood = np.empty((k, m, chain.n_joints), dtype=np.float32)  # good enough to start at
        self._postures = postures
        self._centres = voxels.centres(numbers)
        self._beside = _beside(voxels, numbers)
        self._T_base_goal = np.tile(np.eye(4), (m, 1, 1))
        self._T_base_goal[:, :3, :3] = R_base_goal

    def sweep(self, rows: np.ndarray, seeker: Seeker, thorough: bool, tell: Tell) -> None:
        """Ask, voxel by voxel, for what is not taken yet.

        From the posture in which a neighbour takes it; where there is none, from the voxel's own,
        if the search is thorough.
        """
        for done, i in enumerate(rows, start=1):
            self._T_base_goal[:, :3, 3] = self._centres[i]
            for k in np.flatnonzero(~self.taken[i]):
                known = self._beside[i][self.taken[self._beside[i], k]]
                if not len(known) and not thorough:
                    continue
                start = self._stood[known[0], k].astype(float) if len(known) else self._postures[i]
                q, self.taken[i, k] = seeker.find(self._T_base_goal[k], start, thorough)
                self._stood[i, k] = q
            tell(done / len(rows))


def _beside(voxels: Voxels, numbers: np.ndarray) -> list[np.ndarray]:
    """Return, for each of the voxels (k,), which of them share a face with it."""
    place = np.full(voxels.size + 1, -1)  # the last for what lies outside the grid, number −1
    place[numbers] = np.arange(len(numbers))
    around = np.array([place[voxels.neighbours(numbers, step)] for step in voxels.steps()
                       if sum(map(abs, step)) == 1])
    return [row[row >= 0] for row in around.T.reshape(len(numbers), -1)]
