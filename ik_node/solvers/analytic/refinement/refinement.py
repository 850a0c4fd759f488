"""Refinement of the branches of the nominal arm on the true arm, inside the limits."""

import math

import numpy as np

from ik_node.kinematics import forward
from ik_node.kinematics.forward import ChainRecord
from ik_node.solvers.analytic.families.closed_family import ClosedFamily, ClosedForm
from ik_node.solvers.analytic.refinement import newton
from ik_node.solvers.kernel import search
from ik_node.solvers.kernel.arm_kernel import Verifier
from ik_node.solvers.kernel.settings import ArmData, Settings
from ik_node.solvers.kernel.task import TipTask
from ik_node.support import arrays
from ik_node.support.arrays import InMatrix, InVector, Memory, OutVector, Vector

INF, NAN = float('inf'), float('nan')
_FIRM = 1e-4          # rad or m: largest change by refinement, for exact arms
_SHAKY = 0.3          # rad or m: the same, for inexact arms
_ROUNDED = 1e-6       # rad or m: excess over a limit that errors of a branch explain
_EXACT = 1e-24        # squared error of a branch that needs no refinement, m² and rad²
_GOOD = 1e-18         # and of one that needs a single Newton step
_HOPELESS = 1e-3      # rad, and of the arm's size: errors of a branch that is none of an exact arm,
_PER_ROOT, _PER_TOLERANCE = 3.0, 10.0  # of an inexact one by √slack, and of a loose goal
_CERTAIN = 1e-7       # rad, and m of an arm of a metre or less, of its size else: tolerances that
                      # such a branch meets, even when set to a limit
_TURN, _PER_TURN = 2.0 * math.pi, 0.5 / math.pi
MOST_SOLUTIONS = 128  # including twins across a singularity
# Squared error, m² and rad², of a precise solution. Configurations that meet the tolerances with a
# larger error are used only where there is no precise one.
PRECISE = 1e-17
SMALL, LARGE = 1.0, 10.0  # m: lengths of arms; positions of others count as if of the nearest one


