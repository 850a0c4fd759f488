"""The goal in numbers, and the command that sends it."""

import shlex

import numpy as np
import pytest
import yaml

import robots
from fake_node import FakeNode
from ik_node.spatial import inverse, pose_from_rpy, rpy_from_matrix
from page_here import page_of, robot_view_of

XYZ, RPY = ('Goal', 'x, y, z (m)'), ('Goal', 'roll, pitch, yaw')


@pytest.fixture
def page():
    """The page of an arm whose base is not at the origin, nor along its axes."""
    node = FakeNode(arms=('left',), model_path=str(robots.OWN / 'torso.urdf'),
                    left__base_link='torso_link', left__tip_link='left_tool0')
    with page_of(node, arm='left') as made:
        node.stand({'lift_joint': 0.2, 'waist_joint': 0.7})
        made.settle()
        yield made


def goal(page):
    """Return the pose of the handle in the frame of the base."""
    return inverse(page.robot_view.pose('torso_link')) @ page.handle().T


def sent(page):
    return page.node.sent[-1][2]


def test_the_goal_is_shown_in_the_frame_of_the_base_in_degrees_or_radians(page):
    T = goal(page)
    assert np.abs(page.robot_view.pose('torso_link') - np.eye(4)).max() > 0.1
    assert page.widget(*XYZ).value == pytest.approx(T[:3, 3], abs=1e-4)
    angles = rpy_from_matrix(T[:3, :3])
    assert page.widget(*RPY).value == pytest.approx(np.degrees(angles), abs=1e-4)
    page.choose('Goal', 'angles in', value='radians')
    assert page.widget(*RPY).value == pytest.approx(angles, abs=1e-4)


def test_what_is_typed_is_a_goal_and_what_is_not_typed_stays_as_it_is(page):
    before = goal(page)
    x, y, z = page.widget(*XYZ).value
    page.choose(*XYZ, value=(x + 0.01, y, z))
    wanted = before.copy()
    wanted[0, 3] = x + 0.01
    assert sent(page) == pytest.approx(wanted, abs=1e-9)
    page.choose('Goal', 'angles in', value='radians')
    page.choose(*RPY, value=(0.0, 0.2, 0.3))
    wanted[:3, :3] = pose_from_rpy((0.0, 0.0, 0.0), (0.0, 0.2, 0.3))[:3, :3]
    assert sent(page) == pytest.approx(wanted, abs=1e-9)


def test_the_command_sends_the_goal(page):
    T = goal(page)
    *command, message = shlex.split(page.widget('Goal', 'command').value)
    assert command == ['ros2', 'topic', 'pub', '--once', '/left/goal_pose',
                       'geometry_msgs/PoseStamped']
    pose = yaml.safe_load(message)['pose']
    assert list(pose['position'].values()) == pytest.approx(T[:3, 3], abs=1e-4)
    assert np.linalg.norm(list(pose['orientation'].values())) == pytest.approx(1.0, abs=1e-5)


def test_the_handle_goes_back_to_the_tip(page):
    T = page.handle().T.copy()
    T[0, 3] += 9.0
    page.drag(T)
    page.press('Goal', 'Handle to tip')
    assert page.handle().T == pytest.approx(page.robot_view.pose('left_tool0'), abs=1e-5)


def test_without_the_name_of_one_of_several_arms_there_is_no_goal(page):
    other = robot_view_of(page.server, page.node, 'other')
    other.fetch_parameters()
    other.paint()
    assert other.targets == ()
    assert other.problems == ['the node has several arms; choose one of left with --arm']
