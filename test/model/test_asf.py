"""Acclaim skeletons: kinematics against their formulas, units, limits, masses, malformed files."""

import math
import re

import numpy as np
import pytest

import robots
import skeletons
from ik_node import KinematicTree, ModelError
from ik_node.model.readers import find_reader, read_model
from ik_node.support.exceptions import InputError
from skeletons import BONES, FIGURE, ROOT_ORDER, UNIT, positions, random_values


@pytest.fixture(scope='module')
def tree():
    return read_model(FIGURE)


def values_of(numbers):
    """Return joint values, rad and m, of numbers of a motion file."""
    return {f'{bone}_{dof}': math.radians(number) if dof[0] == 'r' else UNIT * number
            for bone, given in numbers.items() for dof, number in given.items()}


@pytest.mark.parametrize('seed', range(20))
def test_every_far_end_is_where_the_formulas_of_the_format_put_it(tree, seed):
    numbers = random_values(np.random.default_rng(seed))
    T = tree.forward(values_of(numbers))
    for bone, p in positions(numbers).items():
        assert T[bone][:3, 3] == pytest.approx(p, abs=1e-12)


def test_links_and_joints_have_the_names_of_bones_and_degrees_of_freedom(tree):
    assert {'root', *BONES} <= set(tree.links)
    moving = {name for name, joint in tree.joints.items() if joint.moves}
    assert moving == {*(f'root_{dof}' for dof in ROOT_ORDER),
                      *(f'{bone}_{dof}' for bone, dofs in BONES.items() for dof in dofs)}
    assert tree.name == 'Small Figure'
    # From the parent out, rotations about fixed axes apply in the opposite order.
    femur = [name for name in tree.joints if name.startswith('femur_r')]
    assert femur == ['femur_rz', 'femur_ry', 'femur_rx']
    assert tree.warnings == ()


def test_limits_are_in_the_order_of_dof_and_in_rad_and_m(tree):
    def limits(name):
        return tree.joints[name].lower, tree.joints[name].upper
    assert limits('femur_rx') == pytest.approx((math.radians(-160), math.radians(20)))
    assert limits('femur_ry') == pytest.approx((math.radians(-70), math.radians(70)))
    assert tree.joints['femur_rz'].type == 'continuous'
    assert limits('foot_rz') == pytest.approx((math.radians(-45), math.radians(90)))
    assert limits('foot_l') == pytest.approx((-UNIT, 2 * UNIT))
    assert limits('head_ry') == pytest.approx((math.radians(10),) * 2)
    assert limits('back_ty') == limits('root_tx') == (-math.inf, math.inf)
    assert tree.joints['tibia_rx'].type == 'revolute'


def test_masses_are_along_the_bone_from_its_near_end(tree):
    assert set(tree.inertials) == {'femur', 'tibia'}
    femur, tibia = tree.inertials['femur'], tree.inertials['tibia']
    assert (femur.mass, tibia.mass) == (4.0, 2.0)
    direction = np.array([0.34202, -0.939693, 0])
    direction /= np.linalg.norm(direction)
    assert femur.center == pytest.approx((3.0 - 7.1578) * UNIT * direction, abs=1e-6)
    assert tibia.center == pytest.approx(-0.5 * 7.49137 * UNIT * direction, abs=1e-6)
    assert femur.problems() == tibia.problems() == []
    assert tree.body().mass == pytest.approx(6.0)


@pytest.mark.parametrize('order', ['XYZ', 'XZY', 'YXZ', 'YZX', 'ZXY', 'ZYX'])
def test_the_axes_of_a_motion_are_turned_in_their_order(order, tmp_path):
    file = tmp_path / 'figure.asf'
    file.write_text(FIGURE.replace('30 -40 50 ZYX', f'30 -40 50 {order}'))
    T = KinematicTree.from_asf(file).forward({'tibia_rx': 0.7})
    C = skeletons.fixed_axes(order.lower(), {'x': 30, 'y': -40, 'z': 50})
    up = skeletons.turn('x', 90)
    bone = C @ skeletons.turn('x', math.degrees(0.7)) @ C.T @ [0.34202, -0.939693, 0]
    assert T['tibia'][:3, 3] - T['femur'][:3, 3] == pytest.approx(7.49137 * UNIT * up @ bone)


def test_the_root_stands_at_its_position_and_orientation_and_moves_from_there():
    text = FIGURE.replace('position 0 0 0', 'position 1 2 3').replace(
        'orientation 0 0 0', 'orientation 10 20 30').replace('axis XYZ', 'axis ZXY')
    T = read_model(text).forward({'root_rx': 0.4, 'root_ty': 0.5})
    up = skeletons.turn('x', 90)
    M = up @ skeletons.turn('x', math.degrees(0.4)) @ skeletons.fixed_axes(
        'zxy', {'x': 10, 'y': 20, 'z': 30})
    assert T['root'][:3, 3] == pytest.approx(up @ (UNIT * np.array([1, 2, 3]) + [0, 0.5, 0]))
    assert T['root'][:3, :3] == pytest.approx(M)
    assert T['back'][:3, 3] - T['root'][:3, 3] == pytest.approx(4.5 * UNIT * M[:, 1])


