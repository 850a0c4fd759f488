"""The markers of all arms, or of the figure, in one message, with deletions of those gone."""

from collections.abc import Callable, Iterable

from visualization_msgs.msg import Marker, MarkerArray

from ik_node.control.arm import Arm, same_chain
from ik_node.control.figure import Figure
from ik_node.control.figure_controller import FigureOutcome
from ik_node.control.group import Group
from ik_node.control.options import NodeOptions
from ik_node.control.robot import Robot
from ik_node.ros.publishing.markers.arm_markers import ArmMarkers
from ik_node.ros.publishing.markers.figure_markers import FigureMarkers
from ik_node.ros.publishing.markers.ghosts import BranchList
from ik_node.ros.publishing.markers.goal import ShownGoal


class Scene:
    """The markers of the present robot."""

    def __init__(self) -> None:
        """Begin without markers."""
        self._arms: dict[str, ArmMarkers] = {}
        self._figure: FigureMarkers | None = None
        self._shown: dict[tuple[str, int], str] = {}  # the frame of each marker, by ns and id

    def take_up(self, robot: Robot) -> None:
        """Reset arms that have changed; another solver invalidates the status of a goal."""
        before = self._arms
        self._arms = {}
        for number, (name, arm) in enumerate(robot.arms.items()):
            previous = before.get(name)
            self._arms[name] = previous if previous is not None and same_chain(
                previous.chain, arm.chain) else ArmMarkers(arm, number)
            self._arms[name].solve_with(arm)
        if robot.figure is None:
            self._figure = None
        elif self._figure is None or self._figure.figure is not robot.figure:
            self._figure = FigureMarkers(robot.figure)

    def forget_goals(self, groups: Iterable[Group]) -> None:
        """Remove the goals of arms, or of the figure."""
        for group in groups:
            markers = self._figure if isinstance(group, Figure) else self._arms.get(group.name)
            if markers is not None:
                markers.forget_goal()

    def show_goal(self, robot: Robot, arm: Arm, shown: ShownGoal, words: str) -> None:
        """Show a goal that was solved, and extend the trail; words: its outcome."""
        self._arms[arm.name].show_goal(shown, words)
        self._arms[arm.name].trail.add(robot.joint_configuration(arm))

    def show_tasks(self, outcome: FigureOutcome, level: bytes, words: str) -> None:
        """Show the outcome of goals of tasks; words: the same."""
        if self._figure is not None:
            self._figure.show(outcome, level, words)

    def show_refusal(self, name: str, words: str) -> None:
        """Show why the last goal of an arm or a task was refused, where there is such a one."""
        if name in self._arms:
            self._arms[name].show_refusal(words)
        elif self._figure is not None:
            self._figure.show_refusal(f'{name}: {words}'.removeprefix(': '))

    def message(self, robot: Robot, options: NodeOptions,
                find: Callable[[Robot, Arm], BranchList] | None) -> MarkerArray:
        """Return the present markers. find: returns the branches of an arm's last goal, or None."""
        frame_prefix = options.frame_prefix
        markers = [
            marker for name, arm in robot.arms.items() for marker in self._arms[name].markers(
                frame_prefix + arm.chain.base_link, robot.joint_configuration(arm),
                find and find(robot, arm))]
        if self._figure is not None and robot.figure is not None:
            frame = options.world if robot.moves_root else frame_prefix + robot.tree.root
            markers += self._figure.markers(frame, robot.joint_configuration(robot.figure))
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
