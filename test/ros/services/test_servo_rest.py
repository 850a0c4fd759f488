"""Servo in the node: where it begins, pauses and brakes, and how it goes on afterwards."""

import numpy as np
import pytest
from geometry_msgs.msg import PoseStamped
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool

from harness.node_here import running
from harness.servo_rig import (
    ARM,
    CHAIN,
    LIMITS,
    RATE,
    START,
    accelerates_within_limits,
    follows,
    goal,
    last,
    listening,
    rests,
    samples,
    servo,
    stream,
    times,
)
from ik_node.control.group_servo import GroupServo


def pause(node, data):
    return node.call(SetBool, 'ik_node/pause_servo', SetBool.Request(data=data))


def test_the_arm_brakes_when_commands_cease_and_goes_on_when_they_come_again():
    with listening() as (node, states, heard):
        stream(node, 0.5)
        assert not rests(states)()
        first = len(states)
        assert node.until(rests(states), 5.0)
        _, v = samples(states[first:])
        speeds = np.linalg.norm(v, axis=1)
        begun = round(0.1 * RATE)
        assert speeds[:begun - 6] == pytest.approx(speeds[0], rel=0.1)  # until the time-out
        assert speeds[begun + 2] < speeds[0]
        assert node.until(lambda: heard[-1].message == 'there is no newer command')
        assert follows(node, states)
        assert heard[-1].message == 'servo follows its commands'


def test_pausing_brakes_and_ignores_commands_until_it_goes_on():
    with listening() as (node, states, _):
        stream(node, 0.5)
        assert pause(node, True).success
        stream(node, 0.6)
        assert rests(states)()
        assert pause(node, False).success
        assert follows(node, states)


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
        assert follows(node, states)


def test_the_arm_brakes_when_the_node_is_deactivated_and_follows_when_it_is_active_again():
    with listening() as (node, states, _):
        stream(node, 0.5)
        first = len(states)
        assert node.transition('deactivate')
        _, v = samples(states[first - 1:])
        assert rests(states)()
        assert accelerates_within_limits(v)
        q, _ = last(states)
        assert node.transition('activate')
        assert follows(node, states)
        assert np.abs(samples(states[first:])[0] - q).max() < 0.3  # goes on from where it was


def test_a_defect_in_the_loop_is_reported_and_setting_the_motion_anew_mends_it(monkeypatch):
    with listening() as (node, _, heard):
        with monkeypatch.context() as patch:
            patch.setattr(GroupServo, 'prepare', lambda *_: 1 // 0)
            assert node.until(lambda: heard and 'an internal error has ended servo'
                              in heard[-1].message)
        assert 'ZeroDivisionError' in node.log()
        assert node.set(motion='joint') == (True, '')
        assert node.set(motion='servo') == (True, '')
        states = node.listen(JointState, 'joint_states')
        assert follows(node, states)


def test_joints_that_were_moved_by_others_begin_where_they_are_measured():
    with listening(state_topic='measured', ready=False) as (node, states, _):
        def measure(q):
            node.publish(JointState, 'measured', JointState(
                name=list(CHAIN.joint_names), position=[float(value) for value in q]))
        measure(START)
        assert node.until(lambda: states)
        stream(node, 0.3)
        assert node.until(rests(states), 5.0)
        for offset, begins_there in ((0.02, False), (0.2, True)):
            q, _ = last(states)
            assert node.set(motion='joint') == (True, '')
            measure(q + offset)
            assert node.set(motion='servo') == (True, '')
            node.spin(0.1)
            assert last(states)[0] == pytest.approx(q + offset * begins_there, abs=1e-4)


def test_a_disabled_node_brakes_and_refuses_commands():
    with listening() as (node, states, heard):
        stream(node, 0.5)
        first = len(states)
        node.call(SetBool, 'ik_node/enable', SetBool.Request(data=False))
        stream(node, 0.6)
        assert rests(states)()
        assert 'the node is disabled' in heard[-1].message
        _, v = samples(states[first - 1:])
        assert accelerates_within_limits(v)


@pytest.mark.parametrize('change', [{'motion': 'joint'}, {'publish_rate': 100.0}])
def test_the_arm_comes_to_rest_before_servo_ends_or_begins_anew(change):
    with listening() as (node, states, _):
        stream(node, 0.5)
        first = len(states)
        assert node.set(**change) == (True, '')
        node.spin(0.2)
        q, v = samples(states[first - 1:])
        assert np.abs(np.diff(v[:-20], axis=0)).max() * RATE <= (
            LIMITS.acceleration.max() * (1 + 1e-6))
        assert rests(states)()
        assert np.abs(np.diff(q, axis=0)).max() < 0.01
        if 'motion' in change:
            q1 = np.array(START) + 0.1
            assert node.send('goal_pose', goal(q1)).message.startswith('the goal is met')


def test_servo_continues_a_motion_that_is_under_way():
    with listening(motion='joint') as (node, states, _):
        node.publish(PoseStamped, 'goal_pose', goal(np.array(START) + 0.5))
        assert node.until(lambda: np.abs(last(states)[1]).max() > 0.2)
        _, before = last(states)
        assert node.set(motion='servo') == (True, '')
        assert node.until(lambda: len(np.unique(np.diff(times(states[-4:])))) == 1)
        first = len(states)
        assert node.until(rests(states), 5.0)
        _, v = samples(states[first - 1:])
        assert np.abs(v[0] - before).max() < 0.2
        assert accelerates_within_limits(v)


@pytest.mark.parametrize('offset', [0.0, 0.003], ids=['inside', 'a little outside a limit'])
def test_servo_begins_where_joints_are_measured_without_a_jump(offset):
    measured = np.array(START)
    measured[1] = CHAIN.lower[1] - offset if offset else START[1]
    with listening(state_topic='measured', ready=False) as (node, states, heard):
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


TABLE = '- {name: table, box: {size: [0.3, 0.3, 0.1]}, xyz: [%s, %s, %s]}\n'


def test_the_arm_stops_before_contact_says_with_what_and_leaves_freely(tmp_path):
    x, y, z = CHAIN.forward(np.array(START))[:3, 3]
    (tmp_path / 'table.yaml').write_text(TABLE % (x, y, z - 0.25))
    with listening(obstacles_path=tmp_path / 'table.yaml', dls__avoid_collisions=True,
                   dls__margin=0.02) as (node, states, heard):
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
