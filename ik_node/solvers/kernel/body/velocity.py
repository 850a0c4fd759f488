"""One differential step of weighted least squares over levels, as one call.

Near a singularity some joints move far for a small step of the tasks, and what is neglected, of
second order, is as large as the step. What the rows of the first level miss by it is asked for in
addition, by the same factors [Nocedal & Wright, Numerical Optimization, 18.3: second-order
correction]; where that does not converge, the step is shortened.
"""

import math
from collections.abc import Sequence
from typing import Any

import cython
import numpy as np

from ik_node.kinematics import tree as trees
from ik_node.kinematics.tree import Tree
from ik_node.solvers.kernel.body import stacked_tasks as stacks
from ik_node.solvers.kernel.body import steps
from ik_node.solvers.kernel.body.stacked_tasks import BodyData, StackedTasks
from ik_node.solvers.kernel.body.steps import Limits, StepData
from ik_node.solvers.kernel.qp import hierarchical_qp as cascades
from ik_node.solvers.kernel.qp.hierarchical_qp import Cascade
from ik_node.support import arrays
from ik_node.support.arrays import InVector, OutVector, taken

DAMPING = 1e-3    # λ² over the cost
TINY = 1e-14      # of λ²
SINGULAR = 1e-2   # singular value of the rows of a level below which it is damped more
CORRECTIONS = 40
CONVERGING = 0.8  # what an excess has to shrink to in a correction
SHORTER = 6       # times that a step is shortened which cannot be corrected
SHORTEN = 0.5
CURVED = 1e-8     # m, rad: what a task may miss by its curvature, and which part of all that
PART = 0.1        # it misses
INF = math.inf
FLOAT = np.dtype(float)


class VelocityData(BodyData):
    """Scratch of one thread for steps over levels."""

    def __init__(self, tree: Tree, stack: StackedTasks, rows: Sequence[int], energy: bool) -> None:
        """Make room for steps over levels of some numbers of rows; energy: see `Cascade`."""
        super().__init__(tree, stack)
        self.composite = self.memory.poses(np.zeros((tree.links, 4, 4)))
        self.L = self.memory.matrix(tree.n, tree.n)
        self.cascade = Cascade(tree.n, rows, stack.sides[:sum(rows)], energy)


class Velocity:
    """The differential steps of one solver. Threads may take them at the same time."""

    def __init__(self, tree: Tree, stack: StackedTasks, limits: Limits) -> None:
        self.tree, self.stack, self.limits = tree, stack, limits
        self.rows, self.energy = list(stack.level_sizes), False
        self.idle: list[VelocityData] = []

    def run(self, q: InVector, dt: float) -> np.ndarray | None:
        """Return joint velocities (n,) that bring q (n,) nearer to the tasks, None for overflows.

        q + dt · velocity is inside the limits of q, and the velocity inside its own; a q outside
        the limits comes back as fast as those let it. Raises what a task in Python raises.
        """
        work: VelocityData = taken(
            self.idle, VelocityData, self.tree, self.stack, self.rows, self.energy)
        work.begin(self.stack, q)
        with cython.nogil:
            self.step(work, dt)
        velocity = np.empty(self.tree.n)
        finite = self.write(work, dt, velocity)
        self.idle.append(work)
        return velocity if finite else None

    def step(self, work: VelocityData, dt: float) -> None:
        """Write the step of dt seconds into work.step.x (n,), over the scale of the joints.

        Of several levels the first holds after it, although it is curved, if it has to be met.
        """
        steps.set_bounds(self.limits, work.step, work.q, dt, INF)
        rows_at(self, work)
        if self.stack.levels == 1:
            steps.bounded_step(
                work.step, self.stack.m, self.stack.some_one_sided[0] != 0, self.stack.one_sided,
                DAMPING * 0.5 * stacks.missed2(self.stack, 0, work.step.e) + TINY)
        else:
            self.direction(work, self.stack.levels)
            if self.stack.levels > 1 and self.stack.all_necessary[0]:
                correct(self, work, dt, True)

    def direction(self, work: VelocityData, count: int) -> None:
        """Write the step of the first levels, given rows and bounds, into work.step.x (n,)."""
        cascades.factor(work.cascade, count, work.step.A, work.step.e, DAMPING, SINGULAR)
        cascades.solve(work.cascade, work.step.e, work.step.lower, work.step.upper, work.step.x)

    def write(self, work: VelocityData, dt: float, velocity: OutVector) -> bool:
        """Write the velocity (n,) of the step into velocity; tell whether it is finite."""
        total = 0.0
        for k in range(self.tree.n):
            velocity[k] = steps.inside(self.limits, k, work.q[k], work.step.x[k], dt)
            total += velocity[k]
        return math.isfinite(total)


