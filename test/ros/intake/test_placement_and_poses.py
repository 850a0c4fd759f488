"""Where the robot stands in the world, the poses it knows by name, and what it can be asked."""

import math
from pathlib import Path

import numpy as np
import pytest

import robots
from harness.node_here import running

CONFIG = Path(__file__).parents[3] / 'config'
ARM = robots.OWN / 'arm_6r.urdf'
Q = np.array([0.3, -0.4, 0.6, 0.2, -0.7, -0.1])


def turned_about_z(angle, xyz):
    T = np.eye(4)
    T[:2, :2] = [[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]
    T[:3, 3] = xyz
    return T


def tip(chain, answer):
    """Return where the tip is at the joint states of an answer."""
    return chain.forward([answer.joints[name] for name in chain.joint_names])


def test_goals_in_the_world_move_with_the_robot_s_place():
    chain = robots.chain('arm_6r')
    T = chain.forward(Q)
    with running(urdf_path=ARM, world_frame='map',
                 root_pose='[1.0, -2.0, 0.5, 0.0, 0.0, 0.7]') as node:
        here = turned_about_z(0.7, [1.0, -2.0, 0.5])
        answer = node.client.send(here @ T, 'map')
        assert answer.met, answer
        assert tip(chain, answer) == pytest.approx(T, abs=1e-5)
        assert node.set(root_pose=[0.0, 3.0, 0.0, 0.0, 0.0, -0.2])[0]
        there = turned_about_z(-0.2, [0.0, 3.0, 0.0])
        answer = node.client.send(there @ T, 'map')
        assert tip(chain, answer) == pytest.approx(T, abs=1e-5)
        assert not node.client.send(here @ T, 'map').met


def test_a_world_that_is_a_link_is_refused():
    with running(urdf_path=ARM) as node:
        accepted, reason = node.set(world_frame=robots.tree('arm_6r').root)
        assert not accepted
        assert 'world_frame must not be a link of the robot' in reason
        assert not node.set(root_pose=[0.0, 0.0])[0]
        assert node.client.send(robots.chain('arm_6r').forward(Q)).met


def test_the_robot_starts_at_a_pose_by_name_and_is_reset_to_another():
    with running(dh_path=CONFIG / 'dh/panda.yaml', poses=CONFIG / 'poses/panda.yaml',
                 start_pose='ready') as node:
        ready = [0.0, -math.pi / 4, 0.0, -3 * math.pi / 4, 0.0, math.pi / 2, math.pi / 4]
        assert list(node.joint_states()[0].position) == pytest.approx(ready)
        accepted, reason = node.set(start_pose='redy')
        assert not accepted
        assert "there is no pose 'redy'; did you mean 'ready'?" in reason
        assert node.set(start_pose='extended')[0]
        assert node.reset().success
        assert list(node.joint_states()[0].position) != pytest.approx(ready)


@pytest.mark.parametrize(('poses', 'words'), [
    ('', "start_pose 'ready' is a name, but the parameter poses names no file"),
    ('/nowhere/poses.yaml', 'cannot read the poses'),
])
def test_poses_that_are_missing_are_reported(poses, words):
    with running(urdf_path=ARM) as node:
        accepted, reason = node.set(poses=poses, start_pose='ready')
        assert not accepted
        assert words in reason


def test_the_states_of_an_srdf_are_poses(tmp_path):
    file = tmp_path / 'arm.srdf'
    joints = robots.chain('arm_6r').joint_names
    values = ''.join(f'<joint name="{name}" value="0.25"/>' for name in joints)
    file.write_text(f'<robot name="r"><group_state name="bent" group="arm">{values}</group_state>'
                    '<group_state name="odd" group="arm"><joint name="none" value="0"/>'
                    '</group_state></robot>')
    with running(urdf_path=ARM, poses=file, start_pose='bent') as node:
        assert list(node.joint_states()[0].position) == [0.25] * 6
        assert 'the pose is skipped' in node.log()
