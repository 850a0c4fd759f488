"""Derivatives of solutions by the pose of their goal, by the implicit function theorem.

A solution q of a goal T has zero residual, r(q, T) = 0, so that ∂q/∂T = −(∂r/∂q)⁺ ∂r/∂T.
"""

from typing import Any

import numpy as np

from ik_node.kinematics.reach import extent
from ik_node.model.chain import Chain
from ik_node.solvers.goal import Goal, pose_error
from ik_node.solvers.result import Result
from ik_node.spatial import right_jacobian_inverse
from ik_node.spatial.conversions import heading_axis, tip_heading
from ik_node.support.exceptions import InputError, shown

SINGULAR = 1e-4
"""Of the largest singular value: in directions with a smaller one no joint moves the tip."""
_AT_LIMIT = 1e-9  # rad or m
_OTHER_ARM = 1e-6  # m and rad, by which the error of a solution differs from the result's


def gradient_at(chain: Chain, result: Any, joint_weights: Any = None) -> np.ndarray:
    """Return ∂q/∂(x, y, z, rotation about the base's axes) (n, 6) of a result of this chain.

    joint_weights: of the norm that is least where the arm is redundant. For the rest, and for what
    it raises, see `Solver.gradient`.
    """
    goal = _goal_of(chain, result)
    q = np.asarray(result.q, dtype=float)
    of_joints, of_goal = _derivatives(chain, goal, q)
    free = (chain.lower + _AT_LIMIT < q) & (q < chain.upper - _AT_LIMIT)
    scale = np.broadcast_to(1.0 if joint_weights is None else joint_weights, q.shape)[free] ** -0.5
    units = np.ones(6)
    units[:3] /= extent(chain.arrays).length_scale
    rows = goal.weights > 0.0
    gradient = np.zeros((chain.n_joints, 6))
    gradient[free] = scale[:, None] * _least_norm(
        (units[:, None] * of_joints)[rows][:, free] * scale, (units[:, None] * of_goal)[rows],
        (goal.weights / units)[rows])
    return gradient


def _least_norm(A: np.ndarray, B: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return X (n, k) of least norm that minimises |diag(weights) (A X − B)|, of A (r, n)."""
    U, sigma, Vt = np.linalg.svd(A, full_matrices=False)
    rank = int((sigma > SINGULAR * sigma.max(initial=0.0)).sum())
    if rank == len(A):  # every row is met: weights do not matter
        return Vt[:rank].T @ ((U.T @ B) / sigma[:, None])
    scaled = (weights / weights.max())[:, None]
    found: np.ndarray = np.linalg.lstsq(scaled * U[:, :rank] * sigma[:rank], scaled * B,
                                        rcond=None)[0]
    return Vt[:rank].T @ found


def _derivatives(chain: Chain, goal: Goal, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return what a goal asks of the joints (6, n), and of changes of the goal (6, 6).

    Unweighted and along the goal's axes: −∂r/∂q and ∂r/∂T of its error r, see `pose_error`. Its
    components along constrained axes depend on those along free ones, which are not zero.
    """
    T_tip, J, R = chain.forward(q), chain.jacobian(q), goal.pose[:3, :3]
    turning = right_jacobian_inverse(pose_error(goal.pose, T_tip, np.ones(6))[3:])
    axis = heading_axis(goal.weights)
    if axis is not None:
        turning[axis] = tip_heading(goal.pose, T_tip, axis)[1]
    along = np.zeros((6, 6))
    along[:3, :3], along[3:, 3:] = R.T, turning @ R.T
    of_goal = along.copy()
    x, y, z = goal.pose[:3, 3] - T_tip[:3, 3]
    of_goal[:3, 3:] = R.T @ [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]  # its axes turn with it
    if goal.orientation is None:
        of_goal[:, 3:] = 0.0
    return along @ J, of_goal


def _goal_of(chain: Chain, result: Any) -> Goal:
    """Return the goal of a solution. Raises InputError for anything else."""
    if not isinstance(result, Result):
        raise InputError(f'a gradient is of a Result, as solve returns it, not of {shown(result)}')
    if np.shape(result.q) != (chain.n_joints,):
        raise InputError('a gradient is of the result of one goal, with q of the shape '
                         f'({chain.n_joints},), not {np.shape(result.q)}')
    if not result.success:
        raise InputError('a gradient is of a solution; this result has failed: '
                         f'{getattr(result.reason, "value", shown(result.reason))}')
    (goal,) = result.goals
    error = pose_error(goal.pose, chain.forward(result.q), goal.weights)
    error[goal.weights == 0.0] = 0.0
    if (np.linalg.norm(error[:3]) > result.position_error + _OTHER_ARM
            or np.linalg.norm(error[3:]) > result.orientation_error + _OTHER_ARM):
        raise InputError('the result is of another arm: here its q does not meet its goal')
    return goal
