"""What a node and others see of the graph of a `NodeHere`: they meet without DDS."""

from types import SimpleNamespace

from rclpy.impl.logging_severity import LoggingSeverity
from rclpy.impl.rcutils_logger import RcutilsLogger
from rclpy.serialization import deserialize_message, serialize_message
from rclpy.task import Future

from ik_node.ros.clients.client import Client


class Watched:
    """What a node does otherwise in a `NodeHere`."""

    def create_publisher(self, *arguments, **options):
        return self.here.watch(super().create_publisher(*arguments, **options))

    def create_lifecycle_publisher(self, *arguments, **options):
        return self.here.watch(super().create_lifecycle_publisher(*arguments, **options))

    def get_logger(self):
        return _Log(self.here)

    def count_publishers(self, topic_name):
        return self.here.node.count_publishers(topic_name)


class _Log(RcutilsLogger):
    """Keeps what is logged."""

    def __init__(self, here):
        super().__init__('here')
        self._here = here

    def log(self, message, severity, *, once=False, **_):
        if severity >= LoggingSeverity.INFO:
            self._here.write(LoggingSeverity(severity).name, message, once)


class Graph:
    """What another node sees of the graph, and does in it, as methods of `rclpy.node.Node`."""

    def __init__(self, here):
        self._here, self._publishers = here, []

    def get_clock(self):
        return self._here.subject.get_clock()

    def create_subscription(self, _, topic, callback, qos):
        self._here.subscribe(f'/{topic.lstrip("/")}', callback, qos)

    def create_publisher(self, kind, topic, qos):
        self._publishers.append(_Publisher(self._here, f'/{topic.lstrip("/")}', kind))
        return self._publishers[-1]

    def create_client(self, kind, service):
        def call(request):
            future = Future()
            future.set_result(self._here.call(kind, service, request))
            return future
        return SimpleNamespace(call_async=call, service_is_ready=lambda: True)

    def create_timer(self, period, callback):
        return self._here.call_every(round(1e9 * period), callback)

    def destroy_publisher(self, publisher):
        self._publishers.remove(publisher)

    def count_publishers(self, topic):
        return _count([*self._here.subject.publishers, *self._publishers], topic)

    def count_subscribers(self, topic):
        return _count(self._here.subject.subscriptions, topic)


class _Publisher:
    def __init__(self, here, topic, kind):
        self._here, self.topic_name, self._kind = here, topic, kind

    def get_subscription_count(self):
        return _count(self._here.subject.subscriptions, self.topic_name)

    def publish(self, message):
        assert isinstance(message, self._kind)
        for subscription in list(self._here.subject.subscriptions):
            if subscription.topic_name == self.topic_name:
                assert subscription.msg_type is self._kind, self.topic_name
                self._here.handle(subscription.callback, taken(subscription, wired(message)))
        self._here.tell(self.topic_name, message)


class ClientHere(Client):
    def __init__(self, here):
        self.node, self.spin_until = here.node, here.until
        self._listen(here._name)

    def __exit__(self, *_):
        """End nothing: the graph is the node's."""


def _count(ends, topic):
    return sum(end.topic_name == f'/{topic.lstrip("/")}' for end in ends)


def taken(subscription, message):
    """Return a message as the callback of a subscription takes it."""
    return serialize_message(message) if subscription.raw else message


def wired(message):
    """Return a message as it comes off the wire."""
    return deserialize_message(serialize_message(message), type(message))