class Refinement:
    """The branches for a goal, `task`, and their refinement; each thread has its own."""

    def __init__(self, chain: ChainRecord, settings: Settings, family: ClosedFamily) -> None:
        """Make the arrays."""
        self.memory = memory = Memory()
        self.chain, self.settings, self.family = chain, settings, family
        n = self.chain.n
        self.work, self.closed_form = ArmData(self.chain.m, n), ClosedForm(n)
        self.task, self.branches = self.work.task, self.closed_form.branches
        # The redundancy parameters, and what whole turns are nearest to
        self.parameters, self.q0 = self.closed_form.parameters, self.closed_form.q0
        # Excess over the limits that is allowed before refinement, rad or m
        self.room = _SHAKY if self.family.may_be_off else _FIRM
        # The squared error, m² and rad², up to which refinement may lead to a solution, where there
        # are fewer joints than equations.
        self.hopeless = INF
        size, tolerance = self.settings.length, self.settings.orientation_tolerance
        self.unit = position_unit(self.settings)
        self.certain = min(tolerance, self.settings.position_tolerance / max(1.0, size)) >= _CERTAIN
        if self.family.count < 6:
            loose = self.unit * self.settings.position_tolerance + tolerance
            off = _HOPELESS + _PER_ROOT * math.sqrt(self.family.slack)
            off *= max(1.0, self.family.size)
            self.hopeless = (off + _PER_TOLERANCE * loose) ** 2
        self.closed_form.lower, self.closed_form.upper = self.chain.lower, self.chain.upper
        self.errors = memory.vector(np.zeros(MOST_SOLUTIONS))
        self.held, self.trial = memory.vector(np.zeros(n)), memory.vector(np.zeros(n))
        for j in range(self.family.count):
            if self.family.locked[j] >= 0:
                self.held[self.family.column[j]] = 1.0
        self.frames_q = memory.vector(np.zeros(n))  # of work.frames; NaN where they are invalid
        self.steps = newton.STEPS  # of the refinement of a branch, at most

    def find_branches(self) -> int:
        """Write the branches of the nominal arm for the parameters; return how many."""
        return self.family.write_branches(self.task.T, self.closed_form)

    def refine_branch(self, q: Vector, i: int) -> float:
        """Refine q (n,) in place; return the squared error, see `tolerable_error`.

        i: of which branch q is a copy, whole turns aside; −1 of none.
        """
        error = self.squared_pose_error(q, i) if self.task.rows == 6 else INF
        if self.hopeless < error < INF:
            return INF
        if error <= _EXACT or (error <= _GOOD and self.chain.n <= 6 and newton.last_newton_step(
                self.chain, self.task.T, self.work, q)):
            self.wrap_to_nearest(q)
            if self.certain:
                return error
        self.invalidate_frames()
        error, _position, _orientation = search.residual(self.chain, self.task, self.work, q)
        if error > _EXACT:
            newton.newton_refinement(self.chain, self.task, self.work, self.held, q, self.steps)
        self.wrap_to_nearest(q)
        return self.tolerable_error(q)

    def tolerable_error(self, q: Vector) -> float:
        """Return the squared error at q (n,), infinite beyond the tolerances."""
        error, position, orientation = search.residual(self.chain, self.task, self.work, q)
        return error if within_tolerances(self.settings, position, orientation) else INF

    def squared_pose_error(self, q: Vector, i: int) -> float:
        """Return the squared pose error at q (n,), m² and rad², accurate where it is small.

        There |R − R_goal|² is 2 θ², which saves the logarithm for every exact branch. Consecutive
        branches share their first joint values, whose frames are reused. i: as `refine_branch`.
        """
        goal, frames_q, column, first = self.task.T, self.frames_q, self.chain.column, 0
        tip = self.work.frames[self.chain.m]
        while first < self.chain.m and q[column[first]] == frames_q[column[first]]:
            first += 1
        if i < 0 or self.family.parameters > self.family.locks:
            forward.frames_beyond(self.chain, q, first, self.work.frames)
        else:
            forward.frames_by_directions(self.chain, q, self.closed_form.directions[i], first,
                                         self.work.frames)
        arrays.copy_to(frames_q, q, self.chain.n)
        shift, rotation = 0.0, 0.0
        for k in range(3):
            shift += (self.unit * (tip[k][3] - goal[k][3])) ** 2
            for j in range(3):
                rotation += (tip[k][j] - goal[k][j]) ** 2
        return shift + 0.5 * rotation

    def invalidate_frames(self) -> None:
        """Mark work.frames as those of another configuration."""
        self.frames_q[self.chain.column[0]] = NAN

    def wrap_to_nearest(self, q: Vector) -> None:
        """Wrap q in place by whole turns nearest to q0; remove excess due to rounding.

        A joint that no whole turn brings inside its limits is wrapped to the least excess. Near a
        singular configuration rounding errors of the joint values are a multiple of the pose's.
        """
        lower, upper = self.chain.lower, self.chain.upper
        search.nearest_turn(self.chain, self.q0, q)
        for k in range(self.chain.n):
            if lower[k] <= q[k] <= upper[k]:
                continue
            if self.chain.turns[k]:
                q[k] -= _TURN * round((q[k] - 0.5 * (lower[k] + upper[k])) * _PER_TURN)
            if joint_excess(self.chain, q, k) < search.AT_LIMIT:
                q[k] = min(max(q[k], lower[k]), upper[k])

    def smallest_pivot(self, q: Vector) -> float:
        """Return `newton.smallest_pivot`, below ALL_BUT_SINGULAR on a self-motion, or nearly."""
        self.invalidate_frames()
        return newton.smallest_pivot(self.chain, self.work, self.held, q, self.unit)

    def _is_sharpened_inside(self, q: Vector) -> bool:
        """Refine q (n,) in place as far as rounding allows; return whether it is inside the limits.

        Errors of the pose that need no refinement elsewhere may bring a joint across its limit.
        """
        newton.newton_refinement(self.chain, self.task, self.work, self.held, q, newton.STEPS)
        if self.chain.n <= 6 and self.task.rows == 6:
            newton.last_newton_step(self.chain, self.task.T, self.work, q)
        self.invalidate_frames()
        self.wrap_to_nearest(q)
        return limit_excess(self.chain, q) == 0.0

    def move_inside_limits(self, q: Vector) -> float:
        """Move q (n,) along its self-motion into the limits, in place; return the squared error.

        Infinite without a self-motion, which an excess that rounding explains does not need: at the
        limit q is as precise as it can be. Infinite also where q stays outside, or is not precise
        on an exact arm.
        """
        held, moved, n, most = self.work.slope, self.work.start, self.chain.n, 0
        if (limit_excess(self.chain, q) <= _FIRM
                and self._is_sharpened_inside(q)):
            return self.tolerable_error(q)
        hardly = limit_excess(self.chain, q) <= _ROUNDED
        if not hardly and self.smallest_pivot(q) >= newton.ALL_BUT_SINGULAR:
            return INF
        for k in range(n):
            if (joint_excess(self.chain, q, k)
                    > joint_excess(self.chain, q, most)):
                most = k
        above = q[most] > self.chain.upper[most]
        for side in range(2):  # up to whole turns both limits are near, and one may fail
            arrays.copy_to(held, self.held, n)
            arrays.copy_to(moved, q, n)
            held[most] = 1.0
            moved[most] = (self.chain.lower[most] if above == (side == 1) else
                           self.chain.upper[most])
            if not math.isfinite(moved[most]):
                continue
            error = refine_inside_limits(self.chain, self.task, self.work, held, moved)
            if error <= PRECISE or (
                    self.family.may_be_off and error < INF
                    and self.tolerable_error(moved) < INF):
                arrays.copy_to(q, moved, n)
                error = self.tolerable_error(q)
                return min(error, PRECISE) if hardly and error < INF else error
        return INF


