"""Goals as they come by message: turned into the arm's base, solved, answered."""

import functools
import time
import traceback
from collections import deque
from collections.abc import Callable

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import PointStamped, PoseArray, PoseStamped
from nav_msgs.msg import Path
from rclpy.lifecycle import LifecycleNode
from rclpy.qos import QoSProfile
from rclpy.time import Time as RosTime
from std_msgs.msg import Header

from ik_node.bounds import MAX_POSES
from ik_node.exceptions import IkError, InputError
from ik_node.ros import conversions, status
from ik_node.ros.answers import Answers, Waypoint
from ik_node.ros.branches import Branches
from ik_node.ros.configuration import Configuration
from ik_node.ros.frames import BASE, Frames
from ik_node.ros.health import Health
from ik_node.ros.measured import Measured
from ik_node.ros.motion import Motions
from ik_node.ros.options import JUMP
from ik_node.ros.outputs import Outputs
from ik_node.ros.robot import Arm, Robot
from ik_node.ros.throttle import Throttle
from ik_node.ros.waiting import NotYetError, Waiting
from ik_node.solvers.goal import Goal

LATEST = QoSProfile(depth=1)  # reliable, volatile: of goals that wait only the newest counts


class Goals:
    """The subscriptions of a configured node, and what is done with what they bring.

    Attributes:
    - `active`: whether the node is; otherwise nothing is answered.
    - `enabled`: whether goals are solved for; otherwise they are refused.
    - `waiting`: whether goals are kept, the newest for each arm, until `go_on`.
    - `branches`: of the last goal of each arm.
    - `motions`: what moves; `measured`: where the real robot is.
    - `frames`: that goals may be in.
    """

    def __init__(self, node: LifecycleNode, configuration: Configuration, outputs: Outputs,
                 health: Health) -> None:
        """Subscribe to the goals of every arm."""
        self.enabled = True
        self.active = False
        self.waiting = False
        self._kept: dict[str, Callable[[], None]] = {}
        self._node, self._configuration = node, configuration
        self._outputs, self._health = outputs, health
        self.frames = Frames(node)
        self._late = Waiting(node)
        self._throttle = Throttle()
        self.branches = Branches(configuration, outputs, self._log)
        self.motions = Motions(node, configuration)
        self.measured = Measured(node, health)
        self._answers = Answers(configuration, outputs, health, self.motions, self.branches,
                                self._log)
        self._paths: dict[str, deque[Waypoint]] = {}
        self._subscriptions = []
        for arm in configuration.arm_names:
            for kind, topic, callback in ((PoseStamped, 'goal_pose', self.take_pose),
                                          (PointStamped, 'goal_point', self.take_point),
                                          (Path, 'goal_path', self._on_path),
                                          (PoseArray, 'goal_poses', self._on_poses)):
                self._subscriptions.append(node.create_subscription(
                    kind, f'{arm}/{topic}' if arm else topic, functools.partial(callback, arm),
                    LATEST))

    def destroy(self) -> None:
        """Take the subscriptions down."""
        for subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)
        self._late.destroy()
        self.frames.destroy()
        self.motions.destroy()
        self.measured.destroy()

    def stop(self) -> None:
        """Forget the paths under way, and goals that wait."""
        self._paths.clear()
        self._kept.clear()
        self._late.stop()

    def go_on(self) -> None:
        """Handle what has come while the solvers were not ready: the newest for each arm."""
        self.waiting = False
        kept, self._kept = self._kept, {}
        for handle in kept.values():
            handle()

    def follow_paths(self) -> None:
        """Go one waypoint further on every path."""
        if self.waiting:
            return
        for arm, waypoints in list(self._paths.items()):
            if not waypoints:
                del self._paths[arm]
                continue
            waypoint = waypoints.popleft()
            self._guarded(arm, waypoint.header, functools.partial(
                self._step, waypoint=waypoint), arrives=False)

    def _step(self, robot: Robot, arm: Arm, waypoint: Waypoint) -> None:
        """Answer for one waypoint; those after one that is not met are forgotten."""
        if not self._answers.answer(robot, arm, *waypoint):
            self._paths.pop(arm.name, None)

    def take_pose(self, name: str, message: PoseStamped) -> None:
        """Answer for a pose, of the arm of this name."""
        self._paths.pop(name, None)
        self._guarded(name, message.header, lambda robot, arm: self._answers.answer(
            robot, arm, self._pose_goal(robot, arm, message), message.header))

    def take_point(self, name: str, message: PointStamped) -> None:
        """Answer for a position."""
        self._paths.pop(name, None)
        self._guarded(name, message.header, lambda robot, arm: self._answers.answer(
            robot, arm, self._point_goal(robot, arm, message), message.header))

    def _on_path(self, name: str, message: Path) -> None:
        self._paths.pop(name, None)
        self._guarded(name, message.header,
                      lambda robot, arm: self._take_path(robot, arm, message))

    def _on_poses(self, name: str, message: PoseArray) -> None:
        self._on_path(name, Path(header=message.header, poses=[
            PoseStamped(header=message.header, pose=pose) for pose in message.poses]))

    def _guarded(self, name: str, header: Header, handle: Callable[[Robot, Arm], object],
                 arrives: bool = True) -> None:
        """Handle a message; whatever is wrong with it, say so once and go on.

        arrives: whether it comes just now, and is no part of what was taken up before.
        """
        if not self.active:
            return
        if self.waiting:
            self._kept[name] = functools.partial(self._guarded, name, header, handle)
            return
        self._answers.taken_up = time.perf_counter()
        robot = self._configuration.robot
        try:
            if robot is None:
                raise InputError('there is no robot yet: no description has come')
            if not self.enabled:
                raise InputError('the node is disabled: call ~/enable')
            if arrives:
                self._check_age(header)
                self.measured.look_after(robot.arms[name])
                self._stand_where_measured(robot, robot.arms[name])
            self.motions.advance(robot)
            handle(robot, robot.arms[name])
        except NotYetError as error:
            self._put_off(name, header, handle, error)
            return
        except IkError as error:
            self._refuse(name, header, str(error))
        except Exception:  # a defect of ours must not take the robot's node down
            self._refuse(name, header, f'internal error:\n{traceback.format_exc()}')
        self._late.overtaken(name)

    def _put_off(self, name: str, header: Header, handle: Callable[[Robot, Arm], object],
                 error: NotYetError) -> None:
        """Handle a message later, as soon as its frame is known; refuse it if that takes long."""
        timeout = self._configuration.options.tf_timeout
        again = functools.partial(self._guarded, name, header, handle)
        if not self._late.wait(name, error.come, again, timeout):
            waited = f'; it has waited {timeout:g} s for it' if timeout > 0.0 else ''
            self._refuse(name, header, f'{error}{waited}')

    def stand_where_measured(self, robot: Robot) -> None:
        """Let arms that nobody has sent anywhere yet stand where they were measured."""
        for arm in robot.arms.values():
            if not self._answers.has_sent(arm):
                self._stand_where_measured(robot, arm)

    def _stand_where_measured(self, robot: Robot, arm: Arm) -> None:
        if not self.motions.moves(arm):
            self.measured.take_up(robot, arm)

    def _check_age(self, header: Header) -> None:
        """Raise InputError for a goal that is too old, where that matters; no stamp has no age."""
        most = self._configuration.options.max_goal_age
        stamp = 1e-9 * RosTime.from_msg(header.stamp).nanoseconds if most > 0.0 else 0.0
        if stamp > 0.0:
            age = 1e-9 * self._node.get_clock().now().nanoseconds - stamp
            if age > most:
                raise InputError(f'the goal is {age:.3f} s old, more than max_goal_age allows, '
                                 f'{most:g} s')

    def _refuse(self, name: str, header: Header, reason: str) -> None:
        self._log(f'goal refused: {reason}')
        self._health.refuse()
        robot = self._configuration.robot
        stamp = Time() if robot is None else self._outputs.joint_states(robot)
        self._outputs.status(status.refused(name, reason, header, stamp))
        self._outputs.scene.show_refusal(name, reason)

    def _log(self, line: str) -> None:
        if self._throttle.allows(line, time.monotonic()):
            self._node.get_logger().warning(line)

    def _pose_goal(self, robot: Robot, arm: Arm, message: PoseStamped) -> Goal:
        T_frame_goal = conversions.pose_to_matrix(message.pose)
        T_base_frame = self._in_base(robot, arm, message.header)
        if T_base_frame is BASE and arm.weights is None:
            return Goal.of_clean_pose(T_frame_goal)
        return Goal.from_pose(T_base_frame @ T_frame_goal, arm.weights)

    def _point_goal(self, robot: Robot, arm: Arm, message: PointStamped) -> Goal:
        p = np.array([*conversions.point_to_array(message.point), 1.0])
        position = (self._in_base(robot, arm, message.header) @ p)[:3]
        weights = arm.task_weights
        return Goal(position=position, weights=weights if np.any(weights[:3]) else None)

    def _in_base(self, robot: Robot, arm: Arm, header: Header) -> np.ndarray:
        return self.frames.in_base(robot, arm, header, self._configuration.options)

    def _take_path(self, robot: Robot, arm: Arm, message: Path) -> None:
        """Check all of a path before the first step on it; one without poses stops the arm."""
        if len(message.poses) > MAX_POSES:
            raise InputError(f'a path must have at most {MAX_POSES} poses, not '
                             f'{len(message.poses)}')
        waypoints: deque[Waypoint] = deque()
        for i, pose in enumerate(message.poses):
            place = f'waypoint {i + 1} of {len(message.poses)}'
            if not pose.header.frame_id:
                pose.header.frame_id = message.header.frame_id
                if pose.header.stamp == Time():
                    pose.header.stamp = message.header.stamp
            try:
                waypoints.append(Waypoint(self._pose_goal(robot, arm, pose), pose.header, place))
            except NotYetError as error:
                raise NotYetError(f'{place}: {error}', error.come) from error
            except IkError as error:
                raise InputError(f'{place}: {error}') from error
        if self._configuration.options.motion == JUMP:
            self._paths[arm.name] = waypoints
        elif waypoints:
            self._answers.through(robot, arm, waypoints, message.header)
        else:
            self.motions.halt(robot, arm)
