"""Which frame a goal is in, with a stand-in for tf2."""

import sys
import types

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed (make test brings it from PyPI)')

from builtin_interfaces.msg import Time as TimeMsg
from geometry_msgs.msg import TransformStamped
from rclpy.time import Time
from std_msgs.msg import Header

from ik_node import KinematicTree
from ik_node.control.arm import Arm
from ik_node.control.options import ArmOptions, NodeOptions
from ik_node.control.robot import Robot
from ik_node.exceptions import InputError
from ik_node.ros.conversions import transform
from ik_node.ros.intake.frames import Frames
from ik_node.ros.intake.waiting import NotYetError

ROOT, BASE = 'world', 'left_base'
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


@pytest.fixture
def node():
    return Node()


@pytest.fixture
def frames(monkeypatch, node):
    listener = types.SimpleNamespace(unregister=lambda: None)
    monkeypatch.setitem(sys.modules, 'tf2_ros', types.SimpleNamespace(
        Buffer=Buffer, TransformListener=lambda buffer, node: listener))
    return Frames(node)


@pytest.fixture
def robot():
    tree = KinematicTree.from_urdf(CART)
    arm = Arm('', tree, ArmOptions(base_link=BASE, tip_link='tip'), {})
    return Robot(tree, {'': arm})


def in_base(frames, robot, frame, stamp=0.0, **options):
    header = Header(frame_id=frame, stamp=Time(nanoseconds=round(stamp * 1e9)).to_msg())
    return frames.in_link(robot, robot.arms[''].chain.base_link, header, NodeOptions(**options))


def test_a_frame_is_taken_from_where_it_was_to_where_the_base_is_now(frames, robot):
    robot._values['slide'] = 0.4
    frames._buffer.link, frames._buffer.newest, frames._buffer.x = ROOT, 5.0, 1.0
    assert in_base(frames, robot, 'table', 3.0)[0, 3] == pytest.approx(0.6)


def test_where_tf2_knows_the_base_only_that_is_taken(frames, robot):
    robot._values['slide'] = 0.4
    frames._buffer.link, frames._buffer.newest, frames._buffer.x = BASE, 5.0, 1.0
    assert in_base(frames, robot, 'table', 3.0)[0, 3] == pytest.approx(1.0)


def test_links_in_tf2_have_the_prefix(frames, robot):
    frames._buffer.link, frames._buffer.newest, frames._buffer.x = f'a/{ROOT}', 5.0, 1.0
    assert in_base(frames, robot, 'table', frame_prefix='a/')[0, 3] == pytest.approx(1.0)
    with pytest.raises(NotYetError, match="tf2 has no transform to 'world'"):
        in_base(frames, robot, 'table')


def test_a_link_is_where_the_robot_has_it_whatever_the_stamp(frames, robot):
    robot._values['slide'] = 0.4
    for frame in ('world', '/world', 'a/world'):
        T = in_base(frames, robot, frame, 1e6, frame_prefix='a/')
        assert T[0, 3] == pytest.approx(-0.4)
    with pytest.raises(InputError, match="unknown frame 'b/world'"):
        in_base(frames, robot, 'b/world', frame_prefix='a/')  # another robot's


def test_a_stamp_ahead_of_tf2_may_be_waited_for_until_it_has_come(frames, robot):
    buffer = frames._buffer
    buffer.link, buffer.newest = ROOT, 5.0
    with pytest.raises(NotYetError) as raised:
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
    with pytest.raises(InputError, match="unknown frame 'table'") as raised:
        in_base(frames, robot, 'table', 3.0)
    assert not isinstance(raised.value, NotYetError)


def test_a_stamp_that_is_no_time_is_refused(frames, robot):
    header = Header(frame_id='table', stamp=TimeMsg(sec=-3))
    with pytest.raises(InputError, match=r'the stamp -3 s, 0 ns is not a time') as raised:
        frames.in_link(robot, robot.arms[''].chain.base_link, header, NodeOptions())
    assert not isinstance(raised.value, NotYetError)


def test_transforms_from_before_a_jump_of_the_clock_are_forgotten(frames, node):
    node.jumped(None)
    assert frames._buffer.cleared
    frames.destroy()
    assert node.jumped is None


def test_without_tf2_a_foreign_frame_is_refused_with_the_links_there_are(monkeypatch, robot):
    monkeypatch.setitem(sys.modules, 'tf2_ros', None)
    with pytest.raises(InputError, match="links are 'world', 'left_base', 'tip', and tf2 is not "
                                         'installed') as raised:
        in_base(Frames(Node()), robot, 'table')
    assert not isinstance(raised.value, NotYetError)
