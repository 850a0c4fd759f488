"""Commands of servo by topic, checked and converted to the base and SI units; services, status."""

import contextlib
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any, cast

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped, TwistStamped
from rclpy.clock import Clock
from rclpy.lifecycle import LifecycleNode
from rclpy.parameter import Parameter
from std_msgs.msg import Header
from std_srvs.srv import SetBool

from ik_node.control.group import Group
from ik_node.control.group_servo import INVALID, NO_WARNING
from ik_node.control.options import JOINTS, POSE, SERVO, TWIST, UNITLESS
from ik_node.control.robot import Robot
from ik_node.model.body import Body, BodyFrames
from ik_node.ros.configuration import Configuration
from ik_node.ros.conversions import (
    clock_seconds,
    matrix_to_pose,
    pose_to_matrix,
    stamp_of,
    time_of,
)
from ik_node.ros.execution.execution import Execution
from ik_node.ros.intake.frames import Frames, placed
from ik_node.ros.intake.goal_messages import named_groups
from ik_node.ros.intake.goals import Goals
from ik_node.ros.log import ThrottledLog, reason_of
from ik_node.ros.publishing.outputs import Outputs
from ik_node.ros.services.servo.servo_loop import ServoLoop
from ik_node.ros.topics import COMMANDS, LATEST, TIP, command_topic, overridable
from ik_node.support import arguments
from ik_node.support.bounds import MAX_ENTRIES
from ik_node.support.exceptions import InputError, names


