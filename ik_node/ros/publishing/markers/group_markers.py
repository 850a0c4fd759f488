"""All markers of one group: of its tasks and status, and what a chain adds."""

from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from visualization_msgs.msg import Marker

from ik_node.control.arm import same_chain
from ik_node.control.controller import Outcome
from ik_node.control.group import Group
from ik_node.model.body import BodyFrames
from ik_node.ros.publishing.markers.chain_markers import (
    BranchList,
    Trail,
    branch_markers,
    ellipsoid_markers,
)
from ik_node.ros.publishing.markers.limit_panel import LimitPanel
from ik_node.ros.publishing.markers.shapes import GREY, LINE, RED, shown_size, text_block
from ik_node.ros.publishing.markers.task_markers import COLORS, TaskMarkers
from ik_node.solvers.body.result import error_words
from ik_node.solvers.goal import Goal

NO_GOAL = 'no goal yet'
"""The status where there is no goal; the page reads it."""

# Of the status of a body, of its size.
_LETTERS = 0.03
_ABOVE = 0.12 - 0.5 * LINE * _LETTERS  # the highest link
_BOUNDS = 44, 6  # letters of a line, and lines


class GroupMarkers:
    """The markers of one group.

    A body's are in the world frame of its tasks. A chain's are in the frame of its base; its task
    has no target of its own, but its last goal is shown.
    """

    def __init__(self, group: Group, number: int) -> None:
        """Begin without a goal. number: of the group, which places its panel."""
        self._group, self._size = group, shown_size(group.size)
        self._prefix = f'{group.name}/'.lstrip('/')
        self._body: Any = None if group.chain is not None else group.space
        if group.chain is not None:
            self._trail = Trail(group.chain, self._size)
            self._panel = LimitPanel(group.chain, number, self._size)
        self.forget_goal()

    def update(self, group: Group) -> bool:
        """Use a changed group; return whether these markers stay valid, as for the same chain.

        With another solver the status of the goal is no longer valid.
        """
        before = self._group
        if group is before:
            return True
        if group.chain is None or before.chain is None or not same_chain(before.chain, group.chain):
            return False
        if group.solver.name != before.solver.name:
            self._forget_outcome()
        self._group = group
        return True

    def forget_goal(self) -> None:
        """Remove the goal: it no longer describes the state of the group."""
        self._goal: Goal | None = None
        self._forget_outcome()

    def _forget_outcome(self) -> None:
        self._outcome: Outcome | None = None
        self._text, self._level, self._color = NO_GOAL, DiagnosticStatus.STALE, GREY

    def show(self, outcome: Outcome, level: bytes, text: str, q: np.ndarray) -> None:
        """Show goals that were solved; text: their outcome; q (n,): for the trail."""
        self._outcome = outcome
        self._text, self._level, self._color = text, level, COLORS[level]
        if self._group.chain is not None:
            self._goal = outcome.aims[0].target
            self._trail.add(q)

    def show_refusal(self, text: str) -> None:
        """Show why the last goal was refused; the target is unknown."""
        self._text, self._color = f'refused: {text}', RED

    def markers(self, frame: str, q: np.ndarray, found: BranchList | None) -> list[Marker]:
        """Return the markers at q (n,). found: branches of a chain's last goal, if to be shown."""
        chain, prefix, body = self._group.chain, self._prefix, self._body
        frames: Any = None if body is None else BodyFrames(body, q)
        made = [marker for task in self._group.tasks
                for marker in self._of_task(frame, task, frames)]
        lines = [f'{self._group.name}: {self._text}'.removeprefix(': ')]
        if chain is None:
            return made + self._status_above(frame, frames, lines)
        self._trail.add(q)
        made += [*self._trail.markers(frame, f'{prefix}trail'),
                 *ellipsoid_markers(frame, f'{prefix}manipulability', chain, q, self._size),
                 *self._panel.bars(frame, f'{prefix}limits', q)]
        if found is not None:
            lines.append(found.text)
            made += branch_markers(frame, f'{prefix}branches', chain, found.branches, self._size)
        return made + self._panel.status(frame, f'{prefix}status', lines, self._color)

    def _of_task(self, frame: str, name: str, frames: BodyFrames | None) -> list[Marker]:
        """Return the markers of a task; frames: of a body."""
        builder = TaskMarkers(frame, f'{name}/goal'.lstrip('/'), self._size,
                              *self._status_of(name))
        if frames is not None:
            return builder.markers(self._group.tasks[name], frames)
        return [] if self._goal is None else builder.goal(self._goal)

    def _status_of(self, task: str) -> tuple[bytes, str]:
        """Return the level of a task's status, and why it is not met."""
        outcome = self._outcome
        if outcome is None or outcome.result is None:
            return DiagnosticStatus.STALE, ''
        if self._group.chain is not None:
            return self._level, outcome.result.reason.name
        errors = self._group.errors(outcome.result, task)
        if errors is None or self._group.meets(errors):
            return DiagnosticStatus.OK, ''
        return (DiagnosticStatus.WARN if outcome.accepted else DiagnosticStatus.ERROR,
                f'misses by {error_words(errors)}')

    def _status_above(self, frame: str, frames: BodyFrames, lines: list[str]) -> list[Marker]:
        """Return the status above all links of a body."""
        bottom = frames.position(frames.body.tree.root)
        bottom[2] = _ABOVE * self._size + max(
            0.0, *(frames.pose(link)[2, 3] for link in frames.body.links))
        return text_block(frame, f'{self._prefix}status', lines, _BOUNDS, bottom,
                          _LETTERS * self._size, self._color)
