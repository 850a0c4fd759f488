"""The service ~/compute_ik, as MoveIt's users know it, where its messages are installed."""

import traceback
from typing import Any

from rclpy.lifecycle import LifecycleNode

from ik_node.exceptions import IkError
from ik_node.ros.bounded_solvers import COMPILING, BoundedSolvers
from ik_node.ros.configuration import Configuration
from ik_node.ros.goals import Goals
from ik_node.ros.ik_request import Answer, Code, Means, solve_once

NAME = '~/compute_ik'


class IkService:
    """Solves once for whoever asks; nothing moves, and nothing is remembered."""

    def __init__(self, node: LifecycleNode, configuration: Configuration, goals: Goals) -> None:
        """Offer the service, or say that it cannot be. goals: whose frames are known here, too."""
        self._node, self._configuration, self._goals = node, configuration, goals
        self._solvers = BoundedSolvers()
        self._service: Any = None
        try:
            from moveit_msgs.srv import GetPositionIK
        except ImportError as error:
            node.get_logger().info(
                f'there is no service {NAME}: moveit_msgs is not installed ({error})', once=True)
            return
        self._service = node.create_service(GetPositionIK, NAME, self.on_request)

    def destroy(self) -> None:
        """Take the service down."""
        if self._service is not None:
            self._node.destroy_service(self._service)

    def on_request(self, request: Any, response: Any) -> Any:
        """Fill in the response to a moveit_msgs/GetPositionIK request."""
        try:
            answer = self._answer(request.ik_request)
        except IkError as error:
            answer = Answer(Code.FAILURE, str(error), {})
        except Exception:  # a defect of ours must not take the robot's node down
            answer = Answer(Code.FAILURE, f'internal error:\n{traceback.format_exc()}', {})
        response.error_code.val = int(answer.code)
        # The messages of Humble have no words for it.
        for field, text in (('message', answer.message),
                            ('source', self._node.get_fully_qualified_name())):
            if hasattr(response.error_code, field):
                setattr(response.error_code, field, text)
        robot = self._configuration.robot
        if answer.joints and robot is not None:
            state = response.solution.joint_state
            state.header.stamp = self._node.get_clock().now().to_msg()
            state.header.frame_id = self._configuration.options.frame_prefix + robot.tree.root
            state.name, state.position = list(answer.joints), list(answer.joints.values())
        return response

    def _answer(self, request: Any) -> Answer:
        options, robot = self._configuration.options, self._configuration.robot
        trouble = ('the node is not active' if not self._goals.active else
                   'there is no robot yet' if robot is None else
                   COMPILING if self._goals.waiting else '')
        if robot is None or trouble:
            return Answer(Code.FAILURE, trouble, {})
        self._goals.motions.advance(robot)
        return solve_once(request, robot, Means(
            lambda there, arm, header: self._goals.frames.in_base(there, arm, header, options),
            self._solvers.solver, options.frame_prefix))
