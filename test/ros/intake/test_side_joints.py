"""Joints that no arm has, of a gripper or a head, beside the goals and the servo of the arm."""

import numpy as np
import pytest
from geometry_msgs.msg import PoseStamped, TwistStamped
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory

from harness.node_here import running
from harness.servo_rig import jog
from ik_node.model.readers import read_urdf_text

SHAPE = '<collision><geometry><box size="{}"/></geometry></collision>'
FINGER = SHAPE.format('0.02 0.02 0.02')
ROBOT = f"""<robot name="gripped"><link name="base"/><link name="upper"/><link name="fore"/>
<link name="palm">{SHAPE.format('0.02 0.02 0.02')}</link><link name="left">{FINGER}</link>
<link name="right">{FINGER}</link><link name="head"/>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
<axis xyz="0 0 1"/><limit lower="-2" upper="2" effort="1" velocity="2"/></joint>
<joint name="elbow" type="revolute"><parent link="upper"/><child link="fore"/>
<origin xyz="0.3 0 0"/><axis xyz="0 0 1"/><limit lower="-2" upper="2" effort="1" velocity="2"/>
</joint>
<joint name="wrist" type="fixed"><parent link="fore"/><child link="palm"/>
<origin xyz="0.3 0 0"/></joint>
<joint name="grip" type="prismatic"><parent link="palm"/><child link="left"/>
<origin xyz="0.05 0 0"/><axis xyz="0 1 0"/>
<limit lower="0" upper="0.04" effort="1" velocity="0.2"/></joint>
<joint name="mirror" type="prismatic"><parent link="palm"/><child link="right"/>
<origin xyz="0.05 0 0"/><axis xyz="0 -1 0"/>
<limit lower="0" upper="0.04" effort="1" velocity="0.2"/><mimic joint="grip"/></joint>
<joint name="pan" type="revolute"><parent link="base"/><child link="head"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""
ARM = {'robot_description': ROBOT, 'tip_link': 'palm', 'task_weights': [1, 1, 0, 0, 0, 0],
       'start_pose': [0.3, 0.5]}
SERVO = {**ARM, 'motion': 'servo', 'publish_rate': 200.0, 'command_in_type': 'speed_units'}


def values(names, positions):
    return JointState(name=list(names), position=[float(q) for q in positions])


def last(states):
    return dict(zip(states[-1].name, states[-1].position))


def test_joint_values_of_arm_and_gripper_in_one_message_are_both_set():
    with running(**ARM) as node:
        states = node.listen(JointState, 'joint_states')
        report = node.send('goal_joints', values(['grip', 'elbow'], [0.03, -0.4]))
        assert report.values['reason'] == 'CONVERGED'
        assert last(states) == {'shoulder': 0.3, 'elbow': -0.4, 'grip': 0.03, 'mirror': 0.03,
                                'pan': 0.0}


@pytest.mark.parametrize(('joints', 'reason'), [
    ({'grip': 0.05}, "'grip'"), ({'pan': -1.1, 'elbow': 0.1}, "'pan'"),
    ({'pan': 0.1, 'elbow': 9.0}, "'elbow'"), ({'mirror': 0.01}, "follows joint 'grip'"),
    ({'grip': 0.01, 'nothing': 0.0}, "'nothing'"), ({'grip': float('nan')}, 'not a finite')])
def test_invalid_values_beside_the_arm_are_refused_as_a_whole(joints, reason):
    with running(**ARM) as node:
        states = node.listen(JointState, 'joint_states')
        report = node.send('goal_joints', values(joints, joints.values()))
        assert (report.values['reason'], reason in report[1]) == ('REFUSED', True)
        assert last(states) == {'shoulder': 0.3, 'elbow': 0.5, 'grip': 0.0, 'mirror': 0.0,
                                'pan': 0.0}


def test_a_gripper_moves_within_its_limits_while_the_arm_goes_on():
    with running(**ARM, motion='joint', publish_rate=100.0) as node:
        states = node.listen(JointState, 'joint_states')
        goal = PoseStamped()
        goal.pose.position.x, goal.pose.position.y, goal.pose.orientation.w = 0.1, 0.5, 1.0
        node.send('goal_pose', goal)
        report = node.send('goal_joints', values(['grip'], [0.04]))
        assert float(report.values['motion_duration']) > 0.2
        assert node.until(lambda: last(states)['grip'] == pytest.approx(0.04, abs=1e-9))
        node.spin(3.0)
        speeds = np.array([list(one.velocity) for one in states])
        assert 0.1 < speeds[:, list(states[-1].name).index('grip')].max() <= 0.2 + 1e-9
        tip = read_urdf_text(ROBOT).chain(None, 'palm').forward(
            [last(states)['shoulder'], last(states)['elbow']])
        assert tip[:2, 3] == pytest.approx([0.1, 0.5], abs=1e-5)


def test_a_gripper_does_not_move_into_contact():
    with running(**ARM, motion='joint', publish_rate=100.0,
                 **{'dls.avoid_collisions': True, 'dls.margin': 0.005}) as node:
        assert node.send('goal_joints', values(['grip'], [0.03])).values['accepted'] == 'true'
        node.spin(2.0)
        report = node.send('goal_joints', values(['grip'], [0.01]))
        assert (report.values['reason'], 'left' in report[1]) == ('REFUSED', True)


def test_an_arm_does_not_move_where_the_gripper_of_the_same_message_may_not():
    with running(**ARM, motion='joint', publish_rate=100.0,
                 **{'dls.avoid_collisions': True, 'dls.margin': 0.005}) as node:
        assert node.send('goal_joints', values(['grip'], [0.03])).values['accepted'] == 'true'
        node.spin(2.0)
        states = node.listen(JointState, 'joint_states')
        report = node.send('goal_joints', values(['elbow', 'grip'], [-0.4, 0.01]))
        assert (report.values['reason'], 'left' in report[1]) == ('REFUSED', True)
        node.spin(1.0)
        assert (last(states)['elbow'], last(states)['grip']) == (0.5, pytest.approx(0.03))
        report = node.send('goal_joints', values(['elbow', 'grip'], [-0.4, 0.02]))
        assert report.values['accepted'] == 'true'
        assert node.until(lambda: last(states)['elbow'] == pytest.approx(-0.4, abs=1e-9)
                          and last(states)['grip'] == pytest.approx(0.02, abs=1e-9))


def test_more_joints_beside_the_arm_than_are_allowed_are_warned_of_and_the_arm_moves():
    many = ''.join(f"""<link name="leaf_{i}"/><joint name="hinge_{i}" type="revolute">
