"""All the markers of one arm, and what they need to remember."""

import numpy as np
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker

from ik_node.ros.markers.ellipsoid import ellipsoid_markers
from ik_node.ros.markers.ghosts import Found, ghost_markers
from ik_node.ros.markers.goal import COLORS, ShownGoal, goal_markers
from ik_node.ros.markers.limit_bars import LimitBars
from ik_node.ros.markers.shapes import GREY, RED
from ik_node.ros.markers.trail import Trail
from ik_node.ros.robot import Arm

SMALLEST, LARGEST = 0.05, 1000.0  # m: markers of arms smaller or larger are as if of these


def shown_size(arm: Arm) -> float:
    """Return what markers of an arm are sized by, m: its reach, within bounds."""
    return min(max(arm.reach, SMALLEST), LARGEST)


class ArmMarkers:
    """The markers of one arm, in the frame of its base.

    Attributes:
    - `chain`: the arm's.
    - `trail`: of its tip.
    """

    def __init__(self, arm: Arm, number: int) -> None:
        """Show no goal yet. number: the arm's among all, which places its panel."""
        self.chain = arm.chain
        self._prefix = f'{arm.name}/' if arm.name else ''
        self._size = shown_size(arm)
        self.trail = Trail(self.chain, self._size)
        self._bars = LimitBars(self.chain, number, self._size)
        self._goal: ShownGoal | None = None
        self._words, self._color = 'no goal yet', GREY

    def show_goal(self, shown: ShownGoal, words: str) -> None:
        """Show a goal that was solved for; words: what became of it."""
        self._goal = shown
        self._words, self._color = words, COLORS[shown.level]

    def show_refusal(self, words: str) -> None:
        """Say why the last goal was not even tried; where it would be is not known."""
        self._words, self._color = f'refused: {words}', RED

    def markers(self, frame: str, q: np.ndarray, found: Found | None) -> list[Marker]:
        """Return what there is to show at q (n,), in the frame of the base.

        found: the branches of the last goal; None where they are not wanted.
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
