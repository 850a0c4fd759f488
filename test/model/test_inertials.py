import numpy as np
import pytest

import robots
from ik_node import KinematicTree
from ik_node.model.geometry import Box, Capsule, Collision, Mesh, Sphere, Visual
from ik_node.model.joints import ComplexJoint, Joint
from ik_node.model.parts import Inertial
from ik_node.support.exceptions import InputError, ModelError

GOOD = '<inertia ixx="0.1" ixy="0.01" ixz="0" iyy="0.2" iyz="0.02" izz="0.25"/>'
MASS = '<mass value="2"/>'


def read(inner, tag='inertial'):
    """Return a tree whose link "tip" has one inertial, or something else, with the given inside."""
    text = robots.robot(robots.joint('j', 'continuous', 'base', 'tip', xyz='0 0 1'))
    return KinematicTree.from_urdf(text.replace(
        '<link name="tip"/>', f'<link name="tip"><{tag}>{inner}</{tag}></link>'))


def test_an_inertial_is_read_in_the_links_axes():
    tree = read(f'<origin xyz="1 2 3" rpy="0 0 {np.pi / 2}"/>{MASS}{GOOD}')
    inertial = tree.inertials['tip']
    assert inertial.mass == 2.0
    assert inertial.center.tolist() == [1, 2, 3]
    # A quarter turn about z: x becomes y, y becomes −x.
    assert inertial.inertia == pytest.approx(np.array(
        [[0.2, -0.01, -0.02], [-0.01, 0.1, 0.0], [-0.02, 0.0, 0.25]]))
    assert tree.warnings == ()
    assert tree.body().mass == 2.0


def test_a_link_without_an_inertial_has_none():
    tree = read('')
    assert 'base' not in tree.inertials
    assert KinematicTree.from_dh([[1, 0, 0, 0]], 'standard').inertials == {}


@pytest.mark.parametrize(('inner', 'words'), [
    ('', 'it has no <mass'),
    ('<mass/>' + GOOD, 'it has no <mass'),
    ('<mass value="two"/>' + GOOD, 'mass value="two" must be a number'),
    ('<mass value="nan"/>' + GOOD, 'mass value="nan" must be a number'),
    ('<mass value="inf"/>' + GOOD, 'mass value="inf" must be a number'),
    ('<mass value=""/>' + GOOD, 'mass value="" must be a number'),
    (f'<origin xyz="0 0"/>{MASS}{GOOD}', 'its origin xyz="0 0" must be three numbers'),
    (f'<origin xyz="0 0 x"/>{MASS}{GOOD}', 'its origin xyz="0 0 x" must be three numbers'),
    (f'<origin rpy="0 0 nan"/>{MASS}{GOOD}', 'its origin rpy="0 0 nan" must be three numbers')])
def test_an_unusable_inertial_is_left_out_with_a_warning(inner, words):
    tree = read(inner)
    assert tree.chain().n_joints == 1
    assert 'tip' not in tree.inertials
    (warning,) = tree.warnings
    assert warning.startswith("link 'tip': its inertial is skipped: ")
    assert words in warning
    assert tree.body().mass == 0.0


@pytest.mark.parametrize(('inner', 'words'), [
    (MASS, 'its inertia is set to 0: there is no <inertia/>'),
    (MASS + '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0"/>', 'set to 0: there is no izz'),
    (MASS + GOOD.replace('0.2"', 'big"', 1), 'set to 0: inertia iyy="big" must be a number'),
    (MASS + GOOD.replace('0.01', 'nan'), 'set to 0: inertia ixy="nan" must be a number')])
def test_without_a_usable_inertia_a_link_is_a_point_mass_with_a_warning(inner, words):
    tree = read('<origin xyz="0.5 0 0"/>' + inner)
    assert tree.inertials['tip'].mass == 2.0
    assert (tree.inertials['tip'].inertia == 0.0).all()
    assert tree.inertials['tip'].center.tolist() == [0.5, 0, 0]
    (warning,) = tree.warnings
    assert warning.startswith("link 'tip': its inertia is ")
    assert words in warning


