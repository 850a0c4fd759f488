"""The markers of all arms in one message, and the end of those that are no longer there."""

from collections.abc import Callable, Iterable

from visualization_msgs.msg import Marker, MarkerArray

from ik_node.ros.markers.arm_markers import ArmMarkers
from ik_node.ros.markers.ghosts import Found
from ik_node.ros.markers.goal import ShownGoal
from ik_node.ros.robot import Arm, Robot, same_chain


class Scene:
    """What is shown, of whatever robot there is."""

    def __init__(self) -> None:
        """Show nothing yet."""
        self._arms: dict[str, ArmMarkers] = {}
        self._shown: dict[tuple[str, int], str] = {}  # the frame of each marker, by ns and id

    def take_up(self, robot: Robot) -> None:
        """Begin anew for the arms that are others; with another solver only they are the same."""
        before = self._arms
        self._arms = {}
        for number, (name, arm) in enumerate(robot.arms.items()):
            known = before.get(name)
            self._arms[name] = known if known is not None and same_chain(
                known.chain, arm.chain) else ArmMarkers(arm, number)

    def show_goal(self, robot: Robot, arm: Arm, shown: ShownGoal, words: str) -> None:
        """Show a goal that was solved for, and where the tip is; words: what became of it."""
        self._arms[arm.name].show_goal(shown, words)
        self._arms[arm.name].trail.add(robot.posture(arm))

    def show_refusal(self, name: str, words: str) -> None:
        """Say why the last goal of an arm was not even tried, where there is such an arm."""
        if name in self._arms:
            self._arms[name].show_refusal(words)

    def message(self, robot: Robot, frame_prefix: str,
                find: Callable[[Robot, Arm], Found] | None) -> MarkerArray:
        """Return what there is to show now. find: the branches of an arm's last goal, if wanted."""
        markers = [
            marker for name, arm in robot.arms.items() for marker in self._arms[name].markers(
                frame_prefix + arm.chain.base_link, robot.posture(arm),
                find and find(robot, arm))]
        present = {(marker.ns, marker.id): marker.header.frame_id for marker in markers}
        gone = self._delete(self._shown.keys() - present.keys())
        self._shown = present
        return MarkerArray(markers=gone + markers)

    def clear(self) -> MarkerArray:
        """Return the end of everything that is shown."""
        gone, self._shown = self._delete(self._shown.keys()), {}
        return MarkerArray(markers=gone)

    def _delete(self, keys: Iterable[tuple[str, int]]) -> list[Marker]:
        deleted = []
        for namespace, number in sorted(keys):
            marker = Marker(ns=namespace, id=number, action=Marker.DELETE)
            marker.header.frame_id = self._shown[namespace, number]
            deleted.append(marker)
        return deleted
