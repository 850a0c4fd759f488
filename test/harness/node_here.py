"""Runs a node in the test's own process, by a clock that the test moves; nothing crosses DDS.

What others send calls the node's callbacks, and what the node publishes is handed over at once,
both through the form that messages have on the wire. Time passes only where a test lets it pass:
`until` and `elapse` move the clock from one timer of the node to the next.
"""

import contextlib
import functools
import inspect
from collections import defaultdict
from types import SimpleNamespace

import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed (make test brings it from PyPI)')

import rclpy
from rclpy.clock import Clock, ClockType
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.signals import SignalHandlerOptions
from rclpy.time import Time
from rosgraph_msgs.msg import Clock as ClockMessage

from domains import Domain
from harness.goal_runs import WorkerHere
from harness.graph_here import ClientHere, Graph, Watched, wired
from harness.rate_here import RateHere
from harness.ros_harness import NodeClient, given
from ik_node.ros import session
from ik_node.ros.execution import command_outputs
from ik_node.ros.node import IkNode
from ik_node.ros.services.servo import servo_loop

START = 1000.0             # s: what the clock shows at first
_DOMAIN = Domain()         # in which nobody else is
_TICK = 100_000            # ns that a message takes to be handled
_LONGEST = 100_000_000     # ns that the clock moves at a time
_MANY = 10_000             # callbacks at one time: they go on for ever


session.Worker = WorkerHere
servo_loop.RateThread = command_outputs.RateThread = RateHere
# The node collects the garbage of its process with its first robot, here that of all tests.
session.gc = SimpleNamespace(collect=int, freeze=int)


@functools.lru_cache
def _context():
    """Return the ROS context of all nodes of this process: a participant of DDS costs time."""
    context = rclpy.Context()
    rclpy.init(context=context, domain_id=_DOMAIN.id,
               args=['--ros-args', '--disable-rosout-logs'],
               signal_handler_options=SignalHandlerOptions.NO)
    return context


