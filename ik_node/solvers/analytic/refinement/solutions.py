"""All solutions for a pose: branches refined on the true arm, verified, without duplicates."""

import math

try:
    import cython
except ImportError:
    from ik_node.support import cython
import numpy as np

from ik_node.kinematics.forward import ChainRecord
from ik_node.solvers import codes, search
from ik_node.solvers.analytic.families import nominal_arm
from ik_node.solvers.analytic.families.closed_family import ClosedFamily
from ik_node.solvers.analytic.refinement import newton, precision, refinement
from ik_node.solvers.analytic.refinement.buffers import Buffers
from ik_node.solvers.settings import Scratch, Settings
from ik_node.solvers.task import TipTask
from ik_node.support import checks, clock
from ik_node.support.arrays import (
    InputMatrix,
    InputPoses,
    InputVector,
    Memory,
    OutputIntegers,
    OutputMatrix,
    ResultStack,
    Rows,
    Vector,
)

NAN, TWO_PI = float('nan'), 2.0 * math.pi
_SAME = 1e-6          # rad or m: solutions nearer to each other are duplicates


class Solutions:
    """The closed form of one arm. Threads may use it at the same time: each has own `Buffers`."""

    chain: ChainRecord
    settings: Settings
    family: ClosedFamily
    start: Vector
    most: int
    idle: list
    ones: InputVector
    """Weights of a goal that constrains all axes evenly."""

    def __init__(self, chain: ChainRecord, settings: Settings, family: ClosedFamily,
                 start: np.ndarray, most: int) -> None:
        """Prepare.

        start (n,): the configuration that whole turns are nearest to. most: maximum number of
        solutions, at most MOST_SOLUTIONS.
        """
        self.chain, self.settings, self.family, self.most = chain, settings, family, most
        self.memory = Memory()
        self.start = self.memory.vector(start)
        self.ones, self.idle = np.ones(6), [self._new()]

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
        search.load_goal(buffers.work.task, T_base_goal, self.ones)
        with cython.nogil:
            count = all_solutions(self.chain, self.settings, self.family, buffers.work.task,
                                  self.start, within, self.most, buffers.work, buffers)
        out = np.empty((count, self.chain.n))
        nominal_arm.copy_out(buffers.found, count, 0, out)
        self.idle.append(buffers)
        return out

    def of_goal(self, T_base_goal: InputMatrix, weights: InputVector, parameters: InputMatrix,
                within: bool) -> np.ndarray:
        """Return every solution (k, n) for a checked goal, see `TipTask`, rad or m.

        parameters (r, p): the redundancy parameters, rad or m; the solutions for each row follow
        one another. Raises ValueError for arrays of other lengths.
        """
        rows = parameters.shape[0]
        checks.check_lengths(
            T_base_goal.shape[0] == 4 and T_base_goal.shape[1] == 4 and weights.shape[0] == 6
            and parameters.shape[1] == self.family.structure.parameters)
        buffers, out = self._take(), np.empty((rows * self.most, self.chain.n))
        search.load_goal(buffers.work.task, T_base_goal, weights)
        count = self._list(buffers, parameters, within, out)
        self.idle.append(buffers)
        return out[:count]

    def of_batch(self, T_base_goal: InputPoses, weights: InputVector, parameters: InputMatrix,
                 q0: InputMatrix, within: bool, out: ResultStack, counts: OutputIntegers,
                 deadline: float) -> int:
        """Write every solution for goals (m, 4, 4) into out (m, k, n), their numbers into counts.

        k: see `most`; the rest is NaN. weights (6,): of all goals. parameters (m, p), or (1, p)
        for all of them. q0 (m, n), or (1, n): what whole turns are nearest to. counts (m,).
        deadline: by `clock`, s; the goals after it are left. Returns the number of those solved.
        Raises ValueError for arrays of other lengths.
        """
        m, n = T_base_goal.shape[0], self.chain.n
        checks.check_lengths(
            T_base_goal.shape[1] == 4 and T_base_goal.shape[2] == 4 and weights.shape[0] == 6
            and (parameters.shape[0] == m or parameters.shape[0] == 1)
            and parameters.shape[1] == self.family.structure.parameters
            and (q0.shape[0] == m or q0.shape[0] == 1) and q0.shape[1] == n
            and out.shape[0] == m and out.shape[1] == self.most and out.shape[2] == n
            and counts.shape[0] == m)
        buffers, solved = self._take(), m
        with cython.nogil:
            for i in range(m):
                if i % codes.LOOK == codes.LOOK - 1 and clock.is_over(deadline):
                    solved = i
                    break
                search.load_goal(buffers.work.task, T_base_goal[i], weights)
                for k in range(n):
                    buffers.q0[k] = q0[min(i, q0.shape[0] - 1), k]
                for k in range(parameters.shape[1]):
                    buffers.parameters[k] = parameters[min(i, parameters.shape[0] - 1), k]
                count = all_solutions(self.chain, self.settings, self.family, buffers.work.task,
                                      buffers.q0, within, self.most, buffers.work, buffers)
                nominal_arm.copy_out(buffers.found, count, 0, out[i])
                for j in range(count, self.most):
                    for k in range(n):
                        out[i, j, k] = NAN
                counts[i] = count
        self.idle.append(buffers)
        return solved

    def _list(self, buffers: Buffers, parameters: InputMatrix, within: bool,
              out: OutputMatrix) -> int:
        """Write the solutions of a loaded goal for some parameters into out; return how many."""
        total = 0
        with cython.nogil:
            for i in range(parameters.shape[0]):
                for k in range(parameters.shape[1]):
                    buffers.parameters[k] = parameters[i, k]
                count = all_solutions(self.chain, self.settings, self.family, buffers.work.task,
                                      self.start, within, self.most, buffers.work, buffers)
                nominal_arm.copy_out(buffers.found, count, total, out)
                total += count
        return total

    def _take(self) -> Buffers:
        """Return scratch arrays that no other thread uses."""
        try:
            return self.idle.pop()
        except IndexError:
            return self._new()

    def _new(self) -> Buffers:
        return Buffers(self.chain.m, self.chain.n, self.family.structure)


