"""Denavit-Hartenberg rows out of any chain, and back."""

import math

import numpy as np
import pytest

import robots
from ik_node import KinematicTree, ModelError

CONVENTIONS = ['standard', 'modified']


def agree(chain, convention, tolerance=1e-9, count=20):
    """Check that the rows extracted from a chain make the same arm; return them."""
    rows = chain.to_dh(convention)
    again = KinematicTree.from_dh(rows).chain()
    assert again.joint_names == chain.joint_names
    assert again.lower == pytest.approx(chain.lower)
    assert again.upper == pytest.approx(chain.upper)
    rng = np.random.default_rng(0)
    for _ in range(count):
        q = robots.random_q(chain, rng)
        assert again.forward(q) == pytest.approx(chain.forward(q), abs=tolerance)
    return rows


@pytest.mark.parametrize('convention', CONVENTIONS)
@pytest.mark.parametrize('name', robots.SERIAL)
def test_the_rows_of_real_arms_make_the_same_arm(name, convention):
    agree(robots.chain(name), convention, count=100)


@pytest.mark.parametrize('convention', CONVENTIONS)
@pytest.mark.parametrize('own', ['planar_3r', 'arm_6r', 'arm_7r', 'scara'])
def test_the_rows_of_our_own_arms_make_the_same_arm(own, convention):
    agree(KinematicTree.from_urdf(robots.OWN / f'{own}.urdf').chain(), convention)


@pytest.mark.parametrize('convention', CONVENTIONS)
def test_rows_come_back_as_they_went_in(convention):
    given = {'convention': convention, 'joints': [
        {'type': 'revolute', 'a': 0.1, 'alpha': 0.5, 'd': 0.2, 'theta': 0.3},
        {'type': 'revolute', 'a': 0.4, 'alpha': -0.7, 'd': -0.1, 'theta': -0.2},
        {'type': 'revolute', 'a': 0.2, 'alpha': 1.1, 'd': 0.3, 'theta': 0.1}]}
    rows = KinematicTree.from_dh(given).chain().to_dh(convention)['joints']
    first = 0 if convention == 'standard' else 1  # what is before the first axis may go to the base
    for got, put in list(zip(rows, given['joints']))[first:]:
        for key in ('a', 'alpha', 'd', 'theta'):
            assert got[key] == pytest.approx(put[key], abs=1e-12)


@pytest.mark.parametrize('convention', CONVENTIONS)
def test_axes_anywhere(convention):
    rng = np.random.default_rng(1)
    for _ in range(20):
        parts, parent = [], 'base'
        for k in range(5):
            kind = 'prismatic' if rng.random() < 0.3 else 'revolute'
            x, y, z = rng.uniform(-0.5, 0.5, 3)
            roll, pitch, yaw = rng.uniform(-3, 3, 3)
            axis = rng.normal(size=3)
            axis /= np.linalg.norm(axis)
            parts.append(robots.joint(
                f'j{k}', kind, parent, f'l{k}', xyz=f'{x} {y} {z}', rpy=f'{roll} {pitch} {yaw}',
                axis=' '.join(map(repr, axis.tolist())), limit='lower="-1" upper="1"'))
            parent = f'l{k}'
        agree(KinematicTree.from_urdf(robots.robot(*parts)).chain(), convention, count=3)


@pytest.mark.parametrize('convention', CONVENTIONS)
@pytest.mark.parametrize('tilt', [0.0, *(10.0**-k for k in range(3, 16))])
def test_axes_a_little_off_parallel(convention, tilt):
    chain = KinematicTree.from_urdf(robots.robot(
        robots.joint('a', 'continuous', 'base', 'la'),
        robots.joint('b', 'continuous', 'la', 'lb', xyz='0.4 0 0.1', rpy=f'{tilt} {-2 * tilt} 0'),
        robots.joint('c', 'continuous', 'lb', 'lc', xyz='0.3 0 0', rpy=f'0 {math.pi + tilt} 0'),
        robots.joint('d', 'continuous', 'lc', 'ld', xyz='0.2 0.1 0'))).chain()
    agree(chain, convention)


@pytest.mark.parametrize('convention', CONVENTIONS)
def test_axes_that_meet_and_axes_that_coincide(convention):
    chain = KinematicTree.from_urdf(robots.robot(
        robots.joint('a', 'continuous', 'base', 'la', xyz='0 0 0.2'),
        robots.joint('b', 'continuous', 'la', 'lb', xyz='0 0 0.3'),
        robots.joint('c', 'continuous', 'lb', 'lc', axis='1 1 0'),
        robots.joint('d', 'continuous', 'lc', 'ld', axis='0 0 -1'))).chain()
    agree(chain, convention, tolerance=1e-14)


def test_two_parallel_axes_need_no_offset_and_no_fixed_row():
    rows = agree(robots.planar(0.4, 0.3), 'standard', 1e-14)
    assert [row['a'] for row in rows['joints']] == pytest.approx([0.4, 0.3])
    assert all(row['d'] == row['alpha'] == row['theta'] == 0.0 for row in rows['joints'])
    assert [row['type'] for row in rows['joints']] == ['revolute', 'revolute']


def test_no_zero_is_negative():
    for name in robots.SERIAL:
        for row in robots.chain(name).to_dh('modified')['joints']:
            assert not any(math.copysign(1.0, row[key]) < 0.0 == row[key]
                           for key in ('a', 'alpha', 'd', 'theta'))


def test_speeds_and_efforts_come_along():
    rows = robots.chain('panda').to_dh('standard')['joints']
    assert rows[0]['velocity'] == robots.tree('panda').joints['panda_joint1'].velocity
    assert rows[0]['effort'] == robots.tree('panda').joints['panda_joint1'].effort


def test_an_unknown_convention_is_refused():
    with pytest.raises(ModelError, match="'standard', 'modified', not 'craig'"):
        robots.planar(1.0).to_dh('craig')


def test_a_chain_with_a_mimic_has_no_rows():
    chain = KinematicTree.from_urdf(robots.robot(
        robots.joint('a', 'continuous', 'base', 'la'),
        robots.joint('b', 'continuous', 'la', 'lb', mimic='joint="a"'))).chain()
    with pytest.raises(ModelError, match='mimics another'):
        chain.to_dh('standard')


def test_usual_names_and_joints_without_limits_come_back():
    nearly = KinematicTree.from_urdf(robots.robot(
        robots.joint('joint_1', 'continuous', 'base', 'a'),
        robots.joint('joint_2', 'continuous', 'a', 'b', axis='3e-8 0 1', xyz='0.3 0.1 0'),
        robots.joint('joint_3', 'continuous', 'b', 'c', axis='0 1 0', xyz='0 0 0.3'))).chain()
    assert 'fixed' in [row['type'] for row in agree(nearly, 'standard')['joints']]
    cart = KinematicTree.from_urdf(robots.robot(
        robots.joint('tool_joint', 'planar', 'base', 'tip'))).chain()
    agree(cart, 'modified')
    one = {'convention': 'standard', 'joints': [
        {'name': 'tool_joint', 'type': 'revolute', 'a': 1, 'alpha': 0, 'd': 0, 'theta': 0}]}
    assert KinematicTree.from_dh(one).chain().joint_names == ('tool_joint',)
