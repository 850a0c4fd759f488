"""Refinement of branches of the nominal arm on the true arm, and into the limits."""

import numpy as np

from ik_node.kernels import forward, newton, search
from ik_node.kernels.arrays import Memory, Rows, Vector
from ik_node.kernels.forward import Chain
from ik_node.kernels.nominal import ClosedForm, Structure
from ik_node.kernels.settings import Settings, Work
from ik_node.kernels.sizes import MOST_BRANCHES as _MOST_BRANCHES
from ik_node.kernels.sizes import MOST_SOLUTIONS as _MOST_SOLUTIONS
from ik_node.kernels.task import Task

INF, NAN = float('inf'), float('nan')

# Squared error, m² and rad², of a precise solution. Configurations that meet the tolerances with a
# larger error are used only where there is no precise one.
PRECISE = 1e-18
_EXACT = 1e-24        # squared error of a branch that needs no refinement, m² and rad²
_GOOD = 1e-18         # and of one that needs a single Newton step
_CERTAIN = 1e-7       # m and rad: tolerances that such a branch meets, even when set to a limit
_AT_LIMIT = 1e-9      # rad or m: a smaller excess over a limit is a rounding error


class Buffers:
    """Scratch of one enumeration of branches."""

    work: Work
    """Of the iterative solvers, with the goal."""
    closed_form: ClosedForm
    """Of the closed form."""
    branches: Rows
    """(MOST_BRANCHES, n) of the nominal arm."""
    found: Rows
    """(MOST_SOLUTIONS, n) of the true arm."""
    errors: Vector
    """Squared errors of these."""
    held: Vector
    """(n,) 1 for locked joints."""
    parameters: Vector
    """Redundancy parameters, rad or m."""
    trial: Vector
    """(n,)"""
    frames_q: Vector
    """(n,) configuration of work.frames; NaN where they are invalid."""
    arm_known: bool
    """Whether `arm_regular` is that of work.frames."""
    arm_regular: bool
    """See `newton.is_arm_regular`."""
    wrist: bool
    """See `Structure.has_wrist`."""

    def __init__(self, m: int, n: int, structure: Structure) -> None:
        """Make the arrays for a chain of m articulations and n joint values."""
        self.memory = memory = Memory()
        self.work, self.closed_form = Work(m, n), ClosedForm()
        self.branches = memory.rows(np.zeros((_MOST_BRANCHES, n)))
        self.found = memory.rows(np.zeros((_MOST_SOLUTIONS, n)))
        self.errors = memory.vector(np.zeros(_MOST_SOLUTIONS))
        self.held, self.trial = memory.vector(np.zeros(n)), memory.vector(np.zeros(n))
        self.parameters, self.frames_q = memory.vector(np.zeros(n)), memory.vector(np.zeros(n))
        self.prepare(structure)

    def prepare(self, structure: Structure) -> None:
        """Take what depends on the nominal arm."""
        for j in range(structure.count):
            if structure.locked[j] >= 0:
                self.held[structure.column[j]] = 1.0
        self.wrist, self.arm_known, self.arm_regular = structure.has_wrist, False, False


def refine_branch(chain: Chain, settings: Settings, task: Task, buffers: Buffers, q0: Vector,
                  q: Vector) -> tuple[float, bool]:
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


def squared_pose_error(chain: Chain, task: Task, buffers: Buffers, q: Vector) -> float:
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
        buffers.arm_known = False
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
    if not buffers.arm_known:
        buffers.arm_known = True
        buffers.arm_regular = newton.is_arm_regular(buffers.work.frames)
    return buffers.arm_regular


def invalidate_frames(chain: Chain, buffers: Buffers) -> None:
    """Mark work.frames as those of another configuration."""
    buffers.frames_q[chain.column[0]] = NAN


def wrap_to_nearest(chain: Chain, q0: Vector, q: Vector) -> None:
    """Wrap q in place by whole turns nearest to q0; remove excess over limits due to rounding."""
    lower, upper = chain.lower, chain.upper
    search.nearest_turn(chain, q0, q)
    for k in range(chain.n):
        if q[k] < lower[k] and q[k] > lower[k] - _AT_LIMIT:
            q[k] = lower[k]
        elif q[k] > upper[k] and q[k] < upper[k] + _AT_LIMIT:
            q[k] = upper[k]


def joint_excess(chain: Chain, q: Vector, k: int) -> float:
    """Return the excess of q (n,) over the limits of joint k, rad or m; negative inside."""
    return max(chain.lower[k] - q[k], q[k] - chain.upper[k])


def limit_excess(chain: Chain, q: Vector) -> float:
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


def has_self_motion(chain: Chain, buffers: Buffers, q: Vector) -> bool:
    """Tell whether a self-motion passes through q (n,), or nearly so: a singular 6-joint arm."""
    invalidate_frames(chain, buffers)
    return chain.n == 6 and newton.is_singular(chain, buffers.work, q)


def self_motion_inside_limits(chain: Chain, task: Task, buffers: Buffers, q: Vector) -> float:
    """Move q (n,) along its self-motion into the limits, in place.

    Return the squared error there; infinite without a self-motion, or where it stays outside.
    """
    held, moved, n, most = buffers.work.slope, buffers.work.start, chain.n, 0
    if not has_self_motion(chain, buffers, q):
        return INF
    for k in range(n):
        if joint_excess(chain, q, k) > joint_excess(chain, q, most):
            most = k
    above = q[most] > chain.upper[most]
    for side in range(2):  # up to whole turns both limits are near, and one may fail
        copy_to(held, buffers.held, n)
        copy_to(moved, q, n)
        held[most] = 1.0
        moved[most] = chain.lower[most] if above == (side == 1) else chain.upper[most]
        error = _refine_inside_limits(chain, task, buffers.work, held, moved)
        if error <= PRECISE:
            copy_to(q, moved, n)
            return error
    return INF


def _refine_inside_limits(chain: Chain, task: Task, work: Work, held: Vector, q: Vector) -> float:
    """Refine q (n,) in place, holding joints that leave their limits there; return the error.

    held (n,): 1 for held joints; those at their limits are added. The others compensate for them
    where they can.
    """
    n = chain.n
    for _ in range(n + 1):
        error, _position, _orientation = newton.newton_refinement(chain, task, work, held, q,
                                                                newton.STEPS)
        if limit_excess(chain, q) == 0.0:
            return error
        for k in range(n):
            within = min(max(q[k], chain.lower[k]), chain.upper[k])
            if within != q[k]:
                q[k], held[k] = within, 1.0
    return INF
