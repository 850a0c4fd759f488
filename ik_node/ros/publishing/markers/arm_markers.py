"""All markers of one arm, and their state."""

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker

from ik_node.control.arm import same_chain
from ik_node.control.controller import Outcome
from ik_node.control.group import Group
from ik_node.ros.publishing.markers.ellipsoid import ellipsoid_markers
from ik_node.ros.publishing.markers.ghosts import BranchList, ghost_markers
from ik_node.ros.publishing.markers.goal import COLORS, NO_GOAL, ShownGoal, goal_markers
from ik_node.ros.publishing.markers.limit_bars import LimitBars
from ik_node.ros.publishing.markers.shapes import GREY, RED
from ik_node.ros.publishing.markers.trail import Trail

SMALLEST, LARGEST = 0.05, 1000.0  # m: bounds of the size of markers


def shown_size(size: float) -> float:
    """Return the size of an arm or a figure for its markers, m: within bounds."""
    return min(max(size, SMALLEST), LARGEST)


class ArmMarkers:
    """The markers of one arm, in the frame of its base.

    Attributes:
    - `chain`: the arm's.
    - `trail`: of its tip.
    """

    def __init__(self, arm: Group, number: int) -> None:
        """Begin without a goal. number: of the arm, which places its panel."""
        assert arm.chain is not None
        self.chain = arm.chain
        self._prefix = f'{arm.name}/' if arm.name else ''
        self._size = shown_size(arm.size)
        self.trail = Trail(self.chain, self._size)
        self._bars = LimitBars(self.chain, number, self._size)
        self._solver = arm.solver.name
        self._goal: ShownGoal | None = None
        self._words, self._color = NO_GOAL, GREY

    def update(self, group: Group) -> bool:
        """Use a changed group; return whether these markers may go on, as for the same chain.

        With another solver the status of the goal is no longer valid.
        """
        if group.chain is None or not same_chain(self.chain, group.chain):
            return False
        if group.solver.name != self._solver:
            self._solver = group.solver.name
            self._words, self._color = NO_GOAL, GREY
            if self._goal is not None:
                self._goal = self._goal._replace(level=DiagnosticStatus.STALE, words='')
        return True

    def forget_goal(self) -> None:
        """Remove the goal: it no longer describes the state of the arm."""
        self._goal = None
        self._words, self._color = NO_GOAL, GREY

    def show(self, outcome: Outcome, level: bytes, words: str, q: np.ndarray) -> None:
        """Show a goal that was solved, and extend the trail to q (n,); words: its outcome."""
        assert outcome.result is not None
        self._goal = ShownGoal(outcome.aims[0].target, level, outcome.result.reason.name)
        self._words, self._color = words, COLORS[level]
        self.trail.add(q)

    def show_refusal(self, words: str) -> None:
        """Show why the last goal was refused; its pose is unknown."""
        self._words, self._color = f'refused: {words}', RED

    def markers(self, frame: str, q: np.ndarray, found: BranchList | None) -> list[Marker]:
        """Return the markers at q (n,), in the frame of the base.

        found: the branches of the last goal; None where they are not shown.
        """
        self.trail.add(q)
        made = [
            *([] if self._goal is None else
              goal_markers(frame, self._prefix + 'goal', self._goal, self._size)),
            *self.trail.markers(frame, self._prefix + 'trail'),
            *ellipsoid_markers(frame, self._prefix + 'manipulability', self.chain, q, self._size),
            *self._bars.markers(frame, self._prefix + 'limits', q)]
        lines = [f'{self._prefix.rstrip("/")}: {self._words}'.lstrip(': ')]
        color: ColorRGBA = self._color
        if found is not None:
            lines.append(found.words)
            made += ghost_markers(frame, self._prefix + 'branches', self.chain, found.branches,
                                  self._size)
        return made + self._bars.words(frame, self._prefix + 'status', lines, color)
