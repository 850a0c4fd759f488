"""The page's connection without a node: how it ends, and what it says then."""

import contextlib
import threading
from types import SimpleNamespace

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.task import Future
from std_msgs.msg import String

from domains import Domain
from harness.connection_rig import Listener
from harness.page_here import until
from ik_node.control.worker import NEWER
from ik_node.ros.clients import connection as module
from ik_node.ros.clients.connection import Connection, SilentError
from ik_node.ros.topics import LATCHED


@contextlib.contextmanager
def connected_alone(listener):
    """Connect in a domain without any node."""
    domain = Domain()
    made = Connection(listener, domain_id=domain.id)
    yield made
    made.close()
    domain.give_back()


@pytest.fixture
def lonely():
    """A connection in a domain without any node."""
    with connected_alone(Listener()) as made:
        yield made


def test_a_request_that_fails_is_reported(lonely, monkeypatch):
    monkeypatch.setattr(module, '_PATIENCE', 0.05)
    failed = Future()
    failed.set_exception(RuntimeError('no memory'))
    with pytest.raises(SilentError, match='/ik_node: no memory'):
        lonely.call(lambda: failed, 'reset')


@pytest.mark.parametrize('use', [
    lambda link: link.send_goal(np.eye(4)), lambda link: link.send_path([np.eye(4)]),
    lambda link: link.reset(), lambda link: link.set_parameters({'solver': 'dls'}),
    lambda link: link.parameters()], ids=['goal', 'path', 'reset', 'set', 'parameters'])
def test_a_closed_connection_says_so(lonely, use):
    lonely.close()
    assert not lonely.responds
    with pytest.raises(SilentError, match='the connection to /ik_node is closed'):
        use(lonely)


def test_it_is_closed_from_the_inside_out():
    """A context that is shut down while its executor adds a node's entities ends the process."""
    with connected_alone(Listener()) as made:
        spins = []
        note = SimpleNamespace(shut_down=lambda: spins.append(made._thread.is_alive()))
        made.node.context.on_shutdown(note.shut_down)
    assert spins == [False]


def test_it_may_be_closed_while_another_thread_uses_it(lonely):
    raised, began = [], threading.Event()

    def use():
        try:
            while True:
                assert not lonely.responds
                lonely.send_goal(np.eye(4))
                began.set()
        except Exception as error:
            raised.append(error)
    user = threading.Thread(target=use)
    user.start()
    assert began.wait(60.0)
    lonely.close()
    user.join(60.0)
    assert [type(error) for error in raised] == [SilentError]


def test_a_defect_in_the_handling_of_a_message_is_reported_and_later_messages_arrive(caplog):
    listener, texts, errors = Listener(), [], []

    def on_description(text):
        if text == 'bad':
            raise ZeroDivisionError(text)
        texts.append(text)
    listener.on_description, listener.on_error = on_description, errors.append
    with connected_alone(listener) as link:
        publisher = link.node.create_publisher(String, 'robot_description', LATCHED)
        publisher.publish(String(data='bad'))
        assert until(lambda: errors)
        publisher.publish(String(data='good'))
        assert until(lambda: texts == ['good'])
    assert 'ZeroDivisionError: bad' in errors[0]
    assert 'Traceback' in caplog.text


def test_a_goal_that_a_newer_one_replaces_is_no_outcome_to_show():
    shown, connection = [], Connection.__new__(Connection)
    connection._heartbeat = SimpleNamespace(on_message=lambda: None)
    connection._listener = SimpleNamespace(on_report=shown.append)
    connection._reports = {}
    for message in (NEWER, 'the node is disabled: call ~/enable'):
        connection._on_status(DiagnosticStatus(level=DiagnosticStatus.ERROR, message=message))
    assert [report.message for report in shown] == ['the node is disabled: call ~/enable']
