"""Robots in MuJoCo's format beside MuJoCo itself."""

import numpy as np
import pytest

mujoco = pytest.importorskip('mujoco', reason='MuJoCo is not installed (make test brings it)')

import mjcf_reference
import robots
from ik_node import Goal, KinematicTree, ModelError, make_solver, read_poses
from ik_node.model.readers import read_model, read_untrusted_model
from ik_node.model.srdf import read_disabled_collisions

ARM = """<mujoco model="arm"><compiler angle="radian"/>
<worldbody><body name="base" pos="0 0 0.1" quat="0.9 0.1 0.2 0.3">
  <inertial pos="0 0 0.1" mass="2" diaginertia="0.1 0.2 0.25"/>
  <body name="upper" pos="0.1 0 0.3"><joint name="shoulder" axis="0 1 0" range="-2 1.5" ref="0.3"
      pos="0 0 0.02" armature="0.05"/>
    <joint name="swing" axis="1 0 0" range="-1 1"/>
    <geom name="hull" type="capsule" size="0.03 0.1" pos="0 0 0.1"/>
    <body pos="0 0 0.4"><joint type="slide" axis="0 0 1" range="0 0.3"/>
      <geom type="box" size="0.02 0.03 0.04" group="3"/>
      <body name="wrist" pos="0 0.02 0.1"><joint name="roll" axis="0 0 1"/>
        <geom type="sphere" size="0.04" contype="0" conaffinity="0"/>
        <site name="wrist" pos="0 0 0.1" quat="0.7 0 0.7 0"/><site pos="1 0 0"/>
        <site name="tip" pos="0 0 0.2"/>
        <body name="finger" pos="0.02 0 0.1"><joint name="left" type="slide" axis="1 0 0"
          range="0 0.05"/><geom type="sphere" size="0.01"/></body>
        <body name="thumb" pos="-0.02 0 0.1"><joint name="right" type="slide" axis="1 0 0"
          range="-0.05 0"/><geom type="sphere" size="0.01"/></body>
      </body></body></body></body></worldbody>
<equality><joint joint1="right" joint2="left" polycoef="0 -1 0 0 0"/></equality>
<contact><exclude body1="base" body2="wrist"/></contact>
<keyframe><key name="home" qpos="0.5 0.1 0.2 0.3 0.01 -0.01"/></keyframe></mujoco>"""
BALL = """<mujoco><worldbody><body name="a"><joint name="hip" type="ball"/>
<geom type="sphere" size="0.1"/><body name="b" pos="0 0 1"><joint name="knee" axis="0 1 0"/>
<geom type="sphere" size="0.1"/></body></body></worldbody></mujoco>"""
FREE = """<mujoco><worldbody><body name="torso" pos="0 0 1"><freejoint/>
<geom type="sphere" size="0.1"/>
<body name="leg" pos="0 0.1 0"><joint name="hip" axis="0 1 0"/><geom type="sphere" size="0.1"/>
</body></body></worldbody></mujoco>"""


@pytest.mark.parametrize('text', [ARM, BALL, FREE], ids=['arm', 'ball', 'free'])
def test_bodies_and_sites_are_where_mujoco_has_them(text):
    model, tree = mujoco.MjModel.from_xml_string(text), KinematicTree.from_mjcf(text)
    rng = np.random.default_rng(0)
    for _ in range(robots.samples(100)):
        data, values = mjcf_reference.qpos_and_values(model, tree, rng)
        different, count = mjcf_reference.largest_difference(model, data, tree, values)
        assert different <= 1e-12
        assert count >= 2
        mass = mjcf_reference.mass_difference(model, data, tree, values)
        assert mass is None or mass <= 1e-9


def test_names_limits_and_mimics_are_those_of_the_file():
    tree = KinematicTree.from_mjcf(ARM)
    assert tree.root == 'world'
    assert {'upper_shoulder', 'body_3', 'wrist_site', 'tip'} <= set(tree.links)
    assert (tree.joints['shoulder'].lower, tree.joints['shoulder'].upper) == (-2.0, 1.5)
    assert (tree.joints['joint_2'].type, tree.joints['joint_2'].upper) == ('prismatic', 0.3)
    assert tree.joints['roll'].type == 'continuous'
    assert tree.joints['shoulder'].armature == 0.05
    mimic = tree.joints['right'].mimic
    assert (mimic.joint, mimic.multiplier, mimic.offset) == ('left', -1.0, 0.0)


