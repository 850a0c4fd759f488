"""The publisher of demonstration goals."""

import os
import signal
import subprocess
import sys

import pytest
from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from domains import Domain
from geometry_msgs.msg import PointStamped, PoseStamped
from rcl_interfaces.srv import GetParameters
from std_msgs.msg import String
from visualization_msgs.msg import InteractiveMarkerFeedback

import robots
from ik_node import KinematicTree
from ik_node.ros.clients.client import Client
from ik_node.ros.conversions import pose_to_matrix
from ik_node.ros.publishing import status
from ros_harness import LATCHED, seconds

TEXT = (robots.OWN / 'arm_6r.urdf').read_text()


@pytest.mark.parametrize(('kind', 'topic'), [
    (DiagnosticStatus, 'ik_node/status'), (InteractiveMarkerFeedback, 'ik_node/feedback')])
def test_it_sends_reachable_goals_until_somebody_else_does(kind, topic):
    domain = Domain()
    process = subprocess.Popen(
        [sys.executable, '-m', 'ik_node.ros.clients.demo_goals', '--ros-args', '-p', 'rate:=200.0'],
        env={**os.environ, 'ROS_DOMAIN_ID': str(domain.id)}, stderr=subprocess.PIPE, text=True)
    try:
        with Client(domain_id=domain.id) as client:
            goals = []
            client.node.create_subscription(PoseStamped, 'goal_pose', goals.append, 10)
            other = client.node.create_publisher(kind, topic, 1)  # there, but silent
            publisher = client.node.create_publisher(String, 'robot_description', LATCHED)
            publisher.publish(String(data=TEXT))
            assert client.spin_until(lambda: len(goals) >= 20, 60.0)
            chain = KinematicTree.from_urdf(TEXT).chain()
            from ik_node import make_solver
            solver = make_solver('dls', chain)
            assert all(solver.solve(pose_to_matrix(goal.pose)).success for goal in goals[:20])
            # A tool that waits for the first subscriber of goals finds the node, not this one.
            for name in ('goal_pose', 'goal_point', 'goal_path'):
                assert client.node.count_subscribers(name) == (name == 'goal_pose')
            if kind is DiagnosticStatus:  # that of a goal of its own does not end it
                count = len(goals)
                other.publish(status_of(status.seconds(goals[-1].header.stamp)))
                assert client.spin_until(lambda: len(goals) > count, 60.0)
            other.publish(kind())
            assert 'another node sends goals' in process.stderr.readline()
            silent = client.node.get_clock().now().nanoseconds
            answers(client, 50)  # for so long that another goal would be due
            assert max(1e9 * seconds(goal.header.stamp) for goal in goals) <= silent
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert process.returncode == 0


def test_for_a_figure_it_leads_hands_and_gaze_round():
    domain = Domain()
    file = robots.OWN.parent / 'config/humanoid.yaml'
    process = subprocess.Popen(
        [sys.executable, '-m', 'ik_node.ros.clients.demo_goals', '--ros-args', '--params-file',
         str(file), '-p', 'rate:=100.0'], env={**os.environ, 'ROS_DOMAIN_ID': str(domain.id)})
    try:
        with Client(domain_id=domain.id) as client:
            goals = {'left/goal_pose': [], 'right/goal_pose': [], 'look/goal_point': []}
            for topic, heard in goals.items():
                client.node.create_subscription(
                    PointStamped if 'point' in topic else PoseStamped, topic, heard.append, 10)
            publisher = client.node.create_publisher(String, 'robot_description', LATCHED)
            publisher.publish(String(data=(robots.OWN / 'humanoid.urdf').read_text()))
            assert client.spin_until(lambda: min(map(len, goals.values())) >= 20, 60.0)
            first, last = (pose_to_matrix(goals['left/goal_pose'][k].pose) for k in (0, -1))
            assert not (first == last).all()
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert process.returncode == 0


def status_of(stamp):
    """Return the status of a goal with a stamp."""
    return DiagnosticStatus(values=[KeyValue(key='goal_stamp', value=stamp)])


def answers(client, count):
    """Wait until the publisher of goals has answered a service so many times."""
    service = client.node.create_client(GetParameters, 'demo_goals/get_parameters')
    for _ in range(count):
        assert client.spin_until(service.service_is_ready, 60.0)
        future = service.call_async(GetParameters.Request(names=['rate']))
        assert client.spin_until(future.done, 60.0)
