"""The state of a node: whether it responds, the outcome of its last goal, and how far that is."""

import contextlib
import math
import re
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from ik_node.control.task_group import GOAL
from ik_node.ros.clients.client import Report
from ik_node.ros.publishing.markers.group_markers import NO_GOAL
from ik_node.ros.publishing.status import REFUSED
from ik_node.solvers.goal import pose_error
from ik_node.solvers.result import StopReason
from ik_node.support.exceptions import InputError
from ik_node.viewer.page_text import angle_text, length_text

GREEN, AMBER, RED, GREY = '#2c9c4b', '#d98a00', '#d0342c', '#777777'
_SEEN = 0.15    # s that a goal may take before it is said to be solved
_LONG = 0.5     # s that other work may take before it is said
_LONGEST = 10.0  # s after which the goal, or its status, was lost
_LATE = 5.0     # s after which a node that has not come is missed
_SHOWN = 5e-7   # m and rad: smaller errors are not shown
_PLACE = 'waypoint '  # begins the message about one pose of a path,
ALL_WAYPOINTS = 'all waypoints: '  # and that about a path that joints move through


class StateLine(NamedTuple):
    """A description of a state, with its colour and its reason."""

    color: str
    text: str
    why: str = ''


class Errors(NamedTuple):
    """How far something is from a goal, along the axes that the goal asks for."""

    position: float  # m
    orientation: float  # rad

    def __str__(self) -> str:
        """Return the errors that are not zero, as text."""
        return ', '.join(write(value) for value, write in zip(self, (length_text, angle_text))
                         if value > _SHOWN)


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


class NodeState:
    """The current state of one node.

    - `responds`: whether the node responds; None before its first response.
    - `lifecycle`: the label of its lifecycle state, '' where it is unknown.
    - `is_stopped`: whether it has been stopped from the page.
    - `is_starting`: returns whether it has been started from here, and may still come.
    """

    def __init__(self) -> None:
        self._last: tuple[Report, float] | None = None  # and when it came, s
        self._is_forgotten = False  # whether that does not describe the robot now
        self._began = time.monotonic()
        self._sent: float | None = None  # when a goal was that has no report yet, s
        self._without_goal = StateLine(GREY, NO_GOAL)
        self.responds: bool | None = None
        self.lifecycle, self.is_stopped = '', False
        self.is_starting: Callable[[], bool] = lambda: False
        self._work: tuple[str, float] | None = None  # what a request makes it do, since when, s

    @property
    def is_awaited(self) -> bool:
        """Whether a node has not come for so long that there may be none."""
        return (self.responds is None and not self.is_starting()
                and time.monotonic() > self._began + _LATE)

    @contextlib.contextmanager
    def working(self, what: str) -> Iterator[None]:
        """Have a state that says what the node does, while the block waits for it."""
        before, self._work = self._work, (what, time.monotonic())
        try:
            yield
        finally:
            self._work = before

    def on_goal(self) -> None:
        """Note that a goal is being sent; one to a node that does not respond is not waited for."""
        if self.responds or self._waits:
            self._sent = time.monotonic()

    @property
    def _waits(self) -> float:
        """How long a goal has been solved, s; 0 for none."""
        sent, now = self._sent, time.monotonic()
        return 0.0 if sent is None or now > sent + _LONGEST else now - sent

    def on_report(self, report: Report) -> None:
        """Store the report of a goal."""
        self._last, self._sent = (report, time.monotonic()), None
        self._is_forgotten = False
        self._without_goal = StateLine(GREY, NO_GOAL)

    def forget_goal(self, forgotten: bool = True) -> None:
        """Hide the report: it does not describe the robot as it is now; or show it again."""
        self._is_forgotten = forgotten

    def leave_goal(self, line: StateLine | None = None) -> None:
        """Drop the goal: the robot goes elsewhere. line: the state there, by default no goal."""
        self._without_goal = line or StateLine(GREY, NO_GOAL)
        self._last = self._sent = None

    @property
    def report(self) -> Report | None:
        """The report of the last goal; None of a silent node, and of one that is stopped."""
        last = self._last
        is_old = self._is_forgotten or self.is_stopped
        return last[0] if last and self.responds and not is_old else None

    @property
    def without_goal(self) -> StateLine | None:
        """The state where the robot has no goal; None where a report describes it, or will."""
        has_goal = self._waits or (self._last is not None and not self._is_forgotten)
        return None if has_goal else self._without_goal

    def check_goals(self) -> None:
        """Raise InputError where the robot is stopped: it goes nowhere then."""
        if self.is_stopped:
            raise InputError('the robot is stopped; press Continue first')

    def update(self, responds: bool, lifecycle: str) -> bool:
        """Store whether the node responds, and its lifecycle state; return whether it is back."""
        was = self.responds
        if responds or was is not None:
            self.responds = responds
        self.lifecycle = lifecycle if responds else ''
        return was is False and responds

    def line(self, gap: Errors | None = None) -> StateLine:
        """Return the state: of the node where it accepts no goals, else of the last goal.

        gap: between the robot as it is drawn and the goal; None where only the report describes it.
        """
        now, last, waits, work = time.monotonic(), self._last, self._waits, self._work
        if self.responds is None:
            return StateLine(GREY, f'starting the node, {math.ceil(now - self._began)} s' if (
                self.is_starting()) else 'waiting for the node')
        if work is not None and now > work[1] + _LONG:
            return StateLine(AMBER, f'{work[0]}, {math.ceil(now - work[1])} s')
        if not self.responds and not waits:
            return StateLine(RED, 'the node does not respond', 'it has stopped, or is busy')
        if self.lifecycle not in ('', 'active'):
            return StateLine(AMBER, f'the node is {self.lifecycle}', 'it accepts no goals')
        if self.is_stopped:
            return StateLine(AMBER, 'stopped', 'goals are refused until Continue')
        if waits > _SEEN:
            return StateLine(AMBER, 'solving …')
        if last is None or self._is_forgotten:
            return self._without_goal
        return outcome_line(last[0], now - last[1], gap)


def outcome_line(report: Report, since: float, gap: Errors | None = None) -> StateLine:
    """Return the state after a goal, s after its report; gap: see `NodeState.line`."""
    values, color = report.values, (GREEN, AMBER, RED)[min(report.level, 2)]
    why = report.message.removeprefix(ALL_WAYPOINTS)
    place = 'path' if why != report.message else ''
    if why.startswith(_PLACE):
        place, _, why = why.partition(': ')
    why = '' if report.level == 0 else why
    left = float(values.get('motion_duration') or 0.0) - since
    if values.get('reason') == REFUSED:
        text = 'refused'
    elif left > 0.0:
        text, why = f'moving, {left:.1f} s left', _brief(why)
    elif report.level == 0:
        text = 'reached'
    else:
        text, why = 'as near as possible' if report.level == 1 else 'not reached', _brief(why)
        gap = gap or Errors(*(float(values.get(f'{kind}_error') or 0.0)
                              for kind in ('position', 'orientation')))
        if not str(gap) and values.get('position_error') and (
                values.get('task', GOAL) not in ('', GOAL)) and (
                    values.get('reason') != StopReason.COLLISION.name):
            why = f'other tasks are not met: {why}'
        text = f'{text}: {gap}'.removesuffix(': ')
    before = [part for part in (values.get('task', ''), place) if part not in ('', GOAL)]
    return StateLine(color, ': '.join([*before, text]), why)


def _brief(why: str) -> str:
    """Return a reason without its explanation and what becomes of the joints."""
    return re.split('[;:,]', why)[0]
