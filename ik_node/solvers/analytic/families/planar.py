"""Three parallel revolute joints, with or without a prismatic one: planar arms and SCARAs."""

import math

try:
    import cython
except ImportError:
    from ik_node.support import cython

from ik_node.kinematics import kinds
from ik_node.solvers.analytic.families.closed_family import ClosedFamily, ClosedForm
from ik_node.solvers.analytic.subproblems import parallel_triple
from ik_node.spatial.vector3 import Motion, Vector3
from ik_node.support.arrays import Vector

if not cython.compiled:
    from ik_node.spatial.vector3 import (
        along,
        dot,
        minus,
        motion_of,
        moved,
        moved_back,
        perpendicular,
        rotated,
        rotation_about,
        row,
    )


class PlanarTriple(ClosedFamily):
    """Goals that constrain the tip's angle in the plane, or an arm without a joint for it."""

    def solve(self, work: ClosedForm) -> int:
        """Write every branch; see `ClosedFamily`."""
        first, second, third, prismatic = -1, -1, -1, -1
        for j in range(work.count):
            if work.kind[j] == kinds.PRISMATIC:
                prismatic = j
            else:
                first, second, third = second, third, j
        h = row(work.axes, first)
        p1, p2, p3 = row(work.points, first), row(work.points, second), row(work.points, third)
        target, b = moved(work.M, p3), perpendicular(h, minus(p2, p1))
        solutions = parallel_triple.solve_planar_arm(
            h, p1, p2, p3, math.copysign(1.0, dot(h, row(work.axes, second))),
            math.copysign(1.0, dot(h, row(work.axes, third))), target, b, rotated(work.M, b),
            self.structure.size, self.structure.slack, work.wrist)
        for i in range(solutions):
            found = work.wrist[i]
            if prismatic >= 0:
                work.write_value(i, prismatic, dot(h, minus(target, p3))
                            / dot(h, row(work.axes, prismatic)), 0.0)
            work.write_value(i, first, found[0], found[1])
            work.write_value(i, second, found[2], found[3])
            work.write_value(i, third, found[4], found[5])
        return solutions


class FreePlanarTriple(PlanarTriple):
    """Goals that leave the tip's angle in the plane free; the parameter is that angle, rad."""

    def solve(self, work: ClosedForm) -> int:
        """Write every branch; see `ClosedFamily`."""
        first = 0
        while work.kind[first] == kinds.PRISMATIC:
            first += 1
        work.M = _rotated_tip(motion_of(self.structure.T_tip_base), work.M, row(work.axes, first),
                              work.parameter)
        return PlanarTriple.solve(self, work)

    def own_parameter(self, q: Vector) -> float:
        """Return the angle of the tip in the plane at q (n,), from zero, rad."""
        kind, column, axes = self.structure.kind, self.structure.column, self.structure.axes
        total, first = 0.0, -1
        for j in range(self.structure.count):
            if kind[j] != kinds.PRISMATIC and column[j] >= 0:
                first = j if first < 0 else first
                total += q[column[j]] * dot(row(axes, j), row(axes, first))
        return total


def _rotated_tip(T_tip_base: Motion, M: Motion, h: Vector3, angle: float) -> Motion:
    """Return M with the same tip position, and the tip rotated by an angle about h from zero."""
    tip = moved_back(T_tip_base, (0.0, 0.0, 0.0))
    shifted = moved(M, tip)
    rotation = rotation_about(h, tip, math.cos(angle), math.sin(angle))
    return rotation[0], rotation[1], rotation[2], along(rotation[3], 1.0, minus(shifted, tip))
