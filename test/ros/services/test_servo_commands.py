"""Servo in the node: commands by topic, braking, pausing, and what is refused."""

import math
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import PoseStamped, TwistStamped
from rclpy.time import Time
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import SetBool
from trajectory_msgs.msg import JointTrajectory

import robots
from harness.followed import Followed
from harness.node_here import running
from harness.rate_here import RateHere
from harness.servo_rig import (
    ARM,
    CHAIN,
    POSES,
    RATE,
    START,
    TWISTS,
    goal,
    jog,
    last,
    rests,
    samples,
    servo,
    stream,
    tip_twist,
    twist,
)
from ik_node import KinematicTree
from ik_node.control.group_servo import GroupServo
from ik_node.motion.limits import motion_limits
from ik_node.ros.conversions import matrix_to_pose
from ik_node.ros.services.servo.servo_commands import ServoCommands
from ik_node.spatial import pose_from_rpy


def times(states):
    return np.array([Time.from_msg(state.header.stamp).nanoseconds for state in states])


def pause(node, data):
    return node.call(SetBool, 'ik_node/pause_servo', SetBool.Request(data=data))


def statuses(node):
    return node.listen(DiagnosticStatus, 'ik_node/status')


def test_the_tip_moves_as_the_twist_says_in_the_base():
    with servo() as node:
        states = node.listen(JointState, 'joint_states')
        stream(node, 1.0, [0.05, -0.02, 0.03, 0.1, 0.0, -0.1])
        assert tip_twist(states) == pytest.approx([0.05, -0.02, 0.03, 0.1, 0.0, -0.1], abs=1e-6)


@pytest.mark.parametrize('frame', ['tool0', 'link_3'])
def test_a_twist_has_the_axes_of_its_frame(frame):
    tree = KinematicTree.from_urdf(ARM)
    with servo() as node:
        states = node.listen(JointState, 'joint_states')
        R = tree.forward(dict(zip(CHAIN.joint_names, START)))[frame][:3, :3]
        node.publish(TwistStamped, TWISTS, twist(node, [0.0, 0.0, 0.02, 0.0, 0.0, 0.0], frame))
        node.spin(0.08)
        moved = tip_twist(states)[:3]
        assert moved / np.linalg.norm(moved) == pytest.approx(R[:, 2], abs=2e-2)


def test_samples_come_at_the_rate_and_keep_all_limits():
    limits = motion_limits(CHAIN)
    with servo() as node:
        states = node.listen(JointState, 'joint_states')
        for values in ([2.0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 3.0, 0], [-2.0, 0, 1.0, 1.0, 0, 0]):
            stream(node, 0.5, values)
        assert node.until(rests(states), 5.0)
        assert set(np.diff(times(states))) == {round(1e9 / RATE)}
        q, v = samples(states)
        assert np.abs(np.diff(q, axis=0) - (v[1:] + v[:-1]) / 2 / RATE).max() < 1e-9
        a = np.diff(v, axis=0) * RATE
        jerk = np.diff(a, axis=0) * RATE
        for values, most in ((v, limits.velocity), (a, limits.acceleration), (jerk, limits.jerk)):
            assert (np.abs(values) <= most * (1 + 1e-6)).all()
        assert (q >= CHAIN.lower).all()
        assert (q <= CHAIN.upper).all()


@pytest.mark.parametrize(('values', 'moved'), [
    ([0.5, 0, 0, 0, 0, 0], [0.1, 0, 0, 0, 0, 0]), ([0, 0, 0, 0, 0, -0.5], [0, 0, 0, 0, 0, -0.05])],
    ids=['linear', 'rotational'])
def test_unitless_twists_are_parts_of_the_speeds_of_scale(values, moved):
    with servo(command_in_type='unitless', scale__linear=0.2, scale__rotational=0.1) as node:
        states = node.listen(JointState, 'joint_states')
        stream(node, 1.0, values)
        assert tip_twist(states) == pytest.approx(moved, abs=1e-6)


