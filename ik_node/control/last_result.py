"""The last result of an arm, so that an identical goal is not solved again."""

import numpy as np

from ik_node.control.arm import Arm
from ik_node.solvers.goal import Goal
from ik_node.solvers.result import Result, StopReason


class LastResult:
    """The result for a goal, valid until a parameter changes the arm."""

    def __init__(self) -> None:
        """Begin without a result."""
        self._result: Result | None = None

    def keep(self, arm: Arm, goal: Goal, q: np.ndarray, result: Result) -> None:
        """Store the result for a goal, and the configuration q (n,) to which it led."""
        # After a timeout a repetition may succeed.
        self._result = None if result.reason is StopReason.TIMEOUT else result
        self._arm, self._goal, self._q = arm, goal, q

    def forget(self) -> None:
        """Drop the result."""
        self._result = None

    def of(self, arm: Arm, goal: Goal, q: np.ndarray | None = None) -> Result | None:
        """Return the result where arm and goal are unchanged, else None.

        q: the present configuration (n,) at rest, which must then be unchanged, too.
        """
        if (self._result is None or self._arm is not arm
                or (q is not None and q.tobytes() != self._q.tobytes())):
            return None
        last = self._goal
        same = (last.pose.tobytes() == goal.pose.tobytes()
                and last.weights.tobytes() == goal.weights.tobytes()
                and (last.orientation is None) == (goal.orientation is None)
                and (last.position is None) == (goal.position is None))
        return self._result if same else None
