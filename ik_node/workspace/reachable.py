"""Reachable voxels of a tip, and their dexterity.

A voxel is **reachable** if some configuration inside the joint limits puts the tip inside it, in
any orientation. Its **centre is reachable** if some configuration puts the tip there, to the
solvers' tolerance. Every reported voxel has such a configuration, confirmed by forward kinematics.

Samples, spread over the limits, find the workspace but miss regions with few configurations, above
all its border. Inverse kinematics therefore solves for the centre of every voxel next to a reached
one, from the configuration of that neighbour, until no new voxel is found. Missed are voxels that
the workspace enters only with a corner, and parts that no sample has met and that touch no other.

The **dexterity** of a voxel is the part, 0 to 1, of a set of evenly spread orientations that the
tip can take at the voxel's centre; a voxel is **dexterous** where it takes them all. It is the
reachability index of the capability map [Zacharias, Borst & Hirzinger, Capturing Robot Workspace
Structure: Representing Robot Capabilities, IROS 2007]. Rotations about axes that the arm leaves
free (`TaskRank.weights`) do not count; where all are free, as of a planar 2R, dexterity is 0.
Without a complete closed form some orientations may be missed, since restarts are bounded.
"""

from collections.abc import Callable

import numpy as np

from ik_node.model.chain import Chain
from ik_node.solvers.auto import AutoSolver
from ik_node.solvers.goal import Goal
from ik_node.solvers.jacobian.solvers import DlsSolver
from ik_node.solvers.result import PROVEN
from ik_node.spatial import pose_from_rotation
from ik_node.workspace.occupancy import Occupancy
from ik_node.workspace.sampling import ConfigurationSampler, orientations
from ik_node.workspace.voxels import Voxels

Progress = Callable[[float], None]  # part of a stage that is done, 0 to 1

AT_CENTRE = 2e-6     # m: twice the solvers' tolerance

_BLOCK = 13          # power of two of configurations drawn at once
_RESTARTS = 6         # for a position
_RESTARTS_OF_POSE = 8   # for an orientation at a centre
_NEARLY = 0.8           # from here on a voxel may be dexterous, and missing orientations …
_RESTARTS_OF_FEW = 50   # … are searched with more restarts


class ReachabilitySolver:
    """Finds configurations for poses of the tip, each from an initial guess that should be near.

    A quick search is one attempt of damped least squares, a thorough one that of `auto`. A pose
    reported as reachable always is.
    """

    def __init__(self, chain: Chain, weights: np.ndarray, restarts: int, seed: int = 0) -> None:
        """Prepare to solve for the axes with weights (6,) above zero, see `Goal`.

        Without a rotation among them they are the base's axes, else the goal's.
        """
        self._quick = DlsSolver(chain, max_restarts=0, seed=seed)
        self._thorough = AutoSolver(chain, max_restarts=restarts, seed=seed)
        self._template = Goal(np.zeros(3) if weights[:3].any() else None,
                              np.eye(3) if weights[3:].any() else None, weights)

    def find(self, T_base_goal: np.ndarray, q0: np.ndarray,
             thorough: bool = True) -> tuple[np.ndarray, bool]:
        """Return (q (n,), whether it meets the goal) for a pose (4, 4), m, from q0 (n,).

        Where it does not, q is the best found. thorough: whether to continue where the search from
        q0 fails.
        """
        goal = self._template.moved_to(np.array(T_base_goal))
        quick = self._quick.solve(goal, q0)
        if quick.success or not thorough:
            return quick.q, bool(quick.success)
        result = self._thorough.solve(goal, q0)  # of what is infeasible it has nothing nearer
        return (quick if result.reason in PROVEN else result).q, bool(result.success)


def mark_samples(found: Occupancy, count: int, seed: int, progress: Progress) -> None:
    """Enter `count` configurations spread over the limits."""
    configurations = ConfigurationSampler(found.chain, seed)
    for first in range(0, count, 1 << _BLOCK):
        found.mark(configurations.next(_BLOCK)[:count - first], 1)
        progress(min((first + (1 << _BLOCK)) / count, 1.0))


class Border:
    """Extends a sampled workspace to its border by inverse kinematics."""

    def __init__(self, found: Occupancy, seed: int = 0) -> None:
        """Prepare to solve for positions, along the base's axes in which the tip moves."""
        self.voxels, self.found = found.voxels, found
        weights = np.zeros(6)
        weights[:3] = ~np.array(found.voxels.fixed_axes)
        # A tip that never moves reaches its one voxel with the first sample.
        self.solver = ReachabilitySolver(
            found.chain, weights, _RESTARTS, seed) if weights.any() else None

    def grow(self, progress: Progress) -> None:
        """Solve for the neighbours of reached voxels until no new one is reached."""
        visited = np.zeros(self.voxels.size, dtype=bool)
        reached = self.found.reached
        new = np.flatnonzero(reached)
        done = 0
        while self.solver is not None and len(new):
            voxels, starts = self._neighbours(new)
            configurations = np.empty((len(voxels), self.found.chain.n_joints))
            for i, centre in enumerate(self.voxels.centres(voxels)):
                configurations[i], _ = self.solver.find(
                    pose_from_rotation(np.eye(3), centre), self.found.configuration[starts[i]],
                    thorough=not visited[voxels[i]])
                progress((done + i) / (done + 2 * len(voxels)))
            self.found.mark(configurations, 0)
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
                configurations[i], _ = self.solver.find(
                    pose_from_rotation(np.eye(3), centre), configurations[i])
                progress(i / len(voxels))
            self.found.mark(configurations, 0)
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
        solver = ReachabilitySolver(chain, weights, _RESTARTS_OF_POSE, seed)
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
