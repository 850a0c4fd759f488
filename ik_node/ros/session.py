"""What the node has while it is configured: publishers, subscriptions, services, timers."""

import gc
import threading
import traceback
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.lifecycle import LifecycleNode
from std_msgs.msg import String
from std_srvs.srv import SetBool, Trigger

from ik_node.exceptions import IkError
from ik_node.ros.configuration import Configuration
from ik_node.ros.goals import Goals
from ik_node.ros.health import Health
from ik_node.ros.ik_service import IkService
from ik_node.ros.interaction.service import Interaction
from ik_node.ros.options import JUMP
from ik_node.ros.outputs import LATCHED, Outputs
from ik_node.ros.robot import Robot

_MARKER_PERIOD = 0.05   # s
_WAYPOINT_RATE = 30.0   # Hz, where publish_rate is 0
_LONGEST_PERIOD = 1e6   # s; a timer's must fit into 64 bits of nanoseconds


class Session:
    """A configured node at work; `active` says whether it answers."""

    def __init__(self, node: LifecycleNode, configuration: Configuration, health: Health) -> None:
        """Make everything, for a configuration that is loaded."""
        self.active = False
        self._node, self._configuration, self._health = node, configuration, health
        self._outputs = Outputs(node)
        self._goals = Goals(node, configuration, self._outputs, health)
        self._services = [node.create_service(Trigger, '~/reset', self._on_reset),
                          node.create_service(SetBool, '~/enable', self._on_enable),
                          node.create_service(Trigger, '~/solve_all', self._on_solve_all)]
        # By a clock that goes on: goals wait for the compiler, whatever a simulation's clock does.
        self._marker_timer = node.create_timer(
            _MARKER_PERIOD, self._on_marker_time, clock=Clock(clock_type=ClockType.STEADY_TIME))
        self._ik = IkService(node, configuration, self._goals)
        self._interaction = Interaction(node, configuration, self._goals, self._go_to_start)
        self._robot: Robot | None = None
        self._compiler: threading.Thread | None = None
        self._publish_timer = node.create_timer(1.0 / _WAYPOINT_RATE, self._on_publish_time)
        self._description: Any = None
        if configuration.wants_topic:
            self._description = node.create_subscription(
                String, 'robot_description', self._on_description, LATCHED)
            node.get_logger().info('waiting for a robot_description by topic')
        self._take_up_robot()
        self._interaction.take_up(self.active)

    def activate(self) -> None:
        """Begin to answer, and publish where the robot stands."""
        self.active = self._goals.active = True
        self._announce()
        self._interaction.take_up(self.active)

    def deactivate(self) -> None:
        """Fall silent, and stand; what was configured stays."""
        self._stand()
        self.active = self._goals.active = False
        self._goals.stop()
        self._outputs.no_markers()
        self._interaction.take_up(self.active)

    def destroy(self) -> None:
        """Take everything down."""
        self._ik.destroy()
        self._interaction.destroy()
        self._goals.destroy()
        self._outputs.destroy()
        for service in self._services:
            self._node.destroy_service(service)
        for timer in (self._marker_timer, self._publish_timer):
            self._node.destroy_timer(timer)
        if self._description is not None:
            self._node.destroy_subscription(self._description)

    def on_parameters(self) -> None:
        """Take up parameters that were changed."""
        self._goals.stop()
        self._take_up_robot()
        self._announce()
        self._interaction.take_up(self.active)

    def _take_up_robot(self) -> None:
        """Get ready for the robot there is now; tell what is odd in its description."""
        self._set_publish_rate()
        robot, logger = self._configuration.robot, self._node.get_logger()
        if robot is not None:
            self._goals.measured.listen(self._configuration.options.state_topic, robot)
        if robot is None or robot is self._robot:
            return
        self._robot = robot
        self._goals.motions.take_up(robot)
        self._outputs.scene.take_up(robot)
        for warning in (*robot.tree.warnings, *(robot.poses.warnings if robot.poses else ())):
            logger.warning(warning)
        slow = [arm.solver.name for arm in robot.arms.values() if not arm.compiled()]
        if slow:
            logger.info(f'compiling {", ".join(slow)}: once after installing, for up to half a '
                        'minute; goals wait until then, the newest counts')
            self._goals.waiting = True
            self._compiler = threading.Thread(target=self._warm_up, args=(robot,), daemon=True)
            self._compiler.start()
        else:
            self._warm_up(robot)
            self._tell_ready(robot)

    def _warm_up(self, robot: Robot) -> None:
        """Compile what there is to compile; a plug-in may fail at that, and at its goals."""
        try:
            robot.warm_up()
        except Exception:
            self._node.get_logger().error(f'internal error:\n{traceback.format_exc()}')

    def _set_publish_rate(self) -> None:
        """Let the timer follow the parameter. It stays the same one: rclpy forgets none it made."""
        rate = self._configuration.options.publish_rate or _WAYPOINT_RATE
        period = int(1e9 * min(1.0 / rate, _LONGEST_PERIOD))
        if self._publish_timer.timer_period_ns != period:
            self._publish_timer.timer_period_ns = period
            self._publish_timer.reset()

    def _look_after_compiler(self) -> None:
        if self._compiler is not None and not self._compiler.is_alive():
            self._compiler = None
            if self._configuration.robot is not None:
                self._tell_ready(self._configuration.robot)
            self._goals.go_on()

    def _tell_ready(self, robot: Robot) -> None:
        # What is there now stays: going through all of it for garbage takes tens of milliseconds,
        # which some goal would have to wait.
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        for arm in robot.arms.values():
            family = f' ({arm.family})' if arm.family else ''
            self._node.get_logger().info(
                f'ready: {arm.chain!r}, solver {arm.solver.name}{family}')

    def _announce(self) -> None:
        configuration = self._configuration
        if configuration.robot is None or not self.active:
            return
        if configuration.options.publish_description and not configuration.wants_topic:
            self._outputs.description(configuration.robot)
        self._outputs.placement(configuration.robot, configuration.options)
        self._outputs.joint_states(configuration.robot)

    def _on_description(self, message: String) -> None:
        try:
            if self._configuration.take_description(message.data):
                self.on_parameters()
            self._health.trouble = ''
        except IkError as error:
            self._refuse_description(str(error))
        except Exception:  # a defect of ours must not take the robot's node down
            self._refuse_description(f'internal error:\n{traceback.format_exc()}')

    def _refuse_description(self, reason: str) -> None:
        self._health.trouble = f'robot_description refused: {reason}'
        self._node.get_logger().error(self._health.trouble)

    def _on_publish_time(self) -> None:
        robot = self._configuration.robot
        if self.active and robot is not None:
            self._goals.follow_paths()
            self._goals.motions.advance(robot)
            self._goals.stand_where_measured(robot)
            if self._configuration.options.publish_rate > 0.0:
                self._outputs.joint_states(robot)

    def _on_marker_time(self) -> None:
        self._look_after_compiler()
        robot = self._configuration.robot
        if self.active and robot is not None:
            options = self._configuration.options
            find = self._goals.branches.of_last if (
                options.show_branches and not self._goals.waiting) else None
            self._outputs.markers(robot, options.frame_prefix, find)
            self._interaction.follow(robot)

    def _on_reset(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        response.success, response.message = self._go_to_start()
        return response

    def _go_to_start(self) -> tuple[bool, str]:
        """Go to the start pose; return whether that may be, and what is done, or why not."""
        robot = self._configuration.robot
        if robot is None:
            return False, 'there is no robot yet'
        moves = self._configuration.options.motion != JUMP
        if moves and not (self.active and self._goals.enabled):
            return False, 'the node is not active, or disabled: nothing may move'
        self._goals.stop()
        self._interaction.go_with_tips()
        if moves:
            duration = self._goals.motions.go_to_start(robot)
            return True, f'moving to the start pose for {duration:.3f} s'
        self._goals.motions.freeze(robot)
        robot.reset()
        self._announce()
        return True, 'at the start pose'

    def _stand(self) -> None:
        """Stop what moves at once, and say so."""
        robot = self._configuration.robot
        if robot is not None and self.active:
            self._goals.motions.freeze(robot)
            self._outputs.joint_states(robot)

    def _on_solve_all(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        robot = self._configuration.robot
        if robot is None:
            response.message = 'there is no robot yet'
        elif not self.active:
            response.message = 'the node is not active'
        elif self._goals.waiting:
            response.message = 'the solvers are being compiled; try again'
        else:
            response.success, response.message = self._goals.branches.publish_last(robot)
        return response

    def _on_enable(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        self._goals.enabled = request.data
        self._goals.stop()
        if not request.data:
            self._stand()
        response.success = True
        response.message = 'goals are answered' if request.data else 'goals are refused'
        return response
