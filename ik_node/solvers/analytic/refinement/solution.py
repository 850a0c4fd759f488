"""Refinement of solutions to full precision, and along self-motions into the limits."""

import math

from ik_node._jit import Integers, Matrix, Vector, entry, inline, rare
from ik_node.kinematics.forward import ChainArrays
from ik_node.solvers.analytic.refinement.branch import (
    FIRM,
    invalidate_frames,
    joint_excess,
    limit_excess,
)
from ik_node.solvers.analytic.refinement.buffers import Buffers, copy_to
from ik_node.solvers.analytic.refinement.newton import (
    STEPS,
    across_fold,
    is_singular,
    newton_refinement,
)
from ik_node.solvers.packing import unpack_chain, unpack_settings
from ik_node.solvers.search import residual
from ik_node.solvers.settings import Settings, Work, make_work
from ik_node.solvers.task import Task, make_task

# Squared error, m² and rad², of a precise solution. Configurations that meet the tolerances with a
# larger error are used only where there is no precise one.
PRECISE = 1e-18


@entry
def refine_solution(codes: Integers, numbers: Vector, T_base_goal: Matrix, weights: Vector,
                    scratch: Vector, q: Vector) -> tuple[float, float]:
    """Refine q (n,) in place, where that is better; see `refine_to_precision`."""
    chain = unpack_chain(codes, numbers)
    work = make_work(scratch, chain.column.shape[0], q.shape[0])
    return refine_to_precision(chain, make_task(T_base_goal, weights),
                               unpack_settings(codes, numbers, 0), work, q)


@rare
def refine_to_precision(chain: ChainArrays, task: Task, settings: Settings, work: Work,
                        q: Vector) -> tuple[float, float]:
    """Refine q (n,) to full precision in place; return (position error, orientation error).

    q is unchanged where the result would leave the limits, would exceed a tolerance that q
    meets, or would have a larger error.
    """
    n = q.shape[0]
    held, refined, start = work.slope, work.q, work.start
    before, position, orientation = residual(chain, task, work, q)
    met = within_tolerances(settings, position, orientation)
    for k in range(n):
        held[k], refined[k] = 0.0, q[k]
    if _refine_inside_limits(chain, task, work, held, refined) > PRECISE:
        copy_to(start, refined)
        for side in (1, -1):
            for k in range(n):
                held[k] = 0.0
            if across_fold(chain, task, work, held, start, side, refined) and _refine_inside_limits(
                    chain, task, work, held, refined) <= PRECISE:
                break
            copy_to(refined, start)
    if limit_excess(chain, refined) == 0.0:
        after, position_after, orientation_after = residual(chain, task, work, refined)
        if after < before and (within_tolerances(settings, position_after, orientation_after)
                               or not met):
            copy_to(q, refined)
            return position_after, orientation_after
    return position, orientation


@inline
def within_tolerances(settings: Settings, position: float, orientation: float) -> bool:
    """Tell whether errors, m and rad, are within both tolerances."""
    return (position <= settings.position_tolerance
            and orientation <= settings.orientation_tolerance)


@rare
def _refine_inside_limits(chain: ChainArrays, task: Task, work: Work, held: Vector,
                          q: Vector) -> float:
    """Refine q (n,) in place, holding joints that leave their limits there; return the error.

    held (n,): 1 for held joints; those at their limits are added. The others compensate for them
    where they can.
    """
    n = q.shape[0]
    for _ in range(n + 1):
        error, _, _ = newton_refinement(chain, task, work, held, q, STEPS)
        if limit_excess(chain, q) == 0.0:
            return error
        for k in range(n):
            within = min(max(q[k], chain.lower[k]), chain.upper[k])
            if within != q[k]:
                q[k], held[k] = within, 1.0
    return math.inf


@inline
def has_self_motion(chain: ChainArrays, buffers: Buffers, q: Vector) -> bool:
    """Tell whether a self-motion passes through q (n,), or nearly so: a singular 6-joint arm."""
    invalidate_frames(chain, buffers)
    return q.shape[0] == 6 and is_singular(chain, buffers.work, q)


@rare
def self_motion_inside_limits(chain: ChainArrays, task: Task, buffers: Buffers, q: Vector) -> float:
    """Move q (n,) along its self-motion into the limits, in place.

    Return the squared error there; infinite without a self-motion, or where it stays outside. An
    excess that rounding explains needs none.
    """
    if limit_excess(chain, q) > FIRM and not has_self_motion(chain, buffers, q):
        return math.inf
    n, held, moved = q.shape[0], buffers.work.slope, buffers.work.start
    most = 0
    for k in range(n):
        if joint_excess(chain, q, k) > joint_excess(chain, q, most):
            most = k
    for side in range(2):  # up to whole turns both limits are near, and one may fail
        copy_to(held, buffers.held)
        copy_to(moved, q)
        held[most] = 1.0
        moved[most] = chain.lower[most] if (q[most] > chain.upper[most]) == (side == 1) else (
            chain.upper[most])
        error = _refine_inside_limits(chain, task, buffers.work, held, moved)
        if error <= PRECISE:
            copy_to(q, moved)
            return error
    return math.inf