def test_products_of_inertia_that_are_not_there_are_zero():
    tree = read(MASS + '<inertia ixx="0.1" iyy="0.2" izz="0.25"/>')
    assert tree.inertials['tip'].inertia.tolist() == np.diag([0.1, 0.2, 0.25]).tolist()
    assert tree.warnings == ("link 'tip': its inertia has no ixy, ixz, iyz; set to 0",)


@pytest.mark.parametrize(('mass', 'moments', 'words'), [
    (-1.0, (0.1, 0.1, 0.1), 'the mass -1 kg is negative'),
    (0.0, (0.1, 0.1, 0.1), 'the mass is 0, the inertia is not'),
    (1.0, (0.1, 0.1, -0.1), 'not positive semidefinite: principal moments -0.1, 0.1, 0.1'),
    (1.0, (0.1, 0.1, 0.3), 'greater than the sum of the others: 0.1, 0.1, 0.3 kg')])
def test_an_unphysical_inertial_is_used_as_it_is_with_a_warning(mass, moments, words):
    tree = read(f'<mass value="{mass}"/><inertia ixx="{moments[0]}" ixy="0" ixz="0" '
                f'iyy="{moments[1]}" iyz="0" izz="{moments[2]}"/>')
    assert tree.inertials['tip'].mass == mass
    assert np.diag(tree.inertials['tip'].inertia).tolist() == list(moments)
    (warning,) = tree.warnings
    assert warning.startswith("link 'tip': its inertial is unphysical, used as it is: ")
    assert words in warning
    assert tree.body().mass == mass


@pytest.mark.parametrize('moments', [
    (0.0, 0.0, 0.0), (0.1, 0.1, 0.2), (0.0, 0.3, 0.3), (1.0, 1.0, 1.0), (0.1, 0.1, 0.2 + 1e-8)])
def test_points_rods_plates_and_rounded_numbers_are_physical(moments):
    R = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    inertia = R @ np.diag(moments) @ R.T
    for mass in (1.0, 0.0) if not any(moments) else (1.0,):
        assert Inertial(mass, [0, 0, 0], 0.5 * (inertia + inertia.T)).problems() == []


@pytest.mark.parametrize(('arguments', 'words'), [
    ((np.nan,), 'the mass'), (([1.0, 2.0],), 'the mass must be a single number'),
    ((1.0, [0.0, 1.0]), 'the centre of mass must have the shape'),
    ((1.0, [0, 0, 0], np.eye(2)), 'a symmetric matrix'),
    ((1.0, [0, 0, 0], np.triu(np.ones((3, 3)))), 'a symmetric matrix')])
def test_an_inertial_made_by_hand_must_be_numbers(arguments, words):
    with pytest.raises(InputError, match=words):
        Inertial(*arguments)


def test_an_inertial_keeps_its_own_arrays():
    center = np.array([1.0, 2.0, 3.0])
    inertial = Inertial(1.0, center)
    center[0] = 9.0
    assert inertial.center.tolist() == [1, 2, 3]
    assert not inertial.center.flags.writeable
    assert not inertial.inertia.flags.writeable


def test_an_inertial_of_no_link_is_refused():
    joints = [Joint('j', 'continuous', 'base', 'tip')]
    with pytest.raises(ModelError, match="inertials: there is no link 'tipp'; did you mean 'tip'"):
        KinematicTree(['base', 'tip'], joints, inertials={'tipp': Inertial(1.0)})
    with pytest.raises(ModelError, match="the inertial of 'tip' must be an Inertial, not 1.0"):
        KinematicTree(['base', 'tip'], joints, inertials={'tip': 1.0})
    with pytest.raises(ModelError, match="the collisions of 'tip' must be a list of Collision"):
        KinematicTree(['base', 'tip'], joints, collisions={'tip': [Box((1, 1, 1))]})


