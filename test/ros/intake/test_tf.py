import pytest

pytest.importorskip('tf2_ros', reason='tf2_ros comes with a full ROS 2 install, not from PyPI')

from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from geometry_msgs.msg import PoseStamped, TransformStamped
from rclpy.duration import Duration
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.time import Time
from tf2_msgs.msg import TFMessage

import robots
from harness.bent_arm import ARM, CHAIN
from harness.node_here import running
from ik_node.ros.conversions import matrix_to_pose

STATIC = QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL)


def test_the_place_in_the_world_is_published_and_published_again_when_it_changes():
    with running(urdf_path=ARM, world_frame='map', root_pose='[1.0, 2.0, 3.0, 0.0, 0.0, 0.0]',
                 frame_prefix='left/') as node:
        heard = node.listen(TFMessage, '/tf_static', STATIC)
        assert node.until(lambda: heard)
        told = heard[-1].transforms[0]
        assert (told.header.frame_id, told.child_frame_id) == ('map', 'left/base_link')
        assert (told.transform.translation.x, told.transform.translation.z) == (1.0, 3.0)
        assert node.set(root_pose=[5.0, 0.0, 0.0, 0.0, 0.0, 0.0])[0]
        assert node.until(lambda: heard[-1].transforms[0].transform.translation.x == 5.0)


def test_a_frame_that_tf_knows_is_taken():
    chain = robots.chain('arm_6r')
    goal = chain.forward([0.3, -0.4, 0.6, 0.2, -0.7, -0.1])
    with running(urdf_path=ARM) as node:
        known = TransformStamped(child_frame_id='table')
        known.header.frame_id = 'base_link'
        known.transform.translation.x = 0.25
        known.transform.rotation.w = 1.0
        node.publish(TFMessage, '/tf_static', TFMessage(transforms=[known]), STATIC)
        node.settle()
        seen = goal.copy()
        seen[0, 3] -= 0.25
        answer = node.client.send(seen, 'table')
        assert answer.met
        assert chain.forward([answer.joints[name] for name in chain.joint_names]) == pytest.approx(
            goal, abs=1e-5)
        assert not node.client.send(goal, 'nowhere').met


class Camera:
    """Tells tf where a camera stands in the robot's base: x at a time, m and s."""

    def __init__(self, node):
        self.node = node
        self.publisher = node.node.create_publisher(TFMessage, '/tf', 10)
        assert node.until(lambda: self.publisher.get_subscription_count() > 0)

    def tell(self, x, stamp, name='camera'):
        told = TransformStamped(child_frame_id=name)
        told.header.frame_id, told.header.stamp = 'base_link', stamp.to_msg()
        told.transform.translation.x = x
        told.transform.rotation.w = 1.0
        self.publisher.publish(TFMessage(transforms=[told]))


@pytest.fixture(scope='module')
def node():
    with running(urdf_path=ARM) as running_node:
        yield running_node


@pytest.fixture(scope='module')
def camera(node):
    return Camera(node)


@pytest.fixture
def statuses(node):
    return node.listen(DiagnosticStatus, 'ik_node/status')


GOAL = CHAIN.forward([0.3, -0.4, 0.6, 0.2, -0.7, -0.1])


def send(node, stamp, x, frame='camera'):
    """Publish the goal as a camera sees it that stands at x, m."""
    seen = GOAL.copy()
    seen[0, 3] -= x
    message = PoseStamped(pose=matrix_to_pose(seen))
    message.header.frame_id = frame
    if stamp is not None:
        message.header.stamp = stamp.to_msg()
    node.publish(PoseStamped, 'goal_pose', message)


def assert_met(node, statuses):
    assert node.until(lambda: statuses), node.log()
    assert [status.level for status in statuses] == [DiagnosticStatus.OK], statuses[0].message
    assert tip_now(node) == pytest.approx(GOAL, abs=1e-5)


def tip_now(node):
    joints = node.values()
    return CHAIN.forward([joints[name] for name in CHAIN.joint_names])


def test_a_goal_waits_for_a_transform_at_its_stamp(node, camera, statuses):
    assert node.set(tf_timeout=30.0) == (True, '')
    start = node.node.get_clock().now()
    camera.tell(0.0, start)
    node.settle()
    send(node, start + Duration(seconds=1.0), 0.1)
    node.settle()
    assert statuses == []
    camera.tell(0.2, start + Duration(seconds=2.0))  # half way between the two at the stamp
    assert_met(node, statuses)


def test_when_the_clock_is_set_back_what_tf_said_before_is_forgotten_but_not_what_stands_still():
    with running(urdf_path=ARM, tf_timeout=0.0) as node:
        node.set_time(100.0)
        camera = Camera(node)
        still = TransformStamped(child_frame_id='still')
        still.header.frame_id = 'base_link'
        still.transform.rotation.w = 1.0
        node.publish(TFMessage, '/tf_static', TFMessage(transforms=[still]), STATIC)
        camera.tell(0.0, Time(seconds=100))
        assert told_of(node, 'camera') == DiagnosticStatus.OK
        node.set_time(50.0)
        assert told_of(node, 'camera') == DiagnosticStatus.ERROR
        assert told_of(node, 'still') == DiagnosticStatus.OK
        assert node.alive()


def told_of(node, frame):
    """Send a goal in a frame, and return the level of its status."""
    heard = node.listen(DiagnosticStatus, 'ik_node/status')

    def answers():
        return [status.level for status in heard
                if KeyValue(key='goal_frame', value=frame) in status.values]
    send(node, None, 0.0, frame)
    assert node.until(answers), node.log()
    return answers()[0]
