"""What was answered last: the same goal again, from where that led, needs no solving."""

from typing import NamedTuple

import numpy as np

from ik_node.ros.robot import Arm
from ik_node.solvers.goal import Goal
from ik_node.solvers.result import Result, StopReason


class _Answered(NamedTuple):
    arm: Arm
    goal: Goal
    q: np.ndarray
    result: Result


class LastAnswers:
    """The last answer of each arm, by its name; an arm with other parameters is another one."""

    def __init__(self) -> None:
        """Remember nothing yet."""
        self._answers: dict[str, _Answered] = {}

    def keep(self, arm: Arm, goal: Goal, q: np.ndarray, result: Result) -> None:
        """Remember what was found for a goal, and the posture q (n,) that it led to."""
        if result.reason is StopReason.TIMEOUT:  # there may be more time now
            self._answers.pop(arm.name, None)
        else:
            self._answers[arm.name] = _Answered(arm, goal, q, result)

    def answer(self, arm: Arm, goal: Goal, q: np.ndarray) -> Result | None:
        """Return the last answer where goal and posture q (n,) are still the same, else None."""
        result = self.result_for(arm, goal)
        return result if result is not None and (
            self._answers[arm.name].q.tobytes() == q.tobytes()) else None

    def result_for(self, arm: Arm, goal: Goal) -> Result | None:
        """Return the last answer where the goal is still the same, else None."""
        last = self._answers.get(arm.name)
        if last is None or last.arm is not arm or not _same(last.goal, goal):
            return None
        return last.result

    def forget(self, arm: Arm) -> None:
        """Remember no answer of an arm: it goes elsewhere."""
        self._answers.pop(arm.name, None)


def _same(goal: Goal, other: Goal) -> bool:
    return (goal.pose.tobytes() == other.pose.tobytes()
            and goal.weights.tobytes() == other.weights.tobytes()
            and (goal.orientation is None) == (other.orientation is None)
            and (goal.position is None) == (other.position is None))
