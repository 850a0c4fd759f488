"""Servo in the node: commands by topic, what is refused, and what controllers get."""

import math

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import PoseStamped, TwistStamped
from rclpy.time import Time
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory

import robots
from harness.followed import Followed
from harness.node_here import running
from harness.rate_here import RateHere
from harness.servo_rig import (
    ARM,
    CHAIN,
    LIMITS,
    POSES,
    RATE,
    START,
    TWISTS,
    follows,
    goal,
    jog,
    last,
    listening,
    rests,
    samples,
    servo,
    stream,
    times,
    tip_twist,
    twist,
)
from ik_node import KinematicTree
from ik_node.ros.conversions import matrix_to_pose
from ik_node.spatial import pose_from_rpy


def test_the_tip_moves_as_the_twist_says_in_the_base():
    with listening() as (node, states, _):
        stream(node, 1.0, [0.05, -0.02, 0.03, 0.1, 0.0, -0.1])
        assert tip_twist(states) == pytest.approx([0.05, -0.02, 0.03, 0.1, 0.0, -0.1], abs=1e-6)


@pytest.mark.parametrize('frame', ['tool0', 'link_3'])
def test_a_twist_has_the_axes_of_its_frame(frame):
    tree = KinematicTree.from_urdf(ARM)
    with listening() as (node, states, _):
        R = tree.forward(dict(zip(CHAIN.joint_names, START)))[frame][:3, :3]
        node.publish(TwistStamped, TWISTS, twist(node, [0.0, 0.0, 0.02, 0.0, 0.0, 0.0], frame))
        node.spin(0.08)
        moved = tip_twist(states)[:3]
        assert moved / np.linalg.norm(moved) == pytest.approx(R[:, 2], abs=2e-2)


def test_samples_come_at_the_rate_and_keep_all_limits():
    with listening() as (node, states, _):
        for values in ([2.0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 3.0, 0], [-2.0, 0, 1.0, 1.0, 0, 0]):
            stream(node, 0.5, values)
        assert node.until(rests(states), 5.0)
        assert set(np.diff(times(states))) == {round(1e9 / RATE)}
        q, v = samples(states)
        assert np.abs(np.diff(q, axis=0) - (v[1:] + v[:-1]) / 2 / RATE).max() < 1e-9
        a = np.diff(v, axis=0) * RATE
        jerk = np.diff(a, axis=0) * RATE
        for values, most in ((v, LIMITS.velocity), (a, LIMITS.acceleration), (jerk, LIMITS.jerk)):
            assert (np.abs(values) <= most * (1 + 1e-6)).all()
        assert (q >= CHAIN.lower).all()
        assert (q <= CHAIN.upper).all()


@pytest.mark.parametrize(('values', 'moved'), [
    ([0.5, 0, 0, 0, 0, 0], [0.1, 0, 0, 0, 0, 0]), ([0, 0, 0, 0, 0, -0.5], [0, 0, 0, 0, 0, -0.05])],
    ids=['linear', 'rotational'])
def test_unitless_twists_are_parts_of_the_speeds_of_scale(values, moved):
    with listening(command_in_type='unitless', scale__linear=0.2,
                   scale__rotational=0.1) as (node, states, _):
        stream(node, 1.0, values)
        assert tip_twist(states) == pytest.approx(moved, abs=1e-6)


def test_a_command_times_out_by_its_stamp():
    with listening(incoming_command_timeout=0.5) as (node, states, heard):
        node.publish(TwistStamped, TWISTS, twist(node, [0.05, 0, 0, 0, 0, 0], age=0.3))
        node.spin(0.15)
        assert tip_twist(states)[0] > 0.04
        node.spin(0.1)
        assert node.until(rests(states), 2.0)
        node.publish(TwistStamped, TWISTS, twist(node, [0.05, 0, 0, 0, 0, 0], age=0.6))
        assert node.until(lambda: heard and 'old by its stamp' in heard[-1].message)
        assert rests(states)()


def test_a_pose_is_reached_while_it_is_sent():
    T = CHAIN.forward(np.array(START)) @ pose_from_rpy([0.03, -0.02, 0.02], [0.1, 0.0, 0.2])
    with listening(command_type='pose') as (node, states, _):

        def send():
            message = PoseStamped(pose=matrix_to_pose(T))
            node.publish(PoseStamped, POSES, message)
            node.spin(0.05)
            return np.abs(CHAIN.forward(last(states)[0]) - T).max() < 1e-6
        assert any(send() for _ in range(200))


