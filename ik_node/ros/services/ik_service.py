"""The service ~/compute_ik, MoveIt's GetPositionIK, where its messages are installed."""

from math import inf
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.lifecycle import LifecycleNode
from std_msgs.msg import Header

from ik_node.collision.model import CollisionModel
from ik_node.control.group import Group
from ik_node.control.worker import CancelledError, Job
from ik_node.ros.configuration import Configuration
from ik_node.ros.execution.execution import Execution
from ik_node.ros.intake.frames import Frames
from ik_node.ros.intake.goals import Goals
from ik_node.ros.log import reason_of
from ik_node.ros.services.commands import in_turn
from ik_node.ros.services.ik_request import Code, Context, Response, solve_once

NAME = '~/compute_ik'


class IkService:
    """Solves each request once, without motion and without state."""

    def __init__(self, node: LifecycleNode, configuration: Configuration, goals: Goals,
                 execution: Execution, frames: Frames) -> None:
        self._node, self._execution, self._frames = node, execution, frames
        self._configuration, self._goals = configuration, goals
        self._bounded: dict[tuple[str, bool], tuple[Group, float, Group]] = {}
        try:
            from moveit_msgs.srv import GetPositionIK
        except ImportError as error:
            node.get_logger().info(
                f'there is no service {NAME}: moveit_msgs is not installed ({error})', once=True)
            return
        node.create_service(GetPositionIK, NAME, self.on_request,
                            callback_group=ReentrantCallbackGroup())

    async def on_request(self, request: Any, response: Any) -> Any:
        """Fill in the response to a moveit_msgs/GetPositionIK request."""
        header = Header()
        try:
            header, result = await in_turn(
                self._node, self._goals.worker, NAME, self._answer(request.ik_request))
        except (Exception, CancelledError) as error:  # a defect must not stop the node
            result = Response(Code.FAILURE, reason_of(error, self._node.get_logger().error), {})
        response.error_code.val = int(result.code)
        # The messages of Humble lack these fields.
        for field, text in (('message', result.message),
                            ('source', self._node.get_fully_qualified_name())):
            if hasattr(response.error_code, field):
                setattr(response.error_code, field, text)
        if result.joints:
            state = response.solution.joint_state
            state.header = header
            state.name, state.position = list(result.joints), list(result.joints.values())
        return response

    def _answer(self, request: Any) -> Job[tuple[Header, Response]]:
        """Return the response to a request, and the header of the joint values it starts from."""
        options, robot = self._configuration.options, self._goals.active_robot()
        header = Header(stamp=self._execution.advance(robot),
                        frame_id=options.frame_prefix + robot.tree.root)
        self._execution.record(robot, header.stamp)
        return header, (yield from solve_once(request, robot, Context(
            self._frames.in_target, self.bounded, options.frame_prefix,
            options.avoid_collisions)))

    def bounded(self, group: Group, timeout: float,
                collisions: CollisionModel | None = None) -> Group:
        """Return a group with a solver of its own, kept for requests with the same timeout, s.

        0 means none; a shorter timeout of the group's own solver is kept. collisions: what its
        solver keeps away from; None for nothing.
        """
        key = group.name, collisions is not None
        kept = self._bounded.get(key)
        if kept is None or kept[0] is not group or kept[1] != timeout:
            kept = self._bounded[key] = group, timeout, group.with_timeout(timeout or inf)
        if collisions is not None:
            kept[2].solver.avoid(collisions)
        return kept[2]