def test_the_arm_brakes_when_commands_cease_and_goes_on_when_they_come_again():
    with servo() as node:
        states, heard = node.listen(JointState, 'joint_states'), statuses(node)
        stream(node, 0.5, [0.05, 0, 0, 0, 0, 0])
        assert not rests(states)()
        first = len(states)
        assert node.until(rests(states), 5.0)
        _, v = samples(states[first:])
        speeds = np.linalg.norm(v, axis=1)
        begun = round(0.1 * RATE)
        assert speeds[:begun - 6] == pytest.approx(speeds[0], rel=0.1)  # until the time-out
        assert speeds[begun + 2] < speeds[0]
        assert node.until(lambda: heard[-1].message == 'there is no newer command')
        stream(node, 0.5, [0.05, 0, 0, 0, 0, 0])
        assert tip_twist(states)[0] == pytest.approx(0.05, abs=1e-6)
        assert heard[-1].message == 'servo follows its commands'


def test_a_command_times_out_by_its_stamp():
    with servo(incoming_command_timeout=0.5) as node:
        states, heard = node.listen(JointState, 'joint_states'), statuses(node)
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
    with servo(command_type='pose') as node:
        states = node.listen(JointState, 'joint_states')

        def send():
            message = PoseStamped(pose=matrix_to_pose(T))
            node.publish(PoseStamped, POSES, message)
            node.spin(0.05)
            return np.abs(CHAIN.forward(last(states)[0]) - T).max() < 1e-6
        assert any(send() for _ in range(200))


def test_joints_that_a_jog_does_not_name_stay_exactly(control_msgs):
    first, _, third, *_ = CHAIN.joint_names
    with servo(command_type='joint') as node:
        states = node.listen(JointState, 'joint_states')
        for _ in range(50):
            jog(node, {third: -0.3, first: 0.2})
            node.spin(0.02)
        q, v = last(states)
        assert v[[0, 2]] == pytest.approx([0.2, -0.3], abs=1e-6)
        assert q[[1, 3, 4, 5]].tolist() == np.array(START)[[1, 3, 4, 5]].tolist()


def test_unitless_jogs_are_parts_of_the_speed_of_scale(control_msgs):
    name = CHAIN.joint_names[1]
    with servo(command_type='joint', command_in_type='unitless', scale__joint=0.4) as node:
        states = node.listen(JointState, 'joint_states')
        for _ in range(50):
            jog(node, {name: 0.5})
            node.spin(0.02)
        assert last(states)[1][1] == pytest.approx(0.2, abs=1e-6)


@pytest.mark.parametrize(('velocities', 'reason'), [
    ({'elbow!': 0.1}, "unknown joint 'elbow!'"), ({CHAIN.joint_names[0]: math.nan}, 'finite')])
def test_invalid_jogs_are_refused(control_msgs, velocities, reason):
    with servo(command_type='joint') as node:
        heard = statuses(node)
        jog(node, velocities)
        assert node.until(lambda: heard and reason in heard[-1].message)
        assert node.alive()


@pytest.mark.parametrize(('values', 'frame', 'reason'), [
    ([math.nan, 0, 0, 0, 0, 0], '', 'finite'), ([0, 0, 0, math.inf, 0, 0], '', 'finite'),
    ([0.1, 0, 0, 0, 0, 0], 'nowhere', "unknown frame 'nowhere'")])
def test_invalid_twists_are_refused_and_the_arm_goes_on(values, frame, reason):
    with servo() as node:
        states, heard = node.listen(JointState, 'joint_states'), statuses(node)
        node.publish(TwistStamped, TWISTS, twist(node, values, frame))
        assert node.until(lambda: heard and reason in heard[-1].message)
        assert heard[-1].level == DiagnosticStatus.ERROR
        stream(node, 0.5, [0.05, 0, 0, 0, 0, 0])
        assert tip_twist(states)[0] == pytest.approx(0.05, abs=1e-6)
        assert node.alive()


def test_commands_of_another_type_are_refused_and_the_type_may_change():
    with servo(command_type='pose') as node:
        states, heard = node.listen(JointState, 'joint_states'), statuses(node)
        stream(node, 0.1, [0.05, 0, 0, 0, 0, 0])
        assert rests(states)()
        assert "command_type is 'pose'" in heard[-1].message
        assert node.set(command_type='twist') == (True, '')
        stream(node, 0.5, [0.05, 0, 0, 0, 0, 0])
        assert tip_twist(states)[0] == pytest.approx(0.05, abs=1e-6)


