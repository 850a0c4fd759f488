"""Refinement of solutions to full precision, and along self-motions into the limits."""

import math

from ik_node.kinematics.forward import ChainRecord
from ik_node.solvers import search
from ik_node.solvers.analytic.refinement import newton, refinement
from ik_node.solvers.analytic.refinement.buffers import Buffers
from ik_node.solvers.settings import Scratch, Settings
from ik_node.solvers.task import TipTask
from ik_node.support.arrays import Vector

# Squared error, m² and rad², of a precise solution. Configurations that meet the tolerances with a
# larger error are used only where there is no precise one.
PRECISE = 1e-18


def refine_to_precision(chain: ChainRecord, task: TipTask, settings: Settings, work: Scratch,
                        q: Vector) -> tuple[float, float]:
    """Refine q (n,) to full precision in place; return (position error, orientation error).

    q is unchanged where the result would leave the limits, would exceed a tolerance that q
    meets, or would have a larger error.
    """
    held, refined, start, n = work.slope, work.q, work.start, chain.n
    before, position, orientation = search.residual(chain, task, work, q)
    met = refinement.within_tolerances(settings, position, orientation)
    for k in range(n):
        held[k], refined[k] = 0.0, q[k]
    if _refine_inside_limits(chain, task, work, held, refined) > PRECISE:
        refinement.copy_to(start, refined, n)
        for i in range(2):
            for k in range(n):
                held[k] = 0.0
            if (newton.across_fold(chain, task, work, held, start, 1 - 2 * i, refined)
                    and _refine_inside_limits(chain, task, work, held, refined) <= PRECISE):
                break
            refinement.copy_to(refined, start, n)
    if refinement.limit_excess(chain, refined) == 0.0:
        after, position_after, orientation_after = search.residual(chain, task, work, refined)
        if after < before and (refinement.within_tolerances(settings, position_after,
                                                            orientation_after) or not met):
            refinement.copy_to(q, refined, n)
            return position_after, orientation_after
    return position, orientation


def _refine_inside_limits(chain: ChainRecord, task: TipTask, work: Scratch, held: Vector,
                          q: Vector) -> float:
    """Refine q (n,) in place, holding joints that leave their limits there; return the error.

    held (n,): 1 for held joints; those at their limits are added. The others compensate for them
    where they can.
    """
    n = chain.n
    for _ in range(n + 1):
        error, _position, _orientation = newton.newton_refinement(chain, task, work, held, q,
                                                                newton.STEPS)
        if refinement.limit_excess(chain, q) == 0.0:
            return error
        for k in range(n):
            within = min(max(q[k], chain.lower[k]), chain.upper[k])
            if within != q[k]:
                q[k], held[k] = within, 1.0
    return refinement.INF


def has_self_motion(chain: ChainRecord, buffers: Buffers, q: Vector) -> bool:
    """Tell whether a self-motion passes through q (n,), or nearly so: a singular 6-joint arm."""
    refinement.invalidate_frames(chain, buffers)
    return chain.n == 6 and newton.is_singular(chain, buffers.work, q)


def self_motion_inside_limits(chain: ChainRecord, task: TipTask, buffers: Buffers,
                              q: Vector) -> float:
    """Move q (n,) along its self-motion into the limits, in place.

    Return the squared error there; infinite without a self-motion, or where it stays outside. An
    excess that rounding explains needs none.
    """
    held, moved, n, most = buffers.work.slope, buffers.work.start, chain.n, 0
    if (refinement.limit_excess(chain, q) > refinement.FIRM
            and not has_self_motion(chain, buffers, q)):
        return refinement.INF
    for k in range(n):
        if refinement.joint_excess(chain, q, k) > refinement.joint_excess(chain, q, most):
            most = k
    above = q[most] > chain.upper[most]
    for side in range(2):  # up to whole turns both limits are near, and one may fail
        refinement.copy_to(held, buffers.held, n)
        refinement.copy_to(moved, q, n)
        held[most] = 1.0
        moved[most] = chain.lower[most] if above == (side == 1) else chain.upper[most]
        if not math.isfinite(moved[most]):
            continue
        error = _refine_inside_limits(chain, task, buffers.work, held, moved)
        if error <= PRECISE:
            refinement.copy_to(q, moved, n)
            return error
    return refinement.INF
