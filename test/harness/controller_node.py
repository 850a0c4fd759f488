"""Nodes of ros2_control in a graph: joint_trajectory_controller and joint_state_broadcaster."""

import contextlib
from array import array

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed (make test brings it from PyPI)')

from rclpy.duration import Duration
from rclpy.task import Future
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from harness.trajectory_controller import DEFAULTS, Goal, TrajectoryController

_FEEDBACK_PERIOD = 50_000_000  # ns: action_monitor_rate is 20 Hz


class ControllerNode:
    """A `TrajectoryController` on its topic, and its action where control_msgs is installed.

    node: an rclpy node, which is spun elsewhere, or the `node` of a `NodeHere`. others: joints that
    are published beside its own, with their values, rad or m. rate: of the controller manager, Hz.
    states: the topic of joint states, which joint_state_broadcaster publishes.

    - `controller`; `received`: all trajectories, those that are refused included.
    """

    def __init__(self, node, joints, q, name='joint_trajectory_controller', rate=100.0,
                 rules=DEFAULTS, others=None, states='joint_states', **options):
        self._node, self.others = node, dict(others or {})
        period = round(1e9 / rate)
        self.controller = TrajectoryController(joints, q, period, rules, **options)
        self.received = []
        self._pending = {}  # goals by their id, with their handle and the future of their result
        self._feedback_at = 0
        self._states = node.create_publisher(JointState, states, 10)
        node.create_subscription(JointTrajectory, f'{name}/joint_trajectory', self._receive, 10)
        self._timer = node.create_timer(1e-9 * period, self._cycle)
        self.action = self._action(f'{name}/follow_joint_trajectory')

    def _now(self):
        return self._node.get_clock().now()

    def _receive(self, message):
        self.received.append(message)
        self.controller.receive(message, self._now().nanoseconds)

    def _cycle(self):
        now = self._now()
        self.controller.update(now.nanoseconds)
        q, v, _ = self.controller.measured
        v = np.zeros(len(q)) if v is None else v
        message = JointState(name=[*self.controller.joints, *self.others],
                             position=array('d', [*q, *self.others.values()]),
                             velocity=array('d', [*v, *[0.0] * len(self.others)]))
        message.header.stamp = now.to_msg()
        for goal, handle, ended in list(self._pending.values()):
            if goal.result is not None and not ended.done():
                ended.set_result(None)
            elif now.nanoseconds - self._feedback_at >= _FEEDBACK_PERIOD:
                self._send_feedback(handle, message.header)
        self._states.publish(message)

    def _action(self, name):
        """Return the server of the action; None without control_msgs, or in a `NodeHere`."""
        with contextlib.suppress(ImportError):
            from control_msgs.action import FollowJointTrajectory
            from rclpy.action import ActionServer, CancelResponse, GoalResponse
            from rclpy.node import Node
            if isinstance(self._node, Node):
                return ActionServer(
                    self._node, FollowJointTrajectory, name, self._execute,
                    goal_callback=lambda request: GoalResponse(
                        GoalResponse.REJECT if self._rejects(request) else GoalResponse.ACCEPT),
                    handle_accepted_callback=self._accept,
                    cancel_callback=lambda handle: (
                        self.controller.cancel(self._pending[_id(handle)][0]),
                        CancelResponse.ACCEPT)[1])
        return None

    def _rejects(self, request):
        reason = self.controller.why_refused(request.trajectory, self._now().nanoseconds)
        if reason:
            self.controller.refused.append(reason)
        return bool(reason)

    def _accept(self, handle):
        request = handle.request
        self.received.append(request.trajectory)
        goal = Goal(request.trajectory,
                    {one.name: one.position for one in request.path_tolerance},
                    {one.name: one.position for one in request.goal_tolerance},
                    Duration.from_msg(request.goal_time_tolerance).nanoseconds / 1e9)
        self.controller.send(goal, self._now().nanoseconds)
        self._pending[_id(handle)] = goal, handle, Future()
        handle.execute()

    async def _execute(self, handle):
        from control_msgs.action import FollowJointTrajectory
        goal, _, ended = self._pending[_id(handle)]
        await ended
        del self._pending[_id(handle)]
        code, text = goal.result
        if code is None:
            handle.canceled()
            return FollowJointTrajectory.Result()
        (handle.abort if code else handle.succeed)()
        return FollowJointTrajectory.Result(error_code=code, error_string=text)

    def _send_feedback(self, handle, header):
        from control_msgs.action import FollowJointTrajectory
        self._feedback_at = self._now().nanoseconds
        desired, measured = self.controller.desired.q, self.controller.measured.q
        handle.publish_feedback(FollowJointTrajectory.Feedback(
            header=header, joint_names=list(self.controller.joints),
            **{name: JointTrajectoryPoint(positions=np.asarray(q).tolist()) for name, q in (
                ('desired', desired), ('actual', measured), ('error', desired - measured))}))


def _id(handle):
    return bytes(handle.goal_id.uuid)
