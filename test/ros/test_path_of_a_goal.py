"""A goal passes few functions from the subscription to the joint states."""

import sys
import threading
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed (make test brings it from PyPI)')

from geometry_msgs.msg import PoseStamped

import ik_node
import robots
from ik_node import KinematicTree
from ik_node.ros.conversions import matrix_to_pose
from node_here import NodeHere

FOLDER = str(Path(ik_node.__file__).parent)
CHAIN = KinematicTree.from_urdf(robots.OWN / 'arm_6r.urdf').chain()
MOST = 30


def passed(node, message):
    """Return the functions of the package that are called until the joint states are published."""
    (callback,) = (end.callback for end in node.subscriptions if end.topic_name == '/goal_pose')
    (publisher,) = (end for end in node.publishers if end.topic_name == '/joint_states')
    found, publish = set(), publisher.publish

    def profile(frame, event, _):
        code = frame.f_code
        if event == 'call' and code.co_filename.startswith(FOLDER):
            found.add((code.co_filename, code.co_name, code.co_firstlineno))

    def published(state):
        sys.setprofile(None)
        threading.setprofile(None)
        publish(state)
    publisher.publish = published
    threading.setprofile(profile)
    sys.setprofile(profile)
    try:
        callback(message)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return found


def test_a_pose_for_an_arm_passes_few_functions():
    with NodeHere('-p', f'urdf_path:={robots.OWN / "arm_6r.urdf"}') as node:
        for q in ([0.4, 0.3, 0.5, 0.4, -1.2, 0.4], [0.5, 0.3, 0.5, 0.4, -1.2, 0.4]):
            functions = passed(node.subject, PoseStamped(
                pose=matrix_to_pose(CHAIN.forward(np.array(q)))))
        assert 0 < len(functions) <= MOST, sorted(functions)
