"""The node's diagnostics: counts, rates and times of goals; and the message of a status."""

from types import SimpleNamespace

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from std_msgs.msg import Header

import robots
from harness.node_here import running
from harness.ros_harness import pose, seconds
from ik_node.ros.publishing.health import Health
from ik_node.ros.publishing.outputs import Outputs
from ik_node.ros.publishing.status import KEYS

PLANAR = robots.OWN / 'planar_3r.urdf'


def values_of(report):
    return {pair.key: pair.value for pair in report.status[0].values}


def test_goals_are_counted_by_their_outcome_and_their_rate_is_that_of_the_last_period():
    chain = robots.chain('planar_3r')
    with running(urdf_path=PLANAR) as node:
        reports = node.listen(DiagnosticArray, '/diagnostics')
        for q in ([0.4, 0.5, 0.6], [0.3, 0.5, 0.6]):
            assert node.client.send(chain.forward(q)).met
        assert not node.client.send(pose(99.0, 0.0)).met
        assert not node.client.send(chain.forward([0.4, 0.5, 0.6]), frame='nowhere').met
        assert node.until(lambda: len(reports) == 2), node.log()
        first, second = map(values_of, reports)
        counts = ('goals', 'met', 'failed', 'refused')
        assert [first[name] for name in counts] == ['4', '2', '1', '1']
        assert [second[name] for name in counts] == ['4', '2', '1', '1']
        assert (first['goals_per_second'], second['goals_per_second']) == ('3', '0')
        assert float(first['answer_time_p99']) >= float(first['answer_time_p50']) > 0.0
        assert second['answer_time_p99'] == second['solve_time_p99'] == ''
        assert [second[name] for name in ('state', 'robot', 'solver')] == [
            'active', 'planar_3r', 'dls']
        stamps = [seconds(report.header.stamp) for report in reports]
        assert np.diff(stamps) == pytest.approx(1.0, abs=1e-3)


def test_percentiles_are_by_the_nearest_rank():
    health = Health()
    for k in range(200, 0, -1):
        health.count(SimpleNamespace(success=True, solve_time=0.001 * k), 0.002 * k)
    values = values_of(health.report('node', 'active', None, Header()))
    assert (values['solve_time_p50'], values['solve_time_p99']) == ('0.1', '0.198')
    assert (values['answer_time_p50'], values['answer_time_p99']) == ('0.2', '0.396')


def test_a_warning_is_new_once_and_is_not_logged_when_it_ends():
    health = Health()
    assert health.warn('joint_states', 'two publishers')
    assert not health.warn('joint_states', 'two publishers')
    assert health.warn('joint_states', 'three publishers')
    assert not health.warn('joint_states', '')
    assert health.warn('joint_states', 'two publishers')


def test_the_message_that_is_used_again_has_nothing_of_the_status_before():
    published = []
    outputs = Outputs(SimpleNamespace(create_lifecycle_publisher=lambda *_, **__: SimpleNamespace(
        publish=published.append)), None)
    outputs.status(DiagnosticStatus.OK, 'the goal is met', {
        'solver': 'dls', 'position_error': '1e-07', 'accepted': 'true'})
    outputs.status(DiagnosticStatus.ERROR, 'refused', {'accepted': 'false'})
    found = published[-1]
    assert (found.level, found.message, found.name) == (
        DiagnosticStatus.ERROR, 'refused', 'ik_node: goal')
    assert {pair.key: pair.value for pair in found.values} == {
        **dict.fromkeys(KEYS, ''), 'accepted': 'false'}
