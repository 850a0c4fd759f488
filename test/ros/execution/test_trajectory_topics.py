"""Motions on the topics of trajectories."""

from types import SimpleNamespace

import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed (make test brings it from PyPI)')

from std_msgs.msg import String
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory

import robots
from figure_values import built
from ik_node.ros.execution.trajectory_topics import TrajectoryTopics
from node_here import NodeHere


def test_a_motion_of_a_figure_is_published_for_its_joints_and_not_for_its_root():
    robot = built(tasks=('a',), a__type='position', a__link='gaze', root='floating', motion='joint',
                  trajectory_topic='/controller/joint_trajectory').robot
    figure, messages = robot.groups[''], []
    topics = TrajectoryTopics.__new__(TrajectoryTopics)
    topics._period = 0.1
    topics._publishers = {'/controller/joint_trajectory': SimpleNamespace(publish=messages.append)}
    q = figure.start.copy()
    q[0], q[6] = 1.0, 0.25
    topics.hold(figure, q)
    (message,) = messages
    assert tuple(message.joint_names) == figure.body.joint_names[6:]
    assert message.points[0].positions.tolist() == q[6:].tolist()


def test_a_robot_that_comes_to_an_active_node_is_followed_by_its_controller_too():
    settings = [text for pair in (('motion', 'joint'), ('trajectory_topic', '/controller/motion'))
                for text in ('-p', f'{pair[0]}:={pair[1]}')]
    with NodeHere(*settings) as node:
        motions = node.listen(JointTrajectory, '/controller/motion')
        node.publish(String, 'robot_description', String(
            data=(robots.OWN / 'arm_6r.urdf').read_text(encoding='utf-8')))
        assert node.call(Trigger, 'ik_node/reset', Trigger.Request()).success
        assert node.until(lambda: motions), node.log()