class NodeHere(NodeClient):
    """A node in this process, started, and a client of it.

    arguments: of ROS, those after --ros-args. make: its class. time: its ROS time at first, s; 0,
    as it is before simulated time begins, stands. parts: what else to make it with.
    """

    def __init__(self, *arguments, make=IkNode, start=IkNode.start, time=START, **parts):
        super().__init__()
        self._now, self._ros = round(1e9 * START), round(1e9 * time)  # ns
        self._stands = time == 0.0  # ROS time
        self._lines, self._once = [], set()
        self._others = []          # timers of others: when they are due, ns, and what they do
        self._listeners, self._latched = defaultdict(list), {}
        self._steady = Clock(clock_type=ClockType.ROS_TIME)
        self._steady._set_ros_time_is_active(True)
        RateHere.nodes[self._steady] = self.call_every
        self._executor = SingleThreadedExecutor(context=_context())
        self.subject = type(make.__name__, (Watched, make), {'here': self})(
            **parts, steady=self._steady, context=_context(), use_global_arguments=False,
            cli_args=['--ros-args', '-p', 'use_sim_time:=true', *map(str, arguments)])
        self._name = self.subject.get_name()
        self._show_time()
        self._executor.add_node(self.subject)
        self.node = Graph(self)
        self.client = ClientHere(self)
        if start is not None:
            start(self.subject)
        self.settle()

    def __exit__(self, *_):
        self._executor.shutdown()
        self.subject.destroy_node()
        del RateHere.nodes[self._steady]

    def ready(self):
        """Return the node, which is to be active."""
        assert self.state() == 'active', self.log()
        robot = self.subject._configuration.robot
        assert self.until(lambda: robot is None or 'ready: ' in self.log()), self.log()
        return self

    def log(self):
        """Return what the node has logged so far."""
        return '\n'.join(self._lines)

    def alive(self):
        """Return whether the node has logged no exception; one that it raises ends the test."""
        return 'Traceback' not in self.log()

    @property
    def now(self):
        """The node's time, s."""
        return 1e-9 * self._ros

    def set_time(self, seconds, stands=False):
        """Set the node's ROS time, s, as /clock does; its monotonic clock goes on as before.

        stands: whether ROS time stands still from then on.
        """
        self._now += _TICK
        self._ros, self._stands = round(1e9 * seconds), stands
        self._show_time()
        self.settle()

    def settle(self):
        """Let the node do what is due."""
        for _ in range(_MANY):
            if not any(timer.is_ready() for timer in self.subject.timers):
                return
            self._executor.spin_once(timeout_sec=0.0)
        raise AssertionError(f'timers are due again and again\n{self.log()}')

    def until(self, done, timeout=60.0):
        """Let time pass until a condition holds, at most timeout, s; return whether it did."""
        self.settle()
        end = self._now + round(1e9 * timeout)
        while not done():
            if self._now >= end:
                return False
            self._pass(end - self._now)
        return True

    def _pass(self, most):
        """Let time pass until the next timer is due, at most so many ns."""
        waits = [timer.time_until_next_call() for timer in self.subject.timers
                 if not timer.is_canceled()]
        waits += [due - self._now for due, _, _ in self._others]
        self._move(max(1, min([most, _LONGEST, *(wait for wait in waits if wait is not None)])))
        self.settle()
        for timer in list(self._others):
            due, period, callback = timer
            if due <= self._now:
                timer[0] += period
                callback()

    def call_every(self, period, callback):
        """Call a function whenever a period, ns, has passed; return what ends that."""
        timer = [self._now + period, period, callback]
        self._others.append(timer)
        return lambda: self._others.remove(timer)

    def _move(self, nanoseconds):
        """Let time pass, without a look at timers."""
        self._now += nanoseconds
        if not self._stands:
            self._ros += nanoseconds
        self._show_time()

    def _show_time(self):
        self._steady.set_ros_time_override(Time(nanoseconds=self._now))
        told = ClockMessage(clock=Time(nanoseconds=self._ros).to_msg())
        for subscription in self.subject.subscriptions:
            if subscription.topic_name == '/clock':
                subscription.callback(told)

    def work(self, seconds):
        """Let time pass in which the node is busy, called within a callback of its."""
        self._move(round(1e9 * seconds))

    def handle(self, callback, *arguments):
        """Let the node handle something, which takes a moment; return what its callback does."""
        self._move(_TICK)
        result = callback(*arguments)
        self.settle()
        return result

    def listen(self, kind, topic, qos=10):
        heard = []
        self.node.create_subscription(kind, topic, heard.append, qos)
        return heard

    def publish(self, kind, topic, message, qos=1):
        publisher = self.node.create_publisher(kind, topic, qos)
        assert publisher.get_subscription_count() > 0, f'nobody hears {topic}\n{self.log()}'
        publisher.publish(message)
        return publisher

    def call(self, kind, service, request, attempts=1):
        return wired(self.handle(
            answered, self.server(service).callback, wired(request), kind.Response()))

    def server(self, service):
        """Return the node's end of a service."""
        server = next((server for server in self.subject.services if (
            self.subject.resolve_service_name(server.srv_name) == f'/{service}')), None)
        assert server is not None, f'there is no service {service}\n{self.log()}'
        return server

    def watch(self, publisher):
        """Let what a publisher of the node publishes be heard; return it."""
        topic, publish = publisher.topic_name, publisher.publish
        latched = publisher.qos_profile.durability == DurabilityPolicy.TRANSIENT_LOCAL

        def keep(message):
            publish(message)
            if getattr(publisher, 'is_activated', True):
                self.tell(topic, message)
                if latched:
                    self._latched[topic] = publisher, wired(message)
        publisher.publish = keep
        # What nobody hears is not made.
        publisher.get_subscription_count = lambda: len(self._listeners[topic])
        return publisher

    def tell(self, topic, message):
        """Hand a message to those who listen to a topic."""
        if self._listeners[topic]:
            message = wired(message)  # the node uses some again
            for listener in self._listeners[topic]:
                listener(message)

    def subscribe(self, topic, callback, qos):
        """Begin to listen to a topic; a late joiner gets what is latched."""
        self._listeners[topic].append(callback)
        publisher, message = self._latched.get(topic, (None, None))
        if (publisher in list(self.subject.publishers) and isinstance(qos, QoSProfile)
                and qos.durability == DurabilityPolicy.TRANSIENT_LOCAL):
            callback(message)

    def write(self, severity, text, once):
        """Keep a line of the log."""
        if once and text in self._once:
            return
        if once:
            self._once.add(text)
        self._lines.append(f'[{severity}] [{1e-9 * self._now:.9f}] [{self._name}]: {text}')


def answered(callback, *arguments):
    """Return what the callback of a service answers, at once."""
    answer = callback(*arguments)
    if not inspect.iscoroutine(answer):
        return answer
    with pytest.raises(StopIteration) as ended:
        answer.send(None)
    return ended.value.value


@contextlib.contextmanager
def running(*arguments, ready=True, **parameters):
    """Run a node with parameters ("__" for "."); ready: to solve goals, else as it has started."""
    with NodeHere(*arguments, *given(parameters)) as node:
        yield node.ready() if ready else node
