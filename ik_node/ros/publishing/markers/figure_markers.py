"""All markers of a figure, and their state."""

from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from visualization_msgs.msg import Marker

from ik_node.control.controller import Outcome
from ik_node.control.group import Group
from ik_node.model.body import BodyFrames
from ik_node.ros.publishing.markers.arm_markers import shown_size
from ik_node.ros.publishing.markers.goal import COLORS, NO_GOAL
from ik_node.ros.publishing.markers.shapes import GREY, RED, text, wrapped
from ik_node.ros.publishing.markers.task_markers import TaskMarkers
from ik_node.solvers.body.result import error_words

# Of the figure's size.
_LETTERS = 0.03
_LINE = 1.6 * _LETTERS  # from a line to the next
_ABOVE = 0.12           # of the lowest line above the highest link
_LETTERS_A_LINE, _LINES = 44, 6


class FigureMarkers:
    """The markers of a figure's tasks, in the world frame of the tasks.

    - `figure`: the present one.
    """

    def __init__(self, figure: Any) -> None:
        """Begin without a goal."""
        self.figure = figure
        self._size = shown_size(figure.size)
        self._words, self._color = NO_GOAL, GREY
        self._result: Any = None
        self._accepted = False

    def forget_goal(self) -> None:
        """Remove the outcome: it no longer describes the state of the figure."""
        self._result = None
        self._words, self._color = NO_GOAL, GREY

    def update(self, group: Group) -> bool:
        """Return whether these markers are those of a group."""
        return group is self.figure

    def show(self, outcome: Outcome, level: bytes, words: str, q: np.ndarray) -> None:
        """Show the outcome of goals; words: the same."""
        self._result, self._accepted = outcome.result, outcome.accepted
        self._words, self._color = words, COLORS[level]

    def show_refusal(self, words: str) -> None:
        """Show why the last goal was refused."""
        self._words, self._color = f'refused: {words}', RED

    def markers(self, frame: str, q: np.ndarray) -> list[Marker]:
        """Return the markers at q (n,), in the frame of the world."""
        frames = BodyFrames(self.figure.body, q)
        made: list[Marker] = []
        top = 0.0
        for name, task in self.figure.tasks.items():
            level = self._level(name)
            builder = TaskMarkers(frame, f'{name}/goal', self._size, COLORS[level],
                                  self._missed(name))
            made += builder.markers(task, frames, level)
        for link in self.figure.body.links:
            top = max(top, float(frames.pose(link)[2, 3]))
        root = frames.pose(self.figure.body.tree.root)[:3, 3]
        lines = wrapped([self._words], _LETTERS_A_LINE, _LINES)
        middle = top + (_ABOVE + 0.5 * (len(lines) - 1) * _LINE) * self._size
        made.append(text(frame, 'status', 0, '\n'.join(lines), np.array(
            [root[0], root[1], middle]), _LETTERS * self._size, self._color))
        return made

    def _missed(self, name: str) -> str:
        """Return what a task misses, in words; '' where it is met, or not solved yet."""
        if self._level(name) not in (DiagnosticStatus.WARN, DiagnosticStatus.ERROR):
            return ''
        return f'misses by {error_words(self._result.errors[name])}'

    def _level(self, name: str) -> bytes:
        """Return the level of a task: met, missed, or not solved yet."""
        if self._result is None or name not in self._result.errors:
            return DiagnosticStatus.STALE if self._result is None else DiagnosticStatus.OK
        if self.figure.meets(self._result.errors[name]):
            return DiagnosticStatus.OK
        return DiagnosticStatus.WARN if self._accepted else DiagnosticStatus.ERROR
