"""The node: a managed (lifecycle) node that starts itself."""

import sys
from traceback import format_exc
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.clock import Clock, ClockType
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from std_msgs.msg import Header

from ik_node import _jit
from ik_node.exceptions import IkError
from ik_node.ros.configuration import Configuration
from ik_node.ros.health import PERIOD, Health
from ik_node.ros.run import run
from ik_node.ros.session import Session
from ik_node.solvers.registry import refused_plugins


class IkNode(LifecycleNode):
    """Takes goals, solves them, publishes joint states."""

    def __init__(self, **arguments: Any) -> None:
        """Declare the parameters; nothing else happens before the node is configured."""
        super().__init__('ik_node', **arguments)
        self._health = Health()
        self._session: Session | None = None
        self._configuration = Configuration(self, self._on_parameters)
        self._diagnostics = self.create_publisher(DiagnosticArray, '/diagnostics', 10)
        self.create_timer(PERIOD, self._report, clock=Clock(clock_type=ClockType.STEADY_TIME))
        if not _jit.HAVE_NUMBA:
            self.get_logger().warning(_jit.INSTALL_HINT)
        for refused in refused_plugins():
            self.get_logger().warning(str(refused))

    def start(self) -> None:
        """Configure and activate, unless the parameter autostart forbids it."""
        if (self._configuration.autostart
                and self.trigger_configure() == TransitionCallbackReturn.SUCCESS):
            self.trigger_activate()

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Read the robot, make publishers and subscriptions. Fails where parameters are wrong."""
        try:
            self._configuration.load()
        except Exception as error:  # besides what is wrong with parameters, a defect of a plug-in
            reason = error if isinstance(error, IkError) else f'internal error:\n{format_exc()}'
            self._health.trouble = f'cannot configure: {reason}'
            self.get_logger().error(self._health.trouble)
            return TransitionCallbackReturn.FAILURE
        self._health.trouble = ''
        self._session = Session(self, self._configuration, self._health)
        return super().on_configure(state)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Begin to answer, and publish where the robot stands."""
        result = super().on_activate(state)
        if self._session is not None:
            self._session.activate()
        return result

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Fall silent; what was configured stays."""
        if self._session is not None:
            self._session.deactivate()
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Forget what was configured."""
        self._take_down()
        return super().on_cleanup(state)

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Take everything down."""
        self._take_down()
        return super().on_shutdown(state)

    def on_error(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Go back to unconfigured after an error in a transition."""
        self._take_down()
        return TransitionCallbackReturn.SUCCESS

    def _take_down(self) -> None:
        if self._session is not None:
            self._session.destroy()
            self._session = None
        self._configuration.unload()

    def _on_parameters(self) -> None:
        """Take up changed parameters; one that could not be configured tries again."""
        if self._session is not None:
            self._session.on_parameters()
        elif self._health.trouble:
            self.start()

    def _report(self) -> None:
        self._look_for_rivals()
        header = Header(stamp=self.get_clock().now().to_msg())
        state = 'unconfigured' if self._session is None else (
            'active' if self._session.active else 'inactive')
        self._diagnostics.publish(self._health.report(
            self.get_fully_qualified_name(), state, self._configuration.robot, header))

    def _look_for_rivals(self) -> None:
        """Notice others that publish joint states where this node does: consumers see both."""
        warning = ''
        if self._session is not None and self._session.active:
            topic = self.resolve_topic_name('joint_states')
            others = self.count_publishers(topic) - 1
            if others > 0:
                warning = (f'{others} other publisher{"s" if others > 1 else ""} on {topic}: who '
                           'listens there sees joints jump between them')
        if self._health.warn('joint_states', warning):
            self.get_logger().warning(warning)


def main(arguments: list[str] | None = None) -> int:
    """Run the node until it is told to stop."""
    def started() -> IkNode:
        node = IkNode()
        node.start()
        return node
    return run(started, arguments)


if __name__ == '__main__':
    sys.exit(main())
