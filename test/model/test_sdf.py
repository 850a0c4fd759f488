"""SDF: the poses of URDF's robots, and models with answers that are known by hand."""

import math
import re

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import robots
from ik_node import KinematicTree
from ik_node.model.geometry import Box, Capsule, Cylinder, Mesh, Sphere
from ik_node.model.readers import find_reader, read_model, read_untrusted_model
from ik_node.spatial import pose_from_rpy
from ik_node.support.exceptions import ModelError
from sdf_writer import as_sdf, joint, link, sdf

ROBOTS = ['panda', 'ur5', 'iiwa14', 'puma560', 'irb140', 'so101', 'baxter', 'allegro', 'pr2',
          'arm_7r', 'scara', 'torso']
PAIR = link('base') + link('tip', '0 0 1 0 0 0')


def read(body, **values):
    return KinematicTree.from_sdf(sdf(body, **values))


def refused(body, *words, **values):
    with pytest.raises(ModelError) as raised:
        read(body, **values)
    for word in words:
        assert word in str(raised.value)


@pytest.mark.parametrize('name', ROBOTS)
def test_a_robot_of_urdf_written_as_sdf_is_the_same(name):
    tree, rng = robots.tree(name), np.random.default_rng(1)
    for _ in range(robots.samples(5)):
        other = KinematicTree.from_sdf(as_sdf(tree, rng))
        again = KinematicTree.from_urdf(other.to_urdf())
        assert {*tree.links} <= {*other.links}
        assert tree.root == other.root
        assert tree.independent_joints == other.independent_joints
        for _ in range(3):
            values = {one: rng.uniform(-1.0, 1.0) for one in tree.independent_joints}
            at, there, back = (one.forward(values) for one in (tree, other, again))
            for one, T in at.items():
                assert there[one] == pytest.approx(T, abs=1e-9)
                assert back[one] == pytest.approx(T, abs=1e-9)
        for one in tree.joints.values():
            same = other.joints[one.name]
            if one.moves and one.mimic is None:
                assert same.type == one.type
                assert (same.lower, same.upper) == (one.lower, one.upper)
                assert same.velocity == one.velocity
        assert other.inertials.keys() == tree.inertials.keys()
        for one, inertial in tree.inertials.items():
            assert other.inertials[one].mass == inertial.mass
            assert other.inertials[one].center == pytest.approx(inertial.center, abs=1e-12)
            assert other.inertials[one].inertia == pytest.approx(inertial.inertia, abs=1e-12)
        for one, shapes in tree.collisions.items():
            for a, b in zip(shapes, other.collisions[one], strict=True):
                assert a.shape == b.shape
                assert b.placement == pytest.approx(a.placement, abs=1e-9)


def test_poses_are_relative_to_the_model_unless_they_name_another_frame():
    tree = read(link('a', '1 2 3 0 0 0.5') + link('b', '0 0 1 0 0.3 0', relative_to='a')
                + link('c', '0 0 5 0 0 0') + joint('ab', 'a', 'b') + joint('bc', 'b', 'c'))
    at = tree.forward()
    T_a = pose_from_rpy((1, 2, 3), (0, 0, 0.5))
    assert tree.root == 'a'
    assert at['b'] == pytest.approx(pose_from_rpy((0, 0, 1), (0, 0.3, 0)), abs=1e-12)
    assert at['c'] == pytest.approx(
        np.linalg.inv(T_a) @ pose_from_rpy((0, 0, 5), (0, 0, 0)), abs=1e-12)


@pytest.mark.parametrize(('attributes', 'numbers'), [
    ('degrees="true"', '1 0 0 90 0 0'), ('rotation_format="quat_xyzw"', '1 0 0 1 0 0 1'),
    ('rotation_format="euler_rpy" degrees="1"', '1 0 0  90.0 0 0'),
    ('degrees="false"', f'1 0 0 {math.pi / 2!r} 0 0')])
def test_rotations_are_in_radians_degrees_or_quaternions(attributes, numbers):
    tree = read(link('a') + f'<link name="b"><pose {attributes}>{numbers}</pose></link>'
                + joint('j', 'a', 'b', 'fixed'))
    assert tree.forward()['b'] == pytest.approx(
        pose_from_rpy((1, 0, 0), (math.pi / 2, 0, 0)), abs=1e-12)


