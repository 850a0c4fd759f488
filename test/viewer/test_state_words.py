"""What holds of a node, in words: the worst that hinders goals first."""

import pytest

pytest.importorskip('viser', reason='viser is not installed (make test brings it)')
pytest.importorskip('rclpy', reason='ROS 2 is not installed (make test brings it from PyPI)')

from ik_node.ros.clients.client import Report
from ik_node.viewer.state import AMBER, GREEN, GREY, RED, State

MET = Report(0, 'the goal is met', {})


def state(*, responds=True, lifecycle='active', report=MET):
    made = State()
    made.update(responds, lifecycle)
    if report:
        made.on_report(report)
    return made


@pytest.mark.parametrize(('made', 'color', 'words'), [
    (state(responds=False), GREY, 'waiting for the node'),
    (state(lifecycle='inactive'), AMBER, 'inactive'),
    (state(report=None), GREY, 'no goal yet'),
    (state(), GREEN, 'the goal is met'),
    (state(report=Report(1, 'the closest', {})), AMBER, 'the closest'),
    (state(report=Report(2, 'refused', {})), RED, 'refused')])
def test_the_state_is_one_line(made, color, words):
    assert made.line.color == color
    assert words in made.line.text


def test_a_report_is_not_shown_while_the_node_does_not_respond():
    made = state()
    assert not made.update(False, 'active')
    assert made.line.color == RED
    assert 'does not respond' in made.line.text
    assert made.report is None
    assert made.update(True, 'active')
    assert made.report == MET
    assert not made.update(True, 'active')
    made.forget_goal()
    assert made.line.text == 'no goal yet'
