import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from geometry_msgs.msg import PointStamped, PoseStamped

import ik_node
import robots
from harness.node_here import running
from ik_node.control import worker
from ik_node.ros.conversions import array_to_point, matrix_to_pose

FOLDER = str(Path(ik_node.__file__).parent)
CHAIN = robots.chain('arm_6r')
HUMANOID = robots.tree('humanoid')
MOST_OF_AN_ARM, MOST_OF_A_BODY = 16, 20


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """However busy the machine is, no search begins anew in another thread."""
    monkeypatch.setattr(worker, 'QUICK', 60.0)


def passed(node, topic, message):
    """Return the functions of the package that are called until the joint states are published."""
    (callback,) = (end.callback for end in node.subscriptions if end.topic_name == topic)
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
    with running(urdf_path=robots.OWN / 'arm_6r.urdf') as node:
        for q in ([0.4, 0.3, 0.5, 0.4, -1.2, 0.4], [0.5, 0.3, 0.5, 0.4, -1.2, 0.4]):
            functions = passed(node.subject, '/goal_pose', PoseStamped(
                pose=matrix_to_pose(CHAIN.forward(np.array(q)))))
        assert 0 < len(functions) <= MOST_OF_AN_ARM, sorted(functions)


@pytest.mark.parametrize('solver', ['hierarchy', 'least_squares'])
def test_a_target_for_one_of_two_tasks_passes_few_functions(solver):
    with running(urdf_path=robots.OWN / 'humanoid.urdf', solver=solver, tasks='[left, right]',
                 left__type='pose', left__link='left_palm', right__type='position',
                 right__link='right_palm', use_sim_time='false') as node:
        counts = []
        for x in (0.2, 0.3):  # the first solve makes what the others use
            T = HUMANOID.forward({'left_shoulder_pitch': x, 'right_shoulder_pitch': x})
            for topic, message in (
                    ('/left/goal_pose', PoseStamped(pose=matrix_to_pose(T['left_palm']))),
                    ('/right/goal_point', PointStamped(point=array_to_point(
                        T['right_palm'][:3, 3])))):
                counts.append(len(passed(node.subject, topic, message)))
        assert 0 < max(counts[1:]) <= MOST_OF_A_BODY, counts
