"""The link of the browser view to a node."""

import threading

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed (make test brings it from PyPI)')

from std_msgs.msg import String

from browser import until
from domains import Domain
from ik_node.ros.clients.connection import Connection, SilentError
from ik_node.ros.publishing.outputs import LATCHED


class Deaf:
    """A listener that keeps the texts of robots, but for one that it cannot."""

    def __init__(self):
        self.texts, self.errors = [], []
        self.on_error = self.errors.append

    def on_description(self, text):
        if text == 'bad':
            raise ZeroDivisionError(text)
        self.texts.append(text)


@pytest.fixture
def link():
    domain = Domain()
    listener = Deaf()
    listener.on_markers = lambda message: None
    link = Connection(listener, domain_id=domain.id)
    link.heard = listener
    yield link
    link.close()
    domain.give_back()


@pytest.mark.parametrize('use', [
    lambda link: link.send_goal(np.eye(4)), lambda link: link.send_path([np.eye(4)]),
    lambda link: link.reset(), lambda link: link.set_parameters({'solver': 'dls'}),
    lambda link: link.parameters()], ids=['goal', 'path', 'reset', 'set', 'parameters'])
def test_a_closed_link_says_so(link, use):
    link.close()
    assert not link.is_there
    with pytest.raises(SilentError, match='the connection to /ik_node is closed'):
        use(link)


def test_it_may_be_closed_while_another_thread_uses_it(link):
    raised, began = [], threading.Event()

    def use():
        try:
            while True:
                assert not link.is_there
                link.send_goal(np.eye(4))
                began.set()
        except Exception as error:
            raised.append(error)
    user = threading.Thread(target=use)
    user.start()
    assert began.wait(20.0)
    link.close()
    user.join(20.0)
    assert [type(error) for error in raised] == [SilentError]


def test_a_defect_in_the_handling_of_a_message_is_told_and_later_messages_arrive(link, caplog):
    publisher = link.node.create_publisher(String, 'robot_description', LATCHED)
    publisher.publish(String(data='bad'))
    assert until(lambda: link.heard.errors)
    publisher.publish(String(data='good'))
    assert until(lambda: link.heard.texts == ['good'])
    assert 'ZeroDivisionError: bad' in link.heard.errors[0]
    assert 'Traceback' in caplog.text
