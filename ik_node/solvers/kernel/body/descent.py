"""Levenberg–Marquardt descent of one level of tasks, inside the limits."""

import math

import cython
import numpy as np

from ik_node.kinematics import tree as trees
from ik_node.kinematics.tree import Tree
from ik_node.solvers import codes
from ik_node.solvers.kernel import search
from ik_node.solvers.kernel.body import stacked_tasks as stacks
from ik_node.solvers.kernel.body import steps
from ik_node.solvers.kernel.body.stacked_tasks import BodyData, StackedTasks
from ik_node.solvers.kernel.body.steps import Limits
from ik_node.solvers.kernel.evolution import Judge
from ik_node.support import arrays
from ik_node.support import clock as clocks
from ik_node.support.arrays import InVector, OutMatrix, Vector, taken
from ik_node.tasks import body_task
from ik_node.tasks.body_task import BodyTask

LEAST, MOST = 1e-7, 1e6  # of the damping over the cost
FIRST = 1e-2
PATIENCE = 8             # iterations within which the cost has to shrink to PROGRESS of itself
PROGRESS = 0.9
SMALL = 1e-9             # rad, m: a step after which there is nothing left to do
TINY = 1e-14
TWO_PI = 2.0 * math.pi
INF = math.inf


class DescentData(BodyData):
    """Scratch of one thread.

    - `start`: (n,) to whose turn continuous joints return.
    - `misses`: (t, 2) what each task misses, m and rad.
    """

    def __init__(self, tree: Tree, whole: StackedTasks) -> None:
        super().__init__(tree, whole)
        self.start = self.memory.zeros(tree.n)
        self.misses = self.memory.pairs(np.zeros((whole.count, 2)))


class Descent:
    """The descents of one level of a solver. Threads may run them at the same time."""

    def __init__(self, tree: Tree, level: StackedTasks, whole: StackedTasks, limits: Limits,
                 max_iterations: int, idle: list[DescentData]) -> None:
        """Take the tasks of the level, and the `whole`: all of the solver, which are verified.

        idle: scratch that is not used, which all descents of the same `whole` may share.
        """
        self.tree, self.level, self.whole, self.limits = tree, level, whole, limits
        self.max_iterations, self.idle = max_iterations, idle

    def rows(self, q: InVector) -> tuple[np.ndarray, np.ndarray, float, bool]:
        """Return the rows A (m, n) and e (m,) at q (n,), see `level_rows`, the cost, and `met`."""
        work = self.begin(q)
        A, e = np.empty((self.level.m, self.tree.n)), np.empty(self.level.m)
        with cython.nogil:
            stacks.rows_at(self.level, self.tree, work, work.q, work.step.A, work.step.e)
        body_task.copy_rows(work.step.e, work.step.A, e, A)
        found = A, e, work.cost, work.met
        self.idle.append(work)
        return found

    def run(self, q: InVector, deadline: float, settles: bool) -> tuple[np.ndarray, int, int]:
        """Descend from q (n,); return where that ended, how, and the number of iterations.

        deadline: by `clock`, s. settles: whether a minimum is wanted where it is not met; so it is
        where a task of the level is not necessary.
        """
        work = self.begin(q)
        with cython.nogil:
            end = descend(self, work, deadline, settles, work.q)
        iterations = work.iterations
        return self.joint_values(work), end, iterations

    def start(self, q: InVector) -> np.ndarray:
        """Return q (n,) inside the limits, with a floating root's rotation as a short vector.

        The same rotation by another vector: at a length of 2π the vector's derivatives vanish.
        """
        work = self.begin(q)
        for k in range(self.tree.n):
            work.q[k] = min(max(work.q[k], self.limits.lower[k]), self.limits.upper[k])
        if self.limits.floats:
            shorten_rotation(work.q)
        return self.joint_values(work)

    def solve(self, start: InVector, q: InVector, deadline: float) -> tuple[
            np.ndarray, bool, np.ndarray, int, int]:
        """Descend from q (n,) and verify; return as `verify` does, then as `run` does."""
        work = self.begin(q)
        with cython.nogil:
            end = descend(self, work, deadline, False, work.q)
        iterations = work.iterations
        return (*self.verified(work, start), end, iterations)

    def verify(self, start: InVector, q: InVector) -> tuple[np.ndarray, bool, np.ndarray]:
        """Return q (n,), whether all that is necessary is met there, and what each task misses.

        That is (t, 2), m and rad, from frames computed anew. Continuous joints are at the turn
        nearest to start (n,), where that meets no less.
        """
        return self.verified(self.begin(q), start)

    def verified(self, work: DescentData, start: InVector) -> tuple[
            np.ndarray, bool, np.ndarray]:
        """Verify work.q (n,), and release work; see `verify`."""
        if start.shape[0] != self.tree.n:
            raise ValueError(f'start must have {self.tree.n} values, not {start.shape[0]}')
        arrays.read_vector(start, work.start)
        with cython.nogil:
            met = verify(self, work, work.q)
        misses = np.empty((self.whole.count, 2))
        out: OutMatrix = misses
        for k in range(self.whole.count):
            out[k, 0], out[k, 1] = work.misses[k][0], work.misses[k][1]
        return self.joint_values(work), met, misses

    def begin(self, q: InVector) -> DescentData:
        """Return scratch that no other thread uses, with q (n,) and the targets in it."""
        if q.shape[0] != self.tree.n:
            raise ValueError(f'q must have {self.tree.n} values, not {q.shape[0]}')
        work: DescentData = taken(self.idle, DescentData, self.tree, self.whole)
        work.begin(self.whole, q)
        return work

    def joint_values(self, work: DescentData) -> np.ndarray:
        """Return a copy of work.q (n,), and leave work to others."""
        q = np.empty(self.tree.n)
        arrays.copy_vector(work.q, q)
        self.idle.append(work)
        return q


