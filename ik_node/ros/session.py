"""A configured node: puts intake, execution, publishing and services together, and times them."""

import gc
import math
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from rclpy.clock import Clock
from rclpy.lifecycle import LifecycleNode, LifecyclePublisher
from rclpy.parameter import Parameter
from rclpy.service import Service
from std_msgs.msg import String

from ik_node.control.group import Group
from ik_node.control.options import ACTION, SERVO
from ik_node.control.robot import Robot
from ik_node.control.worker import START, CancelledError, Job, Worker
from ik_node.ros.configuration import Configuration
from ik_node.ros.execution.execution import Execution
from ik_node.ros.intake.frames import Frames
from ik_node.ros.intake.goals import Goals
from ik_node.ros.intake.measured import Measured
from ik_node.ros.intake.obstacles import Obstacles
from ik_node.ros.log import ThrottledLog, reason_of
from ik_node.ros.publishing.branches import Branches
from ik_node.ros.publishing.health import Health
from ik_node.ros.publishing.markers.obstacle_markers import Nearest
from ik_node.ros.publishing.outcomes import Outcomes
from ik_node.ros.publishing.outputs import Outputs
from ik_node.ros.services.commands import Commands, in_turn
from ik_node.ros.services.ik_service import IkService
from ik_node.ros.services.interaction.handles import Handles
from ik_node.ros.services.reachability import Reachability
from ik_node.ros.services.servo.servo_commands import ServoCommands, ServoStatus
from ik_node.ros.services.servo.servo_loop import ServoLoop
from ik_node.ros.topics import JOINT_STATES, LATCHED, overridable

T = TypeVar('T')
_PARAMETERS, _DESCRIPTION = 'parameters', 'description'  # what the worker builds robots for
_MARKER_PERIOD = 0.05   # s
# s, of handles: RViz takes one of their updates a picture, and begins anew where 100 wait.
_HANDLE_PERIOD = 0.2
_WAYPOINT_RATE = 30.0   # Hz, where publish_rate is 0
_SERVO_RATE = 100.0     # Hz, at which the rest of the node sees the samples of servo
_LONGEST_PERIOD = 1e6   # s; a timer's must fit into 64 bits of nanoseconds


