"""Publishes goal poses for demonstrations until another node sends goals."""

from ik_node.support.signals import end_quietly

if __name__ == '__main__':
    end_quietly()  # before the imports that take long

import sys
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from std_msgs.msg import String
from visualization_msgs.msg import InteractiveMarkerFeedback

from ik_node.control.building import section
from ik_node.control.group_source import GroupSource
from ik_node.control.options import JUMP, ArmOptions, NodeOptions
from ik_node.control.target_path import TargetPath
from ik_node.control.task_group import TaskGroup
from ik_node.control.task_options import TaskOptions
from ik_node.model.readers import read_urdf_text
from ik_node.model.tree import KinematicTree
from ik_node.motion.tip_path import ClosedPath
from ik_node.ros.clients.client import GoalTopics, Report, goal_message
from ik_node.ros.conversions import clock_seconds
from ik_node.ros.parameters import declare
from ik_node.ros.publishing.status import seconds
from ik_node.ros.run import run, show_help
from ik_node.ros.topics import LATCHED
from ik_node.support.command_line import reporting
from ik_node.support.exceptions import IkError
from ik_node.support.options import Spec

_REMEMBERED = 100  # own goals whose status may still be received
_PATIENCE = 0.5    # s: a solve takes less
_STATUS = 'ik_node/status'
_PACE = {'rate': Spec(float, 'goals per second', 'Hz', low=0.1, high=1000.0),
         'round': Spec(float, 'time that the tip takes for a round', 's', low=0.1, high=1e6)}


class DemoGoals(Node):
    """Leads the tip of a robot, or the tasks of a body, round until another node sends goals."""

    def __init__(self, steady: Clock | None = None, **arguments: Any) -> None:
        """Wait for a robot description.

        steady: the clock of what is independent of simulated time; by default a monotonic one.
        """
        super().__init__('demo_goals', **arguments)
        self._steady = steady or Clock(clock_type=ClockType.STEADY_TIME)
        self._base: str = self.declare_parameter('base_link', '').value
        self._tip: str = self.declare_parameter('tip_link', '').value
        pace = declare(self, _PACE, {'rate': 25.0, 'round': 20.0})
        self._step = 1.0 / (pace['rate'] * pace['round'])
        self._root, self._tasks = _declare_tasks(self)
        self._path: Callable[[float], Mapping[str, np.ndarray]] | None = None
        self._phase = 0.0
        self._own: deque[str] = deque(maxlen=_REMEMBERED)  # stamps
        self._sent: float | None = None  # when, s, if there is no status yet
        self._topics = GoalTopics(self)
        self._timer = self.create_timer(1.0 / pace['rate'], self._on_time)
        self.create_subscription(String, 'robot_description', self._on_description, LATCHED)
        # Not the goals themselves: `ros2 topic pub --once` waits for one subscription only, which
        # has to be the node's.
        self.create_subscription(DiagnosticStatus, _STATUS, self._on_status, 10)
        self.create_subscription(InteractiveMarkerFeedback, 'ik_node/feedback',
                                 lambda _: self._fall_silent(), 10)

    def _on_description(self, message: String) -> None:
        try:
            self._path = self._path_of(read_urdf_text(message.data))
        except IkError as error:
            self.get_logger().error(f'no goals for this robot: {error}')

    def _path_of(self, tree: KinematicTree) -> Callable[[float], Mapping[str, np.ndarray]]:
        """Return a closed path on a tree: at a phase, 0 to 1, the targets by the names of tasks.

        Raises IkError for links and tasks that do not fit the tree.
        """
        if not self._tasks:
            path = ClosedPath(tree.chain(self._base or None, self._tip or None))
            return lambda phase: {'': path.pose(phase)}
        group = TaskGroup(GroupSource(
            tree, ArmOptions(solver='least_squares'), {}, self._tasks, self._root.root,
            self._root.T_world_root, None, JUMP))
        group.set_missing_targets(group.start)
        return TargetPath.of(group).targets

    def _on_time(self) -> None:
        if self._path is None or self._is_waiting():
            return
        self._sent = clock_seconds(self._steady)
        self._phase = (self._phase + self._step) % 1.0
        for task, target in self._path(self._phase).items():
            goal = goal_message(target, self._topics.header())
            self._own.append(seconds(goal.header.stamp))
            self._topics.publisher(type(goal), task).publish(goal)

    def _is_waiting(self) -> bool:
        """Return whether the node still solves the last goal: another one could replace a user's.

        It does not wait for a node that is not there or does not answer.
        """
        return (self._sent is not None and clock_seconds(self._steady) - self._sent < _PATIENCE
                and self.count_publishers(_STATUS) > 0)

    def _on_status(self, message: DiagnosticStatus) -> None:
        self._sent = None
        if Report.of(message).values.get('goal_stamp', '') not in self._own:
            self._fall_silent()

    def _fall_silent(self) -> None:
        if not self._timer.is_canceled():
            self._timer.cancel()
            self.get_logger().info('another node sends goals: stopping')


def _declare_tasks(node: Node) -> tuple[NodeOptions, dict[str, TaskOptions]]:
    """Declare the parameters of the root and of the tasks as those of ik_node; return both."""
    specs = {name: NodeOptions.specs()[name] for name in ('tasks', 'root', 'root_pose')}
    options = NodeOptions.read(declare(node, specs, NodeOptions.defaults()))
    return options, {task: section(TaskOptions, declare(
        node, TaskOptions.specs(), TaskOptions.defaults(), f'{task}.'), f'{task}.')
        for task in options.tasks or ()}


@reporting('demo_goals')
def main(arguments: list[str] | None = None) -> int:
    """Run until SIGINT or SIGTERM."""
    show_help('demo_goals', DemoGoals.__doc__ or '', arguments)
    return run(DemoGoals, arguments)


if __name__ == '__main__':
    sys.exit(main())
