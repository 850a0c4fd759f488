"""Levenberg–Marquardt descent of one level of tasks, inside the limits."""

import math

try:
    import cython
except ImportError:
    from ik_node.support import cython
import numpy as np

from ik_node.kernels import bounded
from ik_node.kernels import problem as problems
from ik_node.kernels import tree as trees
from ik_node.kernels.arrays import Vector
from ik_node.kernels.problem import Problem
from ik_node.kernels.tree import Tree
from ik_node.kernels.velocity import Limits, Work

CONVERGED, STALLED, EXHAUSTED = range(3)  # how an attempt ended
LEAST, MOST = 1e-7, 1e6  # of the damping over the cost
FIRST = 1e-2
PATIENCE = 8             # iterations within which the cost has to shrink to PROGRESS of itself
PROGRESS = 0.9
SMALL = 1e-9             # rad, m: a step after which there is nothing left to do
TINY = 1e-14
TURN = 2.0 * math.pi


class Descent:
    """The attempts of one solver whose tasks are all of one level."""

    def __init__(self, tree: Tree, problem: Problem, limits: Limits, floats: bool,
                 max_iterations: int) -> None:
        """Prepare. floats: whether q[3:6] is the root's rotation vector."""
        self.tree, self.problem, self.limits = tree, problem, limits
        self.floats, self.max_iterations = floats, max_iterations
        self.idle = [Work(tree, problem)]

    def run(self, q: np.ndarray) -> tuple[int, int]:
        """Descend from q (n,), in place; return how that ended, and the number of iterations."""
        work = self.idle.pop() if self.idle else Work(self.tree, self.problem)
        n = self.tree.n
        for k in range(n):
            work.q[k] = q[k]
        with cython.nogil:
            end = descend(self, work, work.step.trial, work.q)
        for k in range(n):
            q[k] = work.q[k]
        iterations = work.iterations
        self.idle.append(work)
        return end, iterations


def descend(own: Descent, work: Work, trial: Vector, q: Vector) -> int:
    """Minimise the cost of the level from q (n,), in place; trial (n,) is scratch.

    λ² = μ · |e|²/2, so that steps become Gauss–Newton's near a solution [Chan & Lawrence 1988]; μ
    follows the ratio of the cost's change to the predicted one [Nielsen 1999].
    """
    n, x, settles = own.tree.n, work.step.x, not own.problem.all_necessary[0]
    rows_at(own, work, q)
    accept(work)
    cost, met = work.found.cost, work.found.met
    mu, marked, since = FIRST, cost, 0
    work.iterations = 0
    while not met or settles:
        if work.iterations >= own.max_iterations:
            return CONVERGED if met else EXHAUSTED
        weighted2 = problems.missed2(own.problem, 0, work.step.e)
        set_bounds(own, work, q)
        bounded.bounded_step(work.step, own.problem.m, own.problem.some_one_sided[0] != 0,
                             own.problem.one_sided, mu * 0.5 * weighted2 + TINY)
        predicted = 0.5 * (weighted2 - left2(own, work))
        size = 0.0
        for k in range(n):
            change = x[k] * own.limits.scale[k]
            size = max(size, math.fabs(change))
            trial[k] = min(max(q[k] + change, own.limits.lower[k]), own.limits.upper[k])
        rows_at(own, work, trial)
        gained = cost - work.found.cost
        work.iterations += 1
        if gained > 0.0 or (work.found.met and not met):
            mu = max(mu * (0.2 if gained > 0.75 * predicted else
                           1.0 if gained > 0.25 * predicted else 3.0), LEAST)
            for k in range(n):
                q[k] = trial[k]
            if own.floats and shorten_rotation(q):
                rows_at(own, work, q)
            accept(work)
            cost, met = work.found.cost, work.found.met
        else:
            mu = max(8.0 * mu, 1e-3)
        if size < SMALL or mu > MOST:
            return CONVERGED if met else STALLED
        since += 1
        if since >= PATIENCE:
            if cost > marked - (1.0 - PROGRESS) * math.fabs(marked) and not (
                    settles and marked - cost > 1e-9 * math.fabs(marked)):
                return CONVERGED if met else STALLED
            marked, since = cost, 0
    return CONVERGED


def rows_at(own: Descent, work: Work, q: Vector) -> None:
    """Write the rows at q (n,) into A_trial and e_trial, columns over the scale of the joints."""
    A, scale = work.step.A_trial, own.limits.scale
    trees.tree_frames(own.tree, q, work.task.frames, work.task.axes)
    problems.level_rows(own.problem, 0, own.tree, work.task, q, A, work.step.e_trial,
                        work.found)
    for k in range(own.tree.n):
        if scale[k] != 1.0:
            for i in range(own.problem.m):
                A[k][i] *= scale[k]


def accept(work: Work) -> None:
    """Make the rows of the trial those of the search."""
    A, e = work.step.A, work.step.e
    work.step.A, work.step.e = work.step.A_trial, work.step.e_trial
    work.step.A_trial, work.step.e_trial = A, e


def set_bounds(own: Descent, work: Work, q: Vector) -> None:
    """Write the bounds of a step from q (n,)."""
    lower, upper, step, scale = (own.limits.lower, own.limits.upper, own.limits.step,
                                 own.limits.scale)
    for k in range(own.tree.n):
        work.step.lower[k] = max(lower[k] - q[k], -step[k]) / scale[k]
        work.step.upper[k] = min(upper[k] - q[k], step[k]) / scale[k]


def left2(own: Descent, work: Work) -> float:
    """Return |e − A x|² of the rows that would miss something."""
    left, x = work.step.left, work.step.x
    for i in range(own.problem.m):
        left[i] = work.step.e[i]
    for k in range(own.tree.n):
        if x[k] != 0.0:
            for i in range(own.problem.m):
                left[i] -= work.step.A[k][i] * x[k]
    return problems.missed2(own.problem, 0, left)


def shorten_rotation(q: Vector) -> bool:
    """Make the rotation vector q[3:6] no longer than 1.5 π; tell whether it was.

    The same rotation by another vector: at a length of 2π the vector's derivatives vanish.
    """
    angle = math.sqrt(q[3] * q[3] + q[4] * q[4] + q[5] * q[5])
    if not angle > 1.5 * math.pi:
        return False
    factor = 1.0 - TURN * math.floor(angle / TURN + 0.5) / angle
    for k in range(3, 6):
        q[k] *= factor
    return True
