"""The gap between the tip and its goal: how large it is, and a line across it."""

from typing import Any, NamedTuple

import numpy as np
import viser

from ik_node.spatial import rotation_log
from ik_node.viewer.node_state import Errors
from ik_node.viewer.page_text import length_text
from ik_node.viewer.scene_nodes import add_line, new_name

_COLOR = 208, 52, 44


class GoalGap(NamedTuple):
    """How far the tip is from its goal."""

    tip: np.ndarray  # (3,), m, of the scene
    goal: np.ndarray  # (3,), m, of the scene
    errors: Errors

    @classmethod
    def between(cls, T_tip: np.ndarray, T_goal: np.ndarray, weights: np.ndarray) -> 'GoalGap':
        """Return the gap between two poses (4, 4), m, along the axes with weights (6,) above 0."""
        R = T_goal[:3, :3]
        off = (weights > 0.0) * np.concatenate([
            R.T @ (T_tip[:3, 3] - T_goal[:3, 3]), R.T @ rotation_log(T_tip[:3, :3] @ R.T)])
        return cls(T_tip[:3, 3], T_goal[:3, 3], Errors(
            float(np.linalg.norm(off[:3])), float(np.linalg.norm(off[3:]))))


class GapLine:
    """A line across a gap, with its length beside its middle."""

    def __init__(self, server: viser.ViserServer, name: str) -> None:
        """Show nothing yet. name: of its node."""
        self._server, self._name = server, name
        self._nodes: tuple[Any, Any] | None = None

    def show(self, gap: GoalGap | None) -> None:
        """Show a gap; None for none."""
        if gap is None:
            for node in self._nodes or ():
                node.remove()
            self._nodes = None
            return
        ends = np.array([[gap.tip, gap.goal]], dtype=np.float32)
        if self._nodes is None:
            self._nodes = (
                add_line(self._server, f'{self._name}/line', ends[0], _COLOR, 3.0,
                         thickness_units='screen'),
                self._server.scene.add_label(new_name(self._server, f'{self._name}/text'), '',
                                             anchor='center-left'))
        line, label = self._nodes
        if not (np.array_equal(line.points, ends) and label.text):
            line.points, label.position = ends, 0.5 * (gap.tip + gap.goal)
            label.text = length_text(gap.errors.position)
