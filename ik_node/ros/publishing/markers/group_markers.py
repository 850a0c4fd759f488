"""All markers of one group: of its tasks and status, and what a chain adds."""

from collections.abc import Callable
from typing import TypeAlias, cast

from diagnostic_msgs.msg import DiagnosticStatus
from visualization_msgs.msg import Marker

from ik_node.control.controller import Outcome
from ik_node.control.group import Group
from ik_node.control.options import NodeOptions
from ik_node.control.robot import Robot
from ik_node.model.body import Body, BodyFrames
from ik_node.model.chain import Chain
from ik_node.ros.publishing.markers.chain_markers import (
    BranchList,
    Trail,
    branch_markers,
    ellipsoid_markers,
)
from ik_node.ros.publishing.markers.limit_panel import LimitPanel
from ik_node.ros.publishing.markers.shapes import GREY, LINE, RED, frame_of, shown_size, text_block
from ik_node.ros.publishing.markers.task_markers import COLORS, TaskMarkers
from ik_node.solvers.goal import Goal
from ik_node.solvers.result import error_words

FindBranches: TypeAlias = Callable[[Robot, Group], BranchList]

NO_GOAL = 'no goal yet'  # the status where there is no goal; the page reads it

# Of the status of a body, of its size.
_LETTERS = 0.03
_ABOVE = 0.12 - 0.5 * LINE * _LETTERS  # the highest link
_BOUNDS = 44, 6  # letters of a line, and lines


class GroupMarkers:
    """The markers of one group: of a body's tasks and status, in the world frame of the tasks."""

    def __init__(self, group: Group) -> None:
        self._group, self._size = group, shown_size(group.size)
        self._prefix = f'{group.name}/'.lstrip('/')
        self.forget_goal()

    def update(self, group: Group) -> bool:
        """Use a changed group; return whether these markers stay valid."""
        return group is self._group

    def forget_goal(self) -> None:
        """Remove the goal: it no longer describes the state of the group."""
        self._outcome: Outcome | None = None
        self._text, self._level, self._color = NO_GOAL, DiagnosticStatus.STALE, GREY

    def show(self, robot: Robot, outcome: Outcome, level: bytes, text: str) -> None:
        """Show goals that were solved; text: their outcome."""
        self._outcome = outcome
        self._text, self._level, self._color = text, level, COLORS[level]

    def show_refusal(self, text: str) -> None:
        """Show why the last goal was refused; the target is unknown."""
        self._text, self._color = f'refused: {text}', RED

    def markers(self, robot: Robot, options: NodeOptions,
                find: FindBranches | None) -> list[Marker]:
        """Return the markers of all tasks, and the status above all links.

        find: returns the branches of an arm's last goal, or None.
        """
        frame, body = frame_of(None, robot, options), cast(Body, self._group.space)
        frames = BodyFrames(body, robot.joint_configuration(self._group))
        made = [marker for name, task in self._group.tasks.items()
                for marker in self._of_task(frame, name).markers(task, frames)]
        bottom = frames.position(body.tree.root)
        bottom[2] = _ABOVE * self._size + max(
            0.0, *(frames.pose(link)[2, 3] for link in body.links))
        return made + text_block(frame, f'{self._prefix}status', [self._status()], _BOUNDS, bottom,
                                 _LETTERS * self._size, self._color)

    def _status_of(self, task: str) -> tuple[bytes, str]:
        """Return the level of a task's status, and why it is not met."""
        outcome = self._outcome
        if outcome is None or outcome.result is None:
            return DiagnosticStatus.STALE, ''
        errors = self._group.errors(outcome.result, task)
        if errors is None or self._group.solver.options.allow(errors):
            return DiagnosticStatus.OK, ''
        return (DiagnosticStatus.WARN if outcome.accepted else DiagnosticStatus.ERROR,
                f'misses by {error_words(errors)}')

    def _status(self) -> str:
        return f'{self._group.name}: {self._text}'.removeprefix(': ')

    def _of_task(self, frame: str, name: str) -> TaskMarkers:
        """Return what builds the markers of a task, with its status."""
        return TaskMarkers(frame, f'{name}/goal'.lstrip('/'), self._size, *self._status_of(name))


class ArmMarkers(GroupMarkers):
    """The markers of a chain, in the frame of its base.

    Its task has no target of its own, but its last goal is shown.
    """

    def __init__(self, group: Group, chain: Chain, number: int) -> None:
        super().__init__(group)
        self._chain, self._trail = chain, Trail(chain, self._size)
        self._panel = LimitPanel(chain, number, self._size)

    def update(self, group: Group) -> bool:
        """Use a changed group; its markers stay valid for the same chain.

        With another solver the status of the goal is no longer valid.
        """
        if not self._group.keeps_goals_of(group):
            return False
        if group.solver.name != self._group.solver.name:
            super().forget_goal()
        self._group = group
        return True

    def forget_goal(self) -> None:
        self._goal: Goal | None = None
        super().forget_goal()

    def show(self, robot: Robot, outcome: Outcome, level: bytes, text: str) -> None:
        super().show(robot, outcome, level, text)
        self._goal = outcome.goals[0].target
        self._trail.add(robot.joint_configuration(self._group))

    def _status_of(self, task: str) -> tuple[bytes, str]:
        result = None if self._outcome is None else self._outcome.result
        return self._level, '' if result is None else result.reason.name

    def markers(self, robot: Robot, options: NodeOptions,
                find: FindBranches | None) -> list[Marker]:
        """Return the goal, trail, ellipsoid, limits and branches; see `GroupMarkers`."""
        prefix, chain, q = self._prefix, self._chain, robot.joint_configuration(self._group)
        frame, lines = frame_of(chain.base_link, robot, options), [self._status()]
        made = [] if self._goal is None else self._of_task(frame, self._group.name).goal(self._goal)
        self._trail.add(q)
        made += [*self._trail.markers(frame, f'{prefix}trail'),
                 *ellipsoid_markers(frame, f'{prefix}manipulability', chain, q, self._size),
                 *self._panel.bars(frame, f'{prefix}limits', q)]
        if find is not None:
            found = find(robot, self._group)
            lines.append(found.text)
            made += branch_markers(frame, f'{prefix}branches', chain, found.branches, self._size)
        return made + self._panel.status(frame, f'{prefix}status', lines, self._color)
