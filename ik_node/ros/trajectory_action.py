"""A client of the action of ros2_control's joint_trajectory_controller, FollowJointTrajectory."""

from collections.abc import Callable
from functools import partial
from typing import Any

from action_msgs.msg import GoalStatus
from rclpy.action import ActionClient
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.task import Future
from trajectory_msgs.msg import JointTrajectory

from ik_node.control.options import ArmOptions
from ik_node.support.exceptions import InputError, UnsupportedError

_ERRORS = {-1: 'the trajectory is invalid or was replaced',
           -2: 'the joints are not those of the controller', -3: 'the trajectory is over',
           -4: 'a joint has left the tolerance of the path',
           -5: 'a joint has not come within the tolerance of the goal in time'}
"""What the error codes of the action's result mean."""


class TrajectoryAction:
    """Sends trajectories as goals of the action, each in place of the one before.

    All is done in the executor's thread. A goal whose trajectory a newer one replaces needs no
    cancellation: the controller goes on with the newer, without a stop.
    """

    def __init__(self, node: Node, name: str, on_end: Callable[[str], None]) -> None:
        """Raise UnsupportedError where the action's type is not installed.

        on_end: called with why the last trajectory is not followed to its end; '' where it was.
        """
        try:
            from control_msgs.action import FollowJointTrajectory
            from control_msgs.msg import JointTolerance
        except ImportError as error:
            raise UnsupportedError('the type of the action, control_msgs/FollowJointTrajectory, '
                                   f'is not installed ({error})') from error
        self._types = FollowJointTrajectory, JointTolerance
        self._name, self._on_end = name, on_end
        self._client: Any = ActionClient(node, FollowJointTrajectory, name)
        self._goal: object | None = None    # the last one sent, until it ends
        self._handle: Any = None            # of the last goal that was accepted, until it ends
        self._errors: dict[str, float] = {}  # of the joints at the last feedback, rad or m

    def send(self, trajectory: JointTrajectory, options: ArmOptions) -> None:
        """Send a trajectory with the tolerances of options."""
        goal_type, tolerance = self._types

        def tolerances(position: float) -> list[Any]:
            return [tolerance(name=name, position=position)
                    for name in trajectory.joint_names if position]
        goal, self._errors = object(), {}
        self._goal = goal
        self._client.send_goal_async(goal_type.Goal(
            trajectory=trajectory, path_tolerance=tolerances(options.path_tolerance),
            goal_tolerance=tolerances(options.goal_tolerance),
            goal_time_tolerance=Duration(seconds=options.goal_time_tolerance).to_msg(),
        ), partial(self._on_feedback, goal)).add_done_callback(partial(self._on_response, goal))

    def check_server(self) -> None:
        """Raise InputError where there is no controller; the goal of one that is gone ends."""
        if not self._client.server_is_ready():
            reason = f'there is no action {self._name!r}: no controller is active'
            if self._goal is not None:
                self._fail(reason)
            raise InputError(reason)

    def cancel(self) -> None:
        """Cancel the goal; the controller then holds the joints as its parameters say."""
        self._goal = None
        if self._handle is not None:
            self._handle.cancel_goal_async()
            self._handle = None

    def destroy(self) -> None:
        """Cancel the goal, and destroy the client."""
        self.cancel()
        self._client.destroy()

    def _on_feedback(self, goal: object, message: Any) -> None:
        if goal is self._goal:
            feedback = message.feedback
            self._errors = dict(zip(feedback.joint_names, feedback.error.positions))

    def _on_response(self, goal: object, future: Future) -> None:
        handle: Any = _result(future)
        if handle is None or not handle.accepted:
            if goal is self._goal:
                self._fail('the controller has rejected the trajectory: its log says why')
            return
        if self._goal is None:  # cancelled meanwhile
            handle.cancel_goal_async()
            return
        self._handle = handle
        handle.get_result_async().add_done_callback(partial(self._on_result, goal, handle))

    def _on_result(self, goal: object, handle: Any, future: Future) -> None:
        if handle is self._handle:
            self._handle = None
        if goal is not self._goal:  # a newer one has replaced it, or it was cancelled here
            return
        response: Any = _result(future)
        if response is None:
            self._fail('the controller has sent no result')
        elif response.status == GoalStatus.STATUS_CANCELED:
            self._fail('another client has cancelled the trajectory')
        elif response.status != GoalStatus.STATUS_SUCCEEDED or response.result.error_code:
            code, text = response.result.error_code, response.result.error_string
            reason = _ERRORS.get(code, f'error code {code}')
            worst = max(self._errors, key=lambda name: abs(self._errors[name]), default=None)
            self._fail(f'the controller has aborted the trajectory: {reason}' + (
                f' ({text})' if text else '') + ('' if worst is None else (
                    f'; {worst!r} was {abs(self._errors[worst]):.4g} rad or m from it')))
        else:
            self._goal = None
            self._on_end('')

    def _fail(self, reason: str) -> None:
        """Let the controller stop, also on an older trajectory, and report why."""
        self.cancel()
        self._on_end(reason)


def _result(future: Future) -> Any:
    """Return the result of a future; None where there is none, as of a node that shuts down."""
    return None if future.cancelled() or future.exception() is not None else future.result()
