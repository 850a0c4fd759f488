"""launch/demo.launch.py with upstream's launch packages and the real robot_state_publisher."""

import contextlib
import logging
import os
import signal

import pytest

launch_pytest = pytest.importorskip(
    'launch_pytest', reason='launch_pytest comes with a full ROS 2 install, not from PyPI')

from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from launch.actions import RegisterEventHandler
from launch.event_handlers import OnProcessExit, OnProcessStart
from rcl_interfaces.msg import Log
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from domains import Domain
from harness.launched import SHARE, included_demo
from ik_node import KinematicTree
from ik_node.ros.clients.client import Client
from ik_node.ros.topics import LATCHED
from launch import LaunchDescription, LaunchService

DOMAIN = Domain()


def demo(**arguments):
    """Return the launch file with arguments, without RViz, in a graph of its own."""
    os.environ['ROS_DOMAIN_ID'] = str(DOMAIN.id)
    return LaunchDescription([included_demo(**arguments), launch_pytest.actions.ReadyToTest()])


@launch_pytest.fixture
def with_goals():
    return demo()


@pytest.mark.launch(fixture=with_goals)
def test_the_arm_follows_the_demonstrations_goals_until_there_are_others():
    with Client(domain_id=DOMAIN.id) as client:
        assert client.wait_until_ready(120.0)
        transforms, goals, descriptions, lines, states = [], [], [], [], []
        client.node.create_subscription(Log, '/rosout', lines.append, 100)
        client.node.create_subscription(TFMessage, 'tf', transforms.append, 10)
        client.node.create_subscription(PoseStamped, 'goal_pose', goals.append, 10)
        client.node.create_subscription(String, 'robot_description', descriptions.append, LATCHED)
        assert client.spin_until(lambda: transforms and descriptions and len(goals) > 5, 60.0)
        moved = {transform.child_frame_id for message in transforms
                 for transform in message.transforms}
        assert {f'link_{i}' for i in range(1, 7)} <= moved
        tree = KinematicTree.from_urdf(descriptions[0].data)
        assert tree.name == 'arm_6r'
        chain = tree.chain()
        goal = chain.forward([0.4, 0.2, -0.5, 0.3, -0.9, 0.1])

        def met():
            with contextlib.suppress(TimeoutError):  # a goal of the demonstration came first
                return client.send(goal, timeout=5.0).met
        assert any(met() for _ in range(12))
        assert client.spin_until(lambda: any(
            'another node sends goals' in line.msg for line in lines), 60.0)
        client.node.create_subscription(JointState, 'joint_states', states.append, 10)
        goals.clear()
        assert client.spin_until(lambda: len(states) > 50, 60.0)  # time for forty goals
        assert goals == []


@launch_pytest.fixture
def rows():
    return demo(robot='puma560', goals='false')


@pytest.mark.launch(fixture=rows)
def test_a_robot_of_rows_is_shown_by_robot_state_publisher():
    with Client(domain_id=DOMAIN.id) as client:
        assert client.wait_until_ready(120.0)
        transforms, descriptions = [], []
        client.node.create_subscription(TFMessage, 'tf', transforms.append, 10)
        client.node.create_subscription(String, 'robot_description', descriptions.append, LATCHED)
        chain = KinematicTree.from_dh(SHARE / 'config' / 'dh' / 'puma560.yaml').chain()
        answer = client.send(chain.forward([0.3, 0.4, -0.5, 0.6, 0.7, 0.8]))
        assert answer.met
        assert set(answer.joints) == set(chain.joint_names)
        assert client.spin_until(lambda: descriptions and transforms, 60.0)
        moved = {transform.child_frame_id for message in transforms
                 for transform in message.transforms}
        assert moved == {f'link_{i}' for i in range(1, 7)}
        assert KinematicTree.from_urdf(descriptions[0].data).visuals


@launch_pytest.fixture
def figure():
    return demo(robot='humanoid')


@pytest.mark.launch(fixture=figure)
def test_the_tasks_of_a_figure_follow_the_demonstrations_goals():
    with Client(domain_id=DOMAIN.id) as client:
        statuses, roots, joints = [], [], []
        client.node.create_subscription(DiagnosticStatus, 'ik_node/status', statuses.append, 100)
        client.node.create_subscription(PoseStamped, 'ik_node/root_pose', roots.append, 10)
        client.node.create_subscription(JointState, 'joint_states', joints.append, 10)

        def met():
            return {pair.value for status in statuses if status.level == DiagnosticStatus.OK
                    for pair in status.values if pair.key == 'task'}
        assert client.spin_until(lambda: met() >= {'left', 'right', 'look'}, 120.0)
        assert client.spin_until(lambda: roots and joints, 10.0)
        assert roots[-1].header.frame_id == 'world'
        tree = KinematicTree.from_urdf(SHARE / 'urdf' / 'humanoid.urdf')
        assert {*tree.chain(tip_link='left_palm').joint_names} < {*joints[-1].name}


EXITS = []


@launch_pytest.fixture
def watched():
    description = demo(robot='scara')
    description.add_action(RegisterEventHandler(OnProcessExit(
        on_exit=lambda event, _: EXITS.append((event.process_name, event.returncode)))))
    return description


@pytest.mark.launch(fixture=watched)
def test_every_process_ends_cleanly():
    with Client(domain_id=DOMAIN.id) as client:
        assert client.wait_until_ready(120.0)
    assert EXITS == []
    yield  # until everything is shut down
    assert sorted(name.rsplit('-', 1)[0] for name, _ in EXITS) == [
        'demo_goals', 'ik_node', 'robot_state_publisher']
    assert {code for _, code in EXITS} == {0}


@pytest.mark.parametrize(('arguments', 'words'), [
    ({'robot': 'nobody'}, "there is no robot 'nobody': neither a file, nor one of arm_6r"),
    ({'teleop': 'keyboard'}, '"teleop" provided value "keyboard" is not valid'),
])
def test_a_wrong_argument_is_reported_with_the_right_ones(caplog, arguments, words):
    service = LaunchService()
    logging.getLogger('launch').addHandler(caplog.handler)  # it hands nothing on to the root
    service.include_launch_description(demo(**arguments))
    assert service.run() == 1
    assert words in caplog.text


def test_the_exit_status_is_1_where_a_process_has_died(caplog):
    service = LaunchService()
    logging.getLogger('launch').addHandler(caplog.handler)
    description = demo(goals='false')
    description.add_action(RegisterEventHandler(OnProcessStart(
        on_start=lambda event, _: os.kill(event.pid, signal.SIGKILL))))
    service.include_launch_description(description)
    assert service.run() == 1
    assert 'has failed' in caplog.text