class ServoCommands:
    """Subscribes to the commands of each arm while the motion is servo.

    - `paused`: whether commands are ignored.
    - `refused`: why the last command of a group was refused, by its name.
    """

    def __init__(self, node: LifecycleNode, configuration: Configuration, execution: Execution,
                 servo: ServoLoop, goals: Goals, frames: Frames, steady: Clock,
                 log: ThrottledLog) -> None:
        self._node, self._configuration, self._execution = node, configuration, execution
        self._servo, self._goals, self._frames = servo, goals, frames
        self._steady, self._log = steady, log
        self._kinds: dict[str, Any] = {TWIST: TwistStamped, POSE: PoseStamped}
        self.refused: dict[str, str] = {}
        self.paused = False
        with contextlib.suppress(ImportError):
            from control_msgs.msg import JointJog
            self._kinds[JOINTS] = JointJog
        self._subscriptions: list[Any] = []
        self._tips: dict[str, Any] = {}  # publishers of where tips are, by name
        self._targets: dict[str, tuple[Group, str]] = {}  # group and task, by name
        node.create_service(SetBool, '~/pause_servo', self._pause)
        with contextlib.suppress(ImportError):  # of MoveIt, which is not on PyPI
            from moveit_msgs.srv import ServoCommandType
            request = ServoCommandType.Request
            self._types = {request.JOINT_JOG: JOINTS, request.TWIST: TWIST, request.POSE: POSE}
            node.create_service(ServoCommandType, '~/switch_command_type', self._switch)

    def update(self) -> None:
        """Subscribe to the commands of arms and tasks where the motion is servo."""
        robot, options = self._configuration.robot, self._configuration.options
        targets = {} if robot is None or options.motion != SERVO else {
            **{name: (group, '') for name, group in robot.groups.items()
               if group is not robot.side},
            **{name: (group, task) for name, (group, task) in robot.tasks.items()
               if group.tasks[task].is_movable}}
        if targets.keys() != self._targets.keys():
            for subscription in self._subscriptions:
                self._node.destroy_subscription(subscription)
            for publisher in self._tips.values():
                self._node.destroy_publisher(publisher)
            self._tips = {name: self._node.create_publisher(
                PoseStamped, command_topic(TIP, name), **overridable(LATEST)) for name in targets}
            self.refused, self.paused = {}, False
            self._subscriptions = [
                self._node.create_subscription(
                    kind, command_topic(name, target), partial(self._take, target, name),
                    **overridable(LATEST))
                for target, (group, task) in targets.items() for name, kind in self._kinds.items()
                if (task if name != JOINTS else task in group.tips or not group.tips) or (
                    group.chain is not None)]
        self._targets = targets

    def publish_tips(self, robot: Robot) -> None:
        """Publish where tips are, and what tasks move, for clients that move them from there."""
        prefix = self._configuration.options.frame_prefix
        for name, (group, task) in self._targets.items():
            if self._tips[name].get_subscription_count():
                q = robot.joint_configuration(group)
                link, T = (group.chain.base_link, group.chain.forward(q)) if group.chain else (
                    group.target_links[task] or robot.tree.root, group.tasks[task].target_in(
                        BodyFrames(cast(Body, group.space), q)))
                if T.shape == (4, 4):
                    self._tips[name].publish(PoseStamped(pose=matrix_to_pose(T), header=Header(
                        stamp=stamp_of(self._execution.stamp()), frame_id=prefix + link)))

    def _pause(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        response.success, response.message = bool(self._targets), 'motion is not servo'
        if response.success:
            self.paused = request.data
            response.message = 'servo is paused' if self.paused else 'servo waits for commands'
            self._servo.stop(response.message)
        return response

    def _switch(self, request: Any, response: Any) -> Any:
        kind = self._types.get(request.command_type)
        response.success = kind is not None and self._node.set_parameters(
            [Parameter('command_type', value=kind)])[0].successful
        return response

    def _take(self, name: str, kind: str, message: Any) -> None:
        """Follow a command, or log why it is refused."""
        servo_options, _ = self._configuration.servo
        group, task = self._targets[name]
        try:
            servo, robot = self._servo.servo(group.name), self._configuration.robot
            assert robot is not None
            if not self._goals.enabled:
                raise InputError('the node is disabled: call ~/enable')
            if self.paused:
                return
            groups = named_groups(robot, servo.group, message.joint_names) if (
                kind == JOINTS) else [servo.group]
            if kind != servo_options.command_type and groups != [robot.side]:
                raise InputError(f'{COMMANDS[kind]} is ignored: command_type is '
                                 f'{servo_options.command_type!r}')
            age = self._age(message.header)
            timeout = servo_options.incoming_command_timeout
            if age > timeout:
                raise InputError(f'the command is {age:.3f} s old by its stamp, more than '
                                 f'incoming_command_timeout allows, {timeout:g} s')
            commands = self._joint_velocities(groups, message) if kind == JOINTS else [
                self._converted(kind, servo.group, task, robot, message)]
            servos = [self._servo.servo(group.name) for group in groups]
            for servo, command in zip(servos, commands):
                servo.follow(kind, command, clock_seconds(self._steady) + timeout - age, task)
            self.refused.pop(group.name, None)
        except Exception as error:
            self.refused[group.name] = reason_of(error, self._log.warn)
            self._log.warn(f'servo command refused: {self.refused[group.name]}')

    def _age(self, header: Header) -> float:
        """Return the age of a message, s; 0 without a stamp, and for one of the future."""
        stamp = time_of(header).nanoseconds
        return max(1e-9 * (self._execution.stamp() - stamp), 0.0) if stamp > 0 else 0.0

    def _converted(self, kind: str, group: Group, task: str, robot: Robot,
                   message: Any) -> np.ndarray:
        """Return a twist (6,) or a pose (4, 4) in the base.

        Those of a body's task are in the frame of its target.
        """
        header = message.header
        if header.frame_id:
            self._execution.follow(robot)
        T_base_frame = (
            self._frames.in_target(robot, group, task, header) if group.chain is None
            else self._frames.in_link(robot, group.chain.base_link, header))
        if kind == POSE:
            return placed(T_base_frame, pose_to_matrix(message.pose))
        twist = arguments.vector([getattr(part, axis) for part in (
            message.twist.linear, message.twist.angular) for axis in 'xyz'], 6, 'the twist')
        twist = twist.reshape(2, 3)
        options, scale = self._configuration.servo
        if options.command_in_type == UNITLESS:
            twist = twist * [[scale.linear], [scale.rotational]]
        return (twist @ T_base_frame[:3, :3].T).ravel()

    def _joint_velocities(self, groups: Sequence[Group], message: Any) -> list[np.ndarray]:
        """Return the velocities (n,) of groups, rad/s or m/s, by a JointJog, 0 of other joints."""
        joints, velocities = list(message.joint_names), list(message.velocities)
        if len(joints) != len(velocities) or len(joints) > MAX_ENTRIES:
            raise InputError(f'{len(joints)} joint_names and {len(velocities)} velocities; there '
                             'must be equally many; displacements are not followed')
        repeated = [name for name, count in Counter(joints).items() if count > 1]
        if repeated:
            raise InputError(f'joint {repeated[0]!r:.80} is named more than once')
        own = [name for group in groups for name in group.space.joint_names]
        foreign = [name for name in joints if name not in own]
        if foreign:
            raise InputError(f'unknown joint {foreign[0]!r:.80}; the joints are {names(own)}')
        options, scale = self._configuration.servo
        found = dict(zip(joints, velocities))
        factor = scale.joint if options.command_in_type == UNITLESS else 1.0
        return [factor * np.array([found.get(name, 0.0) for name in group.space.joint_names])
                for group in groups]


class ServoStatus:
    """Publishes what servo does with the commands of each arm, and why."""

    def __init__(self, node: LifecycleNode, servo: ServoLoop, commands: ServoCommands,
                 outputs: Outputs) -> None:
        self._servo, self._commands, self._outputs = servo, commands, outputs
        self._last: dict[str, tuple[str, str]] = {}
        self._publisher: Any = None
        try:  # of MoveIt, which is not on PyPI
            from moveit_msgs.msg import ServoStatus as Message
        except ImportError:
            return
        self._message = Message()
        self._publisher = node.create_lifecycle_publisher(
            Message, '~/servo_status', **overridable(10))

    def publish(self) -> None:
        """Publish the status of each arm, on ~/status only one that has changed."""
        found = {name: (INVALID, self._commands.refused[name]) if name in self._commands.refused
                 else servo.reason() for name, servo in self._servo.servos.items()}
        if self._servo.waits_for:
            found[''] = NO_WARNING, f'servo waits: {self._servo.waits_for}'
        for name, (code, text) in found.items():
            if self._last.get(name) != (code, text):
                level = DiagnosticStatus.OK if code == NO_WARNING else DiagnosticStatus.ERROR if (
                    code == INVALID) else DiagnosticStatus.WARN
                self._outputs.status(level, text or 'servo follows its commands', {
                    'arm': name, 'solver': 'servo', 'reason': code,
                    'accepted': str(code != INVALID).lower()})
            if self._publisher is not None:
                self._message.code = getattr(type(self._message), code)
                self._message.message = f'{name}: {text}' if name else text
                self._publisher.publish(self._message)
        self._last = found
