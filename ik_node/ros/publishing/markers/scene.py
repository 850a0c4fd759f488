"""The markers of all groups in one message, with deletions of those gone."""

from collections.abc import Callable, Iterable

from visualization_msgs.msg import Marker, MarkerArray

from ik_node.control.controller import Outcome
from ik_node.control.group import Group
from ik_node.control.options import NodeOptions
from ik_node.control.robot import Robot
from ik_node.ros.publishing.markers.arm_markers import ArmMarkers
from ik_node.ros.publishing.markers.figure_markers import FigureMarkers
from ik_node.ros.publishing.markers.ghosts import BranchList


class Scene:
    """The markers of the present robot, by the names of its groups."""

    def __init__(self) -> None:
        """Begin without markers."""
        self._groups: dict[str, ArmMarkers | FigureMarkers] = {}
        self._shown: dict[tuple[str, int], str] = {}  # the frame of each marker, by ns and id

    def update(self, robot: Robot) -> None:
        """Reset groups that have changed; another solver invalidates the status of a goal."""
        before, self._groups = self._groups, {}
        for number, group in enumerate(robot.groups.values()):
            markers = before.get(group.name)
            if markers is None or not markers.update(group):
                markers = (FigureMarkers(group) if group.chain is None
                           else ArmMarkers(group, number))
            self._groups[group.name] = markers

    def forget_goals(self, groups: Iterable[Group]) -> None:
        """Remove the goals of groups."""
        for group in groups:
            if group.name in self._groups:
                self._groups[group.name].forget_goal()

    def show(self, robot: Robot, group: Group, outcome: Outcome, level: bytes, words: str) -> None:
        """Show goals that were solved; words: the outcome."""
        self._groups[group.name].show(outcome, level, words, robot.joint_configuration(group))

    def show_refusal(self, name: str, words: str) -> None:
        """Show why the last goal of an arm or a task was refused, where there is such a one."""
        if name in self._groups:
            self._groups[name].show_refusal(words)
        elif isinstance(figure := self._groups.get(''), FigureMarkers):
            figure.show_refusal(f'{name}: {words}'.removeprefix(': '))

    def message(self, robot: Robot, options: NodeOptions,
                find: Callable[[Robot, Group], BranchList] | None) -> MarkerArray:
        """Return the present markers. find: returns the branches of an arm's last goal, or None."""
        frame_prefix = options.frame_prefix
        markers: list[Marker] = []
        for group in robot.groups.values():
            own, q = self._groups[group.name], robot.joint_configuration(group)
            if isinstance(own, FigureMarkers):
                markers += own.markers(options.world if robot.moves_root else
                                       frame_prefix + robot.tree.root, q)
            elif group.chain is not None:
                markers += own.markers(frame_prefix + group.chain.base_link, q,
                                       find and find(robot, group))
        present = {(marker.ns, marker.id): marker.header.frame_id for marker in markers}
        gone = self._delete(self._shown.keys() - present.keys())
        self._shown = present
        return MarkerArray(markers=gone + markers)

    def clear(self) -> MarkerArray:
        """Return deletions of all markers."""
        gone, self._shown = self._delete(self._shown.keys()), {}
        return MarkerArray(markers=gone)

    def _delete(self, keys: Iterable[tuple[str, int]]) -> list[Marker]:
        deleted = []
        for namespace, number in sorted(keys):
            marker = Marker(ns=namespace, id=number, action=Marker.DELETE)
            marker.header.frame_id = self._shown[namespace, number]
            deleted.append(marker)
        return deleted