def test_a_free_body_is_the_root_where_nothing_else_moves():
    tree = KinematicTree.from_mjcf(FREE)
    assert tree.root == 'torso'
    assert tree.body(root='floating').n_joints == 7


def test_free_bodies_beside_an_arm_are_left_out_with_a_warning():
    tree = KinematicTree.from_mjcf(ARM.replace('</worldbody>', '<body name="cup"><freejoint/>'
                                               '<geom size="0.1"/></body></worldbody>')
                                   .replace('-0.01"/></keyframe>', '-0.01 0 0 0 1 0 0 0"/>'
                                            '</keyframe>'))
    assert 'cup' not in tree.links
    assert any("'cup'" in warning for warning in tree.warnings)


def test_keyframes_are_poses_and_excludes_are_pairs(tmp_path):
    (tmp_path / 'arm.xml').write_text(ARM)
    tree = read_model(tmp_path / 'arm.xml')
    assert read_poses(tmp_path / 'arm.xml', tree)['home'] == pytest.approx({
        'shoulder': 0.5, 'swing': 0.1, 'joint_2': 0.2, 'roll': 0.3, 'left': 0.01})
    assert read_disabled_collisions(tmp_path / 'arm.xml', tree) == [('base', 'wrist')]


def test_shapes_are_visual_or_for_collisions_by_group_and_type():
    tree = KinematicTree.from_mjcf(ARM)
    assert [type(one.shape).__name__ for one in tree.visuals['upper']] == ['Capsule']
    assert 'body_3' not in tree.visuals
    assert 'body_3' in tree.collisions
    assert 'wrist' in tree.visuals
    assert 'wrist' not in tree.collisions


def test_goals_are_met():
    chain = KinematicTree.from_mjcf(ARM).chain('world', 'tip')
    solver, rng = make_solver('dls', chain), np.random.default_rng(1)
    for _ in range(robots.samples(50)):
        goal = chain.forward(robots.random_q(chain, rng))
        assert solver.solve(Goal(position=goal[:3, 3])).success


@pytest.mark.parametrize('text', [ARM, BALL], ids=['arm', 'ball'])
def test_mujoco_reads_its_urdf_with_the_same_poses(text):
    rng = np.random.default_rng(2)
    assert mjcf_reference.difference_by_urdf(KinematicTree.from_mjcf(text), rng) <= 1e-9


@pytest.mark.parametrize(('text', 'words'), [
    ('<mujoco><worldbody><body>', 'is not XML'),
    ('<mujoco><worldbody><body><joint type="screw"/></body></worldbody></mujoco>',
     'MuJoCo cannot read the MJCF'),
    ('<mujoco><include file="/etc/passwd"/></mujoco>', 'text opens no files'),
    ('<mujoco><worldbody><body><plugin plugin="x"/></body></worldbody></mujoco>',
     'runs no plugins'),
    ('<mujoco><worldbody><replicate count="1000000"><body/></replicate></worldbody></mujoco>',
     'repeats elements')])
def test_what_is_invalid_or_not_safe_is_refused_with_the_reason(text, words):
    with pytest.raises(ModelError, match=words):
        KinematicTree.from_mjcf(text)


def test_the_meshes_of_a_text_are_not_opened(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'part.stl').write_text('no mesh')
    (tmp_path / 'arm.xml').write_text(
        '<mujoco><asset><mesh name="part" file="part.stl"/></asset><worldbody><body name="a">'
        '<joint name="j" axis="0 0 1"/><geom type="mesh" mesh="part"/></body></worldbody></mujoco>')
    assert 'a' in read_untrusted_model(tmp_path / 'arm.xml').links
    with pytest.raises(ModelError, match='MuJoCo cannot read'):
        read_model(tmp_path / 'arm.xml')
