import numpy as np
import pytest

import robots
from ik_node import KinematicTree
from ik_node.motion.limits import (
    PRISMATIC_VELOCITY,
    REVOLUTE_VELOCITY,
    TO_FULL_FORCE,
    TO_FULL_SPEED,
    motion_limits,
)
from ik_node.support.exceptions import InputError


def arm(**velocities):
    """Return a revolute, a prismatic and a continuous joint, with velocities where given."""
    def limit(name, bounds):
        velocity = f' velocity="{velocities[name]}"' if name in velocities else ''
        return f'{bounds} effort="1"{velocity}'
    return KinematicTree.from_urdf(robots.robot(
        robots.joint('a', 'revolute', 'base', 'la', limit=limit('a', 'lower="-2" upper="2"')),
        robots.joint('b', 'prismatic', 'la', 'lb', limit=limit('b', 'lower="0" upper="1"')),
        robots.joint('c', 'continuous', 'lb', 'lc', xyz='0.5 0 0', limit=limit('c', '')))).chain()


def test_velocities_are_those_of_the_description():
    chain = robots.chain('panda')
    limits = motion_limits(chain)
    assert limits.velocity == pytest.approx([2.175] * 4 + [2.61] * 3)
    assert limits.lower is chain.lower
    assert limits.upper is chain.upper


def test_a_description_without_velocities_or_with_zero_has_defaults():
    limits = motion_limits(arm(b=0.0, c=4.0))
    assert limits.velocity.tolist() == [REVOLUTE_VELOCITY, PRISMATIC_VELOCITY, 4.0]


def test_accelerations_and_jerks_follow_from_what_comes_before_them():
    limits = motion_limits(arm(a=3.0), acceleration=[8.0, 2.0, 4.0])
    assert limits.velocity[0] == 3.0
    assert limits.acceleration.tolist() == [8.0, 2.0, 4.0]
    assert limits.jerk == pytest.approx(np.array([8.0, 2.0, 4.0]) / TO_FULL_FORCE)
    assert motion_limits(arm(a=3.0)).acceleration[0] == pytest.approx(3.0 / TO_FULL_SPEED)


RATES = robots.robot(
    robots.joint('a', 'revolute', 'base', 'la', limit='lower="-2" upper="2" velocity="3" '
                 'acceleration="8" deceleration="6" jerk="50"'),
    robots.joint('b', 'prismatic', 'la', 'lb', limit='lower="0" upper="1" deceleration="0.4"'),
    robots.joint('c', 'continuous', 'lb', 'lc', limit='velocity="4" acceleration="0" jerk="0"'),
    robots.joint('d', 'continuous', 'lc', 'ld', limit='acceleration="10"',
                 mimic='joint="b" multiplier="-50"'),
).replace('<robot ', '<robot version="1.2" ')


def test_accelerations_and_jerks_are_those_of_the_description_where_it_has_them():
    limits = motion_limits(KinematicTree.from_urdf(RATES).chain())
    # The smaller of acceleration and deceleration; that of a follower divided by its multiplier
    assert limits.acceleration.tolist() == [6.0, 0.2, 4.0 / TO_FULL_SPEED]
    assert limits.jerk == pytest.approx([50.0, 0.2 / TO_FULL_FORCE,
                                         4.0 / TO_FULL_SPEED / TO_FULL_FORCE])
    given = motion_limits(KinematicTree.from_urdf(RATES).chain(), acceleration=1.0, jerk=2.0)
    assert (given.acceleration.tolist(), given.jerk.tolist()) == ([1.0] * 3, [2.0] * 3)


def test_one_number_stands_for_all_joints():
    limits = motion_limits(arm(), velocity=0.5, jerk=7)
    assert limits.velocity.tolist() == [0.5] * 3
    assert limits.jerk.tolist() == [7.0] * 3


def test_a_joint_is_no_faster_than_those_that_follow_it_allow():
    limit = 'lower="-2" upper="2" effort="1"'
    chain = KinematicTree.from_urdf(robots.robot(
        robots.joint('a', 'revolute', 'base', 'la', limit=f'{limit} velocity="3"'),
        robots.joint('b', 'revolute', 'la', 'lb', xyz='1 0 0', limit=f'{limit} velocity="1"',
                     mimic='joint="a" multiplier="-0.5"'),
        robots.joint('t', 'fixed', 'lb', 'tip', xyz='1 0 0'))).chain()
    assert motion_limits(chain).velocity.tolist() == [2.0]


def test_speed_stretches_time():
    whole, half = motion_limits(arm()), motion_limits(arm(), speed=0.5)
    assert half.velocity == pytest.approx(whole.velocity / 2)
    assert half.acceleration == pytest.approx(whole.acceleration / 4)
    assert half.jerk == pytest.approx(whole.jerk / 8)


@pytest.mark.parametrize(('given', 'words'), [
    ({'velocity': [1.0, 2.0]}, r'velocity limits must be one number, or 3, .* not of shape \(2,\)'),
    ({'velocity': 0.0}, 'velocity limits must be finite numbers above 0, not 0.0'),
    ({'acceleration': [1, 1, -1]}, 'acceleration limits must be finite numbers above 0'),
    ({'jerk': np.inf}, 'jerk limits must be finite'),
    ({'jerk': 'high'}, "jerk limits must be numbers, not 'high'"),
    ({'speed': 0.0}, 'speed must be a number above 0 and at most 1, not 0.0'),
    ({'speed': 1.5}, 'speed must be')])
def test_what_is_no_limit_is_refused(given, words):
    with pytest.raises(InputError, match=words):
        motion_limits(arm(), **given)


def test_joints_stop_within_the_distances_of_their_stopping_speeds():
    limits, period = motion_limits(robots.chain('ur5')), 0.002
    for distance in (1e-9, 1e-4, 0.03, 2.0):
        v = limits.stopping_speeds(np.full(6, distance), period)
        braking, fading = v * v / (2.0 * limits.acceleration), v * limits.acceleration / limits.jerk
        assert (v > 0.0).all()
        assert (braking + 0.5 * fading <= distance).all()
        assert (v >= 0.3 * np.minimum(np.sqrt(limits.acceleration * distance),
                                      limits.jerk / limits.acceleration * distance)).all()