def test_joint_commands_without_their_messages_are_refused():
    with servo() as node:
        done, reason = node.set(command_type='joint')
        assert not done
        assert 'control_msgs/JointJog, is not installed' in reason
        assert node.get('command_type') == 'twist'


def test_pausing_brakes_and_ignores_commands_until_it_goes_on():
    with servo() as node:
        states = node.listen(JointState, 'joint_states')
        stream(node, 0.5, [0.05, 0, 0, 0, 0, 0])
        assert pause(node, True).success
        stream(node, 0.6, [0.05, 0, 0, 0, 0, 0])
        assert rests(states)()
        assert pause(node, False).success
        stream(node, 0.5, [0.05, 0, 0, 0, 0, 0])
        assert tip_twist(states)[0] == pytest.approx(0.05, abs=1e-6)


def test_pausing_is_refused_without_servo():
    with running(urdf_path=ARM) as node:
        response = pause(node, True)
        assert not response.success
        assert response.message == 'motion is not servo'


def test_a_pause_ends_with_servo():
    with servo() as node:
        assert pause(node, True).success
        assert node.set(motion='joint') == (True, '')
        assert pause(node, False).message == 'motion is not servo'
        assert node.set(motion='servo') == (True, '')
        states = node.listen(JointState, 'joint_states')
        stream(node, 0.5, [0.05, 0, 0, 0, 0, 0])
        assert tip_twist(states)[0] == pytest.approx(0.05, abs=1e-6)


def test_the_arm_brakes_when_the_node_is_deactivated_and_follows_when_it_is_active_again():
    with servo() as node:
        states = node.listen(JointState, 'joint_states')
        stream(node, 0.5, [0.05, 0, 0, 0, 0, 0])
        first = len(states)
        assert node.transition('deactivate')
        _, v = samples(states[first - 1:])
        assert rests(states)()
        assert (np.abs(np.diff(v, axis=0)) * RATE
                <= motion_limits(CHAIN).acceleration * (1 + 1e-6)).all()
        q, _ = last(states)
        assert node.transition('activate')
        stream(node, 0.5, [0.05, 0, 0, 0, 0, 0])
        assert tip_twist(states)[0] == pytest.approx(0.05, abs=1e-6)
        assert np.abs(samples(states[first:])[0] - q).max() < 0.3  # goes on from where it was