def test_joints_that_a_jog_does_not_name_stay_exactly(control_msgs):
    first, _, third, *_ = CHAIN.joint_names
    with listening(command_type='joint') as (node, states, _):
        for _ in range(50):
            jog(node, {third: -0.3, first: 0.2})
            node.spin(0.02)
        q, v = last(states)
        assert v[[0, 2]] == pytest.approx([0.2, -0.3], abs=1e-6)
        assert q[[1, 3, 4, 5]].tolist() == np.array(START)[[1, 3, 4, 5]].tolist()


def test_unitless_jogs_are_parts_of_the_speed_of_scale(control_msgs):
    name = CHAIN.joint_names[1]
    with listening(command_type='joint', command_in_type='unitless',
                   scale__joint=0.4) as (node, states, _):
        for _ in range(50):
            jog(node, {name: 0.5})
            node.spin(0.02)
        assert last(states)[1][1] == pytest.approx(0.2, abs=1e-6)


@pytest.mark.parametrize(('velocities', 'reason'), [
    ({'elbow!': 0.1}, "unknown joint 'elbow!'"), ({CHAIN.joint_names[0]: math.nan}, 'finite')])
def test_invalid_jogs_are_refused(control_msgs, velocities, reason):
    with listening(command_type='joint') as (node, _, heard):
        jog(node, velocities)
        assert node.until(lambda: heard and reason in heard[-1].message)
        assert node.alive()


@pytest.mark.parametrize(('values', 'frame', 'reason'), [
    ([math.nan, 0, 0, 0, 0, 0], '', 'finite'), ([0, 0, 0, math.inf, 0, 0], '', 'finite'),
    ([0.1, 0, 0, 0, 0, 0], 'nowhere', "unknown frame 'nowhere'")])
def test_invalid_twists_are_refused_and_the_arm_goes_on(values, frame, reason):
    with listening() as (node, states, heard):
        node.publish(TwistStamped, TWISTS, twist(node, values, frame))
        assert node.until(lambda: heard and reason in heard[-1].message)
        assert heard[-1].level == DiagnosticStatus.ERROR
        assert follows(node, states)
        assert node.alive()


def test_commands_of_another_type_are_refused_and_the_type_may_change():
    with listening(command_type='pose') as (node, states, heard):
        stream(node, 0.1)
        assert rests(states)()
        assert "command_type is 'pose'" in heard[-1].message
        assert node.set(command_type='twist') == (True, '')
        assert follows(node, states)


def test_joint_commands_without_their_messages_are_refused():
    with servo() as node:
        done, reason = node.set(command_type='joint')
        assert not done
        assert 'control_msgs/JointJog, is not installed' in reason
        assert node.get('command_type') == 'twist'


def test_the_thread_gets_its_priority_and_locks_memory_as_parameters_say():
    with servo(thread_priority=7, lock_memory=True) as node:
        assert RateHere.settings[-1] == (7, True)
        assert node.set(thread_priority=0, lock_memory=False) == (True, '')
        assert node.until(lambda: RateHere.settings[-1] == (0, False))


def test_the_weights_of_the_task_say_what_matters_more_to_few_joints():
    planar = KinematicTree.from_urdf(robots.OWN / 'scara.urdf').chain()
    lost = {}
    for name, weights in (('position', [1.0, 1.0, 1.0, 0.01, 0.01, 0.01]),
                          ('orientation', [0.01, 0.01, 0.01, 1.0, 1.0, 1.0])):
        with listening(urdf_path=robots.OWN / 'scara.urdf', start_pose=[0.3, 0.8, 0.1, 0.2],
                       task_weights=weights) as (node, states, _):
            before = planar.forward(np.array([0.3, 0.8, 0.1, 0.2]))
            stream(node, 0.5, [0, 0, 0, 0.2, 0, 0.2])
            lost[name] = planar.forward(last(states)[0]) - before
    assert np.abs(lost['position'][:3, 3]).max() <= np.abs(lost['orientation'][:3, 3]).max()
    assert not np.allclose(lost['position'], lost['orientation'], atol=1e-6)


