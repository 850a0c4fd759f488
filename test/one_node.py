"""Runs one node in the test's own process: callbacks are called, and publishers are watched."""

import contextlib
import copy
import time
from collections import defaultdict

import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed (make test brings it from PyPI)')

import rclpy
from domains import Domain
from rcl_interfaces.srv import SetParametersAtomically
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from rclpy.signals import SignalHandlerOptions

from ik_node import _jit
from ik_node.ros.node import IkNode


class OneNode:
    """A node, started, with its kernels; `subject` is the node itself."""

    def __init__(self, **parameters):
        self._context, self._domain = rclpy.Context(), Domain()
        rclpy.init(context=self._context, domain_id=self._domain.id,
                   args=['--ros-args', '--log-level', 'fatal'],
                   signal_handler_options=SignalHandlerOptions.NO)
        self._heard = defaultdict(list)
        self.subject = IkNode(context=self._context, parameter_overrides=[
            Parameter(name.replace('__', '.'), value=value) for name, value in parameters.items()])
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self.subject)
        self.subject.start()
        _jit.prepare(self.subject._configuration.robot.kernels)
        for publisher in self.subject.publishers:
            publisher.publish = self._keeping(publisher.topic_name.lstrip('/'), publisher.publish)
            publisher.get_subscription_count = lambda: 1  # what nobody hears is not made

    def close(self):
        self._executor.shutdown()
        self.subject.destroy_node()
        rclpy.shutdown(context=self._context)
        self._domain.give_back()

    def listen(self, _, topic):
        """Return the list in which the messages of a topic are kept."""
        return self._heard[topic]

    def publish(self, kind, topic, message):
        """Let the node receive a message."""
        next(subscription.callback for subscription in self.subject.subscriptions
             if subscription.topic_name == f'/{topic}' and subscription.msg_type is kind)(message)

    def call(self, kind, service, request):
        """Return the node's response to a request."""
        server = next(server for server in self.subject.services if (
            self.subject.resolve_service_name(server.srv_name) == f'/{service}'))
        return server.callback(request, kind.Response())

    def set(self, **values):
        """Set parameters together ("__" for "."); return (successful, reason)."""
        result = self.call(
            SetParametersAtomically, 'ik_node/set_parameters_atomically',
            SetParametersAtomically.Request(parameters=[
                Parameter(name.replace('__', '.'), value=value).to_parameter_msg()
                for name, value in values.items()])).result
        return result.successful, result.reason

    def until(self, done, timeout=60.0):
        """Let the node run until a condition holds; return whether it did."""
        deadline = time.monotonic() + timeout
        while not done():
            if time.monotonic() > deadline:
                return False
            self._executor.spin_once(timeout_sec=0.01)
        return True

    def _keeping(self, topic, publish):
        def keep(message):
            publish(message)
            self._heard[topic].append(copy.deepcopy(message))  # the node uses some again
        return keep


@contextlib.contextmanager
def running(**parameters):
    """Run a node with parameters ("__" for ".")."""
    node = OneNode(**parameters)
    try:
        yield node
    finally:
        node.close()
