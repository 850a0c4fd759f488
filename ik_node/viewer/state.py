"""The state of a node and of its last goal, with a description for the panel."""

from typing import NamedTuple

from ik_node.control.task_group import GOAL
from ik_node.ros.clients.client import Report
from ik_node.ros.publishing.markers.group_markers import NO_GOAL

GREEN, AMBER, RED, GREY = '#2c9c4b', '#d98a00', '#d0342c', '#777777'
_LEVELS = (GREEN, AMBER, RED)
_ACTIVE = 'active'


class Line(NamedTuple):
    """A state in words."""

    color: str
    text: str


class State:
    """The current state of one node.

    - `report`: of the last goal, None after a change of the robot, its solver or its joints, and
      while the node does not respond.
    - `responds`: whether the node responds; None before its first response.
    - `lifecycle`: the label of its lifecycle state, '' where it is unknown.
    """

    def __init__(self) -> None:
        """Begin without any information."""
        self._report: Report | None = None
        self.responds: bool | None = None
        self.lifecycle = ''

    def forget_goal(self) -> None:
        """Drop the report: it does not describe the robot as it is now."""
        self._report = None

    @property
    def report(self) -> Report | None:
        """The report, while it is valid."""
        return self._report if self.responds else None

    def on_report(self, report: Report) -> None:
        """Store the report of a goal."""
        self._report = report

    def update(self, responds: bool, lifecycle: str) -> bool:
        """Store whether the node responds, and its lifecycle state; return whether it is back."""
        was = self.responds
        if responds or was is not None:
            self.responds = responds
        self.lifecycle = lifecycle if responds else ''
        return was is False and responds

    @property
    def line(self) -> Line:
        """The state in words: of the node where it cannot accept goals, else of the last goal."""
        if self.responds is None:
            return Line(GREY, 'waiting for the node')
        if not self.responds:
            return Line(RED, 'the node does not respond: it has stopped, or is busy')
        if self.lifecycle not in ('', _ACTIVE):
            return Line(AMBER, f'the node is {self.lifecycle}: it accepts no goals')
        if self.report is None:
            return Line(GREY, NO_GOAL)
        task = self.report.values.get('task', '')
        return Line(_LEVELS[min(self.report.level, 2)],
                    f'{task}: {self.report.message}' if task not in ('', GOAL)
                    else self.report.message)
