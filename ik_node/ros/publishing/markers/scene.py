"""The markers of all arms in one message, with deletions of those that are gone."""

from collections.abc import Callable, Iterable

from visualization_msgs.msg import Marker, MarkerArray

from ik_node.control.arm import Arm, same_chain
from ik_node.control.robot import Robot
from ik_node.ros.publishing.markers.arm_markers import ArmMarkers
from ik_node.ros.publishing.markers.ghosts import BranchList
from ik_node.ros.publishing.markers.goal import ShownGoal


class Scene:
    """The markers of the present robot."""

    def __init__(self) -> None:
        """Begin without markers."""
        self._arms: dict[str, ArmMarkers] = {}
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

    def forget_goals(self) -> None:
        """Remove the goals."""
        for arm in self._arms.values():
            arm.forget_goal()

    def show_goal(self, robot: Robot, arm: Arm, shown: ShownGoal, words: str) -> None:
        """Show a goal that was solved, and extend the trail; words: its outcome."""
        self._arms[arm.name].show_goal(shown, words)
        self._arms[arm.name].trail.add(robot.joint_configuration(arm))

    def show_refusal(self, name: str, words: str) -> None:
        """Show why the last goal of an arm was refused, where there is such an arm."""
        if name in self._arms:
            self._arms[name].show_refusal(words)

    def message(self, robot: Robot, frame_prefix: str,
                find: Callable[[Robot, Arm], BranchList] | None) -> MarkerArray:
        """Return the present markers. find: returns the branches of an arm's last goal, or None."""
        markers = [
            marker for name, arm in robot.arms.items() for marker in self._arms[name].markers(
                frame_prefix + arm.chain.base_link, robot.joint_configuration(arm),
                find and find(robot, arm))]
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