class TaskJudge(Judge):
    """Judges joint values by the cost of the tasks of a level, whether necessary ones are met."""

    def __init__(self, descent: Descent, q: InVector) -> None:
        """Take scratch of a descent, which `leave` returns; q (n,): any joint values."""
        super().__init__()
        self.descent = descent
        self.work = self.descent.begin(q)

    def cost(self, z: Vector, child: Vector) -> bool:
        rows_at(self.descent, self.work, z)
        child[0] = self.work.cost
        return self.work.met

    def leave(self) -> None:
        """Leave the scratch to others."""
        self.descent.idle.append(self.work)


def descend(own: Descent, work: DescentData, deadline: float, settles: bool, q: Vector) -> int:
    """Minimise the cost of the level from q (n,), in place; return how that ended.

    λ² = μ · |e|²/2, so that steps become Gauss–Newton's near a solution [Chan & Lawrence 1988]; μ
    follows the ratio of the cost's change to the predicted one [Nielsen 1999].
    """
    n, x, trial = own.tree.n, work.step.x, work.step.trial
    settles = settles or not own.level.all_necessary[0]
    rows_at(own, work, q)
    accept(work)
    cost, met = work.cost, work.met
    mu, marked, since = FIRST, cost, 0
    work.iterations = 0
    while not met or settles:
        if work.iterations >= own.max_iterations:
            return codes.CONVERGED if met else codes.EXHAUSTED
        if clocks.is_over(deadline):
            return codes.TIMED_OUT
        weighted2 = stacks.missed2(own.level, 0, work.step.e)
        steps.set_region(own.limits, work.step, q, INF)
        steps.bounded_step(work.step, own.level.m, own.level.some_one_sided[0] != 0,
                           own.level.one_sided, mu * 0.5 * weighted2 + TINY)
        steps.write_left(work.step.A, x, work.step.e, n, own.level.m, work.step.left)
        predicted = 0.5 * (weighted2 - stacks.missed2(own.level, 0, work.step.left))
        size = 0.0
        for k in range(n):
            change = x[k] * own.limits.scale[k]
            size = max(size, math.fabs(change))
            trial[k] = min(max(q[k] + change, own.limits.lower[k]), own.limits.upper[k])
        rows_at(own, work, trial)
        gained = cost - work.cost
        work.iterations += 1
        if gained > 0.0 or (work.met and not met):
            mu = max(mu * (0.2 if gained > 0.75 * predicted else
                           1.0 if gained > 0.25 * predicted else 3.0), LEAST)
            arrays.copy_to(q, trial, n)
            if own.limits.floats and shorten_rotation(q):
                rows_at(own, work, q)
            accept(work)
            cost, met = work.cost, work.met
        else:
            mu = max(8.0 * mu, 1e-3)
        if size < SMALL or mu > MOST:
            return codes.CONVERGED if met else codes.STALLED
        since += 1
        if since >= PATIENCE:
            if cost > marked - (1.0 - PROGRESS) * math.fabs(marked) and not (
                    settles and marked - cost > 1e-9 * math.fabs(marked)):
                return codes.CONVERGED if met else codes.STALLED
            marked, since = cost, 0
    return codes.CONVERGED