<parent link="base"/><child link="leaf_{i}"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>""" for i in range(199))
    with running(**{**ARM, 'robot_description': ROBOT.replace('</robot>', many + '</robot>')}
                 ) as node:
        node.ready()
        assert '201 joints that no arm has cannot be moved' in node.log()
        assert node.send('goal_joints', values(['elbow'], [0.1])).values['accepted'] == 'true'
        report = node.send('goal_joints', values(['hinge_3'], [0.1]))
        assert (report.values['reason'], "'hinge_3'" in report[1]) == ('REFUSED', True)


def test_a_head_has_a_trajectory_of_its_own_with_the_joints_of_its_controller():
    with running(**ARM, motion='joint', publish_rate=100.0, **{
            'output': 'trajectory', 'output_topic': 'arm', 'side_joints.output': 'trajectory',
            'side_joints.output_topic': 'head', 'side_joints.command_joints': ['pan']}) as node:
        sent = {name: node.listen(JointTrajectory, name) for name in ('arm', 'head')}
        node.send('goal_joints', values(['pan'], [0.5]))
        assert node.until(lambda: sent['head'])
        assert not sent['arm']
        assert list(sent['head'][0].joint_names) == ['pan']
        assert list(sent['head'][0].points[-1].positions) == pytest.approx([0.5])


def test_measured_joints_beside_the_arm_count_until_they_are_moved_and_after_that():
    with running(**ARM, state_topic='measured') as node:
        states = node.listen(JointState, 'joint_states')
        node.publish(JointState, 'measured', values(
            ['shoulder', 'elbow', 'grip', 'pan'], [0.3, 0.5, 0.02, 0.1]))
        node.send('goal_joints', values(['pan'], [0.4]))
        assert (last(states)['grip'], last(states)['pan']) == (0.02, 0.4)


def test_servo_moves_a_gripper_by_joint_values_while_it_follows_twists():
    with running(**SERVO) as node:
        states = node.listen(JointState, 'joint_states')
        node.spin(0.1)
        report = node.send('goal_joints', values(['grip', 'pan'], [0.03, -0.6]))
        assert report.values['accepted'] == 'true'
        for _ in range(150):
            message = TwistStamped()
            message.twist.linear.y = 0.05
            node.publish(TwistStamped, 'ik_node/delta_twist_cmds', message)
            node.spin(0.02)
        assert last(states)['grip'] == last(states)['mirror'] == pytest.approx(0.03, abs=1e-5)
        assert last(states)['pan'] == pytest.approx(-0.6, abs=1e-5)
        assert last(states)['shoulder'] > 0.35
        q = np.array([list(one.position) for one in states])
        columns = [list(states[-1].name).index(name) for name in ('grip', 'pan')]
        assert (np.abs(np.diff(q, axis=0)[:, columns]) <= [0.2 / 200 + 1e-9, 1 / 200 + 1e-9]).all()
        assert q[:, columns[0]].max() <= 0.03 + 1e-6
        assert q[:, columns[1]].min() >= -0.6 - 1e-6


def test_joint_values_of_the_arm_are_refused_in_servo():
    with running(**SERVO) as node:
        report = node.send('goal_joints', values(['grip', 'elbow'], [0.03, 0.0]))
        assert 'goals are refused while motion is servo' in report[1]


@pytest.mark.parametrize('kind', ['twist', 'joint', 'pose'])
def test_jogs_move_joints_beside_the_arm_whatever_the_type_of_commands_is(control_msgs, kind):
    with running(**SERVO, command_type=kind) as node:
        states = node.listen(JointState, 'joint_states')
        for _ in range(60):
            jog(node, {'grip': 0.01, 'pan': 1.0})
            node.spin(0.02)
        assert last(states)['grip'] == pytest.approx(0.01 * 1.2, abs=3e-3)
        assert last(states)['elbow'] == 0.5
        for _ in range(60):
            jog(node, {'pan': 1.0})
            node.spin(0.02)
        assert 0.99 < last(states)['pan'] <= 1.0 + 1e-9
        held = last(states)['grip']
        node.spin(1.0)
        assert last(states)['grip'] == held


def test_a_jog_of_the_arm_is_refused_while_twists_are_followed(control_msgs):
    with running(**SERVO) as node:
        states = node.listen(JointState, 'joint_states')
        node.spin(0.1)
        jog(node, {'grip': 0.01, 'elbow': 1.0})
        node.spin(0.2)
        assert last(states) == {'shoulder': 0.3, 'elbow': 0.5, 'grip': 0.0, 'mirror': 0.0,
                                'pan': 0.0}


def test_servo_stops_a_gripper_before_contact(control_msgs):
    with running(**SERVO, **{'dls.avoid_collisions': True, 'dls.margin': 0.005}) as node:
        states = node.listen(JointState, 'joint_states')
        for sign in (1.0, -1.0):
            for _ in range(60):
                jog(node, {'grip': sign * 0.1})
                node.spin(0.02)
        assert 0.0125 <= last(states)['grip'] < 0.0145  # half of box and margin, and 1 mm before


def test_a_gripper_that_rests_is_where_it_is_measured_again(control_msgs):
    with running(**SERVO, state_topic='measured') as node:
        states = node.listen(JointState, 'joint_states')
        everything = ['shoulder', 'elbow', 'grip', 'pan']
        node.publish(JointState, 'measured', values(everything, [0.3, 0.5, 0.02, 0.1]))
        node.spin(0.1)
        jog(node, {'grip': 0.05})
        node.spin(1.0)
        assert last(states)['grip'] != 0.02
        node.publish(JointState, 'measured', values(everything, [0.3, 0.5, 0.035, 0.1]))
        node.spin(0.2)
        assert last(states)['grip'] == 0.035


def test_servo_commands_positions_of_the_gripper():
    with running(**SERVO, **{'side_joints.output': 'position_commands',
                             'side_joints.output_topic': 'gripper',
                             'side_joints.command_joints': ['grip']}) as node:
        sent = node.listen(Float64MultiArray, 'gripper')
        node.spin(0.1)
        node.send('goal_joints', values(['grip'], [0.03]))
        node.spin(2.0)
        assert list(sent[-1].data) == pytest.approx([0.03], abs=1e-5)