def all_solutions(chain: ChainRecord, settings: Settings, family: ClosedFamily, task: TipTask,
                  q0: Vector, within: bool, most: int, work: Scratch, buffers: Buffers) -> int:
    """Write every solution for a goal into buffers.found; return their number."""
    out, trial, errors, n = buffers.found, buffers.trial, buffers.errors, chain.n
    kept, precise = 0, 0
    count = family.branches(task.T, buffers.parameters, q0, n, buffers.closed_form,
                            buffers.branches)
    # On an exact arm, refinement leaves a branch outside the limits where it is.
    shaky = family.structure.may_be_off
    room = refinement.allowed_excess(family.structure)
    refinement.invalidate_frames(chain, buffers)
    for i in range(count):
        refinement.copy_to(trial, buffers.branches[i], n)
        if within:
            refinement.wrap_to_nearest(chain, q0, trial)
            if (refinement.limit_excess(chain, trial) > room
                    and not precision.has_self_motion(chain, buffers, trial)):
                continue
        error, met = refinement.refine_branch(chain, settings, task, buffers, q0, trial)
        if met and within and refinement.limit_excess(chain, trial) > 0.0:
            inside = precision.self_motion_inside_limits(chain, task, buffers, trial)
            error, position, orientation = search.residual(chain, task, work, trial)
            met = (inside <= precision.PRECISE
                   and refinement.within_tolerances(settings, position, orientation))
        if met:
            kept, precise = _keep(chain, within, trial, error, errors, kept, precise, most, out)
    if shaky:
        first, last = 0, kept
        while first < last and kept < most:  # twins of twins as well
            for i in range(first, last):
                if newton.across_fold(chain, task, work, buffers.held, out[i], -1, trial):
                    refinement.invalidate_frames(chain, buffers)
                    error, met = refinement.refine_branch(chain, settings, task, buffers, q0, trial)
                    if met:
                        kept, precise = _keep(chain, within, trial, error, errors, kept, precise,
                                              most, out)
            first, last = last, kept
    if 0 < precise < kept:  # configurations just within the tolerances are dropped
        kept = 0
        for i in range(most):
            if kept == precise:
                break
            if errors[i] <= precision.PRECISE:
                refinement.copy_to(out[kept], out[i], n)
                kept += 1
    return kept


def _keep(chain: ChainRecord, within: bool, q: Vector, error: float, errors: Vector, kept: int,
          precise: int, most: int, out: Rows) -> tuple[int, int]:
    """Add a solution if it is new; return the numbers of all and of precise ones."""
    if kept == most or (within and refinement.limit_excess(chain, q) > 0.0):
        return kept, precise
    for i in range(kept):
        if _same(chain, q, out[i]):
            return kept, precise
    refinement.copy_to(out[kept], q, chain.n)
    errors[kept] = error
    return kept + 1, precise + (1 if error <= precision.PRECISE else 0)


def _same(chain: ChainRecord, a: Vector, b: Vector) -> bool:
    """Tell whether two configurations are equal, whole turns aside."""
    for k in range(chain.n):
        off = math.fabs(a[k] - b[k])
        if off > _SAME:
            if not chain.turns[k] or off < TWO_PI - _SAME:  # the usual case, without a division
                return False
            if math.fabs(off - TWO_PI * round(off / TWO_PI)) > _SAME:
                return False
    return True
