"""The search over several levels: steps within a trust region, judged by a merit of all levels."""

import math
from collections.abc import Sequence

import cython

from ik_node.kinematics import tree as trees
from ik_node.kinematics.tree import Tree
from ik_node.solvers import codes
from ik_node.solvers.kernel.body import descent, steps
from ik_node.solvers.kernel.body import stacked_tasks as stacks
from ik_node.solvers.kernel.body.stacked_tasks import StackedTasks
from ik_node.solvers.kernel.body.velocity import Velocity, VelocityData
from ik_node.support import arrays
from ik_node.support import clock as clocks
from ik_node.support.arrays import Integers, Memory, OutVector, Vector, taken

RATIO = 10.0         # what a level's miss counts over that of the one after it
SHRINK, GROW = 0.3, 3.0
NOTHING = 1e-10      # a change of what a level misses that is none
LEAST = 1e-7         # rad: a trust region in which nothing is found any more
SMALL = 1e-7         # rad, m: a step after which there is nothing left to do
RESTORATIONS = 3     # steps at most that take back a step's errors of second order
PATIENCE = 6         # iterations within which the merit must shrink
PROGRESS = 1e-5      # by how much of itself
INF = math.inf


class Linearization:
    """The rows A (n, m), e (m,) of all levels at one q, and what the levels miss.

    - `costs`: (levels,) Σ weight · energy; `met`: whether all necessary tasks are within the
      tolerances.
    - `misses`: (levels,) a length, or an energy where no task of the level is necessary.
    """

    def __init__(self, n: int, m: int, count: int) -> None:
        self.memory = memory = Memory()
        self.A, self.e = memory.matrix(n, m), memory.zeros(m)
        self.costs, self.misses = memory.zeros(count), memory.zeros(count)
        self.met = memory.integer_zeros(count)


class LevelSearchData(VelocityData):
    """Scratch of one thread."""

    def __init__(self, tree: Tree, stack: StackedTasks, rows: Sequence[int], energy: bool) -> None:
        super().__init__(tree, stack, rows, energy)
        memory, n, m, count = self.memory, tree.n, stack.m, stack.levels
        self.here, self.there = Linearization(n, m, count), Linearization(n, m, count)
        self.trial, self.weights = memory.zeros(n), memory.zeros(count)
        self.marked, self.predicted = memory.zeros(count), memory.zeros(count)


class LevelSearch:
    """The searches of one solver over some levels. Threads may run them at the same time.

    - `needed`: number of levels up to the last that has necessary tasks; `necessary`: (levels,)
      whether a level has some.
    - `settles`: whether a minimum is wanted where all is met.
    """

    def __init__(self, steps: Velocity) -> None:
        self.memory = Memory()
        self.steps = steps
        self.stack = self.steps.stack
        self.idle: list[LevelSearchData] = []
        self.needed, self.settles = 0, False
        self.necessary = self.memory.integer_zeros(self.stack.levels)
        for level in range(self.stack.levels):
            for index in range(self.stack.first_task[level], self.stack.first_task[level + 1]):
                if self.stack.necessary[index]:
                    self.necessary[level], self.needed = 1, level + 1
            if not self.stack.all_necessary[level]:
                self.settles = True

    def run(self, q: OutVector, deadline: float, max_iterations: int,
            progress: float) -> tuple[int, int]:
        """Search from q (n,), in place; return how that ended, and the number of iterations.

        progress: by which part of itself the merit must shrink within some iterations.
        """
        work: LevelSearchData = taken(
            self.idle, LevelSearchData, self.steps.tree, self.stack, self.steps.rows,
            self.steps.energy)
        work.begin(self.stack, q)
        with cython.nogil:
            end = search(self, work, deadline, max_iterations, progress)
        arrays.copy_vector(work.q, q)
        iterations = work.iterations
        self.idle.append(work)
        return end, iterations


def search(own: LevelSearch, work: LevelSearchData, deadline: float, max_iterations: int,
           progress: float) -> int:
    """Search from work.q until all levels are met, or what is met last does not improve any more.

    A step is taken where the first level that is not met improves, or the merit does: Σ_k w_k times
    what level k misses, lengths of necessary tasks, an exact penalty, and energies of others.
    w_k = 10⁻ᵏ, and less where a level would otherwise keep those before it from what the step gains
    them.
    """
    n, q, count, end = own.steps.tree.n, work.q, own.stack.levels, codes.STALLED
    region = 1.0
    for k in range(n):
        region = min(region, own.steps.limits.step[k])
    radius, since, work.iterations = region, 0, 0
    arrive(own, work, q)
    arrays.copy_to(work.marked, work.here.misses, count)
    while own.settles or not all_met(work.here.met, count):
        if clocks.is_over(deadline):
            end = codes.TIMED_OUT
            break
        if work.iterations >= max_iterations:
            end = codes.EXHAUSTED
            break
        work.iterations += 1
        trees.tree_frames(own.steps.tree, q, work.frames, work.axes)
        size = step_from(own, work, work.here, q, count, radius)
        predict(own, work)
        weigh(work, count)
        if size < SMALL:
            break
        evaluate(own, work, work.trial)
        if own.needed < count and all_met(work.here.met, own.needed):
            restore(own, work)
        if is_taken(own, work):
            arrays.copy_to(q, work.trial, n)
            take(work, own.stack.m, count)
            radius = min(max(radius, GROW * min(size, radius)), region)
            if own.steps.limits.floats and descent.shorten_rotation(q):
                arrive(own, work, q)
        else:
            radius = SHRINK * min(size, radius)
            if radius < LEAST:
                break
        since += 1
        if since >= PATIENCE:
            if not progresses(work, count, progress):
                break
            since = 0
            arrays.copy_to(work.marked, work.here.misses, count)
    return codes.CONVERGED if all_met(work.here.met, count) else end


