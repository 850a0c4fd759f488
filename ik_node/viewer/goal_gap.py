"""The gap between the tip and its goal: how large it is, and a line across it."""

from typing import NamedTuple

import numpy as np
import viser

from ik_node.solvers.goal import pose_error
from ik_node.viewer.node_state import Errors
from ik_node.viewer.page_text import length_text
from ik_node.viewer.scene_nodes import add_line

_COLOR = 208, 52, 44


class GoalGap(NamedTuple):
    """How far the tip is from its goal."""

    tip: np.ndarray  # (3,), m, of the scene
    goal: np.ndarray  # (3,), m, of the scene
    errors: Errors

    @classmethod
    def between(cls, T_tip: np.ndarray, T_goal: np.ndarray, weights: np.ndarray) -> 'GoalGap':
        """Return the gap between two poses (4, 4), m, along the axes with weights (6,) above 0."""
        off = (weights > 0.0) * pose_error(T_goal, T_tip, weights)
        return cls(T_tip[:3, 3], T_goal[:3, 3], Errors(
            float(np.linalg.norm(off[:3])), float(np.linalg.norm(off[3:]))))


class GapLine:
    """A line across a gap, with its length beside its middle."""

    def __init__(self, server: viser.ViserServer, name: str) -> None:
        """Show nothing yet. name: of its node."""
        self._line = add_line(server, f'{name}/line', np.zeros((2, 3)), _COLOR, 3.0,
                              thickness_units='screen', visible=False)
        self._label = server.scene.add_label(f'{name}/text', '', anchor='center-left',
                                             visible=False)

    def show(self, gap: GoalGap | None) -> None:
        """Show a gap; None for none."""
        self._line.visible = self._label.visible = gap is not None
        if gap is not None:  # viser sends what has changed
            self._line.points = np.array([[gap.tip, gap.goal]])
            self._label.position = 0.5 * (gap.tip + gap.goal)
            self._label.text = length_text(gap.errors.position)
