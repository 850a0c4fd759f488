"""A node whose solvers avoid collisions: parameters, files beside the model, statuses."""

import shutil

import numpy as np
import pytest
from sensor_msgs.msg import JointState

import robots
from harness.bent_arm import ARM, CHAIN, FREE, T_TIP
from harness.node_here import running
from ik_node import KinematicTree
from ik_node.collision import CollisionModel


def around_tip(folder, name='ball', radius=0.12, distance=0.0):
    """Write a file with a ball before the tip at the goal T_TIP; return its path."""
    place = T_TIP[:3, 3] + distance * T_TIP[:3, 2]
    path = folder / f'{name}.yaml'
    path.write_text(f'- {{name: {name}, sphere: {{radius: {radius}}}, '
                    f'xyz: {[round(float(x), 6) for x in place]}}}\n')
    return str(path)


def test_a_goal_in_an_obstacle_is_not_met_and_the_status_names_the_pair(tmp_path):
    with running(urdf_path=ARM, obstacles_path=around_tip(tmp_path),
                 dls__avoid_collisions='true') as node:
        before = node.joint_states()[0].position
        response = node.client.send(T_TIP)
        values = response.values
        assert (response.met, values['reason']) == (False, 'COLLISION')
        assert (values['contact_second'], values['obstacles_stamp']) == ('ball', '0.000000000')
        assert values['contact_first'] in CHAIN.tree.links
        assert float(values['contact_distance']) < 0.0
        assert f"{values['contact_first']!r} is" in response.message
        assert "deep in 'ball'" in response.message
        assert node.joint_states()[0].position == before
        assert node.set(dls__avoid_collisions=False) == (True, '')
        response = node.client.send(T_TIP)
        assert response.met
        assert response.values['contact_second'] == response.values['obstacles_stamp'] == ''


def test_margin_and_file_change_while_the_node_runs(tmp_path):
    pytest.importorskip('trimesh', reason='trimesh is not installed (make test brings it)')
    beside = around_tip(tmp_path, 'beside', 0.05, 0.065)  # 12.6 mm from link_6
    with running(urdf_path=ARM, obstacles_path=beside, dls__avoid_collisions='true') as node:
        assert node.client.send(T_TIP).met
        group = node.subject._configuration.robot.groups['']
        shapes = group.collisions.model.robot
        assert node.set(dls__margin=0.015) == (True, '')
        assert node.client.send(T_TIP).values['reason'] == 'COLLISION'
        group = node.subject._configuration.robot.groups['']
        assert group.collisions.model.robot is shapes  # which are not read again
        assert node.set(obstacles_path='') == (True, '')
        assert node.client.send(T_TIP).met
        assert node.set(obstacles_path=around_tip(tmp_path), dls__margin=0.0) == (True, '')
        assert node.client.send(T_TIP).values['contact_second'] == 'ball'
        (tmp_path / 'wrong.yaml').write_text('- {name: it, sphere: {radius: -1}}')
        (tmp_path / 'link.yaml').write_text('- {name: it, sphere: {radius: 1}, link: hand}')
        (tmp_path / 'mesh.yaml').write_text('- {name: it, mesh: {filename: no.stl}}')
        for name, words in (('wrong', "'it': the radius"), ('link', "no link 'hand'"),
                            ('mesh', 'no.stl'), ('missing', 'cannot read')):
            successful, reason = node.set(obstacles_path=str(tmp_path / f'{name}.yaml'))
            assert not successful
            assert words in reason
        assert not node.set(dls__margin=-0.1)[0]
        assert node.client.send(T_TIP).values['contact_second'] == 'ball'
        assert node.client.send(FREE).met
        assert node.alive()


def stand(node, chain, arm, q):
    node.publish(JointState, f'{arm}/goal_joints', JointState(
        name=list(chain.joint_names), position=[float(value) for value in q]))


def test_an_srdf_beside_the_robot_or_a_parameter_names_pairs_that_may_touch(tmp_path):
    urdf, srdf = tmp_path / 'arm.urdf', tmp_path / 'arm.srdf'
    shutil.copy(ARM, urdf)
    pair = '<robot name="arm_6r"><disable_collisions link1="link_6" link2="base_link"/></robot>'
    srdf.write_text(pair)

    def disabled(node):
        return node.subject._configuration.robot.groups[''].source.disabled
    with running(urdf_path=urdf, dls__avoid_collisions='true') as node:
        assert disabled(node) == (('link_6', 'base_link'),)
        other = tmp_path / 'other.srdf'
        other.write_text(pair.replace('base_link', 'link_1'))
        assert node.set(srdf_path=str(other)) == (True, '')
        assert disabled(node) == (('link_6', 'link_1'),)
        successful, reason = node.set(srdf_path='none.srdf')
        assert not successful
        assert 'none.srdf' in reason
        assert disabled(node) == (('link_6', 'link_1'),)
    srdf.write_text('<robot')
    with running(urdf_path=urdf) as node:
        assert disabled(node) == ()
        assert 'links that may touch are not known' in node.log()


def test_an_arm_keeps_away_from_another_where_that_is():
    torso = robots.OWN / 'torso.urdf'
    tree = KinematicTree.from_urdf(torso)
    links = {f'{side}__{key}': value for side in ('left', 'right') for key, value in (
        ('base_link', 'torso_link'), ('tip_link', f'{side}_tool0'))}
    left, right = (tree.chain('torso_link', f'{side}_tool0') for side in ('left', 'right'))
    # The right arm, but nothing else, is in the way of the left one.
    q_left = np.array([-2.293, 0.339, -1.069, 0.114, 1.563, -0.344, -2.189])
    q_right = np.array([-2.956, -0.012, -1.553, 0.224, 2.663, 0.879, -0.455])
    model = CollisionModel(left)
    assert model.is_free(q_left)
    model.others = dict(zip(right.joint_names, q_right))
    pair = model.contacts(q_left)[0]
    with running(urdf_path=torso, arms='[left, right]', dls__avoid_collisions='true',
                 dls__max_restarts=0, **links) as node:
        stand(node, left, 'left', q_left)
        stand(node, right, 'right', q_right)
        values = node.client.send(left.forward(q_left), task='left').values
        assert values['reason'] == 'COLLISION'
        assert (values['contact_first'], values['contact_second']) == (pair.first, pair.second)
        assert 'right' in pair.first + pair.second
        stand(node, right, 'right', right.neutral())
        assert node.client.send(left.forward(q_left), task='left').met
