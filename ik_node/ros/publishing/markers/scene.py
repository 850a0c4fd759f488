"""The markers of all groups in one message, with deletions of those gone."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from visualization_msgs.msg import Marker, MarkerArray

from ik_node.collision import Contact
from ik_node.control.controller import Outcome
from ik_node.control.group import Group
from ik_node.control.options import NodeOptions
from ik_node.control.robot import Robot
from ik_node.ros.publishing.markers.group_markers import ArmMarkers, FindBranches, GroupMarkers
from ik_node.ros.publishing.markers.obstacle_markers import ObstacleMarkers, pair_markers
from ik_node.ros.publishing.markers.shapes import frame_of, shown_size

FindPairs: TypeAlias = Callable[[Robot, Group], Sequence[Contact]]


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
