import math

import numpy as np
import pytest

import robots
from ik_node import IkError, KinematicTree
from ik_node.model.tree import parts_of


def limit(lower, upper):
    return f'lower="{lower}" upper="{upper}" effort="1" velocity="1"'


def test_it_has_the_moving_joints_from_base_to_tip_with_their_limits_or_infinite_ones():
    chain = robots.scara()
    assert chain.n_joints == 4
    assert chain.joint_names == ('shoulder', 'elbow', 'quill', 'turn')
    assert chain.lower.tolist() == [-2.5, -2.5, 0.0, -2.5]
    assert chain.upper.tolist() == [2.5, 2.5, 0.2, 2.5]
    assert chain.prismatic.tolist() == [False, False, True, False]
    assert robots.planar(1.0).lower.tolist() == [-np.inf]
    assert robots.planar(1.0).upper.tolist() == [np.inf]


def two_with_mimic(mimic, own=(-1, 1), source=(-2, 3)):
    return robots.robot(
        robots.joint('a', 'revolute', 'base', 'la', limit=limit(*source)),
        robots.joint('b', 'revolute', 'la', 'lb', xyz='1 0 0', limit=limit(*own), mimic=mimic))


def test_a_mimic_is_folded_into_its_source_whose_limits_also_keep_the_mimics():
    # b = −2 a + 0.5 must stay within −3 … 3: a within −1.25 … 1.75.
    mimic = 'joint="a" multiplier="-2" offset="0.5"'
    tree = KinematicTree.from_urdf(two_with_mimic(mimic, (-3, 3)))
    chain = tree.chain()
    assert chain.joint_names == ('a',)
    assert (chain.lower[0], chain.upper[0]) == pytest.approx((-1.25, 1.75))
    assert tree.warnings == ()


@pytest.mark.parametrize(('source', 'mimic', 'own', 'limits', 'ignored'), [
    ((0, 0.8), 'multiplier="-1"', (0, 0.8), (0, 0.8), True),        # leaves 0 alone
    ((0, 0.8), 'multiplier="-1"', (-0.8, 0), (0, 0.8), False),
    ((0, 0.8), 'multiplier="-1"', (-0.4, 0), (0, 0.4), False),      # half of the range
    ((0, 0.8), 'multiplier="-1"', (-0.39, 0), (0, 0.8), True),      # less than half
    ((-2, 3), 'offset="9"', (-1, 1), (-2, 3), True),                # leaves none
    ((-2, 3), 'multiplier="2"', (-3, 3), (-1.5, 1.5), False),
    ((-2, 3), 'multiplier="0" offset="9"', (-1, 1), (-2, 3), False),
    ((0, 0), '', (-1, 1), (0, 0), False),
    ((0, 0), '', (1, 2), (0, 0), True),
    ((-1e9, 1e9), 'multiplier="-1"', (0, 1), (-1, 0), False),       # no limits to take half of
    ((-1e9, 1e9), 'multiplier="-1"', (1, 1), (-np.inf, np.inf), True)])
def test_limits_of_a_mimic_count_where_they_leave_half_of_the_range(source, mimic, own, limits,
                                                                     ignored):
    tree = KinematicTree.from_urdf(two_with_mimic(f'joint="a" {mimic}', own, source))
    chain, body = tree.chain(), tree.body()
    assert (chain.lower[0], chain.upper[0]) == (body.lower[0], body.upper[0]) == limits
    assert tree.limits('a') == limits
    assert not any(math.copysign(1.0, one) < 0.0 for one in tree.limits('a') if one == 0.0)
    named = [warning for warning in tree.warnings if "'b' mimics 'a': its limits" in warning]
    assert len(named) == ignored


def test_limits_of_several_mimics_are_ignored_where_they_leave_less_than_half_together():
    def tree(*limits):
        return KinematicTree.from_urdf(robots.robot(
            robots.joint('a', 'revolute', 'base', 'la', limit=limit(0, 1)),
            *(robots.joint(f'm{k}', 'revolute', 'la', f'l{k}', limit=limit(*one), mimic='joint="a"')
              for k, one in enumerate(limits))))
    kept = tree((0.1, 2), (0, 0.8), (5, 6))
    assert kept.limits('a') == (0.1, 0.8)
    assert kept.chain(tip_link='l1').upper.tolist() == [0.8]
    assert kept.chain(tip_link='l1').lower.tolist() == [0.0]
    assert len(kept.warnings) == 1
    assert "'m2' mimics 'a'" in kept.warnings[0]
    together = tree((0.3, 1), (0, 0.7))
    assert together.limits('a') == (0.0, 1.0)
    assert together.chain(tip_link='l0').lower.tolist() == [0.0]
    assert len(together.warnings) == 2


def test_a_warning_of_limits_that_are_ignored_is_given_once():
    tree = KinematicTree.from_urdf(two_with_mimic('joint="a" offset="9"'))
    again = KinematicTree.from_parts(parts_of(tree))
    assert len(tree.warnings) == 1
    assert again.warnings == tree.warnings


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