def rows_at(own: Descent, work: DescentData, q: Vector) -> None:
    """Write the rows at q (n,) into A_trial and e_trial, columns over the scale of the joints."""
    stacks.rows_at(own.level, own.tree, work, q, work.step.A_trial, work.step.e_trial)
    steps.scale_columns(own.limits, work.step.A_trial, own.level.m)


def accept(work: DescentData) -> None:
    """Make the rows of the trial those of the search."""
    A, e = work.step.A, work.step.e
    work.step.A, work.step.e = work.step.A_trial, work.step.e_trial
    work.step.A_trial, work.step.e_trial = A, e


def shorten_rotation(q: Vector) -> bool:
    """Make the rotation vector q[3:6] no longer than 1.5 π, by a whole turn; tell if it was."""
    angle = math.sqrt(q[3] * q[3] + q[4] * q[4] + q[5] * q[5])
    if not angle > 1.5 * math.pi:
        return False
    factor = 1.0 - TWO_PI * math.floor(angle / TWO_PI + 0.5) / angle
    for k in range(3, 6):
        q[k] *= factor
    return True


def verify(own: Descent, work: DescentData, q: Vector) -> bool:
    """Bring continuous joints of q (n,) to the start's turn; tell whether all is met there.

    Writes what tasks miss into work.misses, from frames computed anew.
    """
    found, differs = work.step.trial, False
    arrays.copy_to(found, q, own.tree.n)
    search.nearest_turn(own.limits, work.start, q)
    for k in range(own.tree.n):
        differs = differs or q[k] != found[k]
    if missed(own.tree, own.whole, work, q):
        return True
    if not differs:
        return False
    # A `Posture` may want the turn that was found.
    if missed(own.tree, own.whole, work, found):
        arrays.copy_to(q, found, own.tree.n)
        return True
    missed(own.tree, own.whole, work, q)
    return False


def missed(tree: Tree, whole: StackedTasks, work: DescentData, q: Vector) -> bool:
    """Write what each task misses at q (n,); tell whether all that is necessary is met."""
    r, first, met = work.step.e_trial, 0, True
    trees.tree_frames(tree, q, work.frames, work.axes)
    for index in range(whole.first_task[1]):
        work.misses[index][0], work.misses[index][1] = 0.0, 0.0
        if cython.cast(BodyTask, whole.tasks[index]).misses:
            cython.cast(BodyTask, whole.tasks[index]).rows(work, q, first, r, work.step.A_trial)
            along, about = 0.0, 0.0
            for row in range(first, first + whole.sizes[index]):
                if whole.one_sided[row] and r[row] > 0.0:
                    continue
                if whole.metres[row]:
                    along += r[row] * r[row]
                else:
                    about += r[row] * r[row]
            along, about = math.sqrt(along), math.sqrt(about)
            work.misses[index][0], work.misses[index][1] = along, about
            if whole.necessary[index] and not (along <= whole.position_tolerance
                                               and about <= whole.orientation_tolerance):
                met = False
        first += whole.sizes[index]
    return met