SHAPES = '''<link name="tip">
  <collision><origin xyz="1 2 3" rpy="0 1.5 0"/><geometry><box size="1 2 3"/></geometry></collision>
  <collision><geometry><mesh filename="package://x/y.stl" scale="0.001"/></geometry></collision>
  <collision><geometry><teapot/></geometry></collision>
  <collision><origin xyz="0 0 1" rpy="0 1.5707963267948966 0"/>
    <geometry><capsule radius="0.1" length="2"/></geometry></collision>
  <collision/>
</link>'''


def shapes():
    return KinematicTree.from_urdf(robots.robot(
        robots.joint('j', 'continuous', 'base', 'tip').replace('<link name="tip"/>', SHAPES)))


def test_collision_shapes_are_read_and_what_cannot_be_read_is_left_out():
    tree = shapes()
    assert [collision.shape for collision in tree.collisions['tip']] == [
        Box((1, 2, 3)), Mesh('package://x/y.stl', (0.001, 0.001, 0.001)), Capsule(0.1, 2)]
    assert isinstance(tree.collisions['tip'][-1].shape, Capsule)  # tuples of any name are equal
    assert tree.collisions['tip'][0].placement[:3, 3].tolist() == [1, 2, 3]
    assert 'base' not in tree.collisions
    assert not tree.visuals
    assert [warning[:50] for warning in tree.warnings] == [
        "link 'tip': a collision shape is skipped: its shap",
        "link 'tip': a collision shape is skipped: it has n"]


@pytest.mark.parametrize('kind', [Collision, Visual])
@pytest.mark.parametrize(('arguments', 'words'), [
    (('box',), "a Box, Cylinder, Capsule, Sphere or Mesh, not 'box'"),
    ((Sphere(1.0), np.eye(3)), r'must have the shape \(4, 4\), not \(3, 3\)'),
    ((Sphere(1.0), 'here'), 'the placement of a shape must be')])
def test_a_shape_made_by_hand_must_be_one(kind, arguments, words):
    with pytest.raises(InputError, match=words):
        kind(*arguments)


def same(tree, again):
    """Check that two trees have the same inertials and collision shapes."""
    assert again.inertials.keys() == tree.inertials.keys()
    for link, inertial in tree.inertials.items():
        other = again.inertials[link]
        assert (other.mass, other.center.tolist(), other.inertia.tolist()) == (
            inertial.mass, inertial.center.tolist(), inertial.inertia.tolist())
    assert again.collisions.keys() == tree.collisions.keys()
    for link, collisions in tree.collisions.items():
        assert [one.shape for one in again.collisions[link]] == [one.shape for one in collisions]
        for ours, theirs in zip(collisions, again.collisions[link]):
            assert theirs.placement == pytest.approx(ours.placement, abs=1e-14)


@pytest.mark.parametrize('name', ['panda', 'ur5', 'so101', 'pr2', 'baxter', 'allegro'])
def test_what_is_written_is_what_was_read(name):
    tree = robots.tree(name)
    assert tree.inertials
    assert tree.collisions
    same(tree, KinematicTree.from_urdf(tree.to_urdf()))


def test_odd_shapes_and_unphysical_inertials_are_written_too():
    same(shapes(), KinematicTree.from_urdf(shapes().to_urdf()))
    tree = read('<mass value="-1"/><inertia ixx="1" ixy="2" ixz="3" iyy="4" iyz="5" izz="6"/>')
    same(tree, KinematicTree.from_urdf(tree.to_urdf()))


def test_inertials_outlive_a_change_of_angles_and_of_place():
    tree = KinematicTree(['base', 'arm'], [
        ComplexJoint('hip', 'ball', 'base', 'arm', rotation='exponential')],
        inertials={'arm': Inertial(2.0, [0.1, 0, 0])})
    assert tree.placed(np.eye(4)).body('floating').mass == 2.0
    same(tree, tree.with_euler_angles())
    same(tree, KinematicTree.from_urdf(tree.to_urdf()))