def all_met(met: Integers, count: int) -> bool:
    """Tell whether the first levels are met."""
    found = True
    for level in range(count):
        found = found and met[level] != 0
    return found


def arrive(own: LevelSearch, work: LevelSearchData, q: Vector) -> None:
    """Evaluate the levels at q (n,), and move the search there."""
    evaluate(own, work, q)
    take(work, own.stack.m, own.stack.levels)


def evaluate(own: LevelSearch, work: LevelSearchData, q: Vector) -> None:
    """Write the rows at q (n,), over the scale of the joints, and what they miss into there."""
    A, e = work.there.A, work.there.e
    trees.tree_frames(own.steps.tree, q, work.frames, work.axes)
    for level in range(own.stack.levels):
        stacks.level_rows(own.stack, level, own.steps.tree, work, q, A, e)
        work.there.costs[level] = work.cost
        work.there.met[level] = work.met
        work.there.misses[level] = math.sqrt(stacks.missed2(own.stack, level, e)) if (
            own.necessary[level]) else work.cost
    steps.scale_columns(own.steps.limits, A, own.stack.m)


def take(work: LevelSearchData, m: int, count: int) -> None:
    """Accept the trial linearization."""
    A = work.here.A
    work.here.A, work.there.A = work.there.A, A
    arrays.copy_to(work.here.e, work.there.e, m)
    arrays.copy_to(work.here.costs, work.there.costs, count)
    arrays.copy_to(work.here.misses, work.there.misses, count)
    for level in range(count):
        work.here.met[level] = work.there.met[level]


def step_from(own: LevelSearch, work: LevelSearchData, rows: Linearization, q: Vector, count: int,
              radius: float) -> float:
    """Write where the step of the first levels leads from q (n,) into trial; return its size.

    rows: those at q, whose frames are in work.
    """
    lower, upper, size = own.steps.limits.lower, own.steps.limits.upper, 0.0
    steps.set_region(own.steps.limits, work.step, q, radius)
    arrays.copy_to(work.step.e, rows.e, own.stack.m)
    work.step.A = rows.A
    own.steps.direction(work, count)
    for k in range(own.steps.tree.n):
        change = own.steps.limits.scale[k] * work.step.x[k]
        size = max(size, math.fabs(change))
        work.trial[k] = min(max(q[k] + change, lower[k]), upper[k])
    return size


def predict(own: LevelSearch, work: LevelSearchData) -> None:
    """Write what each level would miss after the step if it were linear."""
    left, n, m = work.step.left, own.steps.tree.n, own.stack.m
    steps.write_left(work.here.A, work.step.x, work.here.e, n, m, left)
    for level in range(own.stack.levels):
        after2 = stacks.missed2(own.stack, level, left)
        before2 = stacks.missed2(own.stack, level, work.here.e)
        work.predicted[level] = math.sqrt(after2) if own.necessary[level] else (
            work.here.costs[level] + 0.5 * (after2 - before2))


def weigh(work: LevelSearchData, count: int) -> None:
    """Write what each level counts, so that a level's gain outweighs the losses of later ones."""
    weights, here, weight = work.weights, work.here.misses, 1.0
    for level in range(count):
        weights[level] = weight
        weight /= RATIO
    for level in range(count - 1):
        change = work.predicted[level] - here[level]
        if change < -NOTHING - PROGRESS * math.fabs(here[level]):
            gain, lost = -weights[level] * change, 0.0
            for later in range(level + 1, count):
                lost += weights[later] * max(work.predicted[later] - here[later], 0.0)
            if lost > 0.5 * gain:
                for later in range(level + 1, count):
                    weights[later] *= 0.5 * gain / lost


def restore(own: LevelSearch, work: LevelSearchData) -> None:
    """Move the trial to where the necessary levels are met again.

    So the search follows a curved null space in long steps.
    """
    for _ in range(RESTORATIONS):
        if all_met(work.there.met, own.needed):
            break
        step_from(own, work, work.there, work.trial, own.needed, INF)
        evaluate(own, work, work.trial)


def is_taken(own: LevelSearch, work: LevelSearchData) -> bool:
    """Tell whether the trial is better: by the first level that is not met here, or the merit."""
    merit, count = 0.0, own.stack.levels
    for level in range(count):
        merit += work.weights[level] * (work.there.misses[level] - work.here.misses[level])
    if merit < 0.0:
        return True
    for level in range(count):
        if not work.here.met[level]:
            return work.there.met[level] != 0 or math.sqrt(stacks.missed2(
                own.stack, level, work.there.e)) < 0.999 * math.sqrt(
                    stacks.missed2(own.stack, level, work.here.e))
        if not work.there.met[level]:
            return False
    return False


def progresses(work: LevelSearchData, count: int, progress: float) -> bool:
    """Tell whether the first level that has changed much misses less now."""
    for level in range(count):
        before, now = work.marked[level], work.here.misses[level]
        if math.fabs(before - now) > progress * math.fabs(before) + NOTHING:
            return now < before
    return False
