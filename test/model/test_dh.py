import math
from pathlib import Path

import numpy as np
import pytest

import robots
from ik_node import KinematicTree, ModelError

CONFIG = Path(__file__).parents[2] / 'config/dh'


def Rz(t):
    return np.array([[math.cos(t), -math.sin(t), 0, 0], [math.sin(t), math.cos(t), 0, 0],
                     [0, 0, 1, 0], [0, 0, 0, 1.0]])


def Rx(t):
    return np.array([[1.0, 0, 0, 0], [0, math.cos(t), -math.sin(t), 0],
                     [0, math.sin(t), math.cos(t), 0], [0, 0, 0, 1]])


def shift(x=0.0, z=0.0):
    T = np.eye(4)
    T[0, 3], T[2, 3] = x, z
    return T


def row(**changes):
    return {'type': 'revolute', 'a': 0.3, 'alpha': 0.4, 'd': 0.5, 'theta': 0.6, **changes}


def table(*rows, **keys):
    return {'convention': 'standard', 'joints': list(rows), **keys}


def test_a_row_turns_and_slides_along_z_and_then_along_x_or_the_other_way_round():
    along_x, along_z = shift(x=0.3) @ Rx(0.4), Rz(1.3) @ shift(z=0.5)
    for convention, T in (('standard', along_z @ along_x), ('modified', along_x @ along_z)):
        tree = KinematicTree.from_dh(table(row()) | {'convention': convention})
        assert tree.forward({'joint_1': 0.7})['tool'] == pytest.approx(T, abs=1e-15)


@pytest.mark.parametrize('convention', ['standard', 'modified'])
def test_the_sign_reverses_a_joint(convention):
    there = KinematicTree.from_dh([[0.3, 0.4, 0.5, 0.6]], convention)
    back = KinematicTree.from_dh({'convention': convention, 'joints': [row(sign=-1)]})
    assert back.forward({'joint_1': -0.7})['tool'] == pytest.approx(
        there.forward({'joint_1': 0.7})['tool'], abs=1e-15)


@pytest.mark.parametrize(('sign', 'd'), [(1, 0.7), (-1, 0.3)])
def test_a_prismatic_row_slides(sign, d):
    tree = KinematicTree.from_dh(table(row(type='prismatic', lower=0, upper=1, sign=sign)))
    assert tree.forward({'joint_1': 0.2})['tool'] == pytest.approx(
        Rz(0.6) @ shift(z=d) @ shift(x=0.3) @ Rx(0.4), abs=1e-15)
    assert tree.joints['joint_1'].prismatic


def test_base_and_tool_stand_before_and_after():
    given = table(row(), base={'xyz': [1, 2, 3], 'rpy': [0, 0, 0.5]}, tool={'xyz': [0, 0, 0.1]})
    tool = KinematicTree.from_dh(given).forward()['tool']
    base = Rz(0.5)
    base[:3, 3] = 1, 2, 3
    assert tool == pytest.approx(
        base @ KinematicTree.from_dh(table(row())).forward()['tool'] @ shift(z=0.1), abs=1e-15)


def test_degrees_count_for_every_angle_and_for_no_length():
    degrees = KinematicTree.from_dh(table(
        row(alpha=45, theta=30, lower=-90, upper=180),
        row(type='prismatic', alpha=0, theta=90, lower=0.1, upper=0.2),
        angle_unit='deg', base={'rpy': [10, 0, 0]}, tool={'rpy': [0, 20, 0]}))
    radians = KinematicTree.from_dh(table(
        row(alpha=math.pi / 4, theta=math.pi / 6, lower=-math.pi / 2, upper=math.pi),
        row(type='prismatic', alpha=0, theta=math.pi / 2, lower=0.1, upper=0.2),
        base={'rpy': [math.pi / 18, 0, 0]}, tool={'rpy': [0, math.pi / 9, 0]}))
    assert degrees.forward()['tool'] == pytest.approx(radians.forward()['tool'], abs=1e-15)
    for name in ('joint_1', 'joint_2'):
        one, other = degrees.joints[name], radians.joints[name]
        assert (one.lower, one.upper) == pytest.approx((other.lower, other.upper))


