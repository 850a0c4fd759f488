"""Refinement of one branch of the nominal arm on the true arm."""

import math

from ik_node.kinematics import forward
from ik_node.kinematics.forward import ChainRecord
from ik_node.solvers import search
from ik_node.solvers.analytic.families.nominal import Structure
from ik_node.solvers.analytic.refinement import newton
from ik_node.solvers.analytic.refinement.buffers import Buffers
from ik_node.solvers.settings import Settings
from ik_node.solvers.task import TipTask
from ik_node.support.arrays import Vector

INF, NAN = float('inf'), float('nan')
FIRM = 1e-6           # rad or m: largest change by refinement, for exact arms
_SHAKY = 0.3          # rad or m: the same, for inexact arms
_EXACT = 1e-24        # squared error of a branch that needs no refinement, m² and rad²
_GOOD = 1e-18         # and of one that needs a single Newton step
_CERTAIN = 1e-7       # m and rad: tolerances that such a branch meets, even when set to a limit
_TURN, _PER_TURN = 2.0 * math.pi, 0.5 / math.pi


def refine_branch(chain: ChainRecord, settings: Settings, task: TipTask, buffers: Buffers,
                  q0: Vector, q: Vector) -> tuple[float, bool]:
    """Refine a branch q (n,) on the true arm in place; return (squared error, whether met)."""
    error = squared_pose_error(chain, task, buffers, q) if task.rows == 6 else INF
    if error <= _EXACT or (error <= _GOOD and chain.n == 6 and (
            (buffers.wrist and _is_regular(buffers))
            or newton.last_newton_step(chain, task.T, buffers.work, q))):
        wrap_to_nearest(chain, q0, q)
        if min(settings.position_tolerance, settings.orientation_tolerance) >= _CERTAIN:
            return error, True
    invalidate_frames(chain, buffers)
    error, position, orientation = search.residual(chain, task, buffers.work, q)
    if error > _EXACT:
        newton.newton_refinement(chain, task, buffers.work, buffers.held, q, newton.STEPS)
    wrap_to_nearest(chain, q0, q)
    error, position, orientation = search.residual(chain, task, buffers.work, q)
    return error, within_tolerances(settings, position, orientation)


def squared_pose_error(chain: ChainRecord, task: TipTask, buffers: Buffers, q: Vector) -> float:
    """Return the squared pose error at q (n,), m² and rad², accurate where it is small.

    There |R − R_goal|² is 2 θ², which saves the logarithm for every exact branch. Consecutive
    branches share their first joint values, whose frames are reused.
    """
    goal, frames_q, column, first = task.T, buffers.frames_q, chain.column, 0
    tip = buffers.work.frames[chain.m]
    while first < chain.m and q[column[first]] == frames_q[column[first]]:
        first += 1
    forward.frames_beyond(chain, q, first, buffers.work.frames)
    copy_to(frames_q, q, chain.n)
    if first < 3:
        buffers.arm_checked = False
    shift, rotation = 0.0, 0.0
    for i in range(3):
        shift += (tip[i][3] - goal[i][3]) ** 2
        for j in range(3):
            rotation += (tip[i][j] - goal[i][j]) ** 2
    return shift + 0.5 * rotation


def _is_regular(buffers: Buffers) -> bool:
    """Tell whether an arm with a spherical wrist is far from singular at `frames_q`."""
    if not newton.is_wrist_regular(buffers.work.frames):
        return False
    if not buffers.arm_checked:
        buffers.arm_checked = True
        buffers.arm_regular = newton.is_arm_regular(buffers.work.frames)
    return buffers.arm_regular


def invalidate_frames(chain: ChainRecord, buffers: Buffers) -> None:
    """Mark work.frames as those of another configuration."""
    buffers.frames_q[chain.column[0]] = NAN


def wrap_to_nearest(chain: ChainRecord, q0: Vector, q: Vector) -> None:
    """Wrap q in place by whole turns nearest to q0; remove excess over limits due to rounding."""
    lower, upper = chain.lower, chain.upper
    search.nearest_turn(chain, q0, q)
    for k in range(chain.n):
        if q[k] < lower[k] or q[k] > upper[k]:
            q[k] = _at_limit(q[k], lower[k], chain.turns[k])
            q[k] = _at_limit(q[k], upper[k], chain.turns[k])


def _at_limit(value: float, limit: float, turns: int) -> float:
    """Return a joint value wrapped to beside a limit that it is near; the limit where it is nearer.

    Near a singular configuration rounding errors of the joint values are a multiple of the pose's.
    """
    off = value - limit
    if turns and math.isfinite(limit):
        off -= _TURN * round(off * _PER_TURN)
    if math.fabs(off) >= FIRM:
        return value
    return limit if math.fabs(off) < search.AT_LIMIT else limit + off


def allowed_excess(structure: Structure) -> float:
    """Return the excess over the limits allowed before refinement, rad or m."""
    return _SHAKY if structure.may_be_off else FIRM


def joint_excess(chain: ChainRecord, q: Vector, k: int) -> float:
    """Return the excess of q (n,) over the limits of joint k, rad or m; negative inside."""
    return max(chain.lower[k] - q[k], q[k] - chain.upper[k])


def limit_excess(chain: ChainRecord, q: Vector) -> float:
    """Return the largest excess of q (n,) over the limits, rad or m; 0 inside."""
    worst = 0.0
    for k in range(chain.n):
        worst = max(worst, joint_excess(chain, q, k))
    return worst


def within_tolerances(settings: Settings, position: float, orientation: float) -> bool:
    """Tell whether errors, m and rad, are within both tolerances."""
    return (position <= settings.position_tolerance
            and orientation <= settings.orientation_tolerance)


def copy_to(target: Vector, source: Vector, n: int) -> None:
    """Copy a vector (n,)."""
    for k in range(n):
        target[k] = source[k]