def is_plain(values: Any, n: int, most: float) -> bool:
    """Tell whether values are an array of n floats in C order, at most of a size; NaN is not."""
    if not (type(values) is np.ndarray and values.dtype is FLOAT and values.shape == (n,)
            and values.flags.c_contiguous):
        return False
    row: InVector = values
    found = True
    for k in range(n):
        found = found and math.fabs(row[k]) <= most
    return found


def rows_at(own: Velocity, work: VelocityData) -> None:
    """Write the rows of all levels at work.q (n,), over the scale of the joints."""
    A, e = work.step.A, work.step.e
    trees.tree_frames(own.tree, work.q, work.frames, work.axes)
    for level in range(own.stack.levels):
        stacks.level_rows(own.stack, level, own.tree, work, work.q, A, e)
    steps.scale_columns(own.limits, A, own.stack.m)
    arrays.copy_to(work.step.e_here, e, own.stack.m)


def correct(own: Velocity, work: VelocityData, dt: float, all_rows: bool) -> None:
    """Correct the step of a cascade, work.step.x (n,), so that the curved first level holds.

    e_here (m,) is what the rows miss at q, e what the step was to do about it. all_rows: whether
    two-sided rows have to hold, too. Corrections grow from 0 with what a task misses beyond what is
    allowed, so that the step is a continuous function of q.
    """
    most = begin_corrections(own, work.step)
    for _ in range(SHORTER):
        if converge(own, work, all_rows) <= 1.0:
            break
        most *= SHORTEN
        steps.set_bounds(own.limits, work.step, work.q, dt, most)
        cascades.solve(work.cascade, work.step.e, work.step.lower, work.step.upper, work.step.x)
        begin_corrections(own, work.step)


def begin_corrections(own: Velocity, step: StepData) -> float:
    """Reset the corrected targets to those of the rows; return the largest change of the step."""
    largest = 0.0
    arrays.copy_to(step.e_wanted, step.e, own.stack.m)
    for k in range(step.n):
        largest = max(largest, math.fabs(own.limits.scale[k] * step.x[k]))
    return largest


def converge(own: Velocity, work: VelocityData, all_rows: bool) -> float:
    """Correct the step until it holds, or gets no better; return the excess, 1 at most if held."""
    x, q, excess, before = work.step.x, work.step.trial, 2.0, INF
    for _ in range(CORRECTIONS):
        for k in range(own.tree.n):
            q[k] = work.q[k] + own.limits.scale[k] * x[k]
        stacks.rows_at(own.stack, own.tree, work, q, work.step.A_trial, work.step.e_trial)
        excess = ask_for_more(own.stack, work.step, all_rows)
        if excess == 0.0 or (excess > 1.0 and not excess < CONVERGING * before):
            break
        before = excess
        cascades.solve(work.cascade, work.step.e_wanted, work.step.lower, work.step.upper, x)
        if excess <= 1.0:
            break
    return excess


def ask_for_more(stack: StackedTasks, step: StepData, all_rows: bool) -> float:
    """Add what rows of the first level miss besides what the linear step does to e_wanted.

    Return how much that is for the worst task, over what is allowed and beyond it; 0 for none.
    """
    there, left, most, first = step.e_trial, step.left, 0.0, 0
    for i in range(stack.first_row[1]):
        left[i] = step.e_here[i] + (step.e_wanted[i] - step.e[i])
    steps.write_left(step.A, step.x, left, step.n, stack.first_row[1], left)
    for index in range(stack.first_task[1]):
        end, curved2, missed2 = first + stack.sizes[index], 0.0, 0.0
        for i in range(first, end):
            if all_rows or stack.one_sided[i]:
                missed = lacking(stack, i, left[i])
                curved = lacking(stack, i, there[i]) - missed
                curved2 += curved * curved
                missed2 += missed * missed
        allowed = CURVED + PART * math.sqrt(missed2)
        excess = math.sqrt(curved2) / allowed - 1.0
        if excess > 0.0:
            most, part = max(most, excess), min(excess, 1.0)
            for i in range(first, end):
                if all_rows or stack.one_sided[i]:
                    step.e_wanted[i] += part * (there[i] - left[i])
        first = end
    return most


def lacking(stack: StackedTasks, i: int, e: float) -> float:
    """Return e of row i; 0 where it is one-sided and holds."""
    return 0.0 if stack.one_sided[i] and e < 0.0 else e
