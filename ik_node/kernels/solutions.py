"""All solutions for a pose: branches refined on the true arm, verified, without duplicates."""

import math

try:
    import cython
except ImportError:
    from ik_node.support import cython
import numpy as np

from ik_node.kernels import checks, newton, precision, refinement, search
from ik_node.kernels.arrays import GivenMatrix, GivenVector, Memory, ResultMatrix, Rows, Vector
from ik_node.kernels.buffers import Buffers
from ik_node.kernels.closed_family import ClosedFamily
from ik_node.kernels.forward import Chain
from ik_node.kernels.settings import Settings, Work
from ik_node.kernels.task import Task

TURN = 2.0 * math.pi
_SAME = 1e-6          # rad or m: solutions nearer to each other are duplicates


class Solutions:
    """The closed form of one arm. Threads may use it at the same time: each has own `Buffers`."""

    chain: Chain
    settings: Settings
    family: ClosedFamily
    start: Vector
    most: int
    idle: list
    ones: GivenVector
    """Weights of a goal that constrains all axes evenly."""

    def __init__(self, chain: Chain, settings: Settings, family: ClosedFamily,
                 start: np.ndarray, most: int) -> None:
        """Prepare.

        start (n,): the configuration that whole turns are nearest to. most: maximum number of
        solutions, at most MOST_SOLUTIONS.
        """
        self.chain, self.settings, self.family, self.most = chain, settings, family, most
        self.memory = Memory()
        self.start = self.memory.vector(start)
        self.ones, self.idle = np.ones(6), [self._new()]

    def of_pose(self, T_base_goal: GivenMatrix, within: bool,
                tolerance: float) -> np.ndarray | None:
        """Return every solution (k, n) for a pose (4, 4), rad or m; within: inside the limits.

        None for an array that is not within a tolerance of a pose, see `checks.is_pose`.
        """
        if not checks.is_pose(T_base_goal, tolerance):
            return None
        return self._solved(T_base_goal, self.ones, within, self._scratch())

    def of_goal(self, T_base_goal: GivenMatrix, weights: GivenVector, parameters: GivenVector,
                within: bool) -> np.ndarray:
        """Return every solution (k, n) for a checked goal, see `Task`, rad or m.

        parameters (p,): the redundancy parameters, rad or m.
        """
        buffers = self._scratch()
        for j in range(len(parameters)):
            buffers.parameters[j] = parameters[j]
        return self._solved(T_base_goal, weights, within, buffers)

    def _solved(self, T_base_goal: GivenMatrix, weights: GivenVector, within: bool,
                buffers: Buffers) -> np.ndarray:
        """Solve with scratch arrays that no other thread uses, and give them back."""
        search.load(buffers.work.task, T_base_goal, weights)
        with cython.nogil:
            count = all_solutions(self.chain, self.settings, self.family, buffers.work.task,
                                  self.start, within, self.most, buffers.work, buffers)
        out = np.empty((count, self.chain.n))
        copy_out(buffers.found, out)
        self.idle.append(buffers)
        return out

    def _scratch(self) -> Buffers:
        """Return scratch arrays that no other thread uses."""
        return self.idle.pop() if self.idle else self._new()

    def _new(self) -> Buffers:
        return Buffers(self.chain.m, self.chain.n, self.family.structure)


def copy_out(found: Rows, out: ResultMatrix) -> None:
    """Copy solutions into an array."""
    for i in range(out.shape[0]):
        for k in range(out.shape[1]):
            out[i, k] = found[i][k]


def all_solutions(chain: Chain, settings: Settings, family: ClosedFamily, task: Task, q0: Vector,
                  within: bool, most: int, work: Work, buffers: Buffers) -> int:
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


def _keep(chain: Chain, within: bool, q: Vector, error: float, errors: Vector, kept: int,
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


def _same(chain: Chain, a: Vector, b: Vector) -> bool:
    """Tell whether two configurations are equal, whole turns aside."""
    for k in range(chain.n):
        off = math.fabs(a[k] - b[k])
        if off > _SAME:
            if not chain.turns[k] or off < TURN - _SAME:  # the usual case, without a division
                return False
            if math.fabs(off - TURN * round(off / TURN)) > _SAME:
                return False
    return True
