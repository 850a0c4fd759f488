"""The message of a goal's status."""

from types import SimpleNamespace

import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed (make test brings it from PyPI)')

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticStatus

from ik_node.ros.publishing.outputs import Outputs
from ik_node.ros.publishing.status import KEYS


def test_the_message_that_is_used_again_has_nothing_of_the_status_before():
    published = []
    outputs = Outputs(SimpleNamespace(create_lifecycle_publisher=lambda *_: SimpleNamespace(
        publish=published.append)), lambda robot: Time())
    outputs.status(DiagnosticStatus.OK, 'the goal is met', {
        'solver': 'dls', 'position_error': '1e-07', 'accepted': 'true'})
    outputs.status(DiagnosticStatus.ERROR, 'refused', {'accepted': 'false'})
    found = published[-1]
    assert (found.level, found.message, found.name) == (
        DiagnosticStatus.ERROR, 'refused', 'ik_node: goal')
    assert {pair.key: pair.value for pair in found.values} == {
        **dict.fromkeys(KEYS, ''), 'accepted': 'false'}
