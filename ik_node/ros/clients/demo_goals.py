"""Publishes goal poses for demonstrations until another node sends goals."""

from ik_node.support.signals import end_quietly

if __name__ == '__main__':
    end_quietly()  # before the imports that take long

import sys
from collections import deque
from typing import Any, NamedTuple

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PointStamped, PoseStamped
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.qos import QoSProfile
from std_msgs.msg import String
from visualization_msgs.msg import InteractiveMarkerFeedback

from ik_node.control.group import GroupSource
from ik_node.control.options import ArmOptions, NodeOptions
from ik_node.control.target_path import TargetPath
from ik_node.control.task_group import TaskGroup
from ik_node.control.task_options import TaskOptions
from ik_node.model.readers import read_urdf_text
from ik_node.model.tree import KinematicTree
from ik_node.motion.closed_path import ClosedPath
from ik_node.ros.conversions import array_to_point, clock_seconds, matrix_to_pose
from ik_node.ros.parameters import declare
from ik_node.ros.publishing.outputs import LATCHED
from ik_node.ros.publishing.status import seconds
from ik_node.ros.run import run
from ik_node.support.exceptions import IkError

_REMEMBERED = 100  # own goals whose status may still be received
_PATIENCE = 0.5    # s: a solve takes less
_STATUS = 'ik_node/status'


class DemoGoals(Node):
    """Leads the tip of a robot, or the tasks of a figure, round until another node sends goals."""

    def __init__(self, steady: Clock | None = None, **arguments: Any) -> None:
        """Wait for a robot description.

        steady: the clock of what is independent of simulated time; by default a monotonic one.
        """
        super().__init__('demo_goals', **arguments)
        self._steady = steady or Clock(clock_type=ClockType.STEADY_TIME)
        self._base: str = self.declare_parameter('base_link', '').value
        self._tip: str = self.declare_parameter('tip_link', '').value
        rate: float = self.declare_parameter('rate', 25.0).value
        self._step = 1.0 / (rate * self.declare_parameter('round', 20.0).value)
        self._figure = _declare_figure(self)
        self._path: ClosedPath | TargetPath | None = None
        self._phase = 0.0
        self._own: deque[str] = deque(maxlen=_REMEMBERED)  # stamps
        self._sent: float | None = None  # when, s, if there is no status yet
        self._goals: dict[str, Publisher] = {}
        self._timer = self.create_timer(1.0 / rate, self._on_time)
        self.create_subscription(String, 'robot_description', self._on_description, LATCHED)
        # Not the goals themselves: `ros2 topic pub --once` waits for one subscription only, which
        # has to be the node's.
        self.create_subscription(DiagnosticStatus, _STATUS, self._on_status, 10)
        self.create_subscription(InteractiveMarkerFeedback, 'ik_node/feedback',
                                 lambda _: self._fall_silent(), 10)

    def _on_description(self, message: String) -> None:
        try:
            tree = read_urdf_text(message.data)
            self._path = ClosedPath(tree.chain(self._base or None, self._tip or None)) if (
                self._figure is None) else self._figure.path(tree)
        except IkError as error:
            self.get_logger().error(f'no goals for this robot: {error}')

    def _on_time(self) -> None:
        if self._path is None or self._is_waiting():
            return
        self._sent = clock_seconds(self._steady)
        self._phase = (self._phase + self._step) % 1.0
        if isinstance(self._path, TargetPath):
            for task, target in self._path.targets(self._phase).items():
                self._publish(f'{task}/', target)
        else:
            self._publish('', self._path.pose(self._phase))

    def _publish(self, prefix: str, target: np.ndarray) -> None:
        """Publish a goal, a pose (4, 4) or a point (3,), m."""
        goal: PoseStamped | PointStamped
        if target.shape == (4, 4):
            goal, topic = PoseStamped(pose=matrix_to_pose(target)), f'{prefix}goal_pose'
        else:
            goal, topic = PointStamped(point=array_to_point(target)), f'{prefix}goal_point'
        if topic not in self._goals:
            self._goals[topic] = self.create_publisher(type(goal), topic, QoSProfile(depth=1))
        goal.header.stamp = self.get_clock().now().to_msg()
        self._own.append(seconds(goal.header.stamp))
        self._goals[topic].publish(goal)

    def _is_waiting(self) -> bool:
        """Return whether the node still solves the last goal: another one could replace a user's.

        It does not wait for a node that is not there or does not answer.
        """
        return (self._sent is not None and clock_seconds(self._steady) - self._sent < _PATIENCE
                and self.count_publishers(_STATUS) > 0)

    def _on_status(self, message: DiagnosticStatus) -> None:
        self._sent = None
        stamp = next((pair.value for pair in message.values if pair.key == 'goal_stamp'), '')
        if stamp not in self._own:
            self._fall_silent()

    def _fall_silent(self) -> None:
        if not self._timer.is_canceled():
            self._timer.cancel()
            self.get_logger().info('another node sends goals: stopping')


class _FigureParameters(NamedTuple):
    """The parameters of the node that say which figure and tasks it has."""

    tasks: dict[str, TaskOptions]
    root: str
    T_world_root: np.ndarray

    def path(self, tree: KinematicTree) -> TargetPath:
        """Return the path of the tasks on a tree. Raises IkError where they do not fit it."""
        figure = TaskGroup(GroupSource(tree, ArmOptions(solver='least_squares'), {}, self.tasks,
                                       self.root, self.T_world_root))
        figure.set_missing_targets(figure.start)
        return TargetPath.of(figure)


def _declare_figure(node: Node) -> _FigureParameters | None:
    """Declare the parameters of tasks, as those of ik_node; return None without tasks."""
    own = ('tasks', 'root', 'root_pose')
    specs = {name: spec for name, spec in NodeOptions.specs().items() if name in own}
    values = declare(node, specs, NodeOptions.defaults())
    if not values['tasks']:
        return None
    tasks = {}
    for task in values['tasks']:
        of_task = declare(node, TaskOptions.specs(), TaskOptions.defaults(), f'{task}.')
        tasks[task] = TaskOptions.read({name: of_task[f'{task}.{name}']
                                        for name in TaskOptions.specs()})
    options = NodeOptions.read(values)
    return _FigureParameters(tasks, options.root, options.T_world_root)


def main(arguments: list[str] | None = None) -> int:
    """Run until SIGINT or SIGTERM."""
    return run(DemoGoals, arguments)


if __name__ == '__main__':
    sys.exit(main())
