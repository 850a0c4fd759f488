"""The stand-in of joint_trajectory_controller in the graph of a node."""

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed (make test brings it from PyPI)')

from sensor_msgs.msg import JointState

import robots
from harness.controller_node import ControllerNode
from harness.node_here import running
from ik_node import KinematicTree

ARM = robots.OWN / 'arm_6r.urdf'
START, END = np.zeros(6), np.array([0.3, -0.4, 0.5, 0.2, -0.3, 0.4])


def test_it_moves_its_joints_along_the_motions_of_a_node_and_publishes_their_states():
    pytest.importorskip('ruckig', reason='ruckig is not installed (make test brings it from PyPI)')
    chain = KinematicTree.from_urdf(ARM).chain()
    topic = '/joint_trajectory_controller/joint_trajectory'
    with running(urdf_path=ARM, motion='joint', state_topic='/measured', trajectory_topic=topic,
                 publish_rate=100.0, start_pose=f'{END.tolist()}') as node:
        side = ControllerNode(node.node, chain.joint_names, START, states='/measured',
                              others={'finger': 0.02})
        states = node.listen(JointState, '/measured')
        node.spin(0.1)
        assert node.reset().success
        assert node.until(lambda: len(side.received) == 1)
        duration = side.received[0].points[-1].time_from_start
        node.spin(duration.sec + 1e-9 * duration.nanosec + 0.2)
        assert side.controller.refused == []
        assert list(states[-1].name) == [*chain.joint_names, 'finger']
        assert list(states[-1].position) == pytest.approx([*END, 0.02], abs=1e-9)
        assert not any(states[-1].velocity)