@pytest.mark.parametrize(('given', 'limits'), [
    ({'lower': -90}, (-math.pi / 2, math.inf)), ({'upper': 90}, (-math.inf, math.pi / 2)),
    ({'lower': -1e300, 'upper': 90}, (-math.inf, math.pi / 2))])
def test_a_revolute_row_may_have_one_limit(given, limits):
    joint = KinematicTree.from_dh(table(row(**given), angle_unit='deg')).joints['joint_1']
    assert joint.type == 'revolute'
    assert (joint.lower, joint.upper) == pytest.approx(limits)


def test_a_prismatic_row_says_by_large_numbers_that_it_has_no_limit():
    joint = KinematicTree.from_dh(table(row(type='prismatic', lower=-1e9, upper=1))).joints[
        'joint_1']
    assert (joint.lower, joint.upper) == (-math.inf, 1.0)


def test_names_links_and_limits():
    tree = KinematicTree.from_dh(table(row(name='waist', lower=-1, upper=2, velocity=3, effort=4),
                                       row(), row(type='fixed')))
    assert tree.links == ('base_link', 'link_1', 'link_2', 'link_3', 'tool')
    assert list(tree.joints) == ['waist', 'joint_2', 'fixed_3', 'tool_joint']
    waist = tree.joints['waist']
    assert (waist.lower, waist.upper, waist.velocity, waist.effort) == (-1, 2, 3, 4)
    assert tree.joints['joint_2'].type == 'continuous'
    assert tree.chain().joint_names == ('waist', 'joint_2')


def test_plain_rows_may_be_an_array():
    rows = np.array([[0.0, math.pi / 2, 0.3, 0.0], [0.4, 0.0, 0.0, 0.0]])
    tree = KinematicTree.from_dh(rows, 'standard')
    assert tree.forward()['tool'][:3, 3] == pytest.approx([0.4, 0.0, 0.3])


def test_the_panda_of_the_rows_is_the_panda_of_the_urdf():
    ours, theirs = KinematicTree.from_dh(CONFIG / 'panda.yaml').chain(), robots.chain('panda')
    assert ours.joint_names == theirs.joint_names
    assert ours.lower == pytest.approx(theirs.lower, abs=1e-4)
    rng = np.random.default_rng(0)
    for _ in range(100):
        q = robots.random_q(theirs, rng)
        assert ours.forward(q) == pytest.approx(theirs.forward(q), abs=1e-9)


def test_the_puma_is_the_one_of_the_published_rows():
    half = math.pi / 2
    rows = [(0.67183, 0, half), (0, 0.4318, 0), (0.15005, 0.0203, -half), (0.4318, 0, half),
            (0, 0, -half), (0, 0, 0)]  # d, a, alpha [Corke and Armstrong-Hélouvry 1994]
    chain = KinematicTree.from_dh(CONFIG / 'puma560.yaml').chain()
    rng = np.random.default_rng(0)
    for _ in range(100):
        q = robots.random_q(chain, rng)
        T = np.eye(4)
        for angle, (d, a, alpha) in zip(q, rows):
            T = T @ Rz(angle) @ shift(x=a, z=d) @ Rx(alpha)
        assert chain.forward(q) == pytest.approx(T, abs=1e-12)


