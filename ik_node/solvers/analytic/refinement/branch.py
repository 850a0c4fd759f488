"""Refinement of one branch of the nominal arm on the true arm."""

import math

from ik_node._jit import Integers, Vector, inline, njit
from ik_node.kinematics.forward import ChainArrays, frames_beyond
from ik_node.solvers.analytic.refinement.buffers import Buffers, copy_to
from ik_node.solvers.analytic.refinement.newton import (
    STEPS,
    is_arm_regular,
    is_wrist_regular,
    last_newton_step,
    newton_refinement,
)
from ik_node.solvers.analytic.structure import may_be_off
from ik_node.solvers.search import AT_LIMIT, nearest_turn, residual
from ik_node.solvers.settings import Settings
from ik_node.solvers.task import Task

_EXACT = 1e-24        # squared error of a branch that needs no refinement, m² and rad²
_GOOD = 1e-18         # and of one that needs a single Newton step
_CERTAIN = 1e-7       # m and rad: tolerances that such a branch meets, even when set to a limit
FIRM = 1e-6           # rad or m: largest change by refinement, for exact arms
_SHAKY = 0.3          # rad or m: the same, for inexact arms
_UNKNOWN = -1.0
_TURN, _PER_TURN = 2.0 * math.pi, 0.5 / math.pi


@njit
def refine_branch(chain: ChainArrays, settings: Settings, task: Task, buffers: Buffers, q0: Vector,
                  q: Vector) -> tuple[float, bool]:
    """Refine a branch q (n,) on the true arm in place; return (squared error, whether met)."""
    work = buffers.work
    error = squared_pose_error(chain, task, buffers, q) if task.rows == 6 else math.inf
    if error <= _EXACT or (error <= _GOOD and q.shape[0] == 6 and (
            (buffers.wrist and _is_regular(buffers))
            or last_newton_step(chain, task.T_base_goal, work, q))):
        wrap_to_nearest(chain, q0, q)
        if min(settings.position_tolerance, settings.orientation_tolerance) >= _CERTAIN:
            return error, True
    invalidate_frames(chain, buffers)
    error, position, orientation = residual(chain, task, work, q)
    if error > _EXACT:
        error, position, orientation = newton_refinement(chain, task, work, buffers.held, q, STEPS)
    wrap_to_nearest(chain, q0, q)
    error, position, orientation = residual(chain, task, work, q)
    return error, (position <= settings.position_tolerance
                   and orientation <= settings.orientation_tolerance)


@inline
def squared_pose_error(chain: ChainArrays, task: Task, buffers: Buffers, q: Vector) -> float:
    """Return the squared pose error at q (n,), m² and rad², accurate where it is small.

    There |R − R_goal|² is 2 θ², which saves the logarithm for every exact branch. Consecutive
    branches share their first joint values, whose frames are reused.
    """
    frames, goal, frames_q = buffers.work.frames, task.T_base_goal, buffers.frames_q
    columns, first = chain.column, 0
    while first < columns.shape[0] and q[columns[first]] == frames_q[columns[first]]:
        first += 1
    frames_beyond(chain, q, first, frames)
    copy_to(frames_q, q)
    if first < 3:
        buffers.arm_regular[0] = _UNKNOWN
    tip = frames.shape[0] - 1
    shift, rotation = 0.0, 0.0
    for i in range(3):
        shift += (frames[tip, i, 3] - goal[i, 3]) ** 2
        for j in range(3):
            rotation += (frames[tip, i, j] - goal[i, j]) ** 2
    return shift + 0.5 * rotation


@inline
def _is_regular(buffers: Buffers) -> bool:
    """Tell whether an arm with a spherical wrist is far from singular at `frames_q`."""
    frames, arm = buffers.work.frames, buffers.arm_regular
    if not is_wrist_regular(frames):
        return False
    if arm[0] == _UNKNOWN:
        arm[0] = 1.0 if is_arm_regular(frames) else 0.0
    return arm[0] == 1.0


@inline
def invalidate_frames(chain: ChainArrays, buffers: Buffers) -> None:
    """Mark work.frames as those of another configuration."""
    buffers.frames_q[chain.column[0]] = math.nan


@njit
def wrap_to_nearest(chain: ChainArrays, q0: Vector, q: Vector) -> None:
    """Wrap q in place by whole turns nearest to q0; remove excess over limits due to rounding."""
    nearest_turn(chain, q0, q)
    lower, upper = chain.lower, chain.upper
    for k in range(q.shape[0]):
        if q[k] < lower[k] or q[k] > upper[k]:
            q[k] = _at_limit(q[k], lower[k], chain.turns[k])
            q[k] = _at_limit(q[k], upper[k], chain.turns[k])


@inline
def _at_limit(value: float, limit: float, turns: bool) -> float:
    """Return a joint value wrapped to beside a limit that it is near; the limit where it is nearer.

    Near a singular configuration rounding errors of the joint values are a multiple of the pose's.
    """
    off = value - limit
    if turns and math.isfinite(limit):
        off -= _TURN * round(off * _PER_TURN)
    if abs(off) >= FIRM:
        return value
    return limit if abs(off) < AT_LIMIT else limit + off


@inline
def joint_excess(chain: ChainArrays, q: Vector, k: int) -> float:
    """Return the excess of q (n,) over the limits of joint k, rad or m; negative inside."""
    return max(chain.lower[k] - q[k], q[k] - chain.upper[k])


@njit
def limit_excess(chain: ChainArrays, q: Vector) -> float:
    """Return the largest excess of q (n,) over the limits, rad or m; 0 inside."""
    worst = 0.0
    for k in range(q.shape[0]):
        worst = max(worst, joint_excess(chain, q, k))
    return worst


@njit
def allowed_excess(structure_codes: Integers, structure_numbers: Vector) -> float:
    """Return the excess over the limits allowed before refinement, rad or m."""
    return _SHAKY if may_be_off(structure_codes, structure_numbers) else FIRM