def test_the_order_of_the_root_is_the_order_of_its_rotations():
    text = FIGURE.replace('TX TY TZ RX RY RZ', 'RZ TX RX TY RY TZ')
    R = read_model(text).forward({'root_rx': 0.4, 'root_ry': 0.5, 'root_rz': 0.6})['root'][:3, :3]
    degrees = {letter: math.degrees(angle) for letter, angle in zip('xyz', (0.4, 0.5, 0.6))}
    assert R == pytest.approx(skeletons.turn('x', 90) @ skeletons.fixed_axes('zxy', degrees))


def test_units_of_length_and_angle(tmp_path):
    file = tmp_path / 'figure.asf'
    file.write_text(FIGURE)
    def height(tree):
        return tree.forward()['back'][2, 3]
    assert height(KinematicTree.from_asf(file)) == pytest.approx(4.5 * 0.0254 / 0.45)
    assert height(KinematicTree.from_asf(str(file), length_unit=0.01)) == pytest.approx(0.045)
    assert height(read_model(FIGURE.replace('length 0.45\n', '\n', 1))) == pytest.approx(
        4.5 * 0.0254)
    radians = read_model(FIGURE.replace('angle deg', 'angle rad').replace('(-45 90)', '(-1 2)'))
    assert (radians.joints['foot_rz'].lower, radians.joints['foot_rz'].upper) == (-1, 2)


@pytest.mark.parametrize('unit', [0, -1, math.nan, math.inf, '1', [1, 2], 1e300])
def test_a_wrong_unit_of_length_is_refused(unit, tmp_path):
    (tmp_path / 'figure.asf').write_text(FIGURE)
    with pytest.raises(InputError, match='length_unit'):
        KinematicTree.from_asf(tmp_path / 'figure.asf', unit)


def test_the_figure_as_urdf_has_the_same_kinematics_shapes_and_masses(tree):
    again = KinematicTree.from_urdf(tree.to_urdf())
    values = values_of(random_values(np.random.default_rng(7)))
    there, back = tree.forward(values), again.forward(values)
    assert list(there) == list(back)
    for link, T in there.items():
        assert back[link] == pytest.approx(T, abs=1e-12)
    assert {name: (joint.lower, joint.upper) for name, joint in again.joints.items()} == {
        name: (joint.lower, joint.upper) for name, joint in tree.joints.items()}
    assert again.body().mass == pytest.approx(6.0)
    assert set(again.visuals) == {'root', *BONES}


def test_the_cylinder_of_a_bone_reaches_from_its_near_to_its_far_end(tree):
    T = tree.forward()
    visual, T_shape = next(shape[1:] for shape in tree.visual_poses() if shape[0] == 'tibia')
    ends = [T_shape[:3, 3] + side * 0.5 * visual.shape.length * T_shape[:3, 2] for side in (-1, 1)]
    assert ends[0] == pytest.approx(T['femur'][:3, 3])
    assert ends[1] == pytest.approx(T['tibia'][:3, 3])
    assert 0.0 < visual.shape.radius < 0.3 * visual.shape.length


def test_it_is_registered_by_extension_and_by_content():
    assert find_reader('figure.ASF').name == find_reader(FIGURE).name == 'Acclaim skeleton'


@pytest.mark.parametrize('end', ['\r\n', '\r'])
def test_any_line_ends_and_encodings_of_comments_are_read(end, tree, tmp_path):
    file = tmp_path / 'figure.asf'
    file.write_bytes(b'# J\xe9r\xf4me' + end.encode() + FIGURE.replace('\n', end).encode())
    assert KinematicTree.from_asf(file).links == tree.links


