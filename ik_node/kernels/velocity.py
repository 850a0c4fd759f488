"""One differential step of weighted least squares over levels, as one call."""

import math
from typing import Any

try:
    import cython
except ImportError:
    from ik_node.support import cython
import numpy as np

from ik_node.kernels import bounded, cascade
from ik_node.kernels import problem as problems
from ik_node.kernels import tree as trees
from ik_node.kernels.arrays import Memory, Vector
from ik_node.kernels.body_task import TaskWork
from ik_node.kernels.problem import Found, Problem
from ik_node.kernels.step_work import StepWork
from ik_node.kernels.tree import Tree

DAMPING = 1e-3    # λ² over the cost
TINY = 1e-14      # of λ²
CORRECTIONS = 3
SHORTER = 4       # times that a step is shortened which cannot be corrected
SHORTEN = 0.3
CURVED = 1e-8     # m, rad: what rows may miss by their curvature
INF = math.inf


class Limits:
    """Limits of q and of its steps."""

    lower: Vector
    """(n,) rad or m."""
    upper: Vector
    speed: Vector
    """(n,) velocity limits, rad/s or m/s."""
    step: Vector
    """(n,) largest change in one step; infinite for entries in metres."""
    scale: Vector
    """(n,) 1/√weight of each joint."""

    def __init__(self, lower: Any, upper: Any, speed: Any, step: Any, scale: Any) -> None:
        """Copy limits (n,)."""
        self.memory = memory = Memory()
        self.lower, self.upper = memory.vector(lower), memory.vector(upper)
        self.speed, self.step, self.scale = (memory.vector(speed), memory.vector(step),
                                             memory.vector(scale))


class Work:
    """Scratch of one thread."""

    iterations: int
    """Of the last search."""

    def __init__(self, tree: Tree, problem: Problem) -> None:
        """Make room."""
        self.memory = Memory()
        self.task = TaskWork(tree, problem.count)
        self.step, self.found = StepWork(tree.n, problem.m), Found()
        self.q = self.memory.vector(np.zeros(tree.n))


class Velocity:
    """The differential steps of one solver. Threads may take them at the same time."""

    def __init__(self, tree: Tree, problem: Problem, limits: Limits) -> None:
        """Prepare for steps."""
        self.tree, self.problem, self.limits = tree, problem, limits
        self.idle = [Work(tree, problem)]

    def run(self, q: np.ndarray, dt: float, velocity: np.ndarray) -> None:
        """Write joint velocities (n,) that bring q (n,) nearer to the tasks.

        q + dt · velocity is inside the limits of q, and the velocity inside its own; a q outside
        the limits comes back as fast as those let it. Raises what a task in Python raises.
        """
        work = self.idle.pop() if self.idle else Work(self.tree, self.problem)
        n = self.tree.n
        for k in range(n):
            work.q[k] = q[k]
        problems.take_targets(self.problem, work.task)
        with cython.nogil:
            differential_step(self.tree, self.problem, self.limits, work.task, work.step,
                              work.found, work.q, dt)
        for k in range(n):
            velocity[k] = inside(self.limits, k, work.q[k], work.step.x[k], dt)
        self.idle.append(work)


def differential_step(tree: Tree, problem: Problem, limits: Limits, task: TaskWork, work: StepWork,
                      found: Found, q: Vector, dt: float) -> None:
    """Write the step of dt seconds from q (n,) into work.x (n,), over the scale of the joints."""
    A, n = work.A, tree.n
    set_bounds(limits, work, q, dt, INF)
    trees.tree_frames(tree, q, task.frames, task.axes)
    for level in range(problem.levels):
        problems.level_rows(problem, level, tree, task, q, A, work.e, found)
    for k in range(n):
        if limits.scale[k] != 1.0:
            for i in range(problem.m):
                A[k][i] *= limits.scale[k]
    if problem.levels == 1:
        bounded.bounded_step(work, problem.m, problem.some_one_sided[0] != 0, problem.one_sided,
                             DAMPING * 0.5 * problems.missed2(problem, 0, work.e) + TINY)
    elif problem.all_necessary[0]:
        to_second_order(tree, problem, limits, task, work, found, q, dt)
    else:
        cascade.cascade(problem, work, work.e, DAMPING)


