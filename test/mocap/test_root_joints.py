"""A moving root as six joints: the same robot, placed anywhere."""

import numpy as np
import pytest

import robots
import skeletons
from ik_node import KinematicTree, ModelError
from ik_node.mocap.recording import (
    ROOT_JOINTS,
    has_root_joints,
    root_values,
    rooted_for,
    with_root_joints,
)
from ik_node.mocap.recording_files import read_recording
from ik_node.model.readers import read_model
from ik_node.spatial import pose_from_rpy

LIMIT = 'lower="-2" upper="2" effort="1" velocity="1"'
TREE = KinematicTree.from_urdf(robots.robot(
    robots.joint('a', 'revolute', 'base', 'la', xyz='0 0 1', limit=LIMIT)))


def test_the_root_goes_where_its_joints_say():
    rooted = with_root_joints(TREE)
    T = pose_from_rpy((0.1, -0.2, 3.0), (0.4, -0.5, 2.0))
    at = rooted.forward({**dict(zip(ROOT_JOINTS, root_values(T))), 'a': 0.7})
    for link, pose in TREE.forward({'a': 0.7}).items():
        assert at[link] == pytest.approx(T @ pose, abs=1e-12)
    assert rooted.root == 'world'


def test_a_placed_robot_keeps_its_place():
    T = pose_from_rpy((1.0, 2.0, 3.0), (0.1, 0.2, 0.3))
    assert with_root_joints(TREE.placed(T)).forward({})['base'] == pytest.approx(T, abs=1e-12)


def test_joints_of_several_degrees_of_freedom_stay_whole():
    text = robots.robot(robots.joint('f', 'floating', 'base', 'la'),
                        robots.joint('a', 'revolute', 'la', 'lb', limit=LIMIT))
    tree = KinematicTree.from_urdf(text)
    rooted = with_root_joints(tree)
    assert set(rooted.complex_joints) == {'f'}
    assert set(rooted.joints) == {*tree.joints, *ROOT_JOINTS}


def test_a_skeleton_has_them():
    figure = read_model(skeletons.FIGURE)
    assert has_root_joints(figure)
    assert with_root_joints(figure) is figure


def test_the_description_reads_back():
    rooted = KinematicTree.from_urdf(with_root_joints(TREE).to_urdf())
    assert set(ROOT_JOINTS) < set(rooted.joints)


@pytest.mark.parametrize(('part', 'text'), [
    (robots.joint('a', 'revolute', 'base', 'world', limit=LIMIT), "a link 'world'"),
    (robots.joint('root_rx', 'revolute', 'base', 'la', limit=LIMIT), "a joint 'root_rx'")])
def test_names_that_are_taken_are_named(part, text):
    with pytest.raises(ModelError, match=text):
        with_root_joints(KinematicTree.from_urdf(robots.robot(part)))


def test_only_motions_of_the_root_need_them():
    assert rooted_for(['a'], TREE) is TREE
    assert has_root_joints(rooted_for(['a', 'root_tz'], TREE))


@pytest.mark.parametrize(('name', 'text'), [
    ('m.csv', 'time,root_tz,a\n0,1.5,0.5\n'),
    ('m.yaml', 'joint_names: [root_tz, a]\npoints:\n- positions: [1.5, 0.5]\n')])
def test_a_motion_of_the_root_moves_the_robot(name, text, tmp_path):
    if name.endswith('yaml'):
        text += '  time_from_start: {sec: 0}\n'
    (tmp_path / name).write_text(text)
    found = read_recording(tmp_path / name, TREE)
    at = found.tree.forward(dict(zip(found.joint_names, found.values[0])))
    assert at['base'][:3, 3] == pytest.approx([0.0, 0.0, 1.5])
    assert np.isclose(at['la'][2, 3], 2.5)
