"""Runs the node as a process of its own and talks to it over DDS.

For what needs processes or DDS; everything else is tested in the process of the test, `node_here`.
"""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
from array import array

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed (make test brings it from PyPI)')

from diagnostic_msgs.msg import DiagnosticStatus
from lifecycle_msgs.srv import ChangeState, GetState
from rcl_interfaces.msg import Parameter as ParameterMsg
from rcl_interfaces.srv import DescribeParameters, GetParameters, SetParametersAtomically
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import SetBool, Trigger

from domains import Domain, stay_on_this_machine
from ik_node.ros.clients.client import Client, Report

stay_on_this_machine()
if threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # nodes end with a killed process

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class NodeClient:
    """What tests ask of a node, wherever it runs.

    - `node`: another node of its graph; `client`: a `Client`.
    """

    def __init__(self):
        self._name = 'ik_node'

    def __enter__(self):
        return self

    def spin(self, seconds):
        """Let time pass: for what happens at random; tests wait for events."""
        self.until(lambda: False, seconds)

    def set(self, **values):
        """Set parameters together ("__" for "."); return (successful, reason)."""
        request = SetParametersAtomically.Request(parameters=[
            Parameter(name.replace('__', '.'), value=value).to_parameter_msg()
            for name, value in values.items()])
        result = self.call(SetParametersAtomically, f'{self._name}/set_parameters_atomically',
                           request).result
        return result.successful, result.reason

    def get(self, *names):
        response = self.call(GetParameters, f'{self._name}/get_parameters',
                             GetParameters.Request(names=list(names)))
        values = [Parameter.from_parameter_msg(ParameterMsg(name=name, value=value)).value
                  for name, value in zip(names, response.values)]
        values = [list(value) if isinstance(value, array) else value for value in values]
        return values[0] if len(values) == 1 else values

    def stand(self, q):
        """Put the robot into a configuration (n,), rad or m."""
        assert self.set(start_pose=[float(value) for value in q]) == (True, '')
        assert self.reset().success

    def reset(self):
        """Ask for the start pose; return the response."""
        return self.call(Trigger, f'{self._name}/reset', Trigger.Request())

    def enable(self, enabled):
        assert self.call(SetBool, f'{self._name}/enable', SetBool.Request(data=enabled)).success

    def describe(self, *names):
        return self.call(DescribeParameters, f'{self._name}/describe_parameters',
                         DescribeParameters.Request(names=list(names))).descriptors

    def transition(self, label):
        """Ask for a lifecycle transition by its name; return whether it succeeded."""
        request = ChangeState.Request()
        request.transition.label = label
        return self.call(ChangeState, f'{self._name}/change_state', request, attempts=1).success

    def state(self):
        response = self.call(GetState, f'{self._name}/get_state', GetState.Request())
        return response.current_state.label

    def joint_states(self, count=1, timeout=60.0):
        heard = self.listen(JointState, 'joint_states')
        assert self.until(lambda: len(heard) >= count, timeout), self.log()
        return heard[:count]

    def values(self):
        """Return the joint values of the next joint states, by their names."""
        (state,) = self.joint_states()
        return dict(zip(state.name, state.position))

    def q(self, chain):
        """Return the joint values (n,) of an arm in the next joint states."""
        values = self.values()
        return np.array([values[name] for name in chain.joint_names])

    def tip(self, chain):
        """Return where the tip of an arm is (4, 4) by the next joint states."""
        return chain.forward(self.q(chain))

    @property
    def reports(self):
        """The reports of goals since this was first asked for."""
        if not hasattr(self, '_statuses'):
            self._statuses = self.listen(DiagnosticStatus, f'{self._name}/status', 200)
        return [Report.of(status) for status in self._statuses]

    def reports_of(self, act, count=1):
        """Do something; return the reports that come then, when there are so many."""
        before = len(self.reports)
        act()
        assert self.until(lambda: len(self._statuses) >= before + count), self.log()
        return self.reports[before:]

    def send(self, topic, message, count=1):
        """Publish a goal; return its report, that of the last of so many statuses."""
        return self.reports_of(lambda: self.publish(type(message), topic, message), count)[-1]

    def send_description(self, text):
        """Publish a robot description as robot_state_publisher does."""
        return self.publish(String, 'robot_description', String(data=text), LATCHED)


