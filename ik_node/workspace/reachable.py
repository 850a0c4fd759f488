"""Reachable voxels of a tip.

A voxel is **reachable** if some configuration inside the joint limits puts the tip inside it, in
any orientation. Its **centre is reachable** if some configuration puts the tip there, to the
solvers' tolerance. Every reported voxel has such a configuration, confirmed by forward kinematics.

Samples, spread over the limits, find the workspace but miss regions with few configurations, above
all its border. Inverse kinematics therefore solves for the centre of every voxel next to a reached
one, from the configuration of that neighbour, until no new voxel is found. Missed are voxels that
the workspace enters only with a corner, and parts that no sample has met and that touch no other.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ik_node.model.chain import Chain
from ik_node.solvers.analytic.solver import AnalyticSolver
from ik_node.solvers.codes import CONVERGED
from ik_node.solvers.goal import Goal
from ik_node.solvers.jacobian.solver import DlsSolver
from ik_node.support.exceptions import UnsupportedError
from ik_node.workspace.sampling import ConfigurationSampler
from ik_node.workspace.voxel_grid import VoxelGrid
from ik_node.workspace.voxels import Voxels

Progress = Callable[[float], None]  # part of a stage that is done, 0 to 1

AT_CENTRE = 2e-6     # m: twice the solvers' tolerance

_BLOCK = 13          # power of two of configurations drawn at once
_RESTARTS = 6


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


class ReachabilitySolver:
    """Finds configurations for poses of the tip, each from an initial guess that should be near.

    Damped least squares comes first, from the initial guess. Where it fails, a complete closed form
    decides; an incomplete one may find a solution. Else damped least squares restarts from other
    configurations. A pose reported as reachable always is.

    - `decides`: whether "unreachable" is proved, but where rounding hides a singular configuration.
    """

    def __init__(self, chain: Chain, weights: np.ndarray, restarts: int, seed: int = 0) -> None:
        """Prepare to solve for the axes with weights (6,) above zero, see `Goal`.

        Without a rotation among them they are the base's axes, else the goal's.
        """
        self._dls = DlsSolver(chain, max_restarts=restarts, seed=seed)
        self._template = Goal(np.zeros(3) if weights[:3].any() else None,
                              np.eye(3) if weights[3:].any() else None, weights)
        self._closed: AnalyticSolver | None = None
        try:
            self._closed = AnalyticSolver(chain, seed=seed)
            self.decides = self._closed.is_exact_for(self._template)
        except UnsupportedError:
            self.decides = False
        if not self.decides and chain.n_joints != int((weights > 0.0).sum()):
            self._closed = None  # samples of a redundant joint take longer than restarts

    def find(self, T_base_goal: np.ndarray, q0: np.ndarray,
             thorough: bool = True) -> tuple[np.ndarray, bool]:
        """Return (q (n,), whether it meets the goal) for a pose (4, 4), m, from q0 (n,).

        Where it does not, q is the best found. thorough: whether to continue where the search from
        q0 fails.
        """
        goal = self._template.moved_to(np.array(T_base_goal))
        q, met = self._searched(goal, q0, 1)
        if met or not thorough:
            return q, met
        if self._closed is not None:
            try:
                solution = self._closed.best_solution(goal, q0)
            except UnsupportedError:  # a closed form of the arm, but not for these axes
                self._closed, self.decides, solution = None, False, None
            if solution is not None:
                return solution, True
            if self.decides:
                return self._improved(goal, q), False
        return self._searched(goal, q0, 1 + self._dls.options.max_restarts)

    def _searched(self, goal: Goal, q0: np.ndarray, attempts: int) -> tuple[np.ndarray, bool]:
        """Return the best q (n,) of attempts of damped least squares, and whether it is met."""
        q = q0.copy()
        end, *_ = self._dls._entry.run(goal.pose, goal.weights, q, attempts, math.inf)
        return q, end == CONVERGED

    def _improved(self, goal: Goal, q: np.ndarray) -> np.ndarray:
        """Return the q (n,) of a patient attempt from q (n,), or q where its error is less."""
        search, nearer = self._dls._entry.patient, q.copy()
        before = search.errors(goal.pose, goal.weights, q)[0]
        after = search.run(goal.pose, goal.weights, nearer, 1, math.inf)[3]
        return nearer if after < before else q


def mark_samples(chain: Chain, grid: VoxelGrid, count: int, seed: int,
                 progress: Progress) -> None:
    """Enter `count` configurations spread over the limits."""
    configurations = ConfigurationSampler(chain, seed)
    for first in range(0, count, 1 << _BLOCK):
        grid.mark(configurations.next(_BLOCK)[:count - first], 1)
        progress(min((first + (1 << _BLOCK)) / count, 1.0))


class Border:
    """Extends a sampled workspace to its border by inverse kinematics."""

    def __init__(self, chain: Chain, voxels: Voxels, grid: VoxelGrid, found: Occupancy,
                 seed: int = 0) -> None:
        """Prepare to solve for positions, along the base's axes in which the tip moves."""
        self.chain, self.voxels, self.grid, self.found = chain, voxels, grid, found
        weights = np.zeros(6)
        weights[:3] = ~np.array(voxels.fixed_axes)
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
            self.grid.mark(configurations, 0)
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
            self.grid.mark(configurations, 0)
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