def set_bounds(limits: Limits, work: StepWork, q: Vector, dt: float, most: float) -> None:
    """Write the bounds of a step of dt seconds from q (n,), no longer than `most`, into work."""
    for k in range(work.n):
        own = min(limits.speed[k] * dt, limits.step[k])
        low = min(max(limits.lower[k] - q[k], -own), own)
        high = min(max(limits.upper[k] - q[k], -own), own)
        low = max(low, -most)
        work.lower[k] = low / limits.scale[k]
        work.upper[k] = max(min(high, most), low) / limits.scale[k]


def to_second_order(tree: Tree, problem: Problem, limits: Limits, task: TaskWork, work: StepWork,
                    found: Found, q: Vector, dt: float) -> None:
    """Write a step into work.x after which the first level holds, although it is curved.

    Near a singularity some joints move far for a small step of the tasks, and what is neglected,
    of second order, is as large as the step. What the rows miss by it is asked for in addition
    [Nocedal & Wright, Numerical Optimization, 18.3: second-order correction]; where that does not
    help, the step is shortened.
    """
    e, there, wanted, left, n = work.e, work.e_trial, work.e_wanted, work.left, tree.n
    m, most = problem.first_row[1], INF
    for i in range(problem.m):
        wanted[i] = e[i]
    cascade.cascade(problem, work, e, DAMPING)
    linear(work, m)
    for i in range(m):
        work.inevitable[i] = lacking(problem, i, left[i])
    for attempt in range(SHORTER * CORRECTIONS):
        for k in range(n):
            work.trial[k] = q[k] + limits.scale[k] * work.x[k]
        trees.tree_frames(tree, work.trial, task.frames, task.axes)
        problems.level_rows(problem, 0, tree, task, work.trial, work.A_trial, there, found)
        excess = 0.0
        for i in range(m):
            excess = max(excess, lacking(problem, i, there[i]) - work.inevitable[i])
        if not excess > CURVED:
            break
        if attempt % CORRECTIONS < CORRECTIONS - 1:
            linear(work, m)
            for i in range(m):
                wanted[i] = e[i] + there[i] - left[i]
            cascade.cascade(problem, work, wanted, DAMPING)
        else:
            largest = 0.0
            for k in range(n):
                largest = max(largest, math.fabs(limits.scale[k] * work.x[k]))
            most = min(most, SHORTEN * largest)
            set_bounds(limits, work, q, dt, most)
            cascade.cascade(problem, work, e, DAMPING)
            linear(work, m)
            for i in range(m):
                work.inevitable[i] = lacking(problem, i, left[i])


def linear(work: StepWork, m: int) -> None:
    """Write e − A x of the first m rows into left."""
    for i in range(m):
        work.left[i] = work.e[i]
    for k in range(work.n):
        for i in range(m):
            work.left[i] -= work.A[k][i] * work.x[k]


def lacking(problem: Problem, i: int, e: float) -> float:
    """Return |e| of row i; 0 where it is one-sided and holds."""
    return 0.0 if problem.one_sided[i] and e < 0.0 else math.fabs(e)


def inside(limits: Limits, k: int, q: float, x: float, dt: float) -> float:
    """Return the velocity of joint k for a step x: q + dt · velocity is inside its limits.

    It is no last digit beyond them; where q is beyond one itself, it stays as it is.
    """
    own, scale, speed = min(limits.speed[k] * dt, limits.step[k]), limits.scale[k], limits.speed[k]
    lower, upper = limits.lower[k], limits.upper[k]
    step = max(scale * x, min(max(lower - q, -own), own))
    step = min(step, min(max(upper - q, -own), own))
    velocity = min(max(step / dt, -speed), speed)
    digits = 1.0
    for _ in range(3):
        end = q + dt * velocity
        last = digits * (math.nextafter(math.fabs(end), INF) - math.fabs(end)) / dt
        if end > upper and q <= upper:
            velocity -= last
        elif end < lower and q >= lower:
            velocity += last
        else:
            break
        digits *= 2.0
    return velocity