def load_goal(task: TipTask, T_base_goal: InMatrix, weights: InVector,
              settings: Settings) -> None:
    """Write a goal's pose (4, 4), m, and which of its weights (6,) are above 0 into a task.

    How large they are does not matter to what meets the goal: with their own, Newton's method would
    leave errors of small weight, and with metres, those of small arms, and hardly move large ones.
    """
    search.load_goal(task, T_base_goal, weights)
    unit = position_unit(settings)
    for i in range(6):
        if task.weights[i] > 0.0:
            task.weights[i] = unit if i < 3 else 1.0
    task.prepare()


def position_unit(settings: Settings) -> float:
    """Return the weight of positions; see `load_goal`."""
    return max(min(1.0, LARGE / settings.length), SMALL / settings.length)


def refine_to_precision(chain: ChainRecord, task: TipTask, settings: Settings, work: ArmData,
                        q: Vector) -> tuple[float, float]:
    """Refine q (n,) to full precision in place; return (position error, orientation error).

    q is unchanged where the result would leave the limits, would exceed a tolerance that q
    meets, or would have a larger error.
    """
    held, refined, start, n = work.slope, work.q, work.start, chain.n
    before, position, orientation = search.residual(chain, task, work, q)
    met = within_tolerances(settings, position, orientation)
    for k in range(n):
        held[k], refined[k] = 0.0, q[k]
    if refine_inside_limits(chain, task, work, held, refined) > PRECISE:
        arrays.copy_to(start, refined, n)
        for i in range(2):
            for k in range(n):
                held[k] = 0.0
            if (newton.across_fold(chain, task, work, held, start, 1 - 2 * i, refined)
                    and refine_inside_limits(chain, task, work, held, refined) <= PRECISE):
                break
            arrays.copy_to(refined, start, n)
    if limit_excess(chain, refined) == 0.0:
        after, position_after, orientation_after = search.residual(chain, task, work, refined)
        if after < before and (within_tolerances(settings, position_after,
                                                            orientation_after) or not met):
            arrays.copy_to(q, refined, n)
            return position_after, orientation_after
    return position, orientation


def refine_inside_limits(chain: ChainRecord, task: TipTask, work: ArmData, held: Vector,
                         q: Vector) -> float:
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


class Refiner(Verifier):
    """Refines for one chain; and computes errors, as its base class."""

    def __init__(self, chain: ChainRecord, settings: Settings) -> None:
        """Prepare for a chain, and the tolerances in settings."""
        super().__init__(chain)
        self.settings = settings

    def refine(self, T_base_goal: InMatrix, weights: InVector, q: OutVector) -> tuple:
        """Refine q (n,) in place, where that is better: see `refine_to_precision`.

        Return (position error, orientation error), m and rad. T_base_goal (4, 4), m, weights (6,):
        of a checked goal. Raises ValueError for arrays of other lengths.
        """
        work = self.begin(T_base_goal, weights, q)
        load_goal(work.task, T_base_goal, weights, self.settings)
        position, orientation = refine_to_precision(
            self.chain, work.task, self.settings, work, work.q0)
        arrays.copy_vector(work.q0, q)
        self.idle.append(work)
        return position, orientation