@pytest.mark.parametrize(('given', 'words'), [
    (table({'type': 'revolute', 'a': 0, 'd': 0, 'theta': 0}), "row 1 .* 'alpha' is missing"),
    (table(row(), {'a': 0, 'alpha': 0, 'd': 0, 'theta': 0}), "row 2 .* 'type' is missing"),
    (table(row(name='waist', d='long')), r'row 1 of the DH table \(waist\): d must be a number'),
    (table(row(d='1e-3')), 'row 1 .*: d must be a number, .* in YAML write 0.001'),
    (table(row(), row(theta=math.nan)), 'row 2 .*: theta must be a finite number, not nan'),
    (table(row(a=math.inf)), 'row 1 .*: a must be a finite number'),
    (table(row(a=True)), 'row 1 .*: a must be a number, not True'),
    (table(row(theta=None, d=None)), 'row 1 .*: d must be a number, not None'),
    (table(row(type=['revolute', 'prismatic'])), 'row 1 .*: type must be one of .* not both'),
    (table(row(type='hinge')), "row 1 .*: type must be one of 'revolute', 'prismatic', 'fixed'"),
    (table(row(alfa=0)), "row 1 .*: there is no key 'alfa'; did you mean 'alpha'"),
    (table(row(variable='d')), "row 1 .*: there is no key 'variable'"),
    (table(row(sign=0)), 'row 1 .*: sign must be 1 or -1, not 0'),
    (table(row(type='prismatic')), 'row 1 .*: a prismatic joint must have lower and upper'),
    (table(row(type='prismatic', lower=1)), 'a prismatic joint must have lower and upper; -1e.09'),
    (table(row(lower=2, upper=1)), 'row 1 .*: its limits 2 to 1 are no range'),
    (table(row(velocity=0)), 'row 1 .*: velocity must be above 0'),
    (table(row(name='same'), row(name='same')), r"row 2 .*\(same\): another row .* 'same'"),
    (table(row(name=3)), 'row 1 .*: name must be a text, not 3'),
    (table([1, 2, 3]), 'row 1 of the DH table must be a mapping'),
    (table(), 'joints must be a list of rows'),
    (table(row()) | {'joints': row()}, 'joints must be a list of rows'),
    (table(row()) | {'convention': 'craig'}, "convention .* 'standard', 'modified', not 'craig'"),
    ({'joints': [row()]}, 'the convention of a DH table must be one of .* not None'),
    (table(row(), angle_unit='grad'), "angle_unit must be rad or deg, not 'grad'"),
    (table(row(), angle_unit=['deg']), 'angle_unit must be rad or deg'),
    (table(row(), bass={}), "a DH table: there is no key 'bass'; did you mean 'base'"),
    (table(row(), base=[0, 0, 0]), "base must be a mapping with the keys 'xyz', 'rpy'"),
    (table(row(), tool={'xyz': [0, 0]}), 'tool: xyz must be three numbers'),
    (table(row(), tool={'rpy': [0, 'x', 0]}), "tool: rpy must be a number, not 'x'"),
    (table(row(), tool={'quaternion': [0, 0, 0, 1]}), "tool: there is no key 'quaternion'"),
])
def test_an_error_of_a_table_names_row_and_key(given, words):
    with pytest.raises(ModelError, match=words):
        KinematicTree.from_dh(given)


@pytest.mark.parametrize(('rows', 'words'), [
    ([[1, 2, 3, 4], [1, 2, 3]], 'row 2 of the DH table must be four numbers'),
    (np.zeros((2, 3)), 'row 1 of the DH table must be four numbers'),
    (np.zeros(4), 'row 1 of the DH table must be four numbers'),
    ([[0, 0, 0, 0], [0, math.nan, 0, 0]], 'row 2 .* alpha must be a finite number'),
    ([[0, 0, 0, '1']], "row 1 .* theta must be a number, not '1'"),
    ([], 'a DH table must be a path, a mapping, or rows'),
    (3, 'a DH table must be a path, a mapping, or rows'),
])
def test_an_error_of_plain_rows_names_the_row(rows, words):
    with pytest.raises(ModelError, match=words):
        KinematicTree.from_dh(rows, 'standard')


def test_plain_rows_need_a_convention_and_a_table_keeps_its_own():
    with pytest.raises(ModelError, match='convention of a DH table must be one of'):
        KinematicTree.from_dh([[0, 0, 0, 0]])
    with pytest.raises(ModelError, match="says convention 'standard', the argument 'modified'"):
        KinematicTree.from_dh(table(row()), 'modified')


@pytest.mark.parametrize('number', ['1:30:20', '1_0.0', '1:30.5', '010', '0b1', '1_0'])
def test_numbers_of_yaml_1_1_alone_are_refused(tmp_path, number):
    file = tmp_path / 'arm.yaml'
    text = 'convention: standard\njoints: [{{type: revolute, a: {}, alpha: 0, d: 0x2, theta: 0}}]'
    file.write_text(text.format(1.5))
    assert KinematicTree.from_dh(file).forward()['tool'][:3, 3].tolist() == [1.5, 0.0, 2.0]
    file.write_text(text.format(number))
    with pytest.raises(ModelError, match=f"row 1 .*: a must be a number, not '{number}'"):
        KinematicTree.from_dh(file)
