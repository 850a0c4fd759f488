"""Goals of arms and tasks by topic: checked, converted, and executed by controllers."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter
from typing import Any

from geometry_msgs.msg import PointStamped, PoseArray, PoseStamped
from nav_msgs.msg import Path
from rclpy.clock import Clock
from rclpy.lifecycle import LifecycleNode
from sensor_msgs.msg import JointState
from std_msgs.msg import Header

from ik_node.control.controller import Controller, Outcome
from ik_node.control.group import Group
from ik_node.control.group_servo import GroupServo
from ik_node.control.options import ACTION, SERVO
from ik_node.control.robot import Robot
from ik_node.control.worker import NEWER, START, CancelledError, Job, Worker
from ik_node.ros.configuration import Configuration
from ik_node.ros.conversions import time_of
from ik_node.ros.execution.execution import Execution
from ik_node.ros.intake import goal_messages as messages
from ik_node.ros.intake.frames import Frames
from ik_node.ros.intake.goal_messages import LongPath
from ik_node.ros.intake.measured import Measured
from ik_node.ros.intake.waiting import NotYetError, Waiting
from ik_node.ros.publishing.outcomes import Outcomes
from ik_node.ros.publishing.status import Arrival
from ik_node.ros.topics import LATEST, goal_topic, overridable
from ik_node.support.exceptions import InputError
from ik_node.tasks.base import POINT

_TARGETS = PoseStamped, PointStamped
_PATHS = Path, PoseArray
_content = attrgetter('content')


@dataclass(eq=False)
class _Received:
    """A goal that has been checked and converted; of arms and tasks its content is a `TaskGoal`."""

    arrival: Arrival
    content: Any


@dataclass
class _Pending:
    """The goals of one controller that have not been answered."""

    newest: dict[str, _Received] = field(default_factory=dict)  # by task
    searched: list[_Received] = field(default_factory=list)     # that are solved for at present
    serving: int = 0                                            # generators that solve for them


class Goals:
    """The goals of a configured node, for each arm and task.

    - `active`: whether the node is active; otherwise goals are ignored, which is logged once.
    - `enabled`: whether goals are solved; otherwise they are refused.
    - `worker`: executes goals, those of a group by the key ('goals', its name), and converts long
      paths by the key ('paths', its name).
    - `waiting`: those whose frame may still come.
    - `join_side`: returns the servo of the joints of no arm, see `ServoLoop.join`.
    """

    def __init__(self, node: LifecycleNode, configuration: Configuration, execution: Execution,
                 outcomes: Outcomes, measured: Measured, frames: Frames, worker: Worker,
                 steady: Clock, on_leave: Callable[[Group], None]) -> None:
        """Subscribe. on_leave: called with a group that joint values move away from its goals."""
        self.active, self.enabled, self._ignored = False, True, False
        self._node, self._configuration, self._execution = node, configuration, execution
        self._outcomes, self._frames, self._on_leave = outcomes, frames, on_leave
        self.measured, self.worker = measured, worker
        self.join_side: Callable[[], Job[GroupServo]]
        self.waiting = Waiting(node, steady, self.take, outcomes.refuse)
        self._newest: dict[str, Arrival] = {}  # the last goal of each group that was not refused
        self._pending: dict[Controller, _Pending] = {}
        self._subscriptions: dict[tuple[str, type], Any] = {}
        self._streams: dict[tuple[str, type], Any] = {}  # those of tasks that have had goals
        self._arms = {(name, kind) for name in configuration.arm_names
                      for kind in (*_TARGETS, *_PATHS, JointState)}
        self.update()

    def update(self) -> None:
        """Subscribe to the goals of arms and of the tasks of the robot, and to no others."""
        wanted, robot = set(self._arms), self._configuration.robot
        for group in [] if robot is None else robot.groups.values():
            for name, task in group.tasks.items():
                if name not in group.tips and task.is_movable:
                    wanted.add((name, PointStamped if task.target_kind == POINT else PoseStamped))
        self._streams.clear()
        for gone in self._subscriptions.keys() - wanted:
            self._node.destroy_subscription(self._subscriptions.pop(gone))
        for name, kind in wanted - self._subscriptions.keys():
            is_path = kind in _PATHS
            self._subscriptions[name, kind] = self._node.create_subscription(
                kind, goal_topic(kind, name), partial(self._take_path, kind, name)
                if is_path else partial(self.take, name), raw=is_path, **overridable(LATEST))

    def activate(self, active: bool) -> None:
        """Begin to handle goals, or stop."""
        if not active:
            self.worker.cancel_all('the node has been deactivated')
            self.stop('the node has been deactivated')
        self.active, self._ignored = active, False

    def stop(self, reason: str) -> None:
        """End the current paths, and refuse the goals under way."""
        self.worker.cancel(reason, *((kind, name) for name in self._execution.controllers
                                     for kind in ('paths', 'goals')))
        for controller in self._execution.controllers.values():
            controller.waypoints.clear()  # motions continue
        self.waiting.stop(reason)

    def _take_path(self, kind: Any, name: str, data: bytes) -> None:
        self.take(name, messages.read_path(kind, data))

    def take(self, name: str, message: Any, begins: bool = True) -> None:
        """Take a goal for the arm or task of this name: check and convert it, and execute it.

        A goal of a task is solved for together with those of others that have not been answered.
        begins: whether that begins now. Joint values and paths replace all goals under way.
        """
        if not self.active:
            if not self._ignored:
                self._ignored = True
                self._node.get_logger().warning(
                    'goals are ignored: the node is inactive; activate it first')
            return
        robot, is_target = self._configuration.robot, type(message) in _TARGETS
        group, task = None, name
        if robot is not None:
            group, task = robot.tasks[name] if name in robot.tasks else (
                robot.groups.get(name), name)
        arrival = Arrival(task if is_target else name, message.header, time.perf_counter(),
                          'all waypoints' if isinstance(message, Path | LongPath) else '')
        try:
            if robot is None:
                raise InputError('there is no robot yet: no description has been received')
            if not self.enabled:
                raise InputError('the node is disabled: call ~/enable')
            if group is None:
                raise InputError(f'there is no arm or task {name!r} any more')
            groups = (messages.named_groups(robot, group, message.name)
                      if isinstance(message, JointState) else [group])
            if self._configuration.options.motion == SERVO and groups != [robot.side]:
                raise InputError('goals are refused while motion is servo: publish commands, such '
                                 'as twists on ~/delta_twist_cmds, or set motion to another value')
            group = groups[0]
            controller = self._execution.controllers[group.name]
            if self._configuration.options.max_goal_age > 0.0:
                self._check_age(message.header)
            for one in groups:
                moved = self._execution.controllers[one.name]
                if one.output[0] == ACTION:
                    self._execution.commands.check(one)
                if self.measured.topic and moved.servo is None:
                    self.measured.check_freshness(one)
                    self.measured.check_start(moved)
                    if not self.is_busy(moved):
                        self.measured.update(moved)
            content = (self._frames.to_goal(robot, group, task, message) if is_target
                       else self._converted(robot, groups, name, message))
        except NotYetError as error:
            self._wait(arrival, message, error)
            return
        except Exception as error:
            self._outcomes.refuse(arrival, error)
            return
        self._newest[group.name] = arrival
        if self.waiting.goals:
            self.waiting.refuse_older(arrival.name)
        if not is_target:
            self._begin(controller, arrival, content)
            return
        pending = self._pending.setdefault(controller, _Pending())
        older = pending.newest.get(task)
        if older is not None and older not in pending.searched:
            self._outcomes.refuse(older.arrival, NEWER)
        pending.newest[task] = _Received(arrival, content)
        if len(group.tasks) > 1:
            own = task, type(message)
            if own in self._subscriptions:
                self._streams[own] = self._subscriptions[own]
        if begins:
            pending.serving += 1
            self.worker.begin(('goals', group.name), self._serve(controller, pending, task))

    def _serve(self, controller: Controller, pending: _Pending, task: str) -> Job[None]:
        """Solve for all accepted goals together; where they cannot be met so, one by one.

        task: the one whose goal has begun it; those of others that have come are taken now, so that
        streams of several are solved once for all. Cancelled for newer goals, it leaves those that
        have not been answered to the next one.
        """
        searched: list[_Received] = []
        try:
            yield START
            for (name, kind), subscription in list(self._streams.items()):
                if name != task and name in controller.group.tasks:
                    with subscription.handle:
                        taken = subscription.handle.take_message(kind, False)
                    if taken is not None:
                        self.take(name, taken[0], False)
            searched = pending.searched = list(pending.newest.values())
            if self.measured.topic:
                self.measured.update(controller)
            batches = [searched.copy()]
            for goals in batches:
                is_alone = len(goals) == 1
                try:
                    outcome = yield from controller.go(list(map(_content, goals)))
                    is_answer = is_alone or outcome.accepted
                    if is_answer:
                        stamp = self._outcomes.outputs.joint_states(controller.robot)
                        self._outcomes.publish(controller, outcome, goals[0].arrival, stamp)
                except Exception as error:  # of several it is reported with the one that has it
                    is_answer = is_alone
                    if is_alone:
                        self._outcomes.refuse(goals[0].arrival, error)
                if not is_answer:
                    batches += [[goal] for goal in goals]
                    continue
                for goal in goals:
                    searched.remove(goal)
                    if pending.newest.get(goal.content.task) is goal:
                        del pending.newest[goal.content.task]
        except CancelledError as error:
            left = [goal for goal in searched
                    if pending.newest.get(goal.content.task) is not goal]
            if pending.serving == 1:  # no other generator solves for the rest
                left += pending.newest.values()
                pending.newest.clear()
            for goal in left:
                self._outcomes.refuse(goal.arrival, error)
        finally:
            searched.clear()
            pending.serving -= 1
            if not (pending.serving or pending.newest):
                self._pending.pop(controller, None)

    def _converted(self, robot: Robot, groups: Sequence[Group], name: str, message: Any) -> Any:
        """Return the content of a message of joint values, or of a path; see `_begin`."""
        if isinstance(message, LongPath):
            message.check()
            return message
        if isinstance(message, Path):
            return [*messages.waypoints_of(self._frames, robot, groups[0], name, message)]
        self._execution.follow(robot)
        return messages.configurations_of(robot, groups, name, message)

    def _begin(self, controller: Controller, arrival: Arrival, content: Any) -> None:
        """Begin to move to joint values of groups, through waypoints, or convert a `LongPath`."""
        if isinstance(content, LongPath):
            self.worker.begin(('paths', controller.group.name),
                              self._convert(controller, arrival, content))
        elif isinstance(content, list):
            self._execute(controller, arrival, messages.move_through(content, controller))
        else:
            self._execute(controller, arrival, self._move(controller, arrival, content))

    def _move(self, controller: Controller, arrival: Arrival,
              values: Mapping[Group, Any]) -> Job[Outcome]:
        group, durations = controller.group, list[float | None]()
        moved = {own: self._execution.controllers[own.name]
                 for own in sorted(values, key=lambda own: own is not group)}  # the arm first
        for own, one in [*moved.items()][1:]:  # refused before anything moves
            yield from one.check_move_to(values[own])
        for own, one in moved.items():
            self._on_leave(own)
            if own is not group:
                self.worker.cancel(NEWER, ('goals', own.name))
            if own.motion == SERVO:
                (yield from self.join_side()).go_to(values[own])
            else:
                durations.append((yield from one.go_to(values[own])))
        duration = max(durations, key=lambda one: one or 0.0, default=None)
        if arrival.name not in group.tasks:  # the goals of all tasks are superseded
            for task in group.tasks:
                self.waiting.refuse_older(task)
        return Outcome((), None, True, duration)

    def _convert(self, controller: Controller, arrival: Arrival, path: LongPath) -> Job[None]:
        """Convert a path, then follow it."""
        try:
            yield START
            waypoints = yield from messages.read_waypoints(
                path, self._frames, controller, arrival.name)
            if self._newest[controller.group.name] is not arrival:
                raise CancelledError(NEWER)
        except NotYetError as error:
            self._wait(arrival, path, error)
        except (Exception, CancelledError) as error:
            self._outcomes.refuse(arrival, error)
        else:
            self._execute(controller, arrival, messages.move_through(waypoints, controller))

    def _execute(self, controller: Controller, arrival: Arrival, goal: Job[Outcome | None],
                 is_new: bool = True) -> None:
        """Execute a goal in place of all that are under way, and publish its outcome.

        is_new: not a step of the current path.
        """
        def execution() -> Job[None]:
            try:
                yield START
                if is_new:
                    self.measured.update(controller)
                outcome = yield from goal
                if outcome is not None:
                    stamp = self._outcomes.outputs.joint_states(controller.robot)
                    self._outcomes.publish(controller, outcome, arrival, stamp)
            except (Exception, CancelledError) as error:
                self._outcomes.refuse(arrival, error)
            finally:
                goal.close()
        key = 'goals', controller.group.name
        if is_new:
            self.worker.cancel(NEWER, key)
        self.worker.begin(key, execution())

    def follow(self, robot: Robot) -> None:
        """Go to the next waypoint of every path whose group is not on its way to another goal.

        Joints at rest that no goal has moved yet are set to their measured values.
        """
        for controller in self._execution.controllers.values():
            if self.is_busy(controller):
                continue
            if not controller.has_moved and controller.group is not robot.side:
                self.measured.update(controller)
            if controller.waypoints:
                waypoint = controller.waypoints.popleft()
                goal = waypoint.goal
                self._execution.follow(robot)
                self._execute(controller, Arrival(
                    goal.task, goal.header, time.perf_counter(), waypoint.place),
                    messages.follow(waypoint, controller), False)

    def is_busy(self, controller: Controller) -> bool:
        """Return whether a goal of a controller is being executed."""
        return self.worker.is_busy(('goals', controller.group.name))

    def active_robot(self) -> Robot:
        """Return the robot. Raises InputError where the node is not active, or has none yet."""
        if not self.active:
            raise InputError('the node is not active')
        if self._configuration.robot is None:
            raise InputError('there is no robot yet')
        return self._configuration.robot

    def _wait(self, arrival: Arrival, message: Any, error: NotYetError) -> None:
        """Take a goal again as soon as it can be converted; refuse it after the timeout."""
        timeout = self._configuration.options.tf_timeout
        if not self.waiting.wait(arrival, message, error.come, timeout):
            waited = f'; waited {timeout:g} s for it' if timeout > 0.0 else ''
            self._outcomes.refuse(arrival, f'{error}{waited}')

    def _check_age(self, header: Header) -> None:
        """Raise InputError for a stamp that is no time, or older than max_goal_age; 0 is no age."""
        most, stamp = self._configuration.options.max_goal_age, 1e-9 * time_of(header).nanoseconds
        if stamp > 0.0:
            age = 1e-9 * self._node.get_clock().now().nanoseconds - stamp
            if age > most:
                raise InputError(f'the goal is {age:.3f} s old, more than max_goal_age allows, '
                                 f'{most:g} s')
