"""Two robots of launch/demo.launch.py in one graph: namespaces, prefixes, and frames of the other.

With upstream's launch packages, the real robot_state_publisher and tf2.
"""

import contextlib
import os

import numpy as np
import pytest

launch_pytest = pytest.importorskip(
    'launch_pytest', reason='launch_pytest comes with a full ROS 2 install, not from PyPI')
tf2_ros = pytest.importorskip(
    'tf2_ros', reason='tf2_ros comes with a full ROS 2 install, not from PyPI')

from launch.actions import RegisterEventHandler
from launch.event_handlers import OnProcessExit
from rcl_interfaces.srv import SetParametersAtomically
from rclpy.parameter import Parameter
from rclpy.time import Time
from sensor_msgs.msg import JointState

from domains import Domain
from harness.launched import SHARE, included_demo
from ik_node import KinematicTree
from ik_node.ros.clients.client import Client
from ik_node.spatial import pose_from_quaternion
from launch import LaunchDescription

DOMAIN = Domain()
ROBOTS = {'left': 'arm_6r', 'right': 'arm_7r'}
CHAINS = {side: KinematicTree.from_urdf(SHARE / 'urdf' / f'{robot}.urdf').chain()
          for side, robot in ROBOTS.items()}
EXITS = []


@launch_pytest.fixture
def both():
    os.environ['ROS_DOMAIN_ID'] = str(DOMAIN.id)
    return LaunchDescription([
        *(included_demo(goals='false', robot=robot, namespace=side, frame_prefix=f'{side}/')
          for side, robot in ROBOTS.items()),
        RegisterEventHandler(OnProcessExit(
            on_exit=lambda event, _: EXITS.append((event.process_name, event.returncode)))),
        launch_pytest.actions.ReadyToTest()])


class Robot:
    """A client of one of them, and what is heard of its joints."""

    def __init__(self, side):
        self.side, self.chain = side, CHAINS[side]
        self.client = Client(domain_id=DOMAIN.id, namespace=side)
        self.heard = []
        self.client.node.create_subscription(JointState, 'joint_states', self.heard.append, 10)

    def configuration(self):
        """Return where the joints are now, (n,)."""
        self.heard.clear()
        assert self.client.spin_until(lambda: len(self.heard) > 1, 60.0)
        joints = dict(zip(self.heard[-1].name, self.heard[-1].position))
        assert list(joints) == list(self.chain.joint_names)
        return np.array(list(joints.values()))

    def place(self, x):
        """Tell where in the world it stands, m."""
        service = self.client.node.create_client(SetParametersAtomically,
                                                 'ik_node/set_parameters_atomically')
        assert self.client.spin_until(service.service_is_ready, 60.0)
        future = service.call_async(SetParametersAtomically.Request(parameters=[
            Parameter('world_frame', value='hall').to_parameter_msg(),
            Parameter('root_pose', value=[x, 0.0, 0.0, 0.0, 0.0, 0.0]).to_parameter_msg()]))
        assert self.client.spin_until(future.done, 60.0)
        assert future.result().result.successful, future.result().result.reason


def transform(buffer, client, parent, child, expected):
    """Wait until tf2 has a transform and it is the expected one (4, 4), m."""
    def there():
        with contextlib.suppress(tf2_ros.TransformException):
            found = buffer.lookup_transform(parent, child, Time()).transform
            t, q = found.translation, found.rotation
            T = pose_from_quaternion((t.x, t.y, t.z), (q.x, q.y, q.z, q.w))
            return np.abs(T - expected).max() < 1e-5
        return False
    return client.spin_until(there, 60.0)


@pytest.mark.launch(fixture=both)
def test_two_robots_have_their_own_goals_and_know_the_frames_of_each_other():
    left, right = Robot('left'), Robot('right')
    with left.client, right.client:
        for robot in (left, right):
            assert robot.client.wait_until_ready(120.0)
        assert left.client.node.count_publishers('/joint_states') == 0
        buffer = tf2_ros.Buffer()
        listener = tf2_ros.TransformListener(buffer, left.client.node)
        for robot, other in ((left, right), (right, left)):
            stands = other.configuration()
            goal = robot.chain.forward(np.linspace(0.3, -0.4, robot.chain.n_joints))
            assert robot.client.send(goal).met
            assert robot.chain.forward(robot.configuration()) == pytest.approx(goal, abs=2e-6)
            assert (other.configuration() == stands).all()
            # What robot_state_publisher makes of it has the prefix.
            tip = f'{robot.side}/{robot.chain.tip_link}'
            base = f'{robot.side}/{robot.chain.base_link}'
            assert transform(buffer, left.client, base, tip, goal)
        # The two are places in one hall: a goal at the other's tip is met there.
        left.place(0.0)
        right.place(0.9)
        stands = right.configuration()
        goal = left.chain.forward([0.2, -0.3, 0.5, 0.1, -0.6, 0.2])
        in_the_base_of_right = goal.copy()
        in_the_base_of_right[0, 3] -= 0.9
        seen = np.linalg.inv(right.chain.forward(stands)) @ in_the_base_of_right
        answer = left.client.send(seen, f'right/{right.chain.tip_link}')
        assert answer.met, answer.message
        assert left.chain.forward(left.configuration()) == pytest.approx(goal, abs=1e-5)
        assert (right.configuration() == stands).all()
        refused = left.client.send(np.eye(4), 'tool_of_nobody')
        assert "unknown frame 'tool_of_nobody'" in refused.message
        listener.unregister()
    assert EXITS == []
    yield  # until everything is shut down
    assert sorted(name.rsplit('-', 1)[0] for name, _ in EXITS) == [
        'ik_node', 'ik_node', 'robot_state_publisher', 'robot_state_publisher']
    assert {code for _, code in EXITS} == {0}
