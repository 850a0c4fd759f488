"""Serves the node's interactive markers, where interactive_markers is installed."""

from collections.abc import Callable, Sequence
from typing import Any

from rclpy.lifecycle import LifecycleNode
from rclpy.parameter import Parameter

from ik_node.control.group import Group
from ik_node.control.options import NodeOptions
from ik_node.control.robot import Robot
from ik_node.ros.services.interaction.handle import LastGoal
from ik_node.ros.services.interaction.handles import Actions, GoalSink, Handles

NAMESPACE = '~'  # of update, feedback and get_interactive_markers


class Interaction:
    """Serves handles while the node is active and the parameter interactive_marker is true."""

    def __init__(self, node: LifecycleNode, goals: GoalSink, last_goal: LastGoal,
                 reset: Callable[[], tuple[bool, str]]) -> None:
        """Begin without handles.

        goals: takes those of arms and tasks. last_goal: returns that of an arm. reset: goes to the
        start pose; returns success and a message.
        """
        self._node, self._reset = node, reset
        self._actions = Actions(goals, self._choose_solver, self._go_home, last_goal)
        self._server: Any = None
        self._handles: Handles | None = None

    def update(self, robot: Robot | None, options: NodeOptions, active: bool) -> None:
        """Create or remove handles for a robot and options; active: whether the node is."""
        if not options.interactive_marker:
            self.destroy()
            return
        if self._handles is None:
            self._serve()
        if self._handles is None:
            return
        if not active or robot is None:
            self._handles.clear()
        else:
            self._handles.update(robot, options)

    def follow(self, robot: Robot) -> None:
        """Move the handles to new goals, or with the robot."""
        if self._handles is not None:
            self._handles.follow(robot)

    def go_with_tips(self, group: Group) -> None:
        """Let the handles of a group follow its tip, or the targets of tasks, from now on."""
        if self._handles is not None:
            self._handles.go_with_tips(group)

    def destroy(self) -> None:
        """Remove the handles and their server."""
        if self._handles is not None:
            self._handles.clear()
            self._server.shutdown()
        self._server = self._handles = None

    def _serve(self) -> None:
        try:
            from interactive_markers import InteractiveMarkerServer
        except ImportError as error:
            self._node.get_logger().info(
                'no handles in RViz: interactive_markers is not installed '
                f'({error})', once=True)
            return
        self._server = InteractiveMarkerServer(self._node, NAMESPACE)
        self._handles = Handles(self._server, self._actions)

    def _choose_solver(self, parameters: Sequence[str], solver: str) -> None:
        """Set the parameters of a group that name its solver.

        They are set like by a client: checked, and refused with a reason.
        """
        self._node.set_parameters_atomically([
            Parameter(name, value=solver) for name in parameters])

    def _go_home(self) -> None:
        done, message = self._reset()
        if not done:
            self._node.get_logger().warning(f'not going home: {message}')
