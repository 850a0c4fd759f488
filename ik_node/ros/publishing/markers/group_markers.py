"""All markers in one message: of the tasks and the status of each group, and what a chain adds."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias, cast

from diagnostic_msgs.msg import DiagnosticStatus
from visualization_msgs.msg import Marker, MarkerArray

from ik_node.collision import Contact
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
from ik_node.ros.publishing.markers.obstacle_markers import ObstacleMarkers, pair_markers
from ik_node.ros.publishing.markers.shapes import GREY, LINE, RED, frame_of, shown_size, text_block
from ik_node.ros.publishing.markers.task_markers import COLORS, TaskMarkers
from ik_node.solvers.goal import Goal
from ik_node.solvers.result import error_words

FindBranches: TypeAlias = Callable[[Robot, Group], BranchList]
FindPairs: TypeAlias = Callable[[Robot, Group], Sequence[Contact]]

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


class SceneMarkers:
    """The markers of the present robot, by the names of its groups."""

    def __init__(self) -> None:
        self._groups: dict[str, GroupMarkers] = {}
        self._obstacles = ObstacleMarkers()
        self._shown: dict[tuple[str, int], str] = {}  # the frame of each marker, by ns and id

    def update(self, robot: Robot) -> None:
        """Reset groups that have changed; another solver invalidates the status of a goal."""
        before, self._groups = self._groups, {}
        for number, (name, group) in enumerate(robot.groups.items()):
            markers = before.get(name)
            if markers is None or not markers.update(group):
                markers = GroupMarkers(group) if group.chain is None else ArmMarkers(
                    group, group.chain, number)
            self._groups[name] = markers

    def forget_goals(self, groups: Iterable[Group]) -> None:
        """Remove the goals of groups."""
        for group in groups:
            if group.name in self._groups:
                self._groups[group.name].forget_goal()

    def show(self, robot: Robot, group: Group, outcome: Outcome, level: bytes, text: str) -> None:
        """Show goals that were solved; text: the outcome."""
        self._groups[group.name].show(robot, outcome, level, text)

    def show_refusal(self, name: str, text: str) -> None:
        """Show why the last goal of an arm or a task was refused, where there is such a one."""
        if name in self._groups:
            self._groups[name].show_refusal(text)
        elif '' in self._groups:  # which has all tasks with names of their own
            self._groups[''].show_refusal(f'{name}: {text}')

    def message(self, robot: Robot, options: NodeOptions, find: FindBranches | None,
                nearest: FindPairs = lambda _, __: ()) -> MarkerArray:
        """Return the present markers.

        find: returns the branches of an arm's last goal, or None. nearest: returns the pairs of a
        group that are nearest to contact. Many obstacles are not in every message.
        """
        markers = [marker for name in robot.groups
                   for marker in self._groups[name].markers(robot, options, find)]
        touched: set[str] = set()
        for group in robot.groups.values():
            pairs, frame = nearest(robot, group), frame_of(
                None if group.chain is None else group.chain.base_link, robot, options)
            markers += pair_markers(frame, f'{group.name}/distances'.lstrip('/'), pairs,
                                    group.source.collision_options.margin, shown_size(group.size))
            touched.update(pair.second for pair in pairs if pair.distance <= 0.0)
        present = {(marker.ns, marker.id): marker.header.frame_id for marker in markers}
        markers += self._obstacles.due(robot, options, frozenset(touched))
        return MarkerArray(markers=self._delete_all_but(
            {**present, **self._obstacles.present}) + markers)

    def clear(self) -> MarkerArray:
        """Return deletions of all markers."""
        return MarkerArray(markers=self._delete_all_but({}))

    def _delete_all_but(self, present: dict[tuple[str, int], str]) -> list[Marker]:
        """Return deletions of markers that are gone; present: the frames of the others."""
        deleted = []
        for namespace, number in sorted(self._shown.keys() - present.keys()):
            marker = Marker(ns=namespace, id=number, action=Marker.DELETE)
            marker.header.frame_id = self._shown[namespace, number]
            deleted.append(marker)
        self._shown = present
        return deleted
