"""All solutions for a pose: branches refined on the true arm, verified, without duplicates."""

import math

try:
    import cython
except ImportError:
    from ik_node.support import cython
import numpy as np

from ik_node.kinematics.forward import Chain
from ik_node.solvers import codes, goal_input, search
from ik_node.solvers.analytic.families import closed_family
from ik_node.solvers.analytic.families.closed_family import ClosedFamily
from ik_node.solvers.analytic.refinement import newton, precision, refinement
from ik_node.solvers.analytic.refinement.refinement import Buffers
from ik_node.solvers.settings import Settings, Work
from ik_node.solvers.task import Task
from ik_node.support import checks, clock
from ik_node.support.arrays import (
    InputMatrix,
    InputPoses,
    InputVector,
    Memory,
    OutputIntegers,
    OutputMatrix,
    ResultStack,
    Vector,
)

NAN, TWO_PI = float('nan'), 2.0 * math.pi
_SAME = 1e-6          # rad or m: solutions nearer to each other are duplicates


class Solutions:
    """The closed form of one arm. Threads may use it at the same time: each has own `Buffers`."""

    def __init__(self, chain: Chain, settings: Settings, family: ClosedFamily,
                 start: np.ndarray, most: int) -> None:
        """Prepare.

        start (n,): the configuration that whole turns are nearest to. most: maximum number of
        solutions, at most MOST_SOLUTIONS.
        """
        self.chain, self.settings, self.family, self.most = chain, settings, family, most
        self.memory = Memory()
        self.start = self.memory.vector(start)
        self.ones, self.idle = np.ones(6), [self._new()]  # all axes are constrained evenly

    def of_pose(self, T_base_goal: InputMatrix, within: bool,
                tolerance: float) -> np.ndarray | None:
        """Return every solution (k, n) for a pose (4, 4), rad or m; within: inside the limits.

        For arms without redundancy parameters. None for an array that is not within a tolerance of
        a pose, see `checks.is_pose`.
        """
        if (T_base_goal.shape[0] != 4 or T_base_goal.shape[1] != 4
                or not checks.is_pose(T_base_goal, tolerance)):
            return None
        checks.check_lengths(self.family.structure.parameters == 0)
        buffers = self._take()
        goal_input.load(buffers.work.task, T_base_goal, self.ones)
        with cython.nogil:
            self._list(self.start, within, buffers, buffers.work.task, buffers.work)
        out = np.empty((buffers.kept, self.chain.n))
        closed_family.copy_out(buffers.found, buffers.kept, 0, out)
        self.idle.append(buffers)
        return out

    def of_goal(self, T_base_goal: InputMatrix, weights: InputVector, parameters: InputMatrix,
                within: bool) -> np.ndarray:
        """Return every solution (k, n) for a checked goal, rad or m; within: inside the limits.

        parameters (r, p): the redundancy parameters, rad or m; the solutions for each row follow
        one another. Raises ValueError for arrays of other lengths.
        """
        checks.check_lengths(
            T_base_goal.shape[0] == 4 and T_base_goal.shape[1] == 4 and weights.shape[0] == 6
            and parameters.shape[1] == self.family.structure.parameters)
        buffers = self._take()
        out = np.empty((parameters.shape[0] * self.most, self.chain.n))
        goal_input.load(buffers.work.task, T_base_goal, weights)
        count = self._list_sets(buffers, parameters, within, out)
        self.idle.append(buffers)
        return out[:count]

    def of_batch(self, T_base_goal: InputPoses, weights: InputVector, parameters: InputMatrix,
                 q0: InputVector, within: bool, out: ResultStack, counts: OutputIntegers,
                 deadline: float) -> int:
        """Write every solution for checked goals into out (m, k, n), their numbers into counts.

        k: see `most`; the rest is NaN. T_base_goal (m, 4, 4), m. weights (6,): of all goals.
        parameters (m, p), or (1, p) for all. q0 (n,): what whole turns are nearest to. counts (m,).
        deadline: by `clock`, s; the goals after it are left. Returns the number of those solved.
        Raises ValueError for arrays of other lengths.
        """
        m, n, sets = T_base_goal.shape[0], self.chain.n, parameters.shape[0]
        checks.check_lengths(
            T_base_goal.shape[1] == 4 and T_base_goal.shape[2] == 4 and weights.shape[0] == 6
            and (sets == m or sets == 1) and q0.shape[0] == n and out.shape[0] == m
            and parameters.shape[1] == self.family.structure.parameters
            and out.shape[1] == self.most and out.shape[2] == n and counts.shape[0] == m)
        buffers, solved = self._take(), m
        for k in range(n):
            buffers.q0[k] = q0[k]
        with cython.nogil:
            for i in range(m):
                if i % codes.LOOK == codes.LOOK - 1 and clock.is_over(deadline):
                    solved = i
                    break
                goal_input.load(buffers.work.task, T_base_goal[i], weights)
                for k in range(parameters.shape[1]):
                    buffers.parameters[k] = parameters[min(i, sets - 1), k]
                self._list(buffers.q0, within, buffers, buffers.work.task, buffers.work)
                closed_family.copy_out(buffers.found, buffers.kept, 0, out[i])
                for j in range(buffers.kept, self.most):
                    for k in range(n):
                        out[i, j, k] = NAN
                counts[i] = buffers.kept
        self.idle.append(buffers)
        return solved

    def _take(self) -> Buffers:
        """Return scratch arrays that no other thread uses."""
        try:
            return self.idle.pop()
        except IndexError:
            return self._new()

    def _new(self) -> Buffers:
        return Buffers(self.chain.m, self.chain.n, self.family.structure)

    def _list_sets(self, buffers: Buffers, parameters: InputMatrix, within: bool,
                   out: OutputMatrix) -> int:
        """Write the solutions of a loaded goal for some parameters into out; return how many."""
        total = 0
        with cython.nogil:
            for i in range(parameters.shape[0]):
                for k in range(parameters.shape[1]):
                    buffers.parameters[k] = parameters[i, k]
                self._list(self.start, within, buffers, buffers.work.task, buffers.work)
                closed_family.copy_out(buffers.found, buffers.kept, total, out)
                total += buffers.kept
        return total

    def _list(self, q0: Vector, within: bool, buffers: Buffers, task: Task, work: Work) -> None:
        """Write every solution for a goal into buffers.found, their number into buffers.kept."""
        trial, n = buffers.trial, self.chain.n
        buffers.kept, buffers.precise = 0, 0
        count = self.family.write_branches(task.T, buffers.parameters, q0, n, buffers.closed_form,
                                           buffers.branches)
        # On an exact arm, refinement leaves a branch outside the limits where it is.
        room = refinement.allowed_excess(self.family.structure)
        refinement.invalidate_frames(self.chain, buffers)
        for i in range(count):
            refinement.copy_to(trial, buffers.branches[i], n)
            if within:
                refinement.wrap_to_nearest(self.chain, q0, trial)
                if (refinement.limit_excess(self.chain, trial) > room
                        and not precision.has_self_motion(self.chain, buffers, trial)):
                    continue
            error, met = refinement.refine_branch(self.chain, self.settings, task, buffers, q0,
                                                  trial)
            if met and within and refinement.limit_excess(self.chain, trial) > 0.0:
                inside = precision.self_motion_inside_limits(self.chain, task, buffers, trial)
                error, position, orientation = search.residual(self.chain, task, work, trial)
                met = (inside <= precision.PRECISE and refinement.within_tolerances(
                    self.settings, position, orientation))
            if met:
                self._keep(within, error, buffers)
        if self.family.structure.may_be_off:
            self._add_twins(q0, within, buffers, task, work)
        if 0 < buffers.precise < buffers.kept:
            _drop_imprecise(buffers, n)

    def _add_twins(self, q0: Vector, within: bool, buffers: Buffers, task: Task,
                   work: Work) -> None:
        """Add the solutions across a singularity from others, and those across from them."""
        first, last = 0, buffers.kept
        while first < last and buffers.kept < self.most:
            for i in range(first, last):
                if newton.across_fold(self.chain, task, work, buffers.held, buffers.found[i], -1,
                                      buffers.trial):
                    refinement.invalidate_frames(self.chain, buffers)
                    error, met = refinement.refine_branch(self.chain, self.settings, task, buffers,
                                                          q0, buffers.trial)
                    if met:
                        self._keep(within, error, buffers)
            first, last = last, buffers.kept

    def _keep(self, within: bool, error: float, buffers: Buffers) -> None:
        """Add buffers.trial to the solutions if it is a new one."""
        q, kept = buffers.trial, buffers.kept
        if kept == self.most or (within and refinement.limit_excess(self.chain, q) > 0.0):
            return
        for i in range(kept):
            if _same(self.chain, q, buffers.found[i]):
                return
        refinement.copy_to(buffers.found[kept], q, self.chain.n)
        buffers.errors[kept], buffers.kept = error, kept + 1
        if error <= precision.PRECISE:
            buffers.precise += 1


def _drop_imprecise(buffers: Buffers, n: int) -> None:
    """Drop the solutions (n,) that are just within the tolerances."""
    kept = 0
    for i in range(buffers.kept):
        if buffers.errors[i] <= precision.PRECISE:
            refinement.copy_to(buffers.found[kept], buffers.found[i], n)
            kept += 1
    buffers.kept = kept


def _same(chain: Chain, a: Vector, b: Vector) -> bool:
    """Tell whether two configurations are equal, whole turns aside."""
    for k in range(chain.n):
        off = math.fabs(a[k] - b[k])
        if off > _SAME:
            if not chain.turns[k] or off < TWO_PI - _SAME:  # the usual case, without a division
                return False
            if math.fabs(off - TWO_PI * round(off / TWO_PI)) > _SAME:
                return False
    return True