def test_a_defect_in_the_loop_is_reported_and_setting_the_motion_anew_mends_it(monkeypatch):
    with servo() as node:
        heard = statuses(node)
        with monkeypatch.context() as patch:
            patch.setattr(GroupServo, 'prepare', lambda *_: 1 // 0)
            assert node.until(lambda: heard and 'an internal error has ended servo'
                              in heard[-1].message)
        assert 'ZeroDivisionError' in node.log()
        assert node.set(motion='joint') == (True, '')
        assert node.set(motion='servo') == (True, '')
        states = node.listen(JointState, 'joint_states')
        stream(node, 0.5, [0.05, 0, 0, 0, 0, 0])
        assert tip_twist(states)[0] == pytest.approx(0.05, abs=1e-6)


def test_the_thread_gets_its_priority_and_locks_memory_as_parameters_say():
    with servo(thread_priority=7, lock_memory=True) as node:
        assert RateHere.settings[-1] == (7, True)
        assert node.set(thread_priority=0, lock_memory=False) == (True, '')
        assert node.until(lambda: RateHere.settings[-1] == (0, False))


def test_joints_that_were_moved_by_others_begin_where_they_are_measured():
    with servo(state_topic='measured', ready=False) as node:
        states = node.listen(JointState, 'joint_states')

        def measure(q):
            node.publish(JointState, 'measured', JointState(
                name=list(CHAIN.joint_names), position=[float(value) for value in q]))
        measure(START)
        assert node.until(lambda: states)
        stream(node, 0.3, [0.05, 0, 0, 0, 0, 0])
        assert node.until(rests(states), 5.0)
        for offset, begins_there in ((0.02, False), (0.2, True)):
            q, _ = last(states)
            assert node.set(motion='joint') == (True, '')
            measure(q + offset)
            assert node.set(motion='servo') == (True, '')
            node.spin(0.1)
            assert last(states)[0] == pytest.approx(q + offset * begins_there, abs=1e-4)


def test_the_weights_of_the_task_say_what_matters_more_to_few_joints():
    planar = KinematicTree.from_urdf(robots.OWN / 'scara.urdf').chain()
    lost = {}
    for name, weights in (('position', [1.0, 1.0, 1.0, 0.01, 0.01, 0.01]),
                          ('orientation', [0.01, 0.01, 0.01, 1.0, 1.0, 1.0])):
        with servo(urdf_path=robots.OWN / 'scara.urdf', start_pose=[0.3, 0.8, 0.1, 0.2],
                   task_weights=weights) as node:
            states = node.listen(JointState, 'joint_states')
            before = planar.forward(np.array([0.3, 0.8, 0.1, 0.2]))
            stream(node, 0.5, [0, 0, 0, 0.2, 0, 0.2])
            lost[name] = planar.forward(last(states)[0]) - before
    assert np.abs(lost['position'][:3, 3]).max() <= np.abs(lost['orientation'][:3, 3]).max()
    assert not np.allclose(lost['position'], lost['orientation'], atol=1e-6)


def test_moveit_switches_the_type_of_the_commands(monkeypatch):
    class Request:
        JOINT_JOG, TWIST, POSE = 0, 1, 2

    package, messages = ModuleType('moveit_msgs'), ModuleType('moveit_msgs.srv')
    messages.ServoCommandType = SimpleNamespace(Request=Request)
    monkeypatch.setitem(sys.modules, 'moveit_msgs', package)
    monkeypatch.setitem(sys.modules, 'moveit_msgs.srv', messages)
    served, chosen = {}, []
    node = SimpleNamespace(
        create_service=lambda kind, name, serve: served.update({name: serve}),
        set_parameters=lambda parameters: chosen.append(parameters[0].value) or [
            SimpleNamespace(successful=True)])
    ServoCommands(node, *[None] * 7)
    switch = served['~/switch_command_type']
    for command_type, kind in ((0, 'joint'), (1, 'twist'), (2, 'pose')):
        response = switch(SimpleNamespace(command_type=command_type), SimpleNamespace())
        assert response.success
        assert chosen[-1] == kind
    assert not switch(SimpleNamespace(command_type=9), SimpleNamespace()).success
    assert len(chosen) == 3


def test_goals_are_refused_and_say_what_to_do():
    with servo() as node:
        report = node.send('goal_pose', goal(START))
        assert report.values['reason'] == 'REFUSED'
        assert 'goals are refused while motion is servo' in report.message


def test_a_disabled_node_brakes_and_refuses_commands():
    with servo() as node:
        states, heard = node.listen(JointState, 'joint_states'), statuses(node)
        stream(node, 0.5, [0.05, 0, 0, 0, 0, 0])
        first = len(states)
        node.call(SetBool, 'ik_node/enable', SetBool.Request(data=False))
        stream(node, 0.6, [0.05, 0, 0, 0, 0, 0])
        assert rests(states)()
        assert 'the node is disabled' in heard[-1].message
        _, v = samples(states[first - 1:])
        assert (np.abs(np.diff(v, axis=0)) * RATE
                <= motion_limits(CHAIN).acceleration * (1 + 1e-6)).all()


@pytest.mark.parametrize('change', [{'motion': 'joint'}, {'publish_rate': 100.0}])
def test_the_arm_comes_to_rest_before_servo_ends_or_begins_anew(change):
    with servo() as node:
        states = node.listen(JointState, 'joint_states')
        stream(node, 0.5, [0.05, 0, 0, 0, 0, 0])
        first = len(states)
        assert node.set(**change) == (True, '')
        node.spin(0.2)
        q, v = samples(states[first - 1:])
        assert np.abs(np.diff(v[:-20], axis=0)).max() * RATE <= (
            motion_limits(CHAIN).acceleration.max() * (1 + 1e-6))
        assert rests(states)()
        assert np.abs(np.diff(q, axis=0)).max() < 0.01
        if 'motion' in change:
            q1 = np.array(START) + 0.1
            assert node.send('goal_pose', goal(q1)).message.startswith('the goal is met')


def test_servo_continues_a_motion_that_is_under_way():
    with servo(motion='joint') as node:
        states = node.listen(JointState, 'joint_states')
        node.publish(PoseStamped, 'goal_pose', goal(np.array(START) + 0.5))
        assert node.until(lambda: np.abs(last(states)[1]).max() > 0.2)
        _, before = last(states)
        assert node.set(motion='servo') == (True, '')
        assert node.until(lambda: len(np.unique(np.diff(times(states[-4:])))) == 1)
        first = len(states)
        assert node.until(rests(states), 5.0)
        _, v = samples(states[first - 1:])
        assert np.abs(v[0] - before).max() < 0.2
        assert (np.abs(np.diff(v, axis=0)) * RATE
                <= motion_limits(CHAIN).acceleration * (1 + 1e-6)).all()


@pytest.mark.parametrize('offset', [0.0, 0.003], ids=['inside', 'a little outside a limit'])
def test_servo_begins_where_joints_are_measured_without_a_jump(offset):
    measured = np.array(START)
    measured[1] = CHAIN.lower[1] - offset if offset else START[1]
    with servo(state_topic='measured', ready=False) as node:
        states, heard = node.listen(JointState, 'joint_states'), statuses(node)
        assert node.until(lambda: heard and 'it is not known where motions begin'
                          in heard[-1].message)
        node.publish(JointState, 'measured', JointState(
            name=list(CHAIN.joint_names), position=measured.tolist()))
        first = len(states)
        node.until(lambda: len(states) > first + 10)
        assert last(states)[0].tolist() == measured.tolist()
        stream(node, 0.3, [0.0, 0.05, 0, 0, 0, 0])
        q, _ = samples(states[first + 5:])
        assert np.abs(np.diff(q, axis=0)).max() < 0.01


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
    limits = motion_limits(CHAIN)
    with servo(output='trajectory', output_topic=WINDOWS) as node:
        states = node.listen(JointState, 'joint_states')
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
            assert (np.abs(planned.velocity) <= limits.velocity * 1.001).all()
            assert (np.abs(planned.acceleration) <= limits.acceleration * 1.03).all()
            assert not any(window.points[-1].velocities)
            assert not any(window.points[-1].accelerations)


def test_a_window_is_received_well_before_its_last_known_sample():
    with servo(output='trajectory', output_topic=WINDOWS) as node:
        states = node.listen(JointState, 'joint_states')
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
    with servo(output='position_commands', output_topic=COMMANDS, command_joints=order) as node:
        states = node.listen(JointState, 'joint_states')
        commands = node.listen(Float64MultiArray, COMMANDS)
        stream(node, 0.4, [0.1, 0, 0, 0, 0, 0])
        q, _ = samples(states[-20:])
        assert [list(command.data) for command in commands[-20:]] == q[:, ::-1].tolist()


TABLE = '- {name: table, box: {size: [0.3, 0.3, 0.1]}, xyz: [%s, %s, %s]}\n'


def test_the_arm_stops_before_contact_says_with_what_and_leaves_freely(tmp_path):
    x, y, z = CHAIN.forward(np.array(START))[:3, 3]
    (tmp_path / 'table.yaml').write_text(TABLE % (x, y, z - 0.25))
    with servo(obstacles_path=tmp_path / 'table.yaml', dls__avoid_collisions=True,
               dls__margin=0.02) as node:
        states, heard = node.listen(JointState, 'joint_states'), statuses(node)
        model = node.subject._configuration.robot.groups[''].solver.collisions
        stream(node, 3.0, [0, 0, -0.15, 0, 0, 0])
        q, _ = samples(states)
        nearest = min(model.near_pairs(row, 0.5).distances.min(initial=1.0) for row in q[::20])
        assert 0.0199 <= nearest < 0.05
        assert "'table'" in heard[-1].message
        assert {value.key: value.value for value in heard[-1].values}['reason'] in (
            'HALT_FOR_COLLISION', 'DECELERATE_FOR_COLLISION')
        z = CHAIN.forward(q[-1])[2, 3]
        stream(node, 0.5, [0, 0, 0.1, 0, 0, 0])
        assert CHAIN.forward(last(states)[0])[2, 3] > z + 0.015


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
