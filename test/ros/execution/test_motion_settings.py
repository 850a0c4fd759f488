"""What a running node lets be set of its motions: limits, modes, and what it refuses."""

import re

import pytest

pytest.importorskip('ruckig', reason='ruckig is not installed (make test brings it from PyPI)')

from ros_motion import (
    RATE,
    SLOW,
    arrive,
    assert_kept,
    chain,
    goal,
    in_one_mode,
    moving_node,
    under_way,
)


@pytest.fixture(scope='module')
def node():
    with moving_node() as running_node:
        yield running_node.ready()


@in_one_mode
@pytest.mark.parametrize(('name', 'slow'), [
    ('velocity_limits', 0.1), ('acceleration_limits', [0.1] * 6), ('jerk_limits', 0.5)])
def test_limits_given_take_effect(node, heard, name, slow):
    try:
        assert node.set(**{name: slow}) == (True, '')
        slowed = float(node.client.send(goal(0.0, 0.1, 0.0)).values['motion_duration'])
    finally:
        assert node.set(**{name: 'none'}) == (True, '')
    at = node.client.send(goal(0.0, -0.1, 0.0))
    assert slowed > 1.5 * float(at.values['motion_duration'])


@in_one_mode
def test_a_parameter_that_changes_during_a_motion_does_not_disturb_it(node, heard):
    wanted = goal(0.0, 0.2, -0.1)
    duration = float(node.client.send(wanted).values['motion_duration'])
    under_way(node, heard)
    assert node.set(dls__max_restarts=50) == (True, '')
    arrive(node, heard, 0.5 * duration)
    assert_kept(heard)
    assert chain.forward(heard[-1].position) == pytest.approx(wanted, abs=5e-6)


@in_one_mode
def test_slower_limits_make_the_next_motion_slower(node, heard):
    duration = float(node.client.send(goal(0.0, 0.1, 0.0)).values['motion_duration'])
    arrive(node, heard, duration)
    try:
        assert node.set(speed=0.5 * SLOW) == (True, '')
        back = float(node.client.send(goal(0.0, 0.0, 0.0)).values['motion_duration'])
    finally:
        assert node.set(speed=SLOW) == (True, '')
    assert back == pytest.approx(2.0 * duration, rel=0.1)


BAD = [
    ({'publish_rate': 0.0}, "publish_rate must be above 0 with motion '(joint|cartesian)'"),
    ({'motion': 'fly'}, "motion must be one of 'jump', 'joint', 'cartesian', not 'fly'"),
    ({'velocity_limits': [1.0, 2.0]}, r'velocity limits must be one number, or 6, one for each of '
     r'joint_1.*, not of shape \(2,\)'),
    ({'acceleration_limits': 0.0}, 'acceleration_limits must be a number above 0'),
    ({'jerk_limits': [1.0, 1.0, 1.0, 1.0, 1.0, -1.0]}, r'jerk_limits\[5\] must be a number above'),
    ({'speed': 0.0}, 'speed must be a number above 0'),
    ({'speed': 2.0}, 'range'),
    ({'trajectory_topic': 'no topic!'}, 'trajectory_topic is not a valid topic name')]


@pytest.mark.parametrize(('values', 'words'), BAD, ids=[f'{bad[0]}' for bad in BAD])
def test_what_is_no_motion_is_refused_with_the_reason(node, values, words):
    assert node.set(motion='joint') == (True, '')
    name = next(iter(values))
    before = node.get(name)
    successful, reason = node.set(**values)
    assert not successful
    assert re.search(words, reason), reason
    assert node.get(name) == before
    assert node.alive()


@in_one_mode
def test_back_in_jump_there_are_no_velocities(node, heard, mode):
    try:
        assert node.set(motion='jump') == (True, '')
        answer = node.client.send(goal(0.0, 0.1, 0.0))
        assert answer.values['motion_duration'] == ''
        assert chain.forward([answer.joints[name] for name in chain.joint_names]) == pytest.approx(
            goal(0.0, 0.1, 0.0), abs=5e-6)
        assert node.until(lambda: len(heard[-1].velocity) == 0)
    finally:
        assert node.set(motion=mode) == (True, '')


def test_a_node_that_cannot_publish_motions_is_not_configured(node):
    assert node.transition('deactivate')
    assert node.transition('cleanup')
    assert node.set(publish_rate=0.0) == (True, '')
    assert not node.transition('configure')
    assert 'cannot configure: publish_rate must be above 0' in node.log()
    assert node.set(publish_rate=RATE) == (True, '')  # tries again by itself
    assert node.until(lambda: node.state() == 'active'), node.log()
    assert node.alive()
