"""What a family of arms with a closed form is to the solver: every branch of the nominal arm."""

import math

try:
    import cython
except ImportError:
    from ik_node.support import cython
import numpy as np

from ik_node.kinematics import kinds
from ik_node.solvers.analytic.families.nominal import ClosedForm, Structure
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

if not cython.compiled:
    from ik_node.spatial.vector3 import (
        composed,
        motion_of,
        moved,
        reversed_motion,
        rotated,
        rotation_about,
        row,
        standstill,
        translated,
    )


class NominalWork:
    """Scratch of calls from Python."""

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


class ClosedFamily:
    """A family, with the nominal arm; subclasses override `solve`."""

    structure: Structure
    idle: list

    def __init__(self, structure: Structure) -> None:
        """Keep the structure."""
        self.structure, self.idle = structure, []

    def solve(self, work: ClosedForm, n: int, out: Rows) -> int:
        """Write the joint values of every branch into out, but those of locked joints.

        work: the joints that are solved for, and M. Returns the number of branches.
        """
        return 0

    def own_parameter(self, q: Vector) -> float:
        """Return the family's own redundancy parameter at q (n,), rad."""
        return 0.0

    def parameters_of(self, q: Vector, parameters: Vector) -> None:
        """Write the redundancy parameters of a configuration q (n,) into parameters, rad or m."""
        column, locked, locks = self.structure.column, self.structure.locked, self.structure.locks
        for j in range(self.structure.count):
            if locked[j] >= 0:
                parameters[locked[j]] = q[column[j]]
        if self.structure.parameters > locks:
            parameters[locks] = self.own_parameter(q)

    def parameters_at(self, q: InputVector) -> np.ndarray:
        """Return the redundancy parameters (p,) of a configuration q (n,), rad or m."""
        checks.check_lengths(q.shape[0] == self.structure.n)
        work, found = self._take(), np.empty(self.structure.parameters)
        for k in range(self.structure.n):
            work.q[k] = q[k]
        self.parameters_of(work.q, work.parameters)
        _copy(work.parameters, found)
        self.idle.append(work)
        return found

    def branches(self, T_base_goal: Pose, parameters: Vector, q0: Vector, n: int,
                 work: ClosedForm, out: Rows) -> int:
        """Write the joint values of every branch into out (MOST_BRANCHES, n); return how many.

        parameters: the redundancy parameters, rad or m. q0 (n,): reference for joints whose value
        makes no difference. Branches are not verified: they are initial guesses for the true arm,
        which may differ from the nominal one.
        """
        kind, column, locked = self.structure.kind, self.structure.column, self.structure.locked
        axes, points, count = self.structure.axes, self.structure.points, self.structure.count
        M = composed(motion_of(T_base_goal), motion_of(self.structure.T_tip_base))
        lock, free, has_locks = standstill(), 0, self.structure.locks > 0
        for j in range(count):
            h, p = row(axes, j), row(points, j)
            if has_locks:
                h, p = rotated(lock, h), moved(lock, p)
            if locked[j] >= 0:
                value = parameters[locked[j]]
                if kind[j] == kinds.PRISMATIC:
                    lock = translated(lock, value, h)
                else:
                    lock = composed(rotation_about(h, p, math.cos(value), math.sin(value)), lock)
                continue
            work.kind[free], work.column[free] = kind[j], column[j]
            work.start[free] = q0[column[j]] if column[j] >= 0 else 0.0
            work.axes[free][0], work.axes[free][1], work.axes[free][2] = h
            work.points[free][0], work.points[free][1], work.points[free][2] = p
            free += 1
        work.count = free
        if self.structure.parameters > self.structure.locks:
            work.parameter = parameters[self.structure.locks]
        work.M = composed(M, reversed_motion(lock)) if has_locks else M
        solutions = self.solve(work, n, out)
        for j in range(count):
            if locked[j] >= 0:
                for i in range(solutions):
                    out[i][column[j]] = parameters[locked[j]]
        return solutions

    def nominal(self, T_base_goal: InputPoses, parameters: InputVector,
                q0: InputVector) -> np.ndarray:
        """Return the branches (k, n) for poses (m, 4, 4), m, one after the other; rad or m.

        parameters (p,): of all poses; q0 (n,): see `branches`. Raises ValueError for arrays of
        other lengths.
        """
        n, total, m = self.structure.n, 0, T_base_goal.shape[0]
        checks.check_lengths(
            T_base_goal.shape[1] == 4 and T_base_goal.shape[2] == 4 and q0.shape[0] == n
            and parameters.shape[0] == self.structure.parameters)
        work, out = self._take(), np.empty((m * sizes.MOST_BRANCHES, n))
        for k in range(n):
            work.q[k] = q0[k]
        for k in range(parameters.shape[0]):
            work.parameters[k] = parameters[k]
        for i in range(m):
            for j in range(4):
                for k in range(4):
                    work.T[j][k] = T_base_goal[i, j, k]
            count = self.branches(work.T, work.parameters, work.q, n, work.closed_form, work.found)
            copy_out(work.found, count, total, out)
            total += count
        self.idle.append(work)
        return out[:total]

    def _take(self) -> NominalWork:
        """Return scratch that no other thread uses."""
        try:
            return self.idle.pop()
        except IndexError:
            return NominalWork(self.structure.n, self.structure.parameters)


def _copy(found: Vector, out: OutputVector) -> None:
    """Copy numbers into an array."""
    for k in range(out.shape[0]):
        out[k] = found[k]


def copy_out(found: Rows, count: int, first: int, out: OutputMatrix) -> None:
    """Copy rows into an array, from a row of it on."""
    for i in range(count):
        for k in range(out.shape[1]):
            out[first + i, k] = found[i][k]
