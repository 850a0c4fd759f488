"""The motion servo: arms follow streams of commands, sampled by a thread at publish_rate."""

from array import array
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from rclpy.clock import Clock
from sensor_msgs.msg import JointState

from ik_node.collision.model import CollisionModel
from ik_node.control.collision_world import place_others
from ik_node.control.controller import Controller
from ik_node.control.group import Group
from ik_node.control.group_servo import GroupServo
from ik_node.control.options import POSITIONS, SERVO, SIDE, NodeOptions, ServoOptions
from ik_node.control.robot import Robot
from ik_node.control.worker import START, CancelledError, Job, LongSearch, Worker
from ik_node.motion.servo_guard import GuardedServos
from ik_node.motion.trajectory import Rest, Trajectory
from ik_node.ros.conversions import clock_seconds, stamp_of
from ik_node.ros.execution.execution import Execution
from ik_node.ros.execution.motion_clock import next_sample
from ik_node.ros.execution.rate_thread import RateThread
from ik_node.ros.intake.measured import Measured
from ik_node.ros.publishing.health import Health
from ik_node.ros.publishing.outputs import Outputs
from ik_node.support.exceptions import IkError, InputError
from ik_node.support.processes import Notify

_LONGEST = 3.0   # s, of braking
_WINDOWS = 20_000_000  # ns from one window of a controller to the next
_BEGINNING = 'servo'  # what the worker prepares
_MOVED = 0.05    # rad or m from the last command beyond which joints were moved by others


