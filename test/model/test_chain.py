import numpy as np
import pytest

import robots
from ik_node import IkError, KinematicTree, ModelError


def limit(lower, upper):
    return f'lower="{lower}" upper="{upper}" effort="1" velocity="1"'


def test_it_has_the_moving_joints_from_base_to_tip_with_their_limits():
    chain = robots.scara()
    assert chain.n_joints == 4
    assert chain.joint_names == ('shoulder', 'elbow', 'quill', 'turn')
    assert chain.lower.tolist() == [-2.5, -2.5, 0.0, -2.5]
    assert chain.upper.tolist() == [2.5, 2.5, 0.2, 2.5]
    assert chain.prismatic.tolist() == [False, False, True, False]


def test_joints_without_limits_have_infinite_ones():
    chain = robots.planar(1.0, 1.0)
    assert chain.lower.tolist() == [-np.inf, -np.inf]
    assert chain.upper.tolist() == [np.inf, np.inf]


def two_with_mimic(mimic, own=(-1, 1), source=(-2, 3)):
    return robots.robot(
        robots.joint('a', 'revolute', 'base', 'la', limit=limit(*source)),
        robots.joint('b', 'revolute', 'la', 'lb', xyz='1 0 0', limit=limit(*own), mimic=mimic))


def test_a_mimic_is_folded_into_its_source_whose_limits_also_keep_the_mimics():
    # b = −2 a + 0.5 must stay within ±1: a within −0.25 … 0.75.
    mimic = 'joint="a" multiplier="-2" offset="0.5"'
    chain = KinematicTree.from_urdf(two_with_mimic(mimic)).chain()
    assert chain.joint_names == ('a',)
    assert (chain.lower[0], chain.upper[0]) == pytest.approx((-0.25, 0.75))


def test_a_mimic_whose_limits_its_source_cannot_keep_is_refused():
    with pytest.raises(ModelError, match="'b' mimics 'a', but no value of 'a' keeps both"):
        KinematicTree.from_urdf(two_with_mimic('joint="a" offset="9"')).chain()


def test_the_source_of_a_mimic_joins_the_chain_though_it_lies_on_another_branch():
    chain = robots.tree('panda').chain('panda_hand', 'panda_rightfinger')
    assert chain.joint_names == ('panda_finger_joint1',)
    opened = chain.forward([0.04])[:3, 3] - chain.forward([0.0])[:3, 3]
    assert opened == pytest.approx([0.0, -0.04, 0.0], abs=1e-12)


def test_a_mimic_that_does_not_move_is_no_column():
    chain = KinematicTree.from_urdf(two_with_mimic('joint="a" multiplier="0" offset="0.5"')).chain()
    assert chain.joint_names == ('a',)
    assert chain.forward([0.0])[1, 0] == pytest.approx(np.sin(0.5))


@pytest.mark.parametrize(('lower', 'upper', 'expected'), [
    (-1.0, 2.0, 0.0), (0.5, 2.0, 1.25), (-3.0, -1.0, -2.0)])
def test_its_neutral_configuration_is_zero_or_the_middle_of_limits(lower, upper, expected):
    chain = KinematicTree.from_urdf(robots.robot(
        robots.joint('a', 'revolute', 'base', 'tip', limit=limit(lower, upper)))).chain()
    assert chain.neutral() == pytest.approx([expected])


@pytest.mark.parametrize('q', [
    [0.0], [0.0] * 5, np.zeros((4, 1)), [0.0, 0.0, np.nan, 0.0], [0.0, np.inf, 0.0, 0.0],
    ['a', 'b', 'c', 'd'], None, [[0.0], [0.0, 1.0], 0.0, 0.0]])
def test_joint_vectors_of_wrong_shape_or_content_are_refused(q):
    chain = robots.scara()
    for method in (chain.forward, chain.jacobian):
        with pytest.raises(IkError, match='q must'):
            method(q)


def test_what_it_returns_is_the_callers_to_change():
    chain = robots.scara()
    T = chain.forward([0.0] * 4)
    T[:] = 0.0
    chain.jacobian([0.0] * 4)[:] = 0.0
    assert chain.forward([0.0] * 4)[3, 3] == 1.0