def test_goals_are_refused_and_say_what_to_do():
    with servo() as node:
        report = node.send('goal_pose', goal(START))
        assert report.values['reason'] == 'REFUSED'
        assert 'goals are refused while motion is servo' in report.message


def test_the_rate_must_fit():
    with servo() as node:
        done, reason = node.set(publish_rate=5000.0)
        assert not done
        assert 'publish_rate must be from 1 to 1000 Hz with motion' in reason


def test_deviations_of_the_rate_are_diagnosed():
    with servo() as node:
        reports = node.listen(DiagnosticArray, '/diagnostics')
        assert node.until(lambda: reports)
        values = {value.key: value.value for value in reports[-1].status[0].values}
        assert float(values['servo_deviation_p99']) == 0.0


WINDOWS, COMMANDS = '/arm_controller/joint_trajectory', '/position_controller/commands'


def test_a_trajectory_controller_gets_windows_that_lead_where_joint_states_say():
    with listening(output='trajectory', output_topic=WINDOWS) as (node, states, _):
        windows = node.listen(JointTrajectory, WINDOWS)
        for values in ([0.4, 0, 0, 0, 0, 0], [0, 0, 0, 0, 1.0, 0], [-0.4, 0, 0.2, 0.4, 0, 0]):
            stream(node, 0.4, values)
        assert node.until(rests(states), 5.0)
        node.spin(0.1)
        at, (q, _) = 1e-9 * times(states), samples(states)
        begun = [Time.from_msg(window.header.stamp).nanoseconds for window in windows]
        assert max(np.diff(begun)) < 0.03e9
        for window in windows[5:]:
            followed = Followed.of(window)
            known = (at >= followed.stamp) & (at <= followed.stamp + 0.05)
            assert known.sum() >= 8
            assert followed.at(at[known]).position == pytest.approx(q[known], abs=1e-6)
            planned = followed.at(followed.dense())
            assert (np.abs(planned.velocity) <= LIMITS.velocity * 1.001).all()
            assert (np.abs(planned.acceleration) <= LIMITS.acceleration * 1.03).all()
            assert not any(window.points[-1].velocities)
            assert not any(window.points[-1].accelerations)


def test_a_window_is_received_well_before_its_last_known_sample():
    with listening(output='trajectory', output_topic=WINDOWS) as (node, states, _):
        windows = node.listen(JointTrajectory, WINDOWS)
        stream(node, 0.5, [0.1, 0, 0, 0, 0, 0])
        window = windows[-1]
        shown = Time.from_msg(states[-1].header.stamp).nanoseconds * 1e-9
        followed = Followed.of(window)
        assert followed.stamp <= shown  # the controller goes on from between two points
        speeds = np.linalg.norm(followed.points.velocity, axis=1)
        braking = np.flatnonzero(speeds < 0.9 * speeds.max())[0]
        assert followed.stamp + followed.times[braking] >= shown + 0.04


def test_a_position_controller_gets_each_sample_in_the_order_of_its_joints():
    order = list(reversed(CHAIN.joint_names))
    with listening(output='position_commands', output_topic=COMMANDS,
                   command_joints=order) as (node, states, _):
        commands = node.listen(Float64MultiArray, COMMANDS)
        stream(node, 0.4, [0.1, 0, 0, 0, 0, 0])
        q, _ = samples(states[-20:])
        assert [list(command.data) for command in commands[-20:]] == q[:, ::-1].tolist()


def test_several_arms_follow_their_own_commands():
    with running(urdf_path=robots.OWN / 'torso.urdf', arms=['left', 'right'], motion='servo',
                 publish_rate=RATE, command_in_type='speed_units', **{
                     f'{side}__{key}': value for side in ('left', 'right') for key, value in (
                         ('base_link', 'torso_link'), ('tip_link', f'{side}_tool0'))}) as node:
        robot = node.subject._configuration.robot
        left, right = (robot.groups[name].space for name in ('left', 'right'))
        states = node.listen(JointState, 'joint_states')
        for _ in range(20):
            node.publish(TwistStamped, 'ik_node/left/delta_twist_cmds',
                         twist(node, [0, 0, -0.02, 0, 0, 0]))
            node.spin(0.02)
        moving = {name for name, v in zip(states[-1].name, states[-1].velocity) if abs(v) > 1e-6}
        assert moving
        assert moving <= set(left.joint_names) - set(right.joint_names)
