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
from scipy.ndimage import distance_transform_edt

from ik_node.model.chain import Chain
from ik_node.solvers.auto import AutoSolver
from ik_node.solvers.goal import Goal
from ik_node.solvers.jacobian.solvers import DlsSolver
from ik_node.solvers.result import PROVEN
from ik_node.spatial import pose_from_rotation
from ik_node.workspace.occupancy import Occupancy
from ik_node.workspace.sampling import ConfigurationSampler, orientations

Progress = Callable[[float], None]  # part of a stage that is done, 0 to 1

AT_CENTRE = 2e-6     # m: twice the solvers' tolerance
_NEXT = 1.9          # edges: farther than between the centres of voxels that share a corner

_BLOCK = 13          # power of two of configurations drawn at once
_RESTARTS = 6         # for a position
_RESTARTS_OF_POSE = 8   # for an orientation at a centre


class ReachabilitySolver:
    """Finds configurations for poses of the tip, each from an initial guess that should be near.

    By one attempt of damped least squares, and where that fails by `auto`. A pose reported as
    reachable always is.
    """

    def __init__(self, chain: Chain, weights: np.ndarray, restarts: int, seed: int = 0) -> None:
        """Prepare to solve for the axes with weights (6,) above zero, see `Goal`.

        Without a rotation among them they are the base's axes, else the goal's.
        """
        self._quick = DlsSolver(chain, max_restarts=0, seed=seed)
        self._thorough = AutoSolver(chain, max_restarts=restarts, seed=seed)
        self._template = Goal(np.zeros(3) if weights[:3].any() else None,
                              np.eye(3) if weights[3:].any() else None, weights)

    def find(self, T_base_goal: np.ndarray, q0: np.ndarray) -> tuple[np.ndarray, bool]:
        """Return (q (n,), whether it meets the goal) for a pose (4, 4), m, from q0 (n,).

        Where it does not, q is the best found.
        """
        goal = self._template.moved_to(np.array(T_base_goal))
        quick = self._quick.solve(goal, q0)
        if quick.success:
            return quick.q, True
        result = self._thorough.solve(goal, q0)  # of what is infeasible it has nothing nearer
        return (quick if result.reason in PROVEN else result).q, bool(result.success)


def mark_samples(found: Occupancy, count: int, seed: int, progress: Progress) -> None:
    """Enter `count` configurations spread over the limits."""
    configurations = ConfigurationSampler(found.chain, seed)
    for first in range(0, count, 1 << _BLOCK):
        found.mark(configurations.next(_BLOCK)[:count - first], 1)
        progress(min((first + (1 << _BLOCK)) / count, 1.0))


def solve_centres(found: Occupancy, seed: int, progress: Progress) -> np.ndarray:
    """Solve for the centres of voxels that are reached, or next to one, until none of these is new.

    Returns (v,) whether a voxel's centre is reachable.
    """
    voxels, weights, done = found.voxels, np.zeros(6), 0
    weights[:3] = ~np.array(voxels.fixed_axes)  # along the base's axes in which the tip moves
    solved = found.offset <= AT_CENTRE
    # A tip that never moves reaches its one voxel with the first sample.
    solver = ReachabilitySolver(found.chain, weights, _RESTARTS, seed) if weights.any() else None
    while solver is not None and found.reached.any():
        away, nearest = distance_transform_edt(
            ~found.reached.reshape(voxels.shape), return_indices=True)
        new = np.flatnonzero((away.ravel() < _NEXT) & ~solved)
        if not len(new):
            break
        q = found.configuration[np.ravel_multi_index(
            tuple(nearest.reshape(3, -1)[:, new]), voxels.shape)]
        for i, centre in enumerate(voxels.centres(new)):
            q[i], _ = solver.find(pose_from_rotation(np.eye(3), centre), q[i])
            progress((done + i) / (done + 2 * len(new)))
        found.mark(q, 0)
        solved[new], done = True, done + len(new)
    progress(1.0)
    return found.offset <= AT_CENTRE


def dexterity(found: Occupancy, weights: np.ndarray, numbers: np.ndarray, count: int,
              progress: Progress, seed: int = 0) -> np.ndarray:
    """Return the part (k,), 0 to 1, of `count` orientations reachable at voxels' centres.

    weights: (6,) the axes of the task; numbers: (k,) voxels whose centres are reachable.
    """
    part = np.zeros(len(numbers))
    if weights[3:].any():
        solver = ReachabilitySolver(found.chain, weights, _RESTARTS_OF_POSE, seed)
        goals = [pose_from_rotation(R) for R in orientations(found.chain, count, seed)]
        for i, (centre, q) in enumerate(zip(found.voxels.centres(numbers),
                                            found.configuration[numbers])):
            met = 0
            for T_base_goal in goals:
                T_base_goal[:3, 3] = centre
                solution, is_met = solver.find(T_base_goal, q)
                met, q = met + is_met, solution if is_met else q
            part[i] = met / count
            progress(i / len(numbers))
    progress(1.0)
    return part
