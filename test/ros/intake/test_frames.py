"""Which frame a goal is in, with a stand-in for tf2."""

import sys
import types

import numpy as np
import pytest
from builtin_interfaces.msg import Time as TimeMsg
from geometry_msgs.msg import TransformStamped
from rclpy.time import Time
from std_msgs.msg import Header

from ik_node import KinematicTree
from ik_node.control.arm import Arm
from ik_node.control.group_source import GroupSource
from ik_node.control.options import ArmOptions, NodeOptions
from ik_node.control.robot import Robot
from ik_node.ros.conversions import transform
from ik_node.ros.execution.execution import History
from ik_node.ros.intake.frames import Frames, placed
from ik_node.ros.intake.waiting import NotYetError
from ik_node.spatial import pose_from_quaternion
from ik_node.support.exceptions import InputError

ROOT, BASE = 'world', 'left_base'
OPTIONS = types.SimpleNamespace(options=NodeOptions())
CART = """<robot name="cart"><link name="world"/><link name="left_base"/><link name="tip"/>
<joint name="slide" type="prismatic"><parent link="world"/><child link="left_base"/>
<axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<joint name="turn" type="revolute"><parent link="left_base"/><child link="tip"/>
<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""


class Buffer:
    """One transform from a link to a frame, known between two times, s."""

    def __init__(self):
        self.link, self.first, self.newest, self.x = '', 0.0, -1.0, 0.0
        self.cleared = False

    def knows(self, link, stamp):
        if link != self.link or self.newest < 0.0:
            return False
        return stamp == 0.0 or self.first <= stamp <= self.newest

    def lookup_transform(self, link, frame, time):
        if not self.knows(link, 1e-9 * time.nanoseconds):
            raise RuntimeError('no such transform')
        T = np.eye(4)
        T[0, 3] = self.x
        found: TransformStamped = transform(T, Header(frame_id=link), frame)
        return found

    def can_transform(self, link, frame, time):
        return self.knows(link, 1e-9 * time.nanoseconds)

    def get_latest_common_time(self, link, frame):
        if link != self.link or self.newest < 0.0:
            raise RuntimeError('not connected')
        return Time(seconds=self.newest)

    def clear(self):
        self.cleared = True


class Node:
    """Remembers what is to be called when the clock jumps."""

    def get_clock(self):
        return self

    def create_jump_callback(self, threshold, post_callback):
        self.jumped = post_callback
        return types.SimpleNamespace(unregister=lambda: setattr(self, 'jumped', None))


def moved(history):
    """Return the execution of a robot at rest that has a history."""
    return types.SimpleNamespace(history=history, follow=lambda robot: None)


@pytest.fixture
def node():
    return Node()


@pytest.fixture
def frames(monkeypatch, node):
    listener = types.SimpleNamespace(unregister=lambda: None)
    monkeypatch.setitem(sys.modules, 'tf2_ros', types.SimpleNamespace(
        Buffer=Buffer, TransformListener=lambda buffer, node: listener))
    return Frames(node, moved(History()), OPTIONS)


@pytest.fixture
def robot():
    tree = KinematicTree.from_urdf(CART)
    arm = Arm(GroupSource(tree, ArmOptions(base_link=BASE, tip_link='tip')))
    return Robot(tree, {'': arm})


def in_base(frames, robot, frame, stamp=0.0, **options):
    header = Header(frame_id=frame, stamp=Time(nanoseconds=round(stamp * 1e9)).to_msg())
    frames._configuration = types.SimpleNamespace(options=NodeOptions(**options))
    return frames.in_link(robot, robot.groups[''].chain.base_link, header)


def test_a_frame_is_taken_from_where_it_was_to_where_the_base_is_now(frames, robot):
    robot.values['slide'] = 0.4
    frames._buffer.link, frames._buffer.newest, frames._buffer.x = ROOT, 5.0, 1.0
    assert in_base(frames, robot, 'table', 3.0)[0, 3] == pytest.approx(0.6)


def test_where_tf2_knows_the_base_only_that_is_taken(frames, robot):
    robot.values['slide'] = 0.4
    frames._buffer.link, frames._buffer.newest, frames._buffer.x = BASE, 5.0, 1.0
    assert in_base(frames, robot, 'table', 3.0)[0, 3] == pytest.approx(1.0)


def test_links_in_tf2_have_the_prefix(frames, robot):
    frames._buffer.link, frames._buffer.newest, frames._buffer.x = f'a/{ROOT}', 5.0, 1.0
    assert in_base(frames, robot, 'table', frame_prefix='a/')[0, 3] == pytest.approx(1.0)
    with pytest.raises(NotYetError, match="tf2 has no transform to 'world'"):
        in_base(frames, robot, 'table')


@pytest.mark.parametrize(('frame', 'prefix'), [
    ('world', ''), ('/world', ''), ('a/world', 'a/'), ('/a/world', 'a/'), ('a/world', '/a/')])
def test_a_link_is_where_the_robot_has_it_now(frames, robot, frame, prefix):
    robot.values['slide'] = 0.4
    for stamp in (0.0, 1e6):
        T = in_base(frames, robot, frame, stamp, frame_prefix=prefix)
        assert T[0, 3] == pytest.approx(-0.4)


@pytest.mark.parametrize('frame', ['world', 'b/world', 'tip', 'left_base'])
def test_a_link_without_the_prefix_is_not_one_of_the_robot(frames, robot, frame):
    with pytest.raises(InputError, match=f"unknown frame '{frame}'"):
        in_base(frames, robot, frame, frame_prefix='a/')
    frames._buffer.link, frames._buffer.newest, frames._buffer.x = f'a/{ROOT}', 5.0, 1.0
    assert in_base(frames, robot, frame, frame_prefix='a/')[0, 3] == pytest.approx(1.0)  # of tf2


def in_base_at(frames, robot, known, frame, stamp, jumps=False):
    """Return T_base_frame at a stamp, s, with known values of the joints, by their times, s."""
    history = History()
    robot.has_velocities = not jumps
    for time, (slide, turn) in known.items():
        robot.values.update(slide=slide, turn=turn)
        history.add(robot, round(1e9 * time))
    frames._execution = moved(history)
    return in_base(frames, robot, frame, stamp)


STATES = {10.0: (0.0, 0.2), 11.0: (0.4, 0.6), 12.0: (0.1, 0.3)}


@pytest.mark.parametrize(('stamp', 'jumps', 'slide', 'turn'), [
    (10.0, False, 0.0, 0.2), (11.0, True, 0.4, 0.6), (10.5, False, 0.2, 0.4),
    (10.5, True, 0.0, 0.2), (11.5, False, 0.25, 0.45), (12.0, False, 0.1, 0.3),
    (99.0, False, 0.1, 0.3), (0.0, False, 0.1, 0.3)])
def test_a_link_is_where_it_was_at_the_stamp_in_the_base_of_now(
        frames, robot, stamp, jumps, slide, turn):
    T = in_base_at(frames, robot, STATES, 'tip', stamp, jumps)
    c, s = np.cos(turn), np.sin(turn)
    assert T == pytest.approx(np.array([[c, -s, 0.0, slide - 0.1], [s, c, 0.0, 0.0],
                                        [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]), abs=1e-12)
    assert in_base_at(frames, robot, STATES, BASE, stamp, jumps)[0, 3] == pytest.approx(slide - 0.1)


def test_a_stamp_before_the_first_known_joint_values_is_refused(frames, robot):
    with pytest.raises(InputError, match=r'the joint values at 9\.5\d* s are not known any more: '
                                         r'the stamp must be at least 10\.0') as raised:
        in_base_at(frames, robot, STATES, 'tip', 9.5)
    assert not isinstance(raised.value, NotYetError)
    # It never moves:
    assert in_base_at(frames, robot, STATES, 'world', 9.5)[0, 3] == pytest.approx(-0.1)


def test_a_stamp_ahead_of_tf2_may_be_waited_for_until_it_has_come(frames, robot):
    buffer = frames._buffer
    buffer.link, buffer.newest = ROOT, 5.0
    with pytest.raises(NotYetError, match="the frame 'table' is known, but not at the stamp 6.000 "
                                          "s: tf2 has no transform to 'world'") as raised:
        in_base(frames, robot, 'table', 6.0)
    assert not raised.value.come()
    buffer.newest = 6.0
    assert raised.value.come()


def test_a_frame_not_heard_of_may_be_waited_for(frames, robot):
    with pytest.raises(NotYetError, match="unknown frame 'table'.*no such transform") as raised:
        in_base(frames, robot, 'table')
    assert not raised.value.come()
    frames._buffer.link, frames._buffer.newest = BASE, 5.0
    assert raised.value.come()


def test_what_is_past_never_comes(frames, robot):
    frames._buffer.link, frames._buffer.first, frames._buffer.newest = ROOT, 4.0, 5.0
    with pytest.raises(InputError, match="the frame 'table' is known, but not at the stamp 3.000 s"
                       ) as raised:
        in_base(frames, robot, 'table', 3.0)
    assert not isinstance(raised.value, NotYetError)


def test_a_stamp_that_is_no_time_is_refused(frames, robot):
    header = Header(frame_id='table', stamp=TimeMsg(sec=-3))
    with pytest.raises(InputError, match=r'the stamp -3 s, 0 ns is not a time') as raised:
        frames.in_link(robot, robot.groups[''].chain.base_link, header)
    assert not isinstance(raised.value, NotYetError)


def test_transforms_from_before_a_jump_of_the_clock_are_forgotten(frames, node):
    node.jumped(None)
    assert frames._buffer.cleared
    frames.destroy()
    assert node.jumped is None


def test_without_tf2_a_foreign_frame_is_refused_with_the_links_there_are(monkeypatch, robot):
    monkeypatch.setitem(sys.modules, 'tf2_ros', None)
    frames = Frames(Node(), moved(History()), OPTIONS)
    with pytest.raises(InputError, match="links are 'a/world', 'a/left_base', 'a/tip', and tf2 is "
                                         'not installed'):
        in_base(frames, robot, 'table', frame_prefix='a/')
    with pytest.raises(InputError, match="links are 'world', 'left_base', 'tip', and tf2 is not "
                                         'installed') as raised:
        in_base(frames, robot, 'table')
    assert not isinstance(raised.value, NotYetError)


def test_a_frame_of_tf2_that_is_none_makes_no_goal():
    T = pose_from_quaternion([1.0, 2.0, 3.0], [0.0, 0.0, 0.0, 1.0])
    assert placed(T, T)[:3, 3] == pytest.approx([2.0, 4.0, 6.0])
    for scaled, reason in ((1.1, 'is no pose'), (np.nan, 'must be finite numbers')):
        with pytest.raises(InputError, match=f'a goal in a frame {reason}'):
            placed(np.diag([scaled, 1.0, 1.0, 1.0]), T)
