"""The last result of an arm, so that an identical goal is not solved again."""

import numpy as np

from ik_node.control.arm import Arm
from ik_node.motion.trajectory import Trajectory
from ik_node.solvers.goal import Goal
from ik_node.solvers.result import Result, StopReason


class LastResult:
    """The result for a goal, valid until a parameter changes the arm or what is accepted."""

    def __init__(self) -> None:
        """Begin without a result."""
        self._result: Result | None = None

    def keep(self, arm: Arm, goal: Goal, accept_closest: bool, q: np.ndarray,
             motion: Trajectory | None, result: Result) -> None:
        """Store the result for a goal, and where it led: to q (n,), by a motion or at once.

        accept_closest: whether the closest configuration stood in for a goal that is not met.
        """
        # After a timeout a repetition may succeed.
        self._result = None if result.reason is StopReason.TIMEOUT else result
        self._arm, self._goal, self._accept_closest = arm, goal, accept_closest
        self._q, self._motion = q, motion

    def forget(self) -> None:
        """Drop the result."""
        self._result = None

    def of(self, arm: Arm, goal: Goal, accept_closest: bool, q: np.ndarray,
           motion: Trajectory | None) -> Result | None:
        """Return the result where nothing has changed, else None.

        motion: the current one, which leads there. At rest it is q, the present configuration
        (n,), that must be unchanged.
        """
        if (self._result is None or self._arm is not arm
                or self._accept_closest is not accept_closest
                or (motion is not self._motion if motion is not None
                    else q.tobytes() != self._q.tobytes())):
            return None
        last = self._goal
        same = (last.pose.tobytes() == goal.pose.tobytes()
                and last.weights.tobytes() == goal.weights.tobytes()
                and (last.orientation is None) == (goal.orientation is None)
                and (last.position is None) == (goal.position is None))
        return self._result if same else None
