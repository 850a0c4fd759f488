"""One differential step of weighted least squares over levels, as one call."""

import math
from collections.abc import Sequence

try:
    import cython
except ImportError:
    from ik_node.support import cython
import numpy as np

from ik_node.kinematics import tree as trees
from ik_node.kinematics.tree import Tree
from ik_node.solvers.body import bounded
from ik_node.solvers.body import limits as limited
from ik_node.solvers.body import stacked_tasks as problems
from ik_node.solvers.body.levels import cascade as cascades
from ik_node.solvers.body.levels import second_order
from ik_node.solvers.body.levels.cascade import Cascade
from ik_node.solvers.body.limits import Limits
from ik_node.solvers.body.stacked_tasks import Found, Problem
from ik_node.solvers.body.step_work import StepWork
from ik_node.support.arrays import InputVector, Memory, Vector
from ik_node.tasks.body_task import TaskWork

DAMPING = 1e-3    # λ² over the cost
TINY = 1e-14      # of λ²
SINGULAR = 1e-2   # singular value of the rows of a level below which it is damped more
INF = math.inf


class Work:
    """Scratch of one thread."""

    def __init__(self, tree: Tree, problem: Problem, rows: Sequence[int], energy: bool) -> None:
        """Make room for a problem, and for steps over levels of some numbers of rows each.

        energy: whether the energy of the motion is their last level.
        """
        self.memory = Memory()
        self.task = TaskWork(tree, problem.count)
        self.step, self.found = StepWork(tree.n, problem.m), Found()
        self.q = self.memory.vector(np.zeros(tree.n))
        self.composite = self.memory.poses(np.zeros((tree.links, 4, 4)))
        self.L = self.memory.matrix(tree.n, tree.n)
        self.cascade = Cascade(tree.n, rows, one_sided_rows(problem, sum(rows)), energy)


class Velocity:
    """The differential steps of one solver. Threads may take them at the same time."""

    def __init__(self, tree: Tree, problem: Problem, limits: Limits) -> None:
        """Prepare for steps."""
        self.tree, self.problem, self.limits = tree, problem, limits
        self.idle: list[Work] = []

    def make_work(self) -> Work:
        """Return scratch for one more thread."""
        rows = [self.problem.first_row[level + 1] - self.problem.first_row[level]
                for level in range(self.problem.levels)]
        return Work(self.tree, self.problem, rows, False)

    def run(self, q: InputVector, dt: float) -> np.ndarray | None:
        """Return joint velocities (n,) that bring q (n,) nearer to the tasks, None for overflows.

        q + dt · velocity is inside the limits of q, and the velocity inside its own; a q outside
        the limits comes back as fast as those let it. Raises what a task in Python raises.
        """
        work = self.idle.pop() if self.idle else self.make_work()
        n = self.tree.n
        for k in range(n):
            work.q[k] = q[k]
        problems.take_targets(self.problem, work.task)
        with cython.nogil:
            self.step(work, dt)
        velocity = np.empty(n)
        finite = self.write(work, dt, velocity)
        self.idle.append(work)
        return velocity if finite else None

    def step(self, work: Work, dt: float) -> None:
        """Write the step of dt seconds into work.step.x (n,), over the scale of the joints.

        Where several levels are there, and all tasks of the first must be met, they hold after it
        although they are curved.
        """
        limited.set_bounds(self.limits, work.step, work.q, dt, INF)
        rows_at(self, work, work.q)
        if self.problem.levels == 1:
            bounded.bounded_step(
                work.step, self.problem.m, self.problem.some_one_sided[0] != 0,
                self.problem.one_sided,
                DAMPING * 0.5 * problems.missed2(self.problem, 0, work.step.e) + TINY)
        else:
            self.direction(work, self.problem.levels)
            if self.problem.levels > 1 and self.problem.all_necessary[0]:
                second_order.correct(self.tree, self.problem, self.limits, work.task, work.step,
                                     work.cascade, work.found, work.q, dt, True)

    def direction(self, work: Work, count: int) -> None:
        """Write the step of the first levels, given rows and bounds, into work.step.x (n,)."""
        cascades.factor(work.cascade, count, work.step.A, work.step.e, DAMPING, SINGULAR)
        cascades.solve(work.cascade, work.step.A, work.step.e, work.step.lower, work.step.upper,
                       work.step.x)

    def write(self, work: Work, dt: float, velocity: InputVector) -> bool:
        """Write the velocity (n,) of the step into velocity; tell whether it is finite."""
        total = 0.0
        for k in range(self.tree.n):
            velocity[k] = limited.inside(self.limits, k, work.q[k], work.step.x[k], dt)
            total += velocity[k]
        return math.isfinite(total)


def within(values: InputVector, most: float) -> bool:
    """Tell whether numbers (n,) are at most of a size; NaN is not."""
    found = True
    for k in range(len(values)):
        found = found and math.fabs(values[k]) <= most
    return found


def one_sided_rows(problem: Problem, m: int) -> list[int]:
    """Return whether each of the first m rows is one-sided."""
    return [problem.one_sided[i] for i in range(m)]


def rows_at(own: Velocity, work: Work, q: Vector) -> None:
    """Write the rows of all levels at q (n,), over the scale of the joints."""
    A, e, scale, m = work.step.A, work.step.e, own.limits.scale, own.problem.m
    trees.tree_frames(own.tree, q, work.task.frames, work.task.axes)
    for level in range(own.problem.levels):
        problems.level_rows(own.problem, level, own.tree, work.task, q, A, e, work.found)
    for k in range(own.tree.n):
        if scale[k] != 1.0:
            for i in range(m):
                A[k][i] *= scale[k]
    for i in range(m):
        work.step.e_here[i] = e[i]
