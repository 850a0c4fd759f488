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
    assert again.lower.tolist() == chain.lower.tolist()
    assert again.upper.tolist() == chain.upper.tolist()
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
    agree(robots.chain(own), convention)


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


LIMIT = 'lower="-1" upper="2" velocity="3" effort="4"'


def following(kind, source, multiplier, off_chain=True):
    """Return an arm whose middle joint mimics another: of that type, on the chain or beside it."""
    parent = 'base' if off_chain else 'la'
    parts = [robots.joint('a', 'revolute', 'base', 'la', xyz='0.1 0 0.2', limit=LIMIT),
             robots.joint('s', source, parent, 'ls', limit=LIMIT)]
    return KinematicTree.from_urdf(robots.robot(
        *parts,
        robots.joint('b', kind, 'la' if off_chain else 'ls', 'lb', xyz='0.3 0.1 0', axis='0 1 0',
                     limit=LIMIT, mimic=f'joint="s" multiplier="{multiplier}" offset="0.2"'),
        robots.joint('c', 'revolute', 'lb', 'tip', xyz='0.2 0 0', axis='1 0 0',
                     limit=LIMIT))).chain(tip_link='tip')


@pytest.mark.parametrize('convention', CONVENTIONS)
@pytest.mark.parametrize('multiplier', [1, -1])
@pytest.mark.parametrize('source', ['revolute', 'prismatic'])
@pytest.mark.parametrize('kind', ['revolute', 'prismatic'])
def test_a_joint_that_follows_one_beside_the_chain_has_a_row_of_its_own_type(
        kind, source, multiplier, convention):
    row = agree(following(kind, source, multiplier), convention)['joints'][1]
    assert (row['name'], row['type'], row['velocity']) == ('s', kind, 3.0)
    assert ('effort' in row) == (kind == source)  # N is not N m


@pytest.mark.parametrize('chain', [
    lambda: following('revolute', 'revolute', 0.5),
    lambda: following('revolute', 'revolute', 1, off_chain=False),
    lambda: following('prismatic', 'revolute', 1, off_chain=False)])
def test_joints_that_share_a_value_and_ratios_have_no_rows(chain):
    with pytest.raises(ModelError, match='mimics another'):
        chain().to_dh('standard')


def test_an_arm_too_large_for_exact_rows_has_none():
    chain = KinematicTree.from_urdf(robots.robot(
        robots.joint('a', 'revolute', 'base', 'la', limit=LIMIT),
        robots.joint('b', 'revolute', 'la', 'lb', xyz='3e8 1e8 2e8', rpy='0.3 0.4 0.5',
                     limit=LIMIT),
        robots.joint('c', 'revolute', 'lb', 'tip', xyz='1e8 3e8 1e8', rpy='0.7 0.1 0.2',
                     limit=LIMIT))).chain()
    with pytest.raises(ModelError, match='too large for double precision'):
        chain.to_dh('standard')


@pytest.mark.parametrize('seed', range(4))
def test_generated_chains_have_rows_of_the_same_kinematics_or_none(seed):
    rng, described = np.random.default_rng(seed), 0
    for _ in range(25):
        chain = generated(rng)
        for convention in CONVENTIONS:
            if (np.abs(chain.arrays.ratio) == 1.0).all():
                agree(chain, convention, count=3)
                described += 1
            else:
                with pytest.raises(ModelError, match='mimics another'):
                    chain.to_dh(convention)
    assert described >= 15


def generated(rng):
    """Return a chain of random joints from mm to km, some of which follow others beside it."""
    scale, parts, parent = 10.0 ** rng.uniform(-3.0, 3.0), [], 'base'
    for k in range(int(rng.integers(1, 9))):
        kinds = rng.choice(['revolute', 'prismatic', 'continuous'], size=2)
        spans = [scale if kind == 'prismatic' else 1.0 for kind in kinds]
        sides = rng.choice(['both', 'lower', 'upper'], size=2)
        limits = ['' if kind == 'continuous' else
                  f'lower="{-span * rng.uniform(0.1, 2.0) if side != "upper" else -1e9}" '
                  f'upper="{span * rng.uniform(0.1, 2.0) if side != "lower" else 1e9}"'
                  for kind, span, side in zip(kinds, spans, sides)]
        mimic = ''
        if rng.random() < 0.15:
            parts.append(robots.joint(f's{k}', kinds[1], 'base', f'ls{k}', limit=limits[1]))
            mimic = f'joint="s{k}" multiplier="{rng.choice([1, 1, -1, 0.5])}" offset="0.01"'
        axis = rng.normal(size=3) if rng.random() < 0.3 else np.eye(3)[rng.integers(3)]
        parts.append(robots.joint(
            f'j{k}', kinds[0], parent, f'l{k}', limit=limits[0], mimic=mimic,
            xyz=words(scale * rng.uniform(-0.5, 0.5, 3)),
            rpy=words(rng.choice([rng.uniform(-3.0, 3.0), 0.0, math.pi / 2, 1.5708, -3.14159], 3)),
            axis=words(axis / np.linalg.norm(axis))))
        parent = f'l{k}'
    return KinematicTree.from_urdf(robots.robot(*parts)).chain(tip_link=parent)


def words(numbers):
    return ' '.join(map(repr, numbers.tolist()))


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


@pytest.mark.parametrize('convention', CONVENTIONS)
@pytest.mark.parametrize('kind', ['revolute', 'prismatic'])
@pytest.mark.parametrize('limit', ['lower="-0.5" upper="1e9"', 'lower="-1e9" upper="0.5"',
                                   'lower="-1e9" upper="1e9"', 'lower="0.2" upper="0.2"'])
def test_one_sided_limits_come_back(limit, kind, convention):
    agree(KinematicTree.from_urdf(robots.robot(
        robots.joint('a', 'revolute', 'base', 'la', limit=LIMIT),
        robots.joint('b', kind, 'la', 'lb', xyz='0.3 0.1 0', axis='0 1 0',
                     limit=limit))).chain(), convention)
