"""The node's handles, where interactive_markers is installed: served, kept up, taken away."""

from collections.abc import Callable
from typing import Any

from rclpy.lifecycle import LifecycleNode
from rclpy.parameter import Parameter

from ik_node.ros.configuration import Configuration
from ik_node.ros.goals import Goals
from ik_node.ros.interaction.handles import Handles, Means
from ik_node.ros.robot import Robot

NAMESPACE = '~'  # of update, feedback and get_interactive_markers


class Interaction:
    """Serves handles while the node is active and the parameter interactive_marker is true."""

    def __init__(self, node: LifecycleNode, configuration: Configuration, goals: Goals,
                 reset: Callable[[], tuple[bool, str]]) -> None:
        """Serve nothing yet. reset: leads to the start pose; returns whether it does, and why."""
        self._node, self._configuration = node, configuration
        self._reset = reset
        self._means = Means(goals.take_pose, goals.take_point, self._choose_solver, self._go_home,
                            goals.branches.last_goal)
        self._server: Any = None
        self._handles: Handles | None = None

    def take_up(self, active: bool) -> None:
        """Have the handles that there are to be now; active: whether the node is."""
        options, robot = self._configuration.options, self._configuration.robot
        if not options.interactive_marker:
            self.destroy()
            return
        if self._handles is None:
            self._serve()
        if self._handles is None:
            return
        if active and robot is not None:
            self._handles.take_up(robot, options.frame_prefix)
        else:
            self._handles.clear()

    def follow(self, robot: Robot) -> None:
        """Let handles go to goals that have come another way, or with the tips."""
        if self._handles is not None:
            self._handles.follow(robot)

    def go_with_tips(self) -> None:
        """Let handles go with the tips from now on."""
        if self._handles is not None:
            self._handles.go_with_tips()

    def destroy(self) -> None:
        """Take the handles down, and what serves them."""
        if self._handles is not None:
            self._handles.clear()
            self._server.shutdown()
        self._server = self._handles = None

    def _serve(self) -> None:
        try:
            from interactive_markers import InteractiveMarkerServer
        except ImportError as error:
            self._node.get_logger().info(
                'there is no handle to drag in RViz: interactive_markers is not installed '
                f'({error})', once=True)
            return
        self._server = InteractiveMarkerServer(self._node, NAMESPACE)
        self._handles = Handles(self._server, self._means)

    def _choose_solver(self, arm: str, solver: str) -> None:
        """Set the parameter as if from outside: it is checked, and refused with a reason."""
        self._node.set_parameters([Parameter(f'{arm}.solver'.lstrip('.'), value=solver)])

    def _go_home(self) -> None:
        done, message = self._reset()
        if not done:
            self._node.get_logger().warning(f'not going home: {message}')