def test_a_joint_turns_about_its_own_frame_which_is_a_link_where_it_is_not_the_child_s():
    tree = read(link('base') + link('arm', '1 0 0 0 0 0')
                + joint('hinge', 'base', 'arm', pose='-0.4 0 0 0 0 0'))
    assert tree.links == ('base', 'hinge', 'arm')
    assert tree.independent_joints == ('hinge',)
    at = tree.forward({'hinge': math.pi / 2})
    assert at['hinge'][:3, 3] == pytest.approx([0.6, 0.0, 0.0])
    assert at['arm'][:3, 3] == pytest.approx([0.6, 0.4, 0.0])
    assert tree.chain('base', 'arm').n_joints == 1


@pytest.mark.parametrize(('version', 'inner', 'axis'), [
    ('1.11', '<xyz>1 0 0</xyz>', 'child'), ('1.10', '<xyz>1 0 0</xyz>', 'child'),
    ('1.11', '<xyz expressed_in="__model__">1 0 0</xyz>', 'model'),
    ('1.11', '<xyz expressed_in="base">1 0 0</xyz>', 'base'),
    ('1.6', '<xyz>1 0 0</xyz><use_parent_model_frame>1</use_parent_model_frame>', 'model'),
    ('1.6', '<xyz>1 0 0</xyz><use_parent_model_frame>false</use_parent_model_frame>', 'child'),
    ('1.4', '<xyz>1 0 0</xyz>', 'model'), ('1.5', '<xyz>1 0 0</xyz>', 'child')])
def test_an_axis_is_along_the_joint_s_frame_unless_it_names_another(version, inner, axis):
    text = (link('base', '0 0 0 0 0 0.4') + link('tip', '0 0 1 0 0 1.2')
            + '<joint name="j" type="revolute"><parent>base</parent><child>tip</child>'
            f'<axis>{inner}</axis></joint>')
    yaw = {'child': 1.2, 'model': 0.0, 'base': 0.4}[axis]
    found = read(text, version=version).forward({'j': 0.7})['tip'][:3, :3]
    about = Rotation.from_rotvec(0.7 * np.array([math.cos(yaw), math.sin(yaw), 0.0]))
    base, tip = (Rotation.from_rotvec([0.0, 0.0, angle]) for angle in (0.4, 1.2))
    assert found == pytest.approx((base.inv() * about * tip).as_matrix(), abs=1e-12)


def test_frames_are_links_on_what_they_are_attached_to():
    tree = read(PAIR + joint('j', 'base', 'tip', limit='<lower>-1</lower><upper>1</upper>')
                + '<frame name="tool" attached_to="tip"><pose>0.1 0 0 0 0 0</pose></frame>'
                '<frame name="grasp" attached_to="tool"><pose>0 0 0.2 0 0 0</pose></frame>'
                '<frame name="mount"><pose>0 0 -0.5 0 0 0</pose></frame>'
                '<frame name="seen" attached_to="tip"><pose relative_to="base">5 0 0 0 0 0</pose>'
                '</frame>')
    at = tree.forward({'j': math.pi / 2})
    assert at['tool'][:3, 3] == pytest.approx([0.0, 0.1, 1.0])
    assert at['grasp'][:3, 3] == pytest.approx([0.0, 0.1, 1.2])
    assert at['mount'][:3, 3] == pytest.approx([0.0, 0.0, -0.5])
    assert at['seen'][:3, 3] == pytest.approx([0.0, 5.0, 0.0])
    assert tree.chain('base', 'grasp').joint_names == ('j',)


def test_a_fixed_joint_that_was_lumped_is_a_frame_for_the_frame_of_its_link():
    tree = read(PAIR + joint('j', 'base', 'tip')
                + '<frame name="tool_joint" attached_to="tip"><pose>0 0 0.1 0 0 0</pose></frame>'
                '<frame name="tool" attached_to="tool_joint"/>')
    assert tree.forward()['tool'][2, 3] == pytest.approx(1.1)


def test_joints_to_the_world_carry_the_pose_of_the_model():
    tree = read('<pose>0 0 0.7 0 0 0</pose>' + PAIR + joint('fix', 'world', 'base', 'fixed')
                + joint('j', 'base', 'tip'))
    assert tree.root == 'world'
    assert tree.forward()['tip'][2, 3] == pytest.approx(1.7)


def test_a_link_with_the_name_world_is_that_link():
    tree = read('<pose>0 0 0.7 0 0 0</pose>' + link('world', '0 0 2 0 0 0') + link('arm')
                + joint('j', 'world', 'arm'))
    assert tree.links == ('world', 'arm')
    assert tree.forward()['arm'][2, 3] == pytest.approx(-2.0)


def test_the_pose_of_the_model_is_relative_to_nothing_in_it():
    tree = read('<pose relative_to="base">0 0 0.7 0 0 0</pose>' + PAIR
                + joint('fix', 'world', 'base', 'fixed') + joint('j', 'base', 'tip'))
    assert tree.forward()['base'][2, 3] == pytest.approx(0.7)


