import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from visualization_msgs.msg import Marker, MarkerArray

import robots
from domains import Domain
from harness.commands import entry_point
from harness.ros_harness import LATCHED
from ik_node.ros.clients.client import Client
from ik_node.ros.publishing.workspace_markers import base_markers, workspace_markers
from ik_node.spatial import pose_from_rpy
from ik_node.workspace.analysis import analyse_workspace
from ik_node.workspace.placement import Placement


@pytest.fixture(scope='module')
def planar():
    return analyse_workspace(robots.planar(15, 10, 5), 3.0, dexterity=6)


@pytest.fixture(scope='module')
def scara():
    return analyse_workspace(robots.scara(), 0.08)


def test_every_reachable_voxel_is_a_cube_with_a_colour(scara):
    (marker,) = workspace_markers(scara, 'manipulability', 'left/').markers
    assert marker.type == Marker.CUBE_LIST
    assert marker.header.frame_id == 'left/base'
    scale = marker.scale  # small: the arm in them stays visible
    assert (scale.x, scale.y, scale.z) == pytest.approx((0.0096,) * 3)
    assert marker.pose.orientation.w == 1.0
    points = np.array([(point.x, point.y, point.z) for point in marker.points])
    assert points == pytest.approx(scara.centres)
    assert len(marker.colors) == len(marker.points)
    assert all(0.0 < color.a < 1.0 for color in marker.colors)


def test_colours_rise_with_the_figure(scara):
    (marker,) = workspace_markers(scara, 'manipulability').markers
    light = np.array([color.r + color.g + color.b for color in marker.colors])
    order = np.argsort(scara.manipulability)
    assert (np.diff(light[order]) > -1e-6).all()  # viridis grows lighter all the way
    assert light.max() == pytest.approx(0.993 + 0.906 + 0.144, abs=1e-5)
    assert len(np.unique(light)) > 50


def test_a_part_of_a_voxel_looks_other_than_its_centre(planar):
    (marker,) = workspace_markers(planar).markers
    blue = np.array([color.b for color in marker.colors])
    assert len(np.unique(blue[planar.centre_reachable])) == 1
    assert len(np.unique(blue)) == 2


def test_the_cubes_of_a_planar_arm_are_tiles_and_dexterity_is_coloured_up_to_one(planar):
    (marker,) = workspace_markers(planar, 'dexterity').markers
    assert marker.scale.z < 0.2 * marker.scale.x
    brightest = max(marker.colors, key=lambda color: color.r)
    assert (brightest.r, brightest.g, brightest.b) == pytest.approx((0.993, 0.906, 0.144), abs=1e-5)


def test_base_poses_are_arrows_in_the_colours_of_their_scores():
    bases = [Placement(pose_from_rpy((k, 2.0, 0.0), (0.0, 0.0, np.pi / 2)), score, np.ones(3, bool))
             for k, score in enumerate((1.0, 0.0))]
    first, second = base_markers(bases, 'world').markers
    assert (first.type, first.header.frame_id) == (Marker.ARROW, 'world')
    assert first.id != second.id
    assert (second.pose.position.x, second.pose.position.y) == (1.0, 2.0)
    assert second.pose.orientation.z == pytest.approx(np.sqrt(0.5))
    assert first.color.r > 0.9 > 0.3 > second.color.r


@pytest.mark.slow  # a command over DDS
def test_the_command_publishes_them_for_those_who_come_later_until_ctrl_c():
    domain = Domain()
    process = subprocess.Popen(
        [sys.executable, *entry_point('ik_workspace'), 'planar_3r', '--edge', '3',
         '--publish', '--frame-prefix', 'arm/', '--ros-args', '-r', 'workspace:=reach'],
        env={**os.environ, 'ROS_DOMAIN_ID': str(domain.id)}, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True)
    try:
        with Client(domain_id=domain.id) as client:
            assert client.spin_until(lambda: client.node.count_publishers('reach') > 0, 60.0)
            heard = []  # the markers may have been sent by now: they are latched
            client.node.create_subscription(MarkerArray, 'reach', heard.append, LATCHED)
            assert client.spin_until(lambda: heard, 60.0)
        assert heard[0].markers[0].header.frame_id == 'arm/base_link'
        assert len(heard[0].markers[0].points) > 250
        assert process.poll() is None
    finally:
        while process.poll() is None:  # the terminal and launch send one each
            process.send_signal(signal.SIGINT)
            time.sleep(0.005)
        out, log = process.communicate(timeout=60)
    assert process.returncode == 0, log
    assert 'Traceback' not in log
    assert 'serves 3 of 6' in out
