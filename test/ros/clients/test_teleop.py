"""Teleoperation by a gamepad and by the keyboard: what is commanded, and that its loss stops."""

import os
import sys
import threading

import numpy as np
import pytest
from geometry_msgs.msg import TwistStamped
from sensor_msgs.msg import JointState, Joy

import robots
from harness.node_here import running
from harness.servo_rig import JOGS, TWISTS
from harness.teleop_rig import teleop
from ik_node.ros.clients import keyboard
from ik_node.ros.clients.keyboard import Keyboard
from ik_node.support.exceptions import InputError

HELD, OPEN, CLOSE = 4, 0, 1


def move(node, axes=(), buttons=(HELD,), count=8):
    values = np.zeros(count)
    values[list(dict(axes))] = list(dict(axes).values())
    node.publish(Joy, 'joy', Joy(axes=values.tolist(), buttons=[
        int(k in buttons) for k in range(8)]))


def numbers(message):
    return [getattr(part, axis) for part in (message.twist.linear, message.twist.angular)
            for axis in 'xyz']


def test_sticks_command_twists_from_zero_at_the_dead_zone_to_the_speed():
    with teleop(speed=0.5, dead_zone=0.2, frame='tool0',
                signs='[1.0,-1.0,1.0,1.0,1.0,1.0]') as node:
        sent = node.listen(TwistStamped, TWISTS)
        move(node, {1: 1.0, 0: 0.6, 4: 0.19, 6: -1.0, 7: -0.2, 3: -0.21})
        assert numbers(sent[0]) == pytest.approx([0.5, -0.25, 0.0, -0.5, 0.0, -0.5 / 80], abs=1e-6)
        assert sent[0].header.frame_id == 'tool0'


def test_without_the_dead_man_button_nothing_is_sent_and_its_release_brakes_once():
    with teleop() as node:
        sent = node.listen(TwistStamped, TWISTS)
        move(node, {1: 1.0}, buttons=())
        assert not sent
        assert f'hold button {HELD} of the gamepad' in node.log()
        move(node, {1: 1.0})
        for _ in range(3):
            move(node, {1: 1.0}, buttons=())
        assert [numbers(one)[0] for one in sent] == pytest.approx([0.5, 0.0])


def test_commands_are_as_old_as_the_state_of_the_gamepad():
    with teleop() as node:
        sent = node.listen(TwistStamped, TWISTS)
        message = Joy(axes=[0.0] * 8, buttons=[1] * 8)
        message.header.stamp.sec = 7
        node.publish(Joy, 'joy', message)
        assert sent[0].header.stamp.sec == 7


@pytest.mark.parametrize(('message', 'reason'), [
    (Joy(axes=[0.0] * 3, buttons=[1] * 8), 'has 3'), (Joy(axes=[0.0] * 8, buttons=[1]), 'has 1'),
    (Joy(axes=[float('nan')] * 8, buttons=[1] * 8), 'is at nan'),
    (Joy(axes=[3.0] * 8, buttons=[1] * 8), 'is at 3.0')])
def test_a_gamepad_that_does_not_fit_commands_nothing_and_brakes(message, reason):
    with teleop() as node:
        sent = node.listen(TwistStamped, TWISTS)
        move(node, {1: 1.0})
        for _ in range(2):
            node.publish(Joy, 'joy', message)
        assert numbers(sent[-1]) == [0.0] * 6
        assert (len(sent), node.log().count(reason)) == (2, 1)
        move(node, {1: 1.0})
        assert numbers(sent[-1])[0] == 0.5


def test_buttons_move_the_gripper_and_their_release_ends_that(control_msgs):
    with teleop(gripper_joints='[left,right]') as node:
        sent = node.listen(JointState, JOGS)
        for buttons in ((HELD, OPEN), (HELD, CLOSE), (HELD,), (HELD,), (HELD, OPEN), (OPEN,), ()):
            move(node, buttons=buttons)
        assert [list(one.velocity) for one in sent] == [
            [0.5, 0.5], [-0.5, -0.5], [0.0, 0.0], [0.5, 0.5], [0.0, 0.0]]
        assert list(sent[0].name) == ['left', 'right']


