"""What a family of arms with a closed form is to the solver: every branch of the nominal arm."""

import math

try:
    import cython
except ImportError:
    from ik_node.support import cython

from ik_node.kinematics import kinds
from ik_node.solvers.analytic.families.nominal import ClosedForm, Structure
from ik_node.support.arrays import Pose, Rows, Vector

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


class ClosedFamily:
    """A family, with the nominal arm; subclasses override `solve`."""

    structure: Structure

    def __init__(self, structure: Structure) -> None:
        """Keep the structure."""
        self.structure = structure

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