class NodeUnderTest(NodeClient):
    """A running ik_node and a client of it; domain: a `Domain`, by default one of its own."""

    def __init__(self, *arguments, domain=None):
        super().__init__()
        self._domain = domain or Domain()
        self._log = tempfile.NamedTemporaryFile('w+', suffix='.log')  # noqa: SIM115 until __exit__
        self._arguments = arguments
        self._environment = {**os.environ, 'ROS_DOMAIN_ID': str(self._domain.id)}
        self.process = self._start()
        self.client = Client(domain_id=self._domain.id)
        self.node = self.client.node
        self._clients = {}

    def __exit__(self, *_):
        # The client first: in a process that another one leaves, Fast DDS may wait for itself for
        # ever (its issue 6502), and this is the process of the tests.
        self.client.__exit__()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.stop()
        self._domain.give_back()
        self._log.close()

    def stop(self, how=signal.SIGINT):
        """End the node; return its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        try:
            return self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise

    def restart(self):
        """Kill the node and start another."""
        self.process.kill()
        self.process.wait(timeout=60)
        self.process = self._start()

    def _start(self):
        return subprocess.Popen(
            [sys.executable, '-m', 'ik_node.ros.node', '--ros-args', *self._arguments],
            stdout=self._log, stderr=subprocess.STDOUT, env=self._environment,
            start_new_session=True)

    def log(self):
        """Return what the node has printed so far."""
        with open(self._log.name) as file:
            return file.read()

    def settle(self):
        """Wait until the node has handled what it was sent, and what it published has come in.

        Its executor answers a service after the callbacks that were due before; what it published
        in them was sent before the answer. The second call lets what is on its way arrive.
        """
        for _ in range(2):
            self.state()

    def until(self, done, timeout=60.0):
        """Let messages come in until a condition holds; return whether it did."""
        return self.client.spin_until(done, timeout)

    def ready(self):
        """Wait until the node answers goals."""
        assert self.client.wait_until_ready(90.0), self.log()
        return self

    def alive(self):
        """Tell whether the process still runs, without an exception on its output."""
        return self.process.poll() is None and 'Traceback' not in self.log()

    def listen(self, kind, topic, qos=10):
        """Collect the messages of a topic; return the list they come in."""
        heard = []
        self.node.create_subscription(kind, topic, heard.append, qos)
        self._give_time()
        return heard

    def _give_time(self):
        """Let the node learn of a new subscription, where it runs: until then it sends it nothing.

        No end of a topic tells whether the other knows of it; what was announced before some calls
        has arrived by their end.
        """
        if self._clients and all(client.service_is_ready() for client in self._clients.values()):
            self.settle()

    def publish(self, kind, topic, message, qos=1):
        """Publish a message once somebody hears it."""
        publisher = self.node.create_publisher(kind, topic, qos)
        assert self.until(lambda: publisher.get_subscription_count() > 0), self.log()
        publisher.publish(message)
        return publisher

    def call(self, kind, service, request, attempts=3):
        """Call a service and return its response.

        A node that does not know of the client yet cannot answer it. Requests that have the same
        effect again are repeated.
        """
        # One for each service: every other end there was is remembered by the node's DDS.
        if service not in self._clients:
            self._clients[service] = self.node.create_client(kind, service)
            if attempts == 1:  # the node is to know of the client first
                self.settle()
        client = self._clients[service]
        assert self.until(client.service_is_ready), self.log()
        for _ in range(attempts):
            future = client.call_async(request)
            if self.until(future.done, 60.0 / attempts):
                return future.result()
        raise AssertionError(f'{service} does not answer\n{self.log()}')


def given(parameters):
    """Return the ROS arguments of parameters ("__" for ".")."""
    return [part for name, value in parameters.items()
            for part in ('-p', f'{name.replace("__", ".")}:={value}')]


@contextlib.contextmanager
def running(*arguments, ready=True, domain=None, **parameters):
    """Run a node with parameters ("__" for "."); ready: wait until it solves goals."""
    with NodeUnderTest(*arguments, *given(parameters), domain=domain) as node:
        if ready:
            node.ready().settle()
        yield node


def seconds(stamp):
    """Return a stamp in s."""
    return stamp.sec + 1e-9 * stamp.nanosec


def elapse(node, states, duration):
    """Wait until joint states that come from now on cover a duration of the node's time, s."""
    before = len(states)
    assert node.until(lambda: len(states) > before and seconds(states[-1].header.stamp) - seconds(
        states[before].header.stamp) >= duration, duration + 20.0), node.log()


def pose(x, y, z=0.0, yaw=0.0):
    """Return a pose (4, 4) turned about z."""
    c, s = np.cos(yaw), np.sin(yaw)
    return np.array([[c, -s, 0, x], [s, c, 0, y], [0, 0, 1, z], [0, 0, 0, 1.0]])
