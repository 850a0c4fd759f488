"""What tf is told, and asked."""

import pytest

pytest.importorskip('tf2_ros', reason='tf2_ros comes with a full ROS 2 install, not from PyPI')

from geometry_msgs.msg import TransformStamped
from rclpy.qos import DurabilityPolicy, QoSProfile
from tf2_msgs.msg import TFMessage

import robots
from ik_node import KinematicTree
from ros_harness import running

STATIC = QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL)
ARM = robots.OWN / 'arm_6r.urdf'


def test_the_place_in_the_world_is_told_and_told_again_when_it_changes():
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
    chain = KinematicTree.from_urdf(ARM).chain()
    goal = chain.forward([0.3, -0.4, 0.6, 0.2, -0.7, -0.1])
    with running(urdf_path=ARM) as node:
        known = TransformStamped(child_frame_id='table')
        known.header.frame_id = 'base_link'
        known.transform.translation.x = 0.25
        known.transform.rotation.w = 1.0
        node.publish(TFMessage, '/tf_static', TFMessage(transforms=[known]), STATIC)
        node.spin(1.0)
        seen = goal.copy()
        seen[0, 3] -= 0.25
        answer = node.client.send(seen, 'table')
        assert answer.met
        assert chain.forward([answer.joints[name] for name in chain.joint_names]) == pytest.approx(
            goal, abs=1e-5)
        assert not node.client.send(goal, 'nowhere').met