def test_a_model_stands_on_its_placement_frame():
    tree = read('<pose>0 0 0.7 0 0 0</pose>' + PAIR + joint('fix', 'world', 'base', 'fixed')
                + joint('j', 'base', 'tip'), attributes='placement_frame="tip"')
    assert tree.forward()['tip'][2, 3] == pytest.approx(0.7)
    assert tree.forward()['base'][2, 3] == pytest.approx(-0.3)


def test_nested_models_are_placed_by_a_frame_of_theirs_and_have_names_below_them():
    gripper = ('<model name="gripper" placement_frame="flange">'
               '<pose relative_to="tip">0 0 0.1 0 0 0</pose>' + link('palm')
               + link('finger', '0 0.02 0.1 0 0 0')
               + '<frame name="flange"><pose>0 0 -0.05 0 0 0</pose></frame>'
               + joint('slide', 'palm', 'finger', 'prismatic', '0 1 0') + '</model>')
    tree = read(PAIR + joint('j', 'base', 'tip') + gripper
                + joint('mount', 'tip', 'gripper', 'fixed')
                + '<frame name="end" attached_to="gripper::finger"/>')
    at = tree.forward({'j': math.pi / 2, 'gripper::slide': 0.01})
    assert at['gripper::palm'][:3, 3] == pytest.approx([0.0, 0.0, 1.15])
    assert at['gripper::finger'][:3, 3] == pytest.approx([-0.03, 0.0, 1.25])
    assert at['end'] == pytest.approx(at['gripper::finger'])


def test_all_types_of_joints_that_a_tree_has():
    tree = read(''.join(link(f'l{k}', f'0 0 {k} 0 0 0') for k in range(7))
                + joint('r', 'l0', 'l1', limit='<lower>-1</lower><upper>2</upper>'
                        '<velocity>3</velocity><effort>4</effort>')
                + joint('c', 'l1', 'l2', 'continuous') + joint('p', 'l2', 'l3', 'prismatic')
                + joint('f', 'l3', 'l4', 'fixed') + joint('b', 'l4', 'l5', 'ball')
                + joint('u', 'l5', 'l6', 'universal', '1 0 0',
                        inner='<axis2><xyz>0 1 0</xyz></axis2>'))
    assert tree.independent_joints == ('r', 'c', 'p', 'b_wx', 'b_wy', 'b_wz', 'u_axis', 'u_axis2')
    one = tree.joints['r']
    assert (one.lower, one.upper, one.velocity, one.effort) == (-1.0, 2.0, 3.0, 4.0)
    assert tree.joints['p'].lower == -math.inf
    w, a, b = [0.3, -0.2, 0.5], 0.4, -0.6
    found = tree.forward({'b_wx': w[0], 'b_wy': w[1], 'b_wz': w[2], 'u_axis': a, 'u_axis2': b})
    expected = (Rotation.from_rotvec(w) * Rotation.from_rotvec([a, 0, 0])
                * Rotation.from_rotvec([0, b, 0]))
    assert found['l6'][:3, :3] == pytest.approx(expected.as_matrix(), abs=1e-12)


@pytest.mark.parametrize(('limit', 'kind', 'expected'), [
    ('', 'continuous', (-math.inf, math.inf)),
    ('<lower>-1e16</lower><upper>1e16</upper>', 'continuous', (-math.inf, math.inf)),
    ('<lower>-inf</lower><upper>inf</upper>', 'continuous', (-math.inf, math.inf)),
    ('<lower>-1e+16</lower><upper>2</upper>', 'revolute', (-math.inf, 2.0)),
    ('<lower>-0.5</lower>', 'revolute', (-0.5, math.inf)),
    ('<lower> -0.5 </lower><upper>\n0.5</upper><velocity>-1</velocity>', 'revolute', (-0.5, 0.5))])
def test_limits_beyond_a_bound_are_none(limit, kind, expected):
    one = read(PAIR + joint('j', 'base', 'tip', limit=limit)).joints['j']
    assert one.type == kind
    assert (one.lower, one.upper) == expected
    assert one.velocity == math.inf


def test_a_mimic_follows_the_leader_from_its_reference():
    tree = read(PAIR + link('other') + joint('j', 'base', 'tip') + (
        '<joint name="m" type="revolute"><parent>base</parent><child>other</child><axis>'
        '<xyz>0 0 1</xyz><mimic joint="j"><multiplier>2</multiplier><offset>0.1</offset>'
        '<reference>0.3</reference></mimic></axis></joint>'))
    assert tree.joint_values({'j': 0.5})['m'] == pytest.approx(2.0 * (0.5 - 0.3) + 0.1)