@pytest.mark.parametrize(('old', 'new', 'line', 'words'), [
    ('name Tibia', 'name femur', 36, "another bone is named 'femur', in line 23"),
    ('name Tibia', 'name root', 37, "a name other than 'root'"),
    ('name Tibia', '', 36, "no key 'name'"),
    ('    back head', '    back', 79, "'back' has no bones after it"),
    ('    back head', '    back chest', 79, "there is no bone 'chest'"),
    ('    back head', '    head back', 79, "'back' already has a parent, in line 75"),
    ('    back head\n', '', 64, "'head' is not connected to the root"),
    ('hip femur', 'foot femur', 76, "'femur' is not connected to the root"),
    ('  end\n:hierarchy', ':hierarchy', 71, 'has no end'),
    ('  end\n  begin\n     id 5', '  begin\n     id 5', 55, 'without the end of what begins'),
    (':bonedata', ':bones', 80, "the file ends without a section :bonedata; line 15: there is no "
     "section ':bones'; did you mean ':bonedata'"),
    ('(-45 90)', '(-45 1.#QNAN)', 53, "the limits of rz must be numbers"),
    ('(-45 90)', '(-45 90 #)', 53, 'not 4 numbers'),
    (':name Small', ':version Small', 3, 'begins a second time; the first is in line 2'),
    ('(-45 90) (-70 20)', '(-45 90) (-70)', 53, 'not 5 numbers'),
    ('(-45 90)', '(90 -45)', 53, 'the limits 90 -45 of rz are no range'),
    ('(-1 2)', '(-1 nan)', 54, 'the limits of l must be numbers, inf or -inf'),
    ('dof rz rx l', 'dof rz rx rz', 52, 'appears twice'),
    ('dof rz rx l', 'dof rz rx q', 52, "there is no degree of freedom 'q'"),
    ('30 -40 50 ZYX', '30 -40 50 ZYZ', 41, 'must end with an order of rotations'),
    ('30 -40 50 ZYX', '30 -40 ZYX', 41, 'must be 3 numbers'),
    ('length 7.49137', 'length -1', 38, 'must not be negative'),
    ('length 7.49137', 'length 7_4', 38, 'must be a number'),
    ('length 7.49137', 'length ７', 38, 'must be a number'),
    ('(-1 2)', '(-1 ２)', 54, 'the limits of l must be numbers, inf or -inf'),
    ('direction 0 0 1', 'direction 0 0 0', 49, 'must not be zero'),
    ('TX TY TZ RX RY RZ', 'TX TY TZ RX RY', 11, 'must have TX, TY, TZ, RX, RY and RZ once each'),
    ('angle deg', 'angle grad', 5, "must be one of 'deg', 'rad', not 'grad'"),
    ('mass 2.0', 'mass 0', 7, 'must be above 0'), ('bodymass 4.0', 'bodymass -4', 43, 'negative'),
    ('name head', 'name femur_rx_link', 64, "two links would be named 'femur_rx_link'"),
])
def test_an_error_names_its_line(old, new, line, words):
    assert old in FIGURE
    text = FIGURE.replace(old, new, 1)
    if new == 'name femur_rx_link':
        text = text.replace('back head', 'back femur_rx_link')
    with pytest.raises(ModelError, match=f'^the skeleton, line {line}: .*{re.escape(words)}'):
        read_model(text)


def keep(words):
    """Return whether a line of a skeleton is free text, or may be changed without harm."""
    return not words or words[0] in (':name', ':version', ':documentation', ':units', 'free')


@pytest.mark.parametrize('seed', robots.rest_slow(range(300), *range(30)))
def test_a_malformed_word_gives_an_error_that_names_a_line(seed):
    rng = np.random.default_rng(seed)
    text, _ = skeletons.malformed(FIGURE, rng, keep)
    with pytest.raises(ModelError, match=r'^the skeleton, line (\d+): ') as error:
        read_model(text)
    named = int(re.search(r'line (\d+)', str(error.value))[1])
    assert 1 <= named <= len(text.splitlines())


@pytest.mark.parametrize('part', np.linspace(0.05, 0.97, 24))
def test_a_truncated_file_gives_an_error_that_names_a_line(part):
    with pytest.raises(ModelError, match=r'^the skeleton, line \d+: '):
        read_model(':version 1.10\n' + FIGURE[FIGURE.index(':name'):int(part * len(FIGURE))] + '\n')


@pytest.mark.parametrize('content', [b'', b'\xff\xfe\x00', b'begin\nend\n', b':root\n' * 3])
def test_what_is_no_skeleton_names_the_file_and_a_line(content, tmp_path):
    file = tmp_path / 'none.asf'
    file.write_bytes(content)
    with pytest.raises(ModelError, match=r"the skeleton '.*none.asf', line \d+: "):
        KinematicTree.from_asf(file)


def test_a_file_that_cannot_be_read_is_refused():
    with pytest.raises(ModelError, match='cannot read the skeleton'):
        KinematicTree.from_asf('/nowhere/figure.asf')
    with pytest.raises(ModelError, match='a skeleton must be a path'):
        KinematicTree.from_asf(3)


def test_unknown_sections_are_passed_over_with_a_warning():
    text = FIGURE.replace(':units', ':namespace w\n  begin\n  mass 7\n:other\n:units', 1)
    tree, plain = read_model(text), read_model(FIGURE)
    assert tree.links == plain.links
    assert [warning.partition(';')[0] for warning in tree.warnings] == [
        "line 4: there is no section ':namespace'", "line 7: there is no section ':other'"]
    assert {link: T.tolist() for link, T in tree.forward().items()} == {
        link: T.tolist() for link, T in plain.forward().items()}


@pytest.mark.parametrize('limits', ['(-inf inf)', '(-inf inf', '-inf inf)', '(-1.#INF 90)'])
def test_infinite_limits_and_missing_brackets_are_read_or_refused_at_their_line(limits):
    text = FIGURE.replace('(-45 90)', limits, 1)
    if '#' in limits:
        with pytest.raises(ModelError, match='line 53: .* must be numbers, inf or -inf, not'):
            read_model(text)
        return
    joint = read_model(text).joints['foot_rz']
    assert (joint.lower, joint.upper) == (-math.inf, math.inf)
