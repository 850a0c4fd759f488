"""Swivel angles of an arm for a pose of its tip, for Python."""

from typing import Any

try:
    import cython
except ImportError:
    from ik_node.support import cython
import numpy as np

from ik_node.solvers.analytic.families.swivel import Swivel
from ik_node.solvers.analytic.families.swivel_intervals import Intervals
from ik_node.spatial.vector3 import Motion
from ik_node.support import checks
from ik_node.support.arrays import InputMatrix, InputVector, Memory, OutputMatrix

if not cython.compiled:
    from ik_node.spatial.vector3 import composed, motion_of


class SwivelAngles:
    """The swivel angles within limits. Threads may use it at once: each has its own `Intervals`.

    Poses are T_base_goal (4, 4), m.
    """

    def __init__(self, arm: Swivel, lower: Any, upper: Any) -> None:
        """Prepare; lower, upper (7,): rad, ±inf for none."""
        checks.check_lengths(len(lower) == 7 and len(upper) == 7)
        self.memory = memory = Memory()
        self.arm, self.lower, self.upper = arm, memory.vector(lower), memory.vector(upper)
        self.idle = [Intervals()]

    def intervals(self, T_base_goal: InputMatrix, narrower: float) -> np.ndarray:
        """Return the intervals (k, 5) inside limits narrowed by `narrower`, rad.

        A row: the signs of elbow, shoulder and wrist, see `Swivel.solve`, from and to, rad, see
        `Intervals`. Raises ValueError for an array of another shape, as the other method.
        """
        M = self._motion(T_base_goal)
        try:
            found = self.idle.pop()
        except IndexError:
            found = Intervals()
        with cython.nogil:
            count = found.find(self.arm.structure, M, self.lower, self.upper, narrower)
        rows = np.empty((count, 5))
        _copy_out(found, rows)
        self.idle.append(found)
        return rows

    def towards(self, T_base_goal: InputMatrix, point: InputVector) -> float:
        """Return the swivel angle, rad, with the elbow nearest to a point (3,), m, base frame.

        NaN for a point on the line through shoulder and wrist, where every angle is equivalent.
        """
        checks.check_lengths(point.shape[0] == 3)
        return self.arm.towards(self._motion(T_base_goal), (point[0], point[1], point[2]))

    def _motion(self, T_base_goal: InputMatrix) -> Motion:
        """Return the motion of a pose: T_goal T_tip⁻¹, T_tip at zero."""
        checks.check_lengths(T_base_goal.shape[0] == 4 and T_base_goal.shape[1] == 4)
        G = T_base_goal
        goal = ((G[0, 0], G[0, 1], G[0, 2]), (G[1, 0], G[1, 1], G[1, 2]),
                (G[2, 0], G[2, 1], G[2, 2]), (G[0, 3], G[1, 3], G[2, 3]))
        return composed(goal, motion_of(self.arm.structure.T_tip_base))


def _copy_out(found: Intervals, rows: OutputMatrix) -> None:
    """Copy intervals into an array (k, 5)."""
    for i in range(found.count):
        rows[i, 0], rows[i, 1], rows[i, 2] = found.elbow[i], found.shoulder[i], found.wrist[i]
        rows[i, 3], rows[i, 4] = found.begin[i], found.end[i]
