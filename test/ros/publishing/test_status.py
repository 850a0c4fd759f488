"""The message of a goal's status."""

import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed (make test brings it from PyPI)')

from diagnostic_msgs.msg import DiagnosticStatus

from ik_node.ros.publishing.status import KEYS, StatusMessage


def test_the_message_that_is_used_again_has_nothing_of_the_status_before():
    message = StatusMessage()
    message.of(DiagnosticStatus.OK, 'the goal is met', {
        'solver': 'dls', 'position_error': '1e-07', 'accepted': 'true'})
    found = message.of(DiagnosticStatus.ERROR, 'refused', {'accepted': 'false'})
    assert (found.level, found.message, found.name) == (
        DiagnosticStatus.ERROR, 'refused', 'ik_node: goal')
    assert {pair.key: pair.value for pair in found.values} == {
        **dict.fromkeys(KEYS, ''), 'accepted': 'false'}