def test_links_have_inertials_visuals_and_collision_shapes():
    inner = ('<inertial><pose>0 0 0.5 0 0 1.5707963267948966</pose><mass>2</mass><inertia>'
             '<ixx>0.1</ixx><iyy>0.2</iyy><izz>0.25</izz></inertia></inertial>'
             '<visual name="v"><pose degrees="true">0 0 1 0 0 90</pose><geometry><mesh>'
             '<uri>model://arm/m.stl</uri><scale>1 2 3</scale></mesh></geometry><material>'
             '<diffuse>1 0 0.5 1</diffuse></material></visual>'
             '<visual name="p"><geometry><plane><normal>0 0 1</normal></plane></geometry></visual>')
    for tag, numbers in (('box', '<size>1 2 3</size>'), ('sphere', '<radius>0.5</radius>'), (
            'cylinder', '<radius>0.5</radius><length>2</length>'), (
            'capsule', '<radius>0.5</radius><length>2</length>')):
        inner += (f'<collision name="{tag}"><pose relative_to="base">0 0 0 0 0 0</pose><geometry>'
                  f'<{tag}>{numbers}</{tag}></geometry></collision>')
    tree = read(link('base') + link('tip', '0 0 1 0 0 0', inner) + joint('j', 'base', 'tip'))
    inertial = tree.inertials['tip']
    assert inertial.mass == 2.0
    assert inertial.center == pytest.approx([0.0, 0.0, 0.5])
    assert inertial.inertia == pytest.approx(np.diag([0.2, 0.1, 0.25]))
    (visual,) = tree.visuals['tip']
    assert visual.shape == Mesh('package://arm/m.stl', (1.0, 2.0, 3.0))
    assert visual.placement == pytest.approx(pose_from_rpy((0, 0, 1), (0, 0, math.pi / 2)))
    assert visual.color == (1.0, 0.0, 0.5, 1.0)
    assert any("link 'tip': a visual is skipped" in one for one in tree.warnings)
    shapes = tree.collisions['tip']
    assert [one.shape for one in shapes] == [
        Box((1.0, 2.0, 3.0)), Sphere(0.5), Cylinder(0.5, 2.0), Capsule(0.5, 2.0)]
    assert shapes[0].placement[2, 3] == -1.0


def test_a_world_has_one_model_that_moves():
    ground = '<model name="ground"><static>true</static><link name="g"/></model>'
    arm = '<model name="arm">' + PAIR + joint('j', 'base', 'tip') + '</model>'
    include = '<include><uri>model://sun</uri></include>'
    for text in (f'<world name="w">{include}{ground}{arm}</world>', arm):
        tree = KinematicTree.from_sdf(f'<?xml version="1.0"?><!-- made --><sdf version="1.9">'
                                      f'{text}</sdf>')
        assert (tree.name, tree.root) == ('arm', 'base')
    for text in ('', ground + ground, arm + arm.replace('"arm"', '"other"')):
        with pytest.raises(ModelError, match='one <model>'):
            KinematicTree.from_sdf(f'<sdf version="1.9">{text}</sdf>')


