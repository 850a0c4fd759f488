"""A closed form for callers in Python: every branch of the nominal arm."""

import numpy as np

from ik_node.solvers.analytic.families.closed_family import ClosedFamily
from ik_node.solvers.analytic.families.nominal import ClosedForm
from ik_node.solvers.analytic.subproblems import sizes
from ik_node.support import checks
from ik_node.support.arrays import (
    InputPoses,
    InputVector,
    Memory,
    OutputMatrix,
    OutputVector,
    Pose,
    Rows,
    Vector,
)


class NominalWork:
    """Scratch of one call."""

    T: Pose
    """(4, 4) T_base_goal, m."""
    q: Vector
    """(n,) rad or m."""
    parameters: Vector
    """(p,) rad or m."""
    found: Rows
    """(MOST_BRANCHES, n)"""
    closed_form: ClosedForm

    def __init__(self, n: int, parameters: int) -> None:
        """Make the arrays."""
        self.memory = memory = Memory()
        self.T, self.q = memory.pose(np.zeros((4, 4))), memory.vector(np.zeros(n))
        self.parameters, self.closed_form = memory.vector(np.zeros(parameters)), ClosedForm()
        self.found = memory.rows(np.zeros((sizes.MOST_BRANCHES, n)))


class NominalArm:
    """The nominal arm of a family. Threads may use it at the same time."""

    family: ClosedFamily
    idle: list

    def __init__(self, family: ClosedFamily) -> None:
        """Take the family."""
        self.family, self.idle = family, []

    def parameters_at(self, q: InputVector) -> np.ndarray:
        """Return the redundancy parameters (p,) of a configuration q (n,), rad or m."""
        structure = self.family.structure
        checks.check_lengths(q.shape[0] == structure.n)
        work, found = self._take(), np.empty(structure.parameters)
        for k in range(structure.n):
            work.q[k] = q[k]
        self.family.parameters_of(work.q, work.parameters)
        _copy(work.parameters, found)
        self.idle.append(work)
        return found

    def branches(self, T_base_goal: InputPoses, parameters: InputVector,
                 q0: InputVector) -> np.ndarray:
        """Return the branches (k, n) for poses (m, 4, 4), m, one after the other; rad or m.

        parameters (p,): of all poses; q0 (n,): see `ClosedFamily.branches`. Raises ValueError for
        arrays of other lengths.
        """
        structure = self.family.structure
        n, total, m = structure.n, 0, T_base_goal.shape[0]
        checks.check_lengths(
            T_base_goal.shape[1] == 4 and T_base_goal.shape[2] == 4 and q0.shape[0] == n
            and parameters.shape[0] == structure.parameters)
        work, out = self._take(), np.empty((m * sizes.MOST_BRANCHES, n))
        for k in range(n):
            work.q[k] = q0[k]
        for k in range(parameters.shape[0]):
            work.parameters[k] = parameters[k]
        for i in range(m):
            for j in range(4):
                for k in range(4):
                    work.T[j][k] = T_base_goal[i, j, k]
            count = self.family.branches(work.T, work.parameters, work.q, n, work.closed_form,
                                         work.found)
            copy_out(work.found, count, total, out)
            total += count
        self.idle.append(work)
        return out[:total]

    def _take(self) -> NominalWork:
        """Return scratch that no other thread uses."""
        try:
            return self.idle.pop()
        except IndexError:
            return NominalWork(self.family.structure.n, self.family.structure.parameters)


def _copy(found: Vector, out: OutputVector) -> None:
    """Copy numbers into an array."""
    for k in range(out.shape[0]):
        out[k] = found[k]


def copy_out(found: Rows, count: int, first: int, out: OutputMatrix) -> None:
    """Copy rows into an array, from a row of it on."""
    for i in range(count):
        for k in range(out.shape[1]):
            out[first + i, k] = found[i][k]
