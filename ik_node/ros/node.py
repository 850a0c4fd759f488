"""The node: a managed (lifecycle) node that configures and activates itself."""

from ik_node.support.signals import end_quietly

if __name__ == '__main__':
    end_quietly()  # before the imports that take long

import sys
from functools import partial
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from rcl_interfaces.msg import SetParametersResult
from rcl_interfaces.srv import SetParameters, SetParametersAtomically
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.exceptions import ParameterNotDeclaredException
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.parameter import Parameter
from std_msgs.msg import Header

from ik_node.ros.configuration import Configuration
from ik_node.ros.log import reason_of
from ik_node.ros.publishing.health import PERIOD, Health
from ik_node.ros.run import run, show_help
from ik_node.ros.session import Session
from ik_node.solvers.registry import refused_plugins
from ik_node.support.command_line import reporting


class IkNode(LifecycleNode):
    """Receives goals, solves them and publishes joint states."""

    def __init__(self, steady: Clock | None = None, **arguments: Any) -> None:
        super().__init__('ik_node', **arguments)
        self._steady = steady or Clock(clock_type=ClockType.STEADY_TIME)
        self._health = Health()
        self._session: Session | None = None
        self._configuration = Configuration(self, self._on_parameters)
        self._diagnostics = self.create_publisher(DiagnosticArray, '/diagnostics', 10)
        self.create_timer(PERIOD, self._report, clock=self._steady)
        for service in self.services:
            if service.srv_type in (SetParameters, SetParametersAtomically):
                service.callback = self._set_parameters
                service.callback_group = ReentrantCallbackGroup()
        for refused in refused_plugins():
            self.get_logger().warning(str(refused))

    def start(self) -> None:
        """Configure and activate, unless the parameter autostart forbids it."""
        if (self._configuration.autostart
                and self.trigger_configure() == TransitionCallbackReturn.SUCCESS):
            self.trigger_activate()

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Read the robot, create publishers and subscriptions. Fails for invalid parameters."""
        self._health.error = ''
        try:
            self._configuration.load()
            self._session = Session(self, self._configuration, self._health, self._steady)
        except Exception as error:  # invalid parameters, or a defect of a plug-in
            reason = reason_of(error, self.get_logger().error)
            self._health.error = f'cannot configure: {reason}'
            self.get_logger().error(self._health.error)
            return TransitionCallbackReturn.FAILURE
        return super().on_configure(state)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Begin to handle goals, and publish the joint states."""
        result = super().on_activate(state)
        if self._session is not None:
            self._session.activate(True)
        return result

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Stop handling goals; the configuration is kept."""
        if self._session is not None:
            self._session.activate(False)
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Drop the configuration."""
        self._destroy_session()
        return super().on_cleanup(state)

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Destroy everything."""
        self._destroy_session()
        return super().on_shutdown(state)

    def on_error(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Go back to unconfigured after an error in a transition."""
        self._destroy_session()
        return TransitionCallbackReturn.SUCCESS

    def destroy_node(self) -> None:
        """Refuse the goals under way, and destroy everything."""
        self._destroy_session()
        super().destroy_node()

    def _destroy_session(self) -> None:
        if self._session is not None:
            self._session.destroy()
            self._session = None
        self._configuration.unload()

    async def _set_parameters(self, request: Any, response: Any) -> Any:
        """Serve a request to set parameters, for which the robot is built in the worker.

        The executor of events does not survive an exception of a coroutine.
        """
        is_atomic = isinstance(request, SetParametersAtomically.Request)
        results, messages = list[SetParametersResult](), list(request.parameters)
        for part in [messages] if is_atomic else [[one] for one in messages]:
            parameters: list[Parameter] = []
            try:
                parameters += map(Parameter.from_parameter_msg, part)
                apply = partial(self.set_parameters_atomically, parameters)
                results.append(apply() if self._session is None else
                               await self._session.set_parameters(apply, parameters))
            except (ParameterNotDeclaredException, ValueError) as error:
                results.append(SetParametersResult(successful=False, reason=str(error)))
            except Exception as error:  # of the robot, or a defect
                results.append(self._configuration.refusal(parameters, error))
        if is_atomic:
            response.result, = results
        else:
            response.results = results
        return response

    def _on_parameters(self) -> None:
        """Apply changed parameters; after a failed configuration, try again."""
        if self._session is not None:
            self._session.on_parameters()
        elif self._health.error:
            self.start()

    def _report(self) -> None:
        self._check_other_publishers()
        header = Header(stamp=self.get_clock().now().to_msg())
        state = 'unconfigured' if self._session is None else (
            'active' if self._session.active else 'inactive')
        self._diagnostics.publish(self._health.report(
            self.get_fully_qualified_name(), state, self._configuration.robot, header))

    def _check_other_publishers(self) -> None:
        warning, topic = '', self._configuration.options.joint_states_topic
        if topic and self._session is not None and self._session.active:
            topic = self.resolve_topic_name(topic)
            others = self.count_publishers(topic) - 1
            if others > 0:
                warning = (f'{others} other publisher{"s" if others > 1 else ""} on {topic}: '
                           'subscribers see joints jump between them')
        if self._health.warn('joint_states', warning):
            self.get_logger().warning(warning)


@reporting('ik_node')
def main(arguments: list[str] | None = None) -> int:
    """Run the node until SIGINT or SIGTERM."""
    show_help('ik_node', IkNode.__doc__ or '', arguments)
    return run(IkNode, arguments, IkNode.start)


if __name__ == '__main__':
    sys.exit(main())