class ServoLoop:
    """Runs the servos of all groups of the robot while the motion is servo.

    Its thread is then the only one that publishes joint states. Joints begin at the last command,
    or where they are measured where that is elsewhere, inside the limits or not.

    - `waits_for`: why it does not run though it should.
    """

    def __init__(self, execution: Execution, outputs: Outputs, measured: Measured, worker: Worker,
                 health: Health, steady: Clock, warn: Notify) -> None:
        self._running: tuple[dict[str, GroupServo], GuardedServos | None] = {}, None
        self.waits_for = ''
        self._execution, self._outputs, self._measured = execution, outputs, measured
        self._worker, self._health, self._steady, self._warn = worker, health, steady, warn
        self._setup: Any = None  # what it runs for
        self._thread: RateThread | None = None
        self._robot: Robot | None = None
        self._publisher: Any = None
        self._message = JointState()
        self._ends = False
        self._period = self._stamp = 0  # ns, of the last sample
        self._collisions: dict[int, CollisionModel | None] = {}  # by the number of servos
        self._world: Any = None  # what it keeps away from

    @property
    def servos(self) -> dict[str, GroupServo]:
        """The servos by their groups; empty while it does not run."""
        return self._running[0]

    def keep(self, robot: Robot | None, options: NodeOptions, servo: ServoOptions) -> None:
        """End unless it runs for this robot, its motion is servo, and its options are these."""
        setup = None if robot is None or options.motion != SERVO else (
            list(robot.groups.values()), options.publish_rate, options.joint_states_topic,
            servo.thread_priority, servo.lock_memory)
        if setup != self._setup:
            self.end()
            self._setup, self._robot, self.waits_for = setup, robot, ''

    def begin(self) -> None:
        """Begin where it should run, as soon as it is known where the joints are."""
        if self._setup is not None and not (self.servos or self._worker.is_busy(_BEGINNING)):
            self._worker.begin(_BEGINNING, self._begin(self._robot, self._setup))

    def refresh(self) -> None:
        """Keep away from where obstacles and other joints are now.

        After a defect, which has ended the thread, it does not run until parameters are set.
        """
        if self._thread is not None and not self._thread.runs:
            self.end()
            self._setup, self.waits_for = None, ('an internal error has ended servo, see the log; '
                                                 'set motion anew')
        robot, (servos, guard) = self._robot, self._running
        if robot is not None and guard is not None:
            place_others(guard.collisions, robot.present)
            if len(servos) > 1 and robot.world is not self._world:
                self._world = robot.world
                guard.collisions.set_obstacles(robot.world.obstacles)

        if SIDE in servos and self._measured.topic and servos[SIDE].rests and (
                not servos[SIDE].group.output[1]):  # others may move them
            arms = {name: servo for name, servo in servos.items() if name != SIDE}
            self._run(arms)
            self._execution.controllers[SIDE].end_servo()

    def _run(self, servos: dict[str, GroupServo]) -> None:
        """Let these servos run, and keep from contact, from the next cycle on."""
        collisions = self._collisions[len(servos)]
        self._running = servos, None if collisions is None else GuardedServos(
            collisions, [one.servo for one in servos.values()])

    def _begin(self, robot: Any, setup: Any) -> Job[None]:
        _, rate, _, priority, lock_memory = setup
        controllers = self._execution.controllers
        try:
            yield START
            for group in robot.groups.values():
                if self._measured.topic and group is not robot.side:
                    self._measured.check_freshness(group)
            arms = [group for group in robot.groups.values() if group is not robot.side]
            self._collisions = {len(arms): (yield from _collisions(robot, arms))}
            if self._setup is not setup:
                return
            servos = {group.name: GroupServo(
                group, 1.0 / rate, _start(robot, controllers[group.name])) for group in arms}
            self._run(servos)
        except IkError as error:
            self.waits_for = str(error)
            return
        except CancelledError:
            return
        self.waits_for, self._ends, self._world = '', False, robot.world
        for name, servo in servos.items():
            self._execution.commands.end(controllers[name].group)
            controllers[name].begin_servo(servo)
        self._publisher, self._outputs.publisher = self._outputs.publisher, None
        self._message.name = robot.joint_names
        self._period, self._stamp = round(1e9 / rate), self._execution.stamp()
        self._thread = RateThread(1.0 / rate, self._cycle, priority, lock_memory, self._warn,
                                  phase=self._execution.commands.phase)
        self._health.deviations = self._thread.deviations

    def join(self) -> Job[GroupServo]:
        """Return the servo of the joints of no arm, which begins with their first command.

        Until then they are where they are measured. Raises InputError while servo does not run.
        """
        robot, setup = self._robot, self._setup
        if self._thread is None or robot is None or robot.side is None:
            raise InputError(self.waits_for or 'servo does not run: the node is not active')
        if SIDE not in self.servos:
            count = len(robot.groups)
            if count not in self._collisions:
                self._collisions[count] = None if self._running[1] is None else (
                    yield from _collisions(robot, list(robot.groups.values())))
            if self._setup is not setup or self._thread is None:
                raise InputError('servo has begun anew')
            controller = self._execution.controllers[SIDE]
            servo = GroupServo(robot.side, 1e-9 * self._period, _start(robot, controller))
            self._execution.commands.end(robot.side)
            self._run({**self.servos, SIDE: servo})
            controller.begin_servo(servo)
        return self.servos[SIDE]

    def end(self) -> None:
        """Brake, and end the thread when all joints rest; `begin` begins anew."""
        if self._thread is None:
            return
        self.stop('servo ends')
        self._ends = True
        if not self._thread.end(_LONGEST):
            self._warn(f'servo has not come to rest within {_LONGEST:g} s: joints stop at once')
        self._thread, self._health.deviations, self._running = None, [], ({}, None)
        self._outputs.publisher = self._publisher
        for controller in self._execution.controllers.values():
            controller.end_servo()

    def stop(self, reason: str) -> None:
        """Brake, and follow no command until the next one."""
        for servo in self.servos.values():
            servo.stop(reason)

    def servo(self, name: str) -> GroupServo:
        """Return the servo of a group. Raises InputError while there is none."""
        if name == SIDE and name not in self.servos:
            self._worker.begin(SIDE, self._join())
        if name not in self.servos:
            raise InputError(self.waits_for or 'servo does not run: the node is not active'
                             if name != SIDE or self._thread is None else
                             'the shapes of the joints beside the arm are read')
        return self.servos[name]

    def _join(self) -> Job[None]:
        try:
            yield START
            yield from self.join()
        except IkError as error:
            self._warn(str(error))
        except CancelledError:
            return

    def _cycle(self, cycles: int, late: float) -> bool:
        """Take the samples of some periods, publish the last; return whether more are to come."""
        now, robot, before = clock_seconds(self._steady), self._robot, self._stamp
        assert robot is not None
        self._stamp = next_sample(self._stamp, cycles * self._period,
                                  self._execution.stamp() - round(1e9 * late))
        values, velocities, (servos, guard) = robot.present, dict[str, float](), self._running
        for k in reversed(range(cycles)):
            for servo in servos.values():
                servo.prepare(now)
            if guard is not None:
                guard.advance()
            for servo in servos.values():
                if guard is None:
                    servo.servo.advance()
                servo.keep(self._stamp - k * self._period)
        for servo in servos.values():
            names, state = servo.group.space.joint_names, servo.state()
            values.update(zip(names, state.position.tolist()))
            velocities.update(zip(names, state.velocity.tolist()))
        for servo in servos.values():
            if servo.group.output[0] == POSITIONS:
                self._execution.commands.positions(servo.group, values)
            elif servo.window is not None and self._stamp // _WINDOWS > before // _WINDOWS:
                self._execution.commands.window(servo.group, *servo.window.trajectory())
        if self._publisher is not None:
            self._message.header.stamp = stamp_of(self._stamp)
            self._message.position = array('d', robot.joint_values(values).values())
            self._message.velocity = array('d', robot.joint_velocities(velocities).values())
            self._publisher.publish(self._message)
        return not (self._ends and all(servo.rests for servo in servos.values()))


def _collisions(robot: Robot, groups: Sequence[Group]) -> Job[CollisionModel | None]:
    """Return the collision model of groups together; None where no solver avoids collisions."""
    models = [group.solver.collisions for group in groups if group.solver.collisions is not None]
    if len(groups) < 2 or not models:
        return models[0] if models else None
    body = robot.tree.body(joints=[name for group in groups for name in group.space.joint_names])
    margin = max(group.source.collision_options.margin for group in groups)
    made: CollisionModel = yield LongSearch(partial(
        CollisionModel, body, robot.world.obstacles, margin, disabled=groups[0].source.disabled))
    return made


def _start(robot: Robot, controller: Controller) -> Trajectory:
    """Return where a servo begins: in motion, at the last command, or where joints were moved."""
    motion, names = controller.remaining(), controller.group.space.joint_names
    if motion.duration:
        return motion
    measured = np.array([robot.measured.get(name, value)
                         for name, value in zip(names, motion.end.tolist())])
    is_elsewhere = np.abs(measured - motion.end).max(initial=0.0) > _MOVED
    return Rest(measured) if is_elsewhere or not controller.has_moved else motion
