import numpy as np
import pytest

import robots
from ik_node.mocap.key_poses import KeyConfigurations, KeyPoses
from ik_node.motion.interpolation import between_poses, easing, easing_names
from ik_node.spatial import pose_from_rpy
from ik_node.support.exceptions import InputError, OptionError

TIMES = [0.5, 1.25, 3.1]
POSES = [pose_from_rpy((0.1, 0.0, 0.2), (0.3, -0.4, 1.0)),
         pose_from_rpy((0.3, 0.5, 0.2), (2.3, -0.4, 1.0)),
         pose_from_rpy((-0.1, 0.2, 0.7), (0.0, 1.4, -3.0))]


def panda_keys(easing='cubic'):
    chain, rng = robots.chain('panda'), np.random.default_rng(1)
    configurations = [robots.random_q(chain, rng) for _ in TIMES]
    return KeyConfigurations(chain, TIMES, configurations, easing), np.array(configurations)


@pytest.mark.parametrize('name', easing_names())
def test_every_key_is_hit_to_the_last_digit(name):
    keys, configurations = panda_keys(name)
    assert (keys.at(TIMES) == configurations).all()
    assert all((keys.at(t) == q).all() for t, q in zip(TIMES, configurations))
    assert (KeyPoses(TIMES, POSES, name).at(TIMES) == POSES).all()


def test_before_the_first_and_after_the_last_it_stays():
    keys, configurations = panda_keys('linear')
    assert (keys.at([-1e9, 0.49, 3.11, 1e9]) == configurations[[0, 0, 2, 2]]).all()
    assert (keys.velocity([0.49, 3.11]) == 0.0).all()
    poses = KeyPoses(TIMES, POSES)
    assert (poses.at(-1.0) == POSES[0]).all()
    assert (poses.at(99.0) == POSES[2]).all()


def test_between_keys_the_easing_of_the_segment_counts():
    keys, configurations = panda_keys(['linear', 'quintic'])
    poses = KeyPoses(TIMES, POSES, ['linear', 'quintic'])
    first = 0.2 / 0.75
    second = float(easing('quintic')(0.37 / 1.85))
    a, b, c = configurations
    assert keys.at(0.7) == pytest.approx((1 - first) * a + first * b)
    assert keys.at(1.62) == pytest.approx((1 - second) * b + second * c)
    assert poses.at(0.7) == pytest.approx(between_poses(POSES[0], POSES[1], first))
    assert poses.at([1.62])[0] == pytest.approx(between_poses(POSES[1], POSES[2], second))


@pytest.mark.parametrize('name', easing_names())
def test_the_velocity_is_the_derivative(name):
    keys, _ = panda_keys(name)
    t, h = np.linspace(0.52, 3.08, 40), 1e-6
    assert keys.velocity(t) == pytest.approx((keys.at(t + h) - keys.at(t - h)) / (2 * h), abs=1e-4)
    assert (keys.velocity(TIMES) == 0.0).all() == (name != 'linear')  # at rest


def test_at_a_key_the_velocity_is_that_of_the_segment_which_begins_there():
    keys = KeyConfigurations(robots.planar(1.0), TIMES, [[0.0], [0.1], [0.5]], 'linear')
    assert keys.velocity(TIMES)[:, 0] == pytest.approx([0.1 / 0.75, 0.4 / 1.85, 0.4 / 1.85])


def test_a_continuous_joint_keeps_turning_through_its_keys():
    chain = robots.planar(1.0)
    third = 2.0 * np.pi / 3.0
    keys = KeyConfigurations(chain, range(7), [[0.0], [third], [-third]] * 2 + [[0.0]], 'linear')
    t = np.linspace(0.0, 6.0, 61)
    assert keys.at(t)[:, 0] == pytest.approx(third * t)
    assert keys.configurations[-1] == pytest.approx([4.0 * np.pi])
    assert keys.velocity(t)[:, 0] == pytest.approx(np.full(61, third))


def test_half_a_turn_between_keys_leaves_no_jump():
    chain, rng = robots.planar(1.0), np.random.default_rng(2)
    for start in rng.uniform(-50.0, 50.0, 200):
        q = [[start], [start + np.pi], [start + 2 * np.pi + 1e-15], [start - np.pi]]
        keys = KeyConfigurations(chain, range(4), q)
        for key in (1.0, 2.0):
            assert keys.at(key - 1e-9) == pytest.approx(keys.at(key), abs=1e-6)


