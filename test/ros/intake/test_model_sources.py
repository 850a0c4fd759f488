import re
from pathlib import Path

import pytest
import yaml
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from sensor_msgs.msg import JointState
from std_msgs.msg import String

import robots
from harness.node_here import running
from harness.ros_harness import LATCHED
from ik_node import KinematicTree

CONFIG = Path(__file__).parents[3] / 'config'
PLANAR = (robots.OWN / 'planar_3r.urdf').read_text()
SCARA = (robots.OWN / 'scara.urdf').read_text()


def test_text_goes_before_a_file_and_a_file_before_the_topic(tmp_path):
    file = tmp_path / 'parameters.yaml'
    file.write_text(yaml.safe_dump({'/**': {'ros__parameters': {'robot_description': PLANAR}}}))
    with running('--params-file', str(file), urdf_path=robots.OWN / 'scara.urdf') as node:
        assert len(node.joint_states()[0].name) == 3
        publisher = node.node.create_publisher(String, 'robot_description', LATCHED)
        publisher.publish(String(data=SCARA))
        node.settle()
        assert len(node.joint_states()[0].name) == 3


def test_a_xacro_file_is_expanded_with_its_arguments(tmp_path):
    file = tmp_path / 'arm.xacro'
    file.write_text('''<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">
        <xacro:arg name="length" default="1"/>
        <link name="base"/><link name="arm"/><link name="tip"/>
        <joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint>
        <joint name="t" type="fixed"><parent link="arm"/><child link="tip"/>
          <origin xyz="0 $(arg length) 0"/></joint></robot>''')
    with running(urdf_path=file, xacro_args='["length:=2.5"]') as node:
        goal = KinematicTree.from_urdf(file, {'length': 2.5}).chain().forward([0.6])
        assert node.client.send(goal).met


def test_the_topic_brings_a_robot_another_one_replaces_it_and_a_bad_one_changes_nothing():
    with running() as node:
        states = node.listen(JointState, 'joint_states', 100)
        health = node.listen(DiagnosticArray, '/diagnostics')
        assert node.until(lambda: health), node.log()
        assert health[-1].status[0].message == 'waiting for a robot_description'
        assert 'waiting for a robot_description by topic' in node.log()
        publisher = node.send_description(PLANAR)
        assert node.until(lambda: states, 60.0), node.log()
        assert len(states[-1].name) == 3
        assert node.until(lambda: 'ready: ' in node.log(), 60.0)
        ready = node.log().count('ready: ')

        publisher.publish(String(data=PLANAR))  # the same again
        node.settle()
        assert node.log().count('ready: ') == ready == 1

        for bad, words in (('no XML', "it begins with 'no XML'; .* the parameter model_path"),
                           ('<robot name="r"><link></robot>', 'mismatched tag'),
                           ('<robot name="r"/>', 'has no links'), ('', 'is empty')):
            publisher.publish(String(data=bad))
            assert node.until(lambda words=words: re.search(
                f'robot_description refused: .*{words}', node.log())), node.log()
        node.settle()
        assert node.log().count('ready: ') == 1
        assert len(states[-1].name) == 3
        del health[:]
        assert node.until(lambda: health)
        assert health[0].status[0].level == DiagnosticStatus.ERROR
        assert 'robot_description refused' in health[0].status[0].message

        publisher.publish(String(data=SCARA))
        assert node.until(lambda: len(states[-1].name) == 4), node.log()
        del health[:]
        assert node.until(lambda: health)
        assert health[0].status[0].level == DiagnosticStatus.OK
        assert node.alive()


def test_a_model_path_may_be_the_name_of_a_robot_of_this_package(tmp_path, monkeypatch):
    with running(model_path='scara') as node:
        assert len(node.joint_states()[0].name) == 4
        assert node.set(model_path='planar_3r') == (True, '')
        assert len(node.joint_states()[0].name) == 3
        accepted, reason = node.set(model_path='planar_4r')
        assert not accepted
        assert "there is no robot 'planar_4r': neither a file, nor one of arm_6r, " in reason
        accepted, reason = node.set(model_path='some_description')
        assert not accepted
        assert 'robot_descriptions' in reason  # which has no such robot, or is not installed
        accepted, reason = node.set(model_path='', robot_description=str(robots.OWN / 'scara.urdf'))
        assert not accepted
        assert 'the name of a file is for the parameter model_path' in reason
        monkeypatch.chdir(tmp_path)
        (tmp_path / 'planar_3r').write_text(SCARA)  # a file goes first
        assert node.set(model_path='scara') == (True, '')
        assert node.set(model_path='planar_3r') == (True, '')
        assert len(node.joint_states()[0].name) == 4


def test_a_goal_before_there_is_a_robot_is_refused():
    with running() as node:
        assert node.until(lambda: node.node.count_publishers('ik_node/status') > 0
                          and node.node.count_subscribers('goal_pose') > 0, 60.0)
        answer = node.client.send(KinematicTree.from_urdf(PLANAR).chain().forward([0.1] * 3))
        assert answer.values['reason'] == 'REFUSED'
        assert 'there is no robot yet' in answer.message
        assert node.alive()