class Session:
    """A configured node: its parts, and what they do with the present robot and options."""

    def __init__(self, node: LifecycleNode, configuration: Configuration, health: Health,
                 steady: Clock) -> None:
        self._node, self._configuration, self._health = node, configuration, health
        self._before = set(_entities(node))
        log = ThrottledLog(node.get_logger(), steady)
        self._worker = Worker(self._wake)
        self._execution = Execution(node, steady, configuration.topics, self._worker, log.warn)
        self._outputs = Outputs(node, self._execution)
        self._branches = Branches(configuration, self._outputs, self._execution.last_goal,
                                  self._worker, log.warn)
        self._nearest = Nearest(self._worker, log)
        outcomes = Outcomes(configuration, self._outputs, self._branches, health, log)
        self._measured = Measured(node, configuration.topics, self._execution, health, steady, log)
        self._frames = Frames(node, self._execution, configuration)
        self._obstacles = Obstacles(node, configuration, self._execution, self._frames,
                                    self._worker, health, log)
        self._goals = Goals(node, configuration, self._execution, outcomes, self._measured,
                            self._frames, self._worker, steady, self._on_leave)
        self._servo = ServoLoop(self._execution, self._outputs, self._measured, self._worker,
                                health, steady, log.warn)
        self._outcomes, self._goals.join_side = outcomes, self._servo.join
        configuration.topics.on_end = self._on_end
        self._servo_commands = ServoCommands(node, configuration, self._execution, self._servo,
                                             self._goals, self._frames, steady, log)
        self._servo_status = ServoStatus(node, self._servo, self._servo_commands, self._outputs)
        self._commands = Commands(node, configuration, self._goals, self._execution,
                                  self._outputs, self._branches, self._on_leave)
        self._handles = Handles(node, self._goals.take, self._execution.last_goal, lambda: (
            node.executor and node.executor.create_task(self._commands.go_to_start)))
        node.create_timer(_MARKER_PERIOD, self._on_marker_time, clock=steady)
        node.create_timer(_HANDLE_PERIOD, self._on_handle_time, clock=steady)
        self._publish_timer = node.create_timer(1.0 / _WAYPOINT_RATE, self._on_publish_time)
        self._robot: Robot | None = None
        self._modules = 0  # that were imported when what is there was last frozen
        if configuration.wants_topic:
            node.create_subscription(String, 'robot_description', self._on_description,
                                     **overridable(LATCHED))
            node.get_logger().info('waiting for a robot_description by topic')
        self._update()
        IkService(node, configuration, self._goals, self._execution, self._frames)
        Reachability(node, configuration, self._execution, self._frames, self._worker, log)

    @property
    def active(self) -> bool:
        """Whether goals are handled."""
        return self._goals.active

    def activate(self, active: bool) -> None:
        """Begin to handle goals, and publish the joint states; or stop goals and motions."""
        if not active:
            self._servo.end()
            self._commands.freeze()
        self._goals.activate(active)
        self._handles.update(self._robot, self._configuration.options, active)
        if active:
            self._announce()
        else:
            self._outputs.no_markers()

    def destroy(self) -> None:
        """Destroy everything; services after the answers that are due now have been sent."""
        self._worker.close('the node shuts down')
        self._servo.end()
        self._outputs.flush()
        self._handles.destroy()
        self._frames.destroy()
        self._execution.destroy()
        executor = self._node.executor
        if executor is not None and self._node not in executor.get_nodes():
            executor = None  # is shut down: that of rclpy 7 then takes no tasks
        for entity, destroy in _entities(self._node).items():
            if entity not in self._before:
                if isinstance(entity, Service) and executor is not None:
                    executor.create_task(partial(destroy, entity))
                else:
                    destroy(entity)

    def _wake(self) -> None:
        """Let the executor go on with goals; called in other threads."""
        executor = self._node.executor
        if executor is not None:
            executor.create_task(self._worker.resume)

    async def set_parameters(self, apply: Callable[[], T], parameters: Sequence[Parameter]) -> T:
        """Return the result of setting parameters, for which the robot is built in the worker.

        apply: sets them. Raises IkError where the robot cannot be built.
        """
        def answer() -> Job[T]:
            yield from self._configuration.prepare(parameters)
            try:
                return apply()
            finally:  # also where rclpy refuses them
                self._configuration.drop_new_tasks()
        try:
            return await in_turn(self._node, self._worker, _PARAMETERS, answer(), math.inf)
        except CancelledError:  # the node is configured anew
            return apply()

    def _on_description(self, message: String) -> None:
        self._worker.begin(_DESCRIPTION, self._describe(message.data))

    def _describe(self, text: str) -> Job[None]:
        """Use a description of the robot, where no parameter gives it."""
        try:
            yield START
            yield from self._configuration.prepare(topic_text=text)
            if self._configuration.update_description(text):
                self.on_parameters()
            self._health.error = ''
        except Exception as error:  # an invalid one, or a defect, which must not stop the node
            logger = self._node.get_logger()
            self._health.error = f'robot_description refused: {reason_of(error, logger.error)}'
            logger.error(self._health.error)

    def on_parameters(self) -> None:
        """Apply changed parameters, or a changed description."""
        self._update()
        self._announce()

    def _update(self) -> None:
        """Give the present robot and options to the parts that have to do something about them."""
        options, robot = self._configuration.options, self._configuration.robot
        changed = 'the robot has changed: parameters or its description were set'
        servo_options, _ = self._configuration.servo
        self._servo.keep(robot, options, servo_options)
        if robot is not None:  # first: goals that end are answered with its state
            self._measured.listen(options.state_topic, robot)
            self._execution.update(robot, options, servo_options.thread_priority)
        if robot is not self._robot:  # goals end with their robot
            self._worker.cancel_all(changed, but=(
                _PARAMETERS, _DESCRIPTION, *self._execution.commands.keys))
        if robot is None or self._robot is None or robot.tree is not self._robot.tree:
            self._goals.waiting.stop(changed)
        self._set_publish_rate()
        if not self._servo.servos:
            self._outputs.publisher = self._configuration.topics.publisher(
                JOINT_STATES, options.joint_states_topic)
        self._goals.update()
        self._servo_commands.update()
        if robot is not None and robot is not self._robot:
            self._obstacles.apply_to(robot)
            self._outputs.scene.update(robot)
            self._prepare(robot)
        self._robot = robot
        self._handles.update(robot, options, self.active)

    def _prepare(self, robot: Robot) -> None:
        """Log the warnings of a new robot, and that it is ready.

        The garbage of the one before is collected, see `run`, without modules, over which that
        would take a tenth of a second: where some were imported since, all that is there is frozen.
        """
        logger = self._node.get_logger()
        of_poses = robot.poses.warnings if robot.poses else ()
        for warning in (*robot.tree.warnings, *robot.warnings, *of_poses):
            logger.warning(warning)
        if len(sys.modules) == self._modules or self._robot is None:
            gc.collect()
        if len(sys.modules) > self._modules:
            self._modules = len(sys.modules)
            gc.freeze()
        for group in robot.groups.values():
            if topic := group.options.trajectory_topic:
                logger.warning('trajectory_topic is deprecated: set output to trajectory and '
                               f'output_topic to {topic}')
            logger.info(f'ready: {group!r}')

    def _set_publish_rate(self) -> None:
        """Apply the parameter to the timer, which is kept: rclpy never frees timers."""
        options = self._configuration.options
        rate = options.publish_rate or _WAYPOINT_RATE
        if options.motion == SERVO:
            rate = min(rate, _SERVO_RATE)
        period = int(1e9 * min(1.0 / rate, _LONGEST_PERIOD))
        if self._publish_timer.timer_period_ns != period:
            self._publish_timer.timer_period_ns = period
            self._publish_timer.reset()

    def _announce(self) -> None:
        configuration, robot = self._configuration, self._robot
        if robot is None or not self.active:
            return
        self._servo.begin()
        if configuration.options.publish_description and not configuration.wants_topic:
            self._outputs.description(robot)
        self._outputs.announce(robot, configuration.options)

    def _on_end(self, topic: str, reason: str) -> None:
        """Let the arms rest whose action does not follow their motion; reason: '' where it has."""
        if self._robot is not None:
            self._execution.follow(self._robot)
        for controller in self._execution.controllers.values():
            if controller.group.output == (ACTION, topic):
                if reason:
                    controller.abandon()
                    self._measured.update(controller)
                self._outcomes.end(controller, reason)

    def _on_leave(self, group: Group) -> None:
        self._handles.go_with_tips(group)

    def _on_publish_time(self) -> None:
        self._worker.resume()  # where nothing could be woken, as between two executors
        if self._robot is not None:
            self._execution.follow(self._robot)
            self._execution.commands.look(self._execution.controllers.values())
        if self.active and self._robot is not None:
            self._servo.begin()
            self._servo.refresh()
            self._servo_commands.publish_tips(self._robot)
            self._goals.follow(self._robot)
            if self._configuration.options.publish_rate > 0.0:
                self._outputs.joint_states(self._robot)

    def _on_marker_time(self) -> None:
        robot, options = self._robot, self._configuration.options
        self._obstacles.refresh()
        if self.active and robot is not None:
            self._execution.follow(robot)
            find = self._branches.of_last if options.show_branches else None
            self._outputs.markers(robot, options, find, self._nearest.of)
            self._servo_status.publish()

    def _on_handle_time(self) -> None:
        if self.active and self._robot is not None:
            self._execution.follow(self._robot)
            self._handles.follow(self._robot)


def _entities(node: LifecycleNode) -> dict[Any, Callable[[Any], object]]:
    """Return the entities of a node, with what destroys them."""
    publishers = {publisher: node.destroy_lifecycle_publisher if isinstance(
        publisher, LifecyclePublisher) else node.destroy_publisher for publisher in node.publishers}
    return {**dict.fromkeys(node.subscriptions, node.destroy_subscription),
            **dict.fromkeys(node.services, node.destroy_service),
            **dict.fromkeys(node.timers, node.destroy_timer), **publishers}