def test_arrays_of_times_give_arrays():
    keys, _ = panda_keys()
    assert keys.at(1.0).shape == keys.velocity(1.0).shape == (7,)
    assert keys.at([1.0, 2.0]).shape == keys.velocity([1.0, 2.0]).shape == (2, 7)
    assert KeyPoses(TIMES, POSES).at(1.0).shape == (4, 4)
    assert KeyPoses(TIMES, POSES).at([1.0, 2.0]).shape == (2, 4, 4)


def test_keys_cannot_be_changed_afterwards():
    keys, configurations = panda_keys()
    configurations[0] = 9.0
    assert keys.at(0.0).max() < 9.0
    for array in (keys.times, keys.configurations, KeyPoses(TIMES, POSES).poses):
        with pytest.raises(ValueError, match='read-only'):
            array[0] = 0.0


@pytest.mark.parametrize(('times', 'says'), [
    ([0.0, 1.0, 1.0], r'times must increase: times\[2\] is 1, after 1'),
    ([0.0, 2.0, 1.0], r'times\[2\] is 1, after 2'),
    ([0.0, np.nan, 1.0], 'times must be finite'),
    ([0.0], 'at least 2'), (3.0, 'at least 2'), ([[0.0, 1.0]], r'\(1, 2\)'),
    ([0.0, 1.0], r'must have the shape \(2, '), ('soon', 'times must be numbers')])
def test_wrong_times_are_refused(times, says):
    with pytest.raises(InputError, match=says):
        KeyConfigurations(robots.planar(1.0), times, [[0.0], [0.1], [0.2]])
    with pytest.raises(InputError, match=says):
        KeyPoses(times, POSES)


@pytest.mark.parametrize(('names', 'error', 'says'), [
    ('cubik', OptionError, "did you mean 'cubic'"), (['cubic', 'bounce'], OptionError, 'bounce'),
    (['cubic'], InputError, 'one for each of the 2 segments between keys, not 1 names'),
    (['cubic'] * 3, InputError, 'not 3 names')])
def test_wrong_easings_are_refused(names, error, says):
    with pytest.raises(error, match=says):
        KeyPoses(TIMES, POSES, names)
    with pytest.raises(error, match=says):
        KeyConfigurations(robots.planar(1.0), TIMES, [[0.0], [0.1], [0.2]], names)


@pytest.mark.parametrize(('configurations', 'says'), [
    ([[0.0, 0.0], [0.0, 2.5], [0.0, 0.0]],
     "key configuration 2, at 1.25 s: 2.5 is outside the limits -2 to 2 of joint 'joint_2'"),
    ([[0.0, 0.0]] * 2, r'must have the shape \(3, 2\), not \(2, 2\)'),
    ([[0.0]] * 3, r'not \(3, 1\)'), ([[0.0, 0.0], [0.0], [0.0]], 'configurations must be numbers'),
    ([[0.0, 0.0], [0.0, np.inf], [0.0, 0.0]], 'configurations must be finite')])
def test_wrong_configurations_are_refused(configurations, says):
    with pytest.raises(InputError, match=says):
        KeyConfigurations(robots.planar(1.0, 1.0, limit=2.0), TIMES, configurations)


@pytest.mark.parametrize(('poses', 'says'), [
    ([POSES[0], 2.0 * POSES[1], POSES[2]], 'key pose 2, at 1.25 s, is no pose'),
    (POSES[:2], r'poses must have the shape \(3, 4, 4\).*not \(2, 4, 4\)'),
    ([POSES[0], POSES[1], np.full((4, 4), np.nan)], 'poses must be finite')])
def test_wrong_poses_are_refused(poses, says):
    with pytest.raises(InputError, match=says):
        KeyPoses(TIMES, poses)


@pytest.mark.parametrize(('t', 'says'), [(np.nan, 'finite'), ([[1.0]], r'\(1, 1\)')])
def test_a_time_that_is_none_is_refused(t, says):
    for keys in (panda_keys()[0], KeyPoses(TIMES, POSES)):
        with pytest.raises(InputError, match=says):
            keys.at(t)