@pytest.mark.parametrize('publish', [True, False])
def test_a_model_read_from_a_file_is_published_when_asked_for(publish):
    with running(urdf_path=robots.OWN / 'scara.urdf', publish_description=publish) as node:
        heard = node.listen(String, 'robot_description', LATCHED)
        assert node.until(lambda: heard, 3.0 if publish else 1.0) == publish
        if publish:
            assert list(KinematicTree.from_urdf(heard[0].data).joints) == list(
                KinematicTree.from_urdf(SCARA).joints)


def test_a_description_that_came_by_topic_is_not_published_again():
    with running(publish_description=True) as node:
        node.send_description(SCARA)
        assert len(node.joint_states()[0].name) == 4
        assert '/robot_description' not in [
            publisher.topic_name for publisher in node.subject.publishers]


def test_what_is_odd_in_a_description_is_logged():
    text = SCARA.replace('axis xyz="0 0 -1"', 'axis xyz="0 0 -7"')
    with running() as node:
        node.send_description(text)
        assert node.until(lambda: 'is 7 long' in node.log(), 60.0), node.log()


@pytest.mark.parametrize(('parameters', 'words'), [
    ({'urdf_path': '/nowhere/arm.urdf'}, 'cannot configure: cannot read the robot description'),
    ({'urdf_path': robots.OWN / 'scara.urdf', 'tip_link': 'hand'},
     "cannot configure: there is no tip link 'hand'"),
    ({'urdf_path': robots.OWN / 'torso.urdf'}, 'cannot configure: name the tip link'),
    ({'urdf_path': robots.mimicking_file(), 'solver': 'analytic'},
     'cannot configure: analytic has no closed form'),
    ({'model_path': CONFIG / 'dh/panda.yaml', 'urdf_path': robots.OWN / 'scara.urdf'},
     'model_path and urdf_path are synonyms')])
def test_a_robot_that_cannot_be_used_is_reported_and_a_better_parameter_starts_the_node(
        parameters, words):
    with running(ready=False, **parameters) as node:
        assert node.until(lambda: words in node.log(), 60.0), node.log()
        health = node.listen(DiagnosticArray, '/diagnostics')
        assert node.until(lambda: health)
        assert health[0].status[0].level == DiagnosticStatus.ERROR
        assert words in health[0].status[0].message
        assert node.state() == 'unconfigured'
        assert node.set(urdf_path=str(robots.OWN / 'scara.urdf'), model_path='', tip_link='',
                        solver='dls')[0]
        node.ready()
        assert node.state() == 'active'
        assert node.alive()


def test_rows_are_taken_before_the_topic_and_shown_as_urdf():
    panda = CONFIG / 'dh/panda.yaml'
    with running(dh_path=panda, publish_description=True) as node:
        assert node.joint_states()[0].name == [f'panda_joint{k}' for k in range(1, 8)]
        heard = node.listen(String, 'robot_description', LATCHED)
        assert node.until(lambda: heard)
        shown = KinematicTree.from_urdf(heard[0].data)
        rows = KinematicTree.from_dh(panda)
        assert shown.forward()['tool'] == pytest.approx(rows.forward()['tool'], abs=1e-12)
        goal = rows.chain().forward([0.1, -0.3, 0.2, -1.8, 0.1, 1.6, 0.4])
        assert node.client.send(goal).met
        assert node.set(urdf_path=str(robots.OWN / 'scara.urdf'), dh_path='')[0]
        assert node.until(lambda: len(node.joint_states()[0].name) == 4)


def test_the_three_parameters_of_a_file_are_synonyms_and_may_not_name_different_ones():
    panda, scara = str(CONFIG / 'dh/panda.yaml'), str(robots.OWN / 'scara.urdf')
    with running(model_path=panda) as node:
        assert len(node.joint_states()[0].name) == 7
        assert node.set(model_path='', dh_path=scara)[0]  # each takes every kind of file
        assert node.until(lambda: len(node.joint_states()[0].name) == 4)
        assert node.set(urdf_path=scara)[0]  # the same file twice
        for name in ('model_path', 'urdf_path'):
            accepted, reason = node.set(**{name: panda})
            assert not accepted
            assert 'are synonyms and name different files' in reason
            assert name in reason
            assert 'dh_path' in reason
            assert panda in reason
            assert scara in reason
        assert len(node.joint_states()[0].name) == 4
        assert node.set(model_path=panda, urdf_path='', dh_path='')[0]
        assert node.until(lambda: len(node.joint_states()[0].name) == 7)


FLOATING = robots.robot(
    robots.joint('root', 'floating', 'base', 'torso'),
    robots.joint('neck', 'revolute', 'torso', 'head', xyz='0 0 1',
                 limit='lower="-1" upper="1" effort="1" velocity="1"'))


@pytest.mark.parametrize(('held', 'count'), [(False, 7), (True, 1)])
def test_complex_joints_move_unless_they_are_held(tmp_path, held, count):
    file = tmp_path / 'robot.urdf'
    file.write_text(FLOATING)
    with running(urdf_path=file, hold_complex_joints=held) as node:
        assert len(node.joint_states()[0].name) == count
        assert ('it is fixed' if held else "replaced by the joints 'root_x'") in node.log()