def test_without_control_msgs_the_gripper_is_reported_and_twists_go_on(monkeypatch):
    monkeypatch.setitem(sys.modules, 'control_msgs', None)
    with teleop(gripper_joints='[finger]') as node:
        assert 'control_msgs is not installed' in node.log()
        sent = node.listen(TwistStamped, TWISTS)
        move(node, {1: 1.0}, buttons=(HELD, OPEN))
        assert numbers(sent[0])[0] == 0.5


def test_each_key_commands_one_axis_and_space_brakes(control_msgs):
    with teleop(input='keyboard', arm='left', joints='[waist,elbow]',
                gripper_joints='[finger]') as node:
        sent = node.listen(TwistStamped, 'ik_node/left/delta_twist_cmds')
        jogged = node.listen(JointState, 'ik_node/left/delta_joint_cmds')
        for key in 'wsadqeuoikjl':
            node.subject.press(key)
        assert [numbers(one) for one in sent] == [
            [0.5 * sign * (k == axis) for k in range(6)] for axis in range(6) for sign in (1, -1)]
        for key in ('2', 'r', '2', '9', 'x', ']', '[', ' ', ' '):
            node.subject.press(key)
        assert [(list(one.name), list(one.velocity)) for one in jogged] == [
            (['elbow'], [0.5]), (['elbow'], [-0.5]), (['finger'], [0.5]), (['finger'], [-0.5]),
            (['finger'], [0.0])]
        assert numbers(sent[-1]) == [0.0] * 6
        for key in ('+', 'w'):
            node.subject.press(key)
        assert numbers(sent[-1])[0] == pytest.approx(0.625)


@pytest.mark.skipif(sys.platform == 'win32', reason='terminals are those of POSIX')
def test_keys_of_a_terminal_arrive_without_a_line_end_and_it_is_restored():
    import termios
    outside, inside = os.openpty()
    before, pressed, heard = termios.tcgetattr(inside), [], threading.Event()
    with os.fdopen(inside) as terminal:
        keys = Keyboard(terminal, lambda key: (pressed.append(key), heard.set()))
        for text, key in ((b'w', 'w'), (b'Q', 'q')):
            heard.clear()
            os.write(outside, text)
            assert heard.wait(10.0)
            assert pressed[-1] == key
        keys.close()
        assert termios.tcgetattr(inside) == before
    os.close(outside)


def test_without_a_terminal_the_keyboard_is_refused():
    with open(os.devnull) as nothing, pytest.raises(InputError, match='terminal'):
        Keyboard(nothing, print)


def test_all_keys_are_different():
    keys = [*keyboard.KEYS, *keyboard.JOINT, *keyboard.SPEEDS, keyboard.REVERSE, keyboard.STOP,
            '[', ']']
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize('key', ['', 'w'])
def test_the_loss_of_the_input_stops_the_arm_within_the_time_out(key):
    with teleop(speed=0.3) as source, running(
            model_path=robots.OWN / 'arm_6r.urdf', motion='servo', publish_rate=200.0,
            start_pose=[0.4, 0.3, 0.5, 0.4, -1.2, 0.4]) as node:
        sent, states = source.listen(TwistStamped, TWISTS), node.listen(JointState, 'joint_states')
        node.spin(0.1)
        for _ in range(40):
            if key:
                source.subject.press(key)
            else:
                move(source, {1: 1.0})
            sent[-1].header.stamp.sec = sent[-1].header.stamp.nanosec = 0
            node.publish(TwistStamped, TWISTS, sent[-1])
            node.spin(0.03)
        speed = np.abs(states[-1].velocity).max()
        assert speed > 0.05
        node.spin(0.1 - 0.03 + 0.1)
        assert np.abs(states[-1].velocity).max() < speed
        assert node.until(lambda: np.abs(states[-1].velocity).max() < 1e-4, timeout=1.0)
