"""The link of the browser view to a node."""

import threading

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed (make test brings it from PyPI)')

from domains import Domain

from ik_node.ros.clients.connection import Connection, SilentError


class Deaf:
    """A listener that nothing is said to."""


@pytest.fixture
def link():
    domain = Domain()
    listener = Deaf()
    listener.on_description = listener.on_markers = lambda message: None
    link = Connection(listener, domain_id=domain.id)
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