@pytest.mark.parametrize(('body', 'words'), [
    (PAIR + joint('j', 'base', 'tip', 'screw'), ["joint 'j'", "'screw'", 'universal']),
    (PAIR + joint('j', 'base', 'tip', 'gearbox'), ["joint 'j'", "'gearbox'"]),
    (PAIR + joint('j', 'base', 'tip', 'revolute2'), ["joint 'j'", "'revolute2'"]),
    (PAIR + joint('j', 'base', 'tap'), ["joint 'j'", "'tap'", "'tip'"]),
    (PAIR + joint('j', '', 'tip'), ["joint 'j'", '<parent>']),
    (PAIR + '<joint name="j" type="revolute"><parent>base</parent></joint>',
     ["joint 'j'", '<child>']),
    (PAIR + '<joint name="j" type="revolute"><parent>base</parent><child>tip</child></joint>',
     ["joint 'j'", '<axis>']),
    (PAIR + joint('j', 'base', 'tip', axis='0 0 0'), ["joint 'j'", 'no direction']),
    (PAIR + joint('j', 'base', 'tip', axis='0 0'), ["joint 'j'", 'three numbers']),
    (PAIR + joint('j', 'base', 'tip', limit='<lower>2</lower><upper>1</upper>'),
     ["joint 'j'", 'limits 2 to 1']),
    (PAIR + joint('j', 'base', 'tip', limit='<lower>nan</lower>'), ["joint 'j'"]),
    (PAIR + joint('j', 'base', 'tip', limit='<lower>low</lower>'), ["joint 'j'", 'low']),
    (PAIR + joint('j', 'base', 'tip', pose='1 2'), ["joint 'j'", 'six numbers']),
    (PAIR + joint('j', 'base', 'tip', pose='1 2 3 4 5 inf'), ["joint 'j'", 'finite']),
    (link('a', '0 0 0 0 0 0', relative_to='nowhere'), ["link 'a'", "'nowhere'"]),
    (link('a', '0 0 1 0 0 0', relative_to='b') + link('b', '0 0 1 0 0 0', relative_to='a')
     + joint('j', 'a', 'b'), ['circle', "'a'", "'b'"]),
    (PAIR + '<frame name="f" attached_to="g"/><frame name="g" attached_to="f"/>'
     + joint('j', 'base', 'tip'), ['circle', "'f'", "'g'"]),
    (link('a') + link('a'), ['two links, joints or frames', "'a'"]),
    (link(''), ['<link>', 'no name']), (PAIR, ['root']), ('', ['link']),
    (PAIR + '<include><uri>model://gripper</uri></include>', ['model://gripper', 'not opened']),
    (PAIR + '<model name="m"><include><uri>/etc/m.sdf</uri></include></model>', ['not opened']),
    (link('a') + '<link name="b"><pose rotation_format="axis_angle">0 0 0 0</pose></link>',
     ["link 'b'", 'axis_angle']),
    (link('a') + '<link name="b"><pose rotation_format="quat_xyzw">0 0 0 0 0 0 0</pose></link>',
     ["link 'b'", 'quaternion']),
    (PAIR + joint('j', 'base', 'tip', inner='') .replace('</axis>', '<mimic joint="x"/></axis>'),
     ["joint 'j'", "'x'"]),
    (PAIR + joint('j', 'base', 'tip').replace(
        '</axis>', '<mimic joint="j"><multiplier>much</multiplier></mimic></axis>'),
     ["joint 'j'", 'multiplier', 'numbers'])])
def test_what_is_invalid_is_refused_by_the_name_of_what_it_is_in(body, words):
    refused(body, *words)


def test_a_placement_frame_outside_the_model_is_refused():
    refused('<model name="m" placement_frame="base"><link name="x"/></model>' + PAIR, "'base'")
    refused(PAIR + joint('j', 'base', 'tip'), "'gone'", attributes='placement_frame="gone"')
    refused(link('a', '0 0 1 0 0 0', relative_to='world') + link('b'), 'world',
            attributes='placement_frame="a"')


def test_text_from_strangers_is_read_within_bounds():
    bomb = ('<!DOCTYPE sdf [<!ENTITY a "aaaa">]><sdf version="1.9"><model name="m">&a;</model>'
            '</sdf>')
    with pytest.raises(ModelError, match='entit'):
        KinematicTree.from_sdf(bomb)
    many = ''.join(f'<frame name="f{k}" attached_to="{f"f{k - 1}" if k else "base"}"/>'
                   for k in range(2001))
    refused(PAIR + many, '2000')
    deep = ''.join(f'<frame name="f{k}" attached_to="{f"f{k - 1}" if k else "base"}"/>'
                   for k in range(1500))
    assert len(read(PAIR + joint('j', 'base', 'tip') + deep).links) == 1502
    for wrong in ('<sdf', '<robot name="r"/>', '<sdf version="1.9"/>', 5, None):
        with pytest.raises(ModelError):
            KinematicTree.from_sdf(wrong)


@pytest.mark.parametrize('suffix', ['.sdf', '.world', '.txt'])
def test_every_reader_of_models_reads_it(tmp_path, suffix):
    text = sdf(PAIR + joint('j', 'base', 'tip'))
    file = tmp_path / f'arm{suffix}'
    file.write_text(text)
    assert find_reader(file).name == find_reader(text).name == 'SDF'
    for tree in (read_model(file), read_model(text), read_untrusted_model(file),
                 KinematicTree.from_sdf(file)):
        assert tree.chain().joint_names == ('j',)
    assert read_model(file).source_path == str(file)


def test_sdf_in_words_of_no_robot_is_refused_with_the_file(tmp_path):
    file = tmp_path / 'broken.sdf'
    file.write_text('<sdf version="1.9"><model name="m"><link name="a"/>')
    with pytest.raises(ModelError, match=re.escape(str(file))):
        KinematicTree.from_sdf(file)
