"""Any tree as URDF: other readers take it, and it is the same robot."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import robots
from ik_node import KinematicTree
from ik_node.model.geometry import Box, Capsule, Cylinder, Mesh, Sphere
from ik_node.model.joints import ComplexJoint, Joint

CONFIG = Path(__file__).parents[2] / 'config/dh'
CHECK_URDF = Path(sys.executable).with_name('check_urdf')


def check(text, tmp_path):
    """Let check_urdf, of urdfdom, read a description."""
    program = CHECK_URDF if CHECK_URDF.is_file() else shutil.which('check_urdf')
    if program is None:
        pytest.skip('check_urdf is not installed')
    file = tmp_path / 'robot.urdf'
    file.write_text(text)
    done = subprocess.run([program, file], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert 'Successfully Parsed XML' in done.stdout


def agree(tree, again, values=None):
    """Check that two trees place every link of the first alike."""
    rng = np.random.default_rng(0)
    names = tree.independent_joints
    for _ in range(5):
        q = dict(zip(names, rng.uniform(-2.0, 2.0, len(names))))
        theirs = again.forward(q)
        for link, T in tree.forward(q).items():
            assert theirs[link] == pytest.approx(T, abs=1e-9)


@pytest.mark.parametrize('name', [
    *robots.REAL, *sorted(file.stem for file in robots.OWN.glob('*.urdf'))])
def test_a_robot_is_the_same_one_again(name, tmp_path):
    tree = robots.tree(name)
    text = tree.to_urdf()
    check(text, tmp_path)
    again = KinematicTree.from_urdf(text)
    assert again.links == tree.links
    for joint in tree.joints.values():
        other = again.joints[joint.name]
        assert (other.type, other.parent, other.child, other.lower, other.upper, other.velocity,
                other.effort, other.mimic) == (
            joint.type, joint.parent, joint.child, joint.lower, joint.upper, joint.velocity,
            joint.effort, joint.mimic)
        assert other.axis == pytest.approx(joint.axis, abs=1e-15)
    agree(tree, again)
    assert tree.visuals.keys() == again.visuals.keys() != set()
    for link, visuals in tree.visuals.items():
        for ours, theirs in zip(visuals, again.visuals[link], strict=True):
            assert (ours.shape, ours.color) == (theirs.shape, theirs.color)
            assert ours.placement == pytest.approx(theirs.placement, abs=1e-15)


@pytest.mark.parametrize('arm', ['panda', 'puma560'])
def test_a_robot_of_rows_gets_shapes_along_its_links(arm, tmp_path):
    tree = KinematicTree.from_dh(CONFIG / f'{arm}.yaml')
    text = tree.to_urdf()
    check(text, tmp_path)
    again = KinematicTree.from_urdf(text)
    agree(tree, again)
    assert again.name == arm
    assert not tree.visuals
    assert set(again.visuals) >= {'base_link', 'link_1', 'tool'}
    for visuals in again.visuals.values():
        assert len({visual.color for visual in visuals}) == 1


def test_rods_reach_from_joint_to_joint():
    tree = KinematicTree.from_dh([[0.4, 0.0, 0.0, 0.0], [0.3, 0.0, 0.0, 0.0]], 'standard')
    drawn = KinematicTree.from_urdf(tree.to_urdf())
    rods = {link: visual for link, visual, _ in drawn.visual_poses()
            if isinstance(visual.shape, Cylinder) and visual.placement[0, 3] > 0.0}
    assert [rods[link].shape.length for link in ('link_1', 'link_2')] == pytest.approx([0.4, 0.3])
    assert rods['link_1'].placement[:3, 3] == pytest.approx([0.2, 0.0, 0.0])
    assert np.abs(rods['link_1'].placement[:3, 2]) == pytest.approx([1.0, 0.0, 0.0])


@pytest.mark.parametrize('count', [1, 2, 7])
def test_rods_are_as_thick_as_the_arm_is_long_however_many_there_are(count):
    tree = KinematicTree.from_dh([[0.7 / count, 0.0, 0.0, 0.0]] * count, 'standard')
    radii = {visual.shape.radius for _, visual, _ in
             KinematicTree.from_urdf(tree.to_urdf()).visual_poses()
             if isinstance(visual.shape, Cylinder) and visual.placement[0, 3] > 0.0}
    assert [*radii] == pytest.approx([0.035 * 0.7])


def test_a_joint_without_limits_comes_back_without():
    tree = KinematicTree(['a', 'b', 'c', 'd'], [
        ComplexJoint('cart', 'planar', 'a', 'b'),
        Joint('half', 'revolute', 'b', 'c', lower=-1.0),
        Joint('spin', 'continuous', 'c', 'd', velocity=2.0)])
    again = KinematicTree.from_urdf(tree.to_urdf())
    for name, joint in tree.joints.items():
        other = again.joints[name]
        assert (other.type, other.lower, other.upper, other.velocity) == (
            joint.type, joint.lower, joint.upper, joint.velocity)


def test_an_exponential_map_is_written_as_euler_angles(tmp_path):
    tree = KinematicTree(['base', 'arm'], [
        ComplexJoint('hip', 'ball', 'base', 'arm', rotation='exponential')])
    text = tree.to_urdf()
    check(text, tmp_path)
    assert list(KinematicTree.from_urdf(text).joints) == ['hip_rz', 'hip_ry', 'hip_rx']


def test_the_description_is_the_text_it_was_read_from_where_that_says_it_all():
    text = robots.robot(robots.joint('j', 'continuous', 'base', 'tip'))
    assert KinematicTree.from_urdf(text).description == text
    floating = robots.robot(robots.joint('j', 'floating', 'base', 'tip'))
    held = KinematicTree.from_urdf(floating, hold_complex_joints=True)
    assert held.description == floating
    moving = KinematicTree.from_urdf(KinematicTree.from_urdf(floating).description)
    assert moving.chain().n_joints == 6
    rows = KinematicTree.from_dh([[1, 0, 0, 0]], 'standard')
    assert KinematicTree.from_urdf(rows.description).links == rows.links


def test_names_are_escaped(tmp_path):
    tree = KinematicTree(['a & b', '<c>'], [Joint('"j"', 'continuous', 'a & b', '<c>')])
    assert KinematicTree.from_urdf(tree.to_urdf()).links == tree.links


VISUAL = '''<robot name="r">
<material name="red"><color rgba="1 0 0"/></material>
<link name="a">
  <visual><origin xyz="1 2 3"/><geometry><box size="1 2 3"/></geometry>
    <material name="red"/></visual>
  <visual><geometry><cylinder radius="1" length="2"/></geometry></visual>
  <visual><geometry><capsule radius="1" length="2"/></geometry></visual>
  <visual><geometry><sphere radius="4"/></geometry>
    <material name=""><color rgba="0 1 0 0.5"/></material></visual>
  <visual><geometry><mesh filename="package://x/y.stl" scale="0.001"/></geometry></visual>
</link>
<link name="b">
  <visual><geometry><teapot/></geometry></visual>
  <visual><geometry><sphere radius="big"/></geometry></visual>
  <visual/>
</link>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/><origin xyz="0 0 1"/></joint>
</robot>'''


def test_what_links_look_like_is_read():
    visuals = KinematicTree.from_urdf(VISUAL).visuals['a']
    assert [visual.shape for visual in visuals] == [
        Box((1, 2, 3)), Cylinder(1, 2), Capsule(1, 2), Sphere(4),
        Mesh('package://x/y.stl', (0.001, 0.001, 0.001))]
    assert [type(visual.shape) for visual in visuals[1:3]] == [Cylinder, Capsule]
    assert [visual.color for visual in visuals] == [(1, 0, 0, 1), None, None, (0, 1, 0, 0.5), None]
    assert visuals[0].placement[:3, 3].tolist() == [1, 2, 3]


def test_a_visual_that_cannot_be_read_is_left_out_with_a_warning():
    tree = KinematicTree.from_urdf(VISUAL)
    assert 'b' not in tree.visuals
    assert [warning[:34] for warning in tree.warnings] == ["link 'b': a visual is skipped: its",
                                                           "link 'b': a visual is skipped: sph",
                                                           "link 'b': a visual is skipped: it "]


def test_what_readies_a_shape_is_not_inherited():
    plain = KinematicTree.from_urdf(VISUAL.replace('<origin xyz="1 2 3"/>', '', 1))
    readied = KinematicTree.from_urdf(VISUAL)
    q = {'j': 0.5}
    for link, T in plain.forward(q).items():
        assert (readied.forward(q)[link] == T).all()
    link, _, T_root_box = readied.visual_poses(q)[0]
    assert link == 'a'
    assert T_root_box[:3, 3].tolist() == [1, 2, 3]
    assert plain.visual_poses(q)[0][2][:3, 3].tolist() == [0, 0, 0]
